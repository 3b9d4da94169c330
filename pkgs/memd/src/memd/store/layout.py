"""What stands where in a store, and whether a store may be touched at all.

On the session-start path: imports nothing but `os`, `stat` and memd's own plain modules.
"""

from __future__ import annotations

import os
import stat

from memd import fsio
from memd.errors import StoreError, Untrusted
from memd.paths import INBOX_DIR, STORE_ID_FILE, store_of

ARCHIVE_DIR = "archive"
GIT_DIR = ".git"
SUFFIX = ".md"

FILE_LIMIT = 4 << 20
"""Bytes of a memory file."""
ARCHIVE_LIMIT = 128 << 20
"""Bytes of a file of the archive: more than a full one and all that one pass may add."""
_ABANDONED_AFTER = 3600
"""Seconds after which nobody is still writing a staged file."""


def archive_dir(store: str) -> str:
    return os.path.join(store, ARCHIVE_DIR)


def archive_path(store: str, part: str) -> str:
    """`part` is YYYY-MM or YYYY-MM-N."""
    return os.path.join(store, ARCHIVE_DIR, part + SUFFIX)


def inbox_dir(store: str) -> str:
    return os.path.join(store, INBOX_DIR)


def id_path(store: str) -> str:
    return os.path.join(store, STORE_ID_FILE)


def safe_store(root: str) -> str:
    """The directory of the store of `root`, once nothing in it leads elsewhere.

    Raises StoreError for a link, also `.memory` itself, and for hard links, FIFOs and devices
    among what memd reads or writes.
    """
    store = store_of(root)
    if os.path.islink(store):
        raise StoreError(
            f"{store}: is a link to {os.path.realpath(store)}, which is not the store of this "
            "project's main worktree: remove the link"
        )
    _check_directory(store)
    for name in (ARCHIVE_DIR, INBOX_DIR, GIT_DIR):
        path = os.path.join(store, name)
        if os.path.lexists(path):
            _check_directory(path)
    for path in _files(store):
        _check_file(path, store)
    return store


def trusted_store(root: str, store_id: str) -> str:
    """The same for the store that memd gave this id. Raises Untrusted for any other."""
    store = safe_store(root)
    if not store_id or read_id(store) != store_id:
        raise Untrusted(store, root)
    return store


def read_id(store: str) -> str:
    """The id that memd gave the store, "" without one."""
    try:
        return fsio.read_regular(id_path(store), limit=200).decode("ascii").strip()
    except (OSError, ValueError):
        return ""


def is_blank(store: str) -> bool:
    """Whether there is no store yet, or nothing in it: neither an id nor a text."""
    return not os.path.lexists(id_path(store)) and not any(map(os.path.lexists, _files(store)))


def read_file(path: str, *, limit: int) -> bytes:
    """A file of the store, empty when missing. Raises StoreError when it cannot be read whole."""
    try:
        return fsio.read_regular(path, limit=limit)
    except FileNotFoundError:
        return b""
    except fsio.TooLarge as error:
        raise StoreError(f"{path}: is {error.strerror}: move some of it elsewhere") from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from error


def archived(store: str) -> tuple[str, ...]:
    """Paths of the archive's files below the store, by name. Raises StoreError."""
    return tuple(os.path.join(ARCHIVE_DIR, name) for name in sorted(_texts(archive_dir(store))))


def clear_leftovers(store: str, *, now: float) -> None:
    """Remove what interrupted writers left behind; only the holder of the store's lock may.

    `now` is seconds since the epoch. A note whose writer was cut off just after publishing
    it becomes readable by this.
    """
    for directory in (store, archive_dir(store)):
        for name in _names(directory):
            if name.startswith(fsio.PREFIX):
                _clear(os.path.join(directory, name), now)


def clear_staged(directory: str) -> None:
    """Remove what interrupted writers of files in `directory` left; for who alone writes there."""
    for name in _names(directory):
        path = os.path.join(directory, name)
        is_staged = name.startswith(fsio.PREFIX) and name.endswith((fsio.TEMPORARY, fsio.STAGED))
        if is_staged and os.path.isfile(path):
            fsio.remove(path)


def clear_abandoned(directory: str, *, now: float) -> None:
    """Remove what writers in `directory` left behind that were cut off an hour ago or more."""
    for name in _names(directory):
        path = os.path.join(directory, name)
        try:
            if name.startswith(fsio.PREFIX) and os.lstat(path).st_mtime < now - _ABANDONED_AFTER:
                fsio.remove(path)
        except OSError:
            continue


def _clear(path: str, now: float) -> None:
    try:
        about = os.lstat(path)
        old = about.st_mtime < now - _ABANDONED_AFTER
        if stat.S_ISDIR(about.st_mode):
            if old:
                import shutil

                shutil.rmtree(path, ignore_errors=True)
        elif old or path.endswith(fsio.TEMPORARY) or about.st_nlink > 1:
            os.unlink(path)
    except FileNotFoundError:
        pass


def _files(store: str) -> list[str]:
    directories = (store, archive_dir(store))
    return [id_path(store), *(os.path.join(d, name) for d in directories for name in _texts(d))]


def _texts(directory: str) -> list[str]:
    return [n for n in _names(directory) if n.endswith(SUFFIX) and not n.startswith(".")]


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"{directory}: cannot be read: {error.strerror}") from error


def _check_directory(path: str) -> None:
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no memory here: run memd init") from None
    if not stat.S_ISDIR(about.st_mode):
        raise StoreError(f"{path}: has to be a directory, not a link or a file: move it away")


def _check_file(path: str, store: str) -> None:
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(about.st_mode):
        raise StoreError(f"{path}: has to be a regular file, not a link or a device: remove it")
    if about.st_nlink > 1 and about.st_nlink > 1 + _still_staged(store, about):
        raise StoreError(f"{path}: has a second name (hard link): replace it by a copy")


def _still_staged(store: str, file: os.stat_result) -> int:
    """How many names of a file are those that a writer cut off in publishing it left."""
    with os.scandir(store) as entries:
        return sum(
            entry.inode() == file.st_ino
            for entry in entries
            if entry.name.startswith(fsio.PREFIX) and entry.name.endswith(fsio.STAGED)
        )
