"""A process that ends at once, as if killed, at any one of its effects on the disk."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

DIED = 77
_PLAIN = ("mkdir", "rmdir", "replace", "unlink", "link", "rename", "symlink", "fsync", "truncate")


def die_at(number: int, work: Callable[[], object]) -> bool:
    """Do `work` in a child that ends before its `number`-th effect; whether it came to that.

    A write counts twice: the child ends before it, then with half of it done.
    """
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, DIED), f"effect {number}: the child ended with {code}"
        return code == DIED
    signal.alarm(60)
    _count_down(number)
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def _count_down(number: int) -> None:
    left = number

    def step() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(DIED)

    for name in _PLAIN:
        _before(name, step)
    _before_making(step)
    _amid_writing(step)


def _before(name: str, step: Callable[[], None]) -> None:
    real = getattr(os, name)

    def effect(*args, **kwargs):  # type: ignore[no-untyped-def]
        step()
        return real(*args, **kwargs)

    setattr(os, name, effect)


def _before_making(step: Callable[[], None]) -> None:
    real = os.open

    def effect(path, flags, *args, **kwargs):  # type: ignore[no-untyped-def]
        if flags & os.O_CREAT:
            step()
        return real(path, flags, *args, **kwargs)

    os.open = effect


def _amid_writing(step: Callable[[], None]) -> None:
    real = os.write

    def effect(fd, data):  # type: ignore[no-untyped-def]
        step()
        half = len(data) // 2
        done = real(fd, data[:half]) if half else 0
        step()
        return done + real(fd, data[done:])

    os.write = effect  # type: ignore[assignment]
