"""A home of its own with repositories, clients' sessions and memd in it."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

CURATOR = (sys.executable, "-IS", str(Path(__file__).with_name("curator.py")))
MEMD = str(Path(sys.executable).with_name("memd"))
_KEPT = ("PATH", "TMPDIR", "LANG")


class Machine:
    """Driven through the command line, but for what would take minutes that way."""

    def __init__(self, place: Path, *curator: str, **settings: object) -> None:
        self.place = place
        self.home = place / "home"
        self.home.mkdir(parents=True)
        self.env = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self.env |= {"HOME": str(self.home), "XDG_CONFIG_DIRS": str(place)}
        config = self.home / ".config" / "memd" / "config.json"
        config.parent.mkdir(parents=True)
        told = {"curator_cmd": [*CURATOR, "--record", str(place), *curator], **settings}
        config.write_text(json.dumps({"quiet_seconds": 0, **told}))

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "memd"

    def root(self, number: int) -> Path:
        return self.place / "work" / f"project{number:03}"

    def memory(self, number: int) -> Path:
        return self.root(number) / ".memory"

    def memd(self, *arguments: str) -> str:
        done = subprocess.run(
            [MEMD, *arguments], env=self.env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"memd {arguments}: {done.stderr}")
        return done.stdout

    def command(self, *arguments: str) -> tuple[str, ...]:
        return (MEMD, *arguments)

    def adopt(self, count: int) -> None:
        """Make repositories and take them in, without a process for each."""
        from memd import onboard, runtime

        for number in range(count):
            _repository(self.root(number))
        rt = runtime.build(self.env)
        for number in range(count):
            onboard.init(rt, str(self.root(number)))

    def take_as_read(self) -> None:
        """All sessions that there are, at once."""
        from memd import runtime, survey
        from memd.state import ledger
        from memd.state.ledger import Ledger

        rt = runtime.build(self.env)
        found = survey.take(rt, rt.projects())
        for root, refs in found.by_root.items():
            ends = {ref.key: rt.sources[ref.source].end(ref) for ref in refs}
            ledger.edit(rt.paths, root, functools.partial(Ledger.started_at, baseline=ends))

    def seen(self) -> set[str]:
        """The markers that the curator has been shown."""
        return set(self._recorded("markers"))

    def prompts(self) -> list[int]:
        """Length of each prompt so far."""
        return [int(size) for size in self._recorded("sizes")]

    def most_at_once(self) -> int:
        """How many curators were at work at the same time."""
        most = now = 0
        for _, change in sorted(event.split(":") for event in self._recorded("times")):
            now += int(change)
            most = max(most, now)
        return most

    def forget_calls(self) -> None:
        for name in ("markers", "sizes", "times"):
            (self.place / name).unlink(missing_ok=True)

    def _recorded(self, name: str) -> list[str]:
        path = self.place / name
        return path.read_text().split() if path.exists() else []

    @contextmanager
    def kept(self, numbers: Iterable[int]) -> Iterator[_Kept]:
        """What memd remembers, to be put back as often as one likes."""
        yield _Kept(self.place / "kept", [self.state, *map(self.memory, numbers)])


class _Kept:
    def __init__(self, place: Path, folders: list[Path]) -> None:
        self._copies = [(folder, place / str(n)) for n, folder in enumerate(folders)]
        for folder, copy in self._copies:
            shutil.copytree(folder, copy, symlinks=True)

    def restore(self) -> None:
        for folder, copy in self._copies:
            shutil.rmtree(folder)
            shutil.copytree(copy, folder, symlinks=True)


def _repository(root: Path) -> None:
    """As much of one as git needs: no commit, no process."""
    git = root / ".git"
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
