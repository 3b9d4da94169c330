"""Atomic, durable effects on single files and directories.

On the session-start path: imports nothing but `errno`, `os` and `stat`. Paths are plain
strings, every effect is one call of a function of `os`, and every failure is an OSError
that leaves no half-written file behind.
"""

from __future__ import annotations

import errno
import os
import stat

PREFIX = ".memd-"
"""How the name of every file begins that is being written and has no name yet."""
TEMPORARY = ".tmp"
STAGED = ".new"

_NOT_REGULAR = (errno.ELOOP, errno.ENXIO, errno.EOPNOTSUPP)
# Some file systems (FUSE, network shares) cannot sync a directory and say so.
_NO_DIRECTORY_SYNC = (errno.EINVAL, errno.ENOTSUP)


class NotRegular(OSError):
    """A link, FIFO, socket, device or directory stands where a file is expected."""


class TooLarge(OSError):
    """The file has more bytes than the reader takes."""


def write_atomic(path: str, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Replace `path` as a whole. With `durable`, it is on disk when this returns."""
    directory = os.path.dirname(path) or "."
    temporary = _unnamed(directory, TEMPORARY)
    try:
        _write_new(temporary, data, mode=mode, durable=durable)
        os.replace(temporary, path)
    except BaseException:
        _discard(temporary)
        raise
    if durable:
        sync_directory(directory)


def publish(path: str, data: bytes, *, staging_dir: str, mode: int = 0o600) -> None:
    """Make `path` appear whole and on disk, never replacing: FileExistsError.

    `staging_dir` has to be on the file system of `path`.
    """
    staged = _unnamed(staging_dir, STAGED)
    try:
        _write_new(staged, data, mode=mode, durable=True)
        os.link(staged, path)
    finally:
        _discard(staged)
    sync_directory(os.path.dirname(path) or ".")


def open_regular(
    path: str, *, flags: int = os.O_RDONLY, mode: int = 0o600, follow: bool = False
) -> int:
    """File descriptor, waiting for nobody. Raises NotRegular, for a link unless `follow`.

    `mode` is that of a file which `flags` have made.
    """
    flags |= os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        fd = os.open(path, flags, mode)
    except OSError as error:
        if error.errno in _NOT_REGULAR:
            raise NotRegular(error.errno, "not a regular file", path) from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotRegular(errno.EINVAL, "not a regular file", path)
    return fd


def read_up_to(fd: int, size: int) -> bytes:
    """At most `size` bytes, fewer only where the file ends."""
    parts = []
    while size > 0 and (part := os.read(fd, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_regular(path: str, *, limit: int, follow: bool = False) -> bytes:
    """The whole file. Raises NotRegular, TooLarge above `limit` bytes."""
    fd = open_regular(path, follow=follow)
    try:
        data = read_up_to(fd, limit + 1)
    finally:
        os.close(fd)
    if len(data) > limit:
        raise TooLarge(errno.EFBIG, f"larger than {limit} bytes", path)
    return data


def remove(path: str) -> None:
    """Remove a file for good; one that is missing is fine."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    sync_directory(os.path.dirname(path) or ".")


def make_private_dir(path: str) -> None:
    """Make a directory and those above it, for this user only. What is there stays as it is."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent:
        make_private_dir(parent)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return
    os.chmod(path, 0o700)
    sync_directory(parent or ".")


def sync_directory(path: str) -> None:
    """Bring the names in a directory to disk, where the file system can do that."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _NO_DIRECTORY_SYNC:
            raise
    finally:
        os.close(fd)


def sha256(data: bytes) -> str:
    """Hex digest."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _unnamed(directory: str, suffix: str) -> str:
    return os.path.join(directory, PREFIX + os.urandom(8).hex() + suffix)


def _write_new(path: str, data: bytes, *, mode: int, durable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    try:
        os.fchmod(fd, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def _discard(path: str) -> None:
    try:  # noqa: SIM105 - contextlib is too slow for the session-start path
        os.unlink(path)
    except OSError:
        pass
