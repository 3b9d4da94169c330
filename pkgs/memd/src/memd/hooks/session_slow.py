"""What the start of a session does once: take in a new project.

Imported only then: all of this is slow to import.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memd.errors import MemdError, in_words
from memd.log import logger
from memd.projects import repository_root, worktree_root
from memd.state import registry

if TYPE_CHECKING:
    from memd.hooks.entry import Call
    from memd.paths import Paths
    from memd.runtime import Runtime


PATIENCE: Final = 3.0
"""Seconds that a session waits for what is done at its start once."""


class _TookTooLong(Exception):
    """No OSError, which some would take for one file's trouble."""


def take_in(paths: Paths, call: Call, *, patience: float = PATIENCE) -> tuple[str, ...]:
    """Make the repository around a session a project, a worktree share its store.

    Returns the notices that are due. What fails, or is not done after `patience` seconds, is
    logged and tried again next time; the end of the session and the sweep do it too.
    """
    try:
        with _at_most(patience):
            return _taken_in(paths, call)
    except (MemdError, OSError, _TookTooLong) as error:
        logger(paths).error("%s: not taken in: %s", call.directory, in_words(error))
        return ()


def _taken_in(paths: Paths, call: Call) -> tuple[str, ...]:
    from memd import onboard, runtime

    rt = runtime.build(paths.env)
    root = rt.owners().owner(call.directory)
    if not root:
        project = onboard.adopt(
            rt, call.directory, session=call.session, transcript=call.transcript
        )
        root = project.root if project else ""
    if root and repository_root(call.directory) == root:
        onboard.link_worktree(worktree_root(call.directory), root)
    return _greeting(rt, root)


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises _TookTooLong in what takes longer: a lock, a slow disk, much to look at.

    To all that it interrupts, this is as if the process had been killed.
    """

    def stop(_signal: int, _frame: object) -> None:
        raise _TookTooLong(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _greeting(rt: Runtime, root: str) -> tuple[str, ...]:
    from memd import onboard

    entry = rt.registry().entries.get(root)
    if entry is None or not entry.greet:
        return ()
    notice = onboard.first_notice(rt, root)
    try:
        registry.update(rt.paths, root, greet=False)
    except (MemdError, OSError) as error:
        logger(rt.paths).error("%s: will be greeted again: %s", root, in_words(error))
    return (notice,)
