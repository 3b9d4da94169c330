"""Whether the curator may be called now: the daily limit, and the pause of a dead backend."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from memd.errors import BackendError, UnusableReply
from memd.runtime import Runtime
from memd.state import backend


class Closed(Exception):
    """No call is made now; what is new waits. The text says why."""


class Gate:
    """One for all projects of a run. Safe to share between threads.

    With `patient`, a backend known to be dead is left alone until its pause is over and
    then probed by one call; without it (a person asks), it is always tried.
    """

    def __init__(self, rt: Runtime, *, patient: bool) -> None:
        self._rt = rt
        self._patient = patient
        self._probing = threading.Lock()
        state = backend.read(rt.paths, rt.backend)
        self._was_dead = patient and state.is_dead
        self._closed = ""
        if patient and state.paused(rt.clock()):
            self._closed = f"the curator does not answer since {state.dead_since}: {state.error}"

    @property
    def attempts(self) -> int:
        """Calls one pass may make."""
        return 1 if self._was_dead else 3

    @contextmanager
    def call(self, *, again: bool = False) -> Iterator[None]:
        """Around one curator call; `again` marks the retry of a call that failed.

        Raises Closed instead of entering when no call is to be made. A BackendError
        from within closes the gate for everybody but the retries of its own pass.
        """
        with self._probing if self._was_dead else nullcontext():
            if self._closed and not again:
                raise Closed(self._closed)
            self._take_from_the_day()
            try:
                yield
            except BackendError as error:
                if self._patient:
                    self._closed = f"the curator does not answer: {error}"
                raise
            except UnusableReply:
                self._open()
                raise
            self._open()

    def give_up(self, error: BackendError) -> None:
        """The last try failed too: later sweeps wait longer and longer."""
        rt = self._rt
        backend.note_failure(rt.paths, rt.backend, str(error), now=rt.clock(), stamp=rt.now)

    def _open(self) -> None:
        """The backend answered, of whatever use that is."""
        self._closed = ""
        self._was_dead = False
        backend.note_answer(self._rt.paths, self._rt.backend)

    def _take_from_the_day(self) -> None:
        rt = self._rt
        limit = rt.config.max_distills_per_day
        if not backend.reserve_call(rt.paths, limit=limit, today=rt.today):
            raise Closed(
                f"max_distills_per_day ({limit}) is reached; what is new waits until tomorrow, UTC"
            )
