"""How often the curator was called today and whether it answers, over all projects."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memd.paths import Paths
from memd.state import statefile
from memd.state.decoding import decode

FIRST_PAUSE = 60.0
"""Seconds a sweep waits after the second failure in a row; after the first it may have
been a passing trouble, and the next sweep just tries."""
LONGEST_PAUSE = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Backend:
    """Counters of one day and the state of the curator's backend."""

    day: str = ""
    calls: int = 0
    """Calls made on `day`."""
    command: str = ""
    """Command line of the backend that the rest is about."""
    failures: int = 0
    """Failed runs of it in a row."""
    dead_since: str = ""
    next_probe: float = 0.0
    """Seconds since the epoch before which a sweep does not try again."""
    error: str = ""

    @property
    def is_dead(self) -> bool:
        return self.failures > 0

    def paused(self, now: float) -> bool:
        """Whether a sweep leaves the backend alone. A clock set back ends the pause."""
        return self.is_dead and now < self.next_probe <= now + LONGEST_PAUSE


def path(paths: Paths) -> str:
    return paths.in_state("backend.json")


def read(paths: Paths, command: str) -> Backend:
    """What is known of the backend with this command line."""
    try:
        return _about(command, statefile.read(path(paths), from_document))
    except (statefile.Missing, statefile.Damaged):
        return Backend(command=command)


def reserve_call(paths: Paths, *, limit: int, today: str) -> bool:
    """Count one call of today; False, counting nothing, when `limit` (0: none) is used up."""
    granted = True

    def change(old: Backend) -> Backend | None:
        nonlocal granted
        calls = old.calls if old.day == today else 0
        granted = limit == 0 or calls < limit
        return dataclasses.replace(old, day=today, calls=calls + 1) if granted else None

    _edit(paths, change)
    return granted


def note_failure(paths: Paths, command: str, error: str, *, now: float, stamp: str) -> None:
    """The backend did not answer: the next sweep waits longer than the one before."""

    def change(known: Backend) -> Backend:
        old = _about(command, known)
        pause = FIRST_PAUSE * 2 ** min(old.failures - 1, 10) if old.failures else 0.0
        return dataclasses.replace(
            old,
            failures=old.failures + 1,
            dead_since=old.dead_since or stamp,
            next_probe=now + min(pause, LONGEST_PAUSE),
            error=error,
        )

    _edit(paths, change)


def note_answer(paths: Paths, command: str) -> None:
    """The backend answered; any pause is over."""
    if read(paths, command).is_dead:
        _edit(paths, lambda old: Backend(day=old.day, calls=old.calls, command=command))


def _about(command: str, known: Backend) -> Backend:
    """Another command's failures say nothing of this one."""
    same = known.command == command
    return known if same else Backend(day=known.day, calls=known.calls, command=command)


def from_document(document: Mapping[str, object]) -> Backend:
    """Raises ValueError for what is none."""
    return decode(Backend, document)


def _edit(paths: Paths, change: Callable[[Backend], Backend | None]) -> None:
    def changed(old: Backend) -> dict[str, object] | None:
        new = change(old)
        return None if new is None else dataclasses.asdict(new)

    statefile.edit(path(paths), from_document, changed)
