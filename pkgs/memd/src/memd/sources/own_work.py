"""What memd's own curator did: it works below the state directory, and is no session."""

from __future__ import annotations

import os


class OwnWork:
    """Directories in or below `state_dir`, with its links resolved or not."""

    def __init__(self, state_dir: str) -> None:
        self.tops = (state_dir, os.path.realpath(state_dir))
        self._below = tuple(f"{top}/" for top in self.tops)

    def holds(self, cwd: str | None) -> bool:
        return cwd is not None and f"{cwd}/".startswith(self._below)
