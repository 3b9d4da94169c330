"""Locks that end with their holder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager


class Locked(Exception):
    """Somebody else holds the lock."""


@contextmanager
def held(path: str, *, wait: bool) -> Iterator[None]:
    """Hold the lock on a file (made when missing) or on a directory (nothing is made).

    The kernel lets go of it however the process ends; programs started meanwhile do not
    inherit it. It excludes other threads too, and its own holder: never take it twice.
    Raises Locked when it is taken and `wait` is false, OSError when `path` cannot be opened.
    """
    fd = _open(path)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Locked(path) from None
        try:
            yield
        finally:
            # A child between fork and exec still has a copy of the descriptor.
            fcntl.flock(fd, fcntl.LOCK_UN)
    finally:
        os.close(fd)


def _open(path: str) -> int:
    if os.path.isdir(path):
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    os.fchmod(fd, 0o600)
    return fd
