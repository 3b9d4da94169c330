"""Triggers that met a store in use: left for its holder, who looks again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final, Literal

from memd import fsio, locks
from memd.model import Project
from memd.paths import Paths
from memd.state import ledger

Rest = Literal["all", "quiet", "none"]
_ORDER: tuple[Rest, ...] = ("none", "quiet", "all")

_LARGEST: Final = 64 << 20
UNATTENDED: Final = ("sweep", "session-start", "session-end", "pre-compact")
"""Triggers without a person who waits for the outcome."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one sync is to read."""

    trigger: str = "manual"
    transcripts: tuple[str, ...] = ()
    """Paths of sessions to read whatever their age."""
    rest: Rest = "all"
    """Which other sessions: all, those that are quiet, or none."""
    retry: bool = False
    """Take up again what was set aside."""

    def merged(self, others: Iterable[Request]) -> Request:
        """One request that covers all; it keeps this one's trigger."""
        requests = (self, *others)
        return Request(
            self.trigger,
            tuple(dict.fromkeys(path for r in requests for path in r.transcripts)),
            max((r.rest for r in requests), key=_ORDER.index),
            any(r.retry for r in requests),
        )


def leave(paths: Paths, project: Project, request: Request) -> None:
    """Ask whoever holds the store to serve this request too. Survives a crash."""
    path = _path(paths, project)
    directory = os.path.dirname(path)
    fsio.make_private_dir(directory)
    with locks.held(directory, wait=True):
        fd = fsio.open_regular(path, flags=os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(fd, json.dumps(asdict(request)).encode() + b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
        fsio.sync_directory(directory)


def waiting(paths: Paths, project: Project) -> bool:
    return os.path.exists(_path(paths, project))


def collect(paths: Paths, project: Project) -> tuple[Request, ...]:
    """Take all requests left so far. Only the holder of the store may call this."""
    path = _path(paths, project)
    if not os.path.exists(path):
        return ()
    with locks.held(os.path.dirname(path), wait=True):
        lines = fsio.read_regular(path, limit=_LARGEST).splitlines()
        os.unlink(path)
    return tuple(request for line in lines for request in _parse(line))


def _parse(line: bytes) -> tuple[Request, ...]:
    try:
        fields = json.loads(line)
        return (
            Request(
                str(fields["trigger"]),
                tuple(str(path) for path in fields["transcripts"]),
                fields["rest"] if fields["rest"] in _ORDER else "all",
                bool(fields["retry"]),
            ),
        )
    except (ValueError, KeyError, TypeError):
        return (Request(),)


def _path(paths: Paths, project: Project) -> str:
    return paths.in_state("marks", ledger.file_name(project.root))
