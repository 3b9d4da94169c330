"""Where an Antigravity conversation began."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from memd.fsio import sha256
from memd.projects import ancestors
from memd.sources.mentions import Mentions
from memd.sources.session_index import Json


class Roots:
    """The directories of all known projects."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._above = {above for root in self._known for above in ancestors(root)} - self._known
        self.print = sha256("\n".join(sorted(self._known)).encode("utf-8", "replace"))[:16]
        """Fingerprint of them all."""

    def hold(self, directory: str) -> bool:
        """Whether a directory lies in a known project."""
        places = (*ancestors(directory), *ancestors(os.path.realpath(directory)))
        return any(place in self._known for place in places)

    def below(self, directories: Iterable[str]) -> list[str]:
        """The known projects below one of some directories; all of them for none at all."""
        tops = [f"{d.rstrip('/')}/" for d in directories]
        if tops and not any(top.rstrip("/") in self._above or top == "/" for top in tops):
            return []
        return [root for root in self._known if not tops or root.startswith(tuple(tops))]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a look into a conversation brought to light."""

    size: int
    """Bytes of its steps."""
    last: int
    """Number of its last step that can be read."""
    is_subagent: bool
    workspaces: tuple[str, ...]
    among: str = ""
    """Fingerprint of the projects that were looked for in its words, "" for none."""
    named: str = ""
    """The one of them that was found."""

    def began_in(self, roots: Roots) -> str | None:
        """A workspace in a known project, else the project that is named, else any workspace."""
        known = (path for path in self.workspaces if roots.hold(path))
        named = self.named if self.among == roots.print else ""
        return next(known, None) or named or next(iter(self.workspaces), None)

    def candidates(self, roots: Roots) -> list[str]:
        """The projects to look for in its words, none when there is no need to."""
        if self.among == roots.print or any(map(roots.hold, self.workspaces)):
            return []
        return roots.below(self.workspaces)

    def to_json(self) -> Json:
        return asdict(self)


def from_json(document: Json | None) -> Facts | None:
    """None for anything that is not the work of `to_json`."""
    match document:
        case {
            "size": int(size),
            "last": int(last),
            "is_subagent": bool(child),
            "workspaces": [*paths],
            "among": str(among),
            "named": str(named),
        } if all(isinstance(path, str) for path in paths):
            return Facts(size, last, child, tuple(paths), among, named)
    return None


def most_named(words: Iterable[str], candidates: Iterable[str]) -> str:
    """The project that some texts name most often, "" for none."""
    mentions = Mentions(candidates)
    for text in words:
        mentions.add(text)
    return mentions.winner() or ""
