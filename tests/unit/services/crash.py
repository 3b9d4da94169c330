"""A process that ends at once, as if killed, at one of its effects on the disk."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

EFFECTS = ("mkdir", "replace", "unlink", "link", "rename", "symlink")
DIED = 77


def die_at(number: int, work: Callable[[], object]) -> bool:
    """Do `work` in a child that ends at its `number`-th effect; whether it came to that."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == DIED
    signal.alarm(60)
    left = number
    for name in EFFECTS:
        real = getattr(os, name)

        def effect(*args, _real=real, **kwargs):  # type: ignore[no-untyped-def]
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(DIED)
            return _real(*args, **kwargs)

        setattr(os, name, effect)
    try:
        work()
    finally:
        os._exit(0)
