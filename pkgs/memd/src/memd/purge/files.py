"""What is to be purged in files: found, or replaced with everything else left as it was."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from memd import frontmatter, fsio, locks
from memd.errors import UsageFault
from memd.frontmatter_split import split
from memd.model import MEMORY_FILES
from memd.purge.wanted import Edit, Wanted

LIMIT = 1 << 30
"""Bytes of a file; memd writes none that is larger."""


def regular(top: str, *, without: str = "") -> Iterator[str]:
    """Every regular file below a directory, in order; no link is followed."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name != without)
        for path in (os.path.join(folder, name) for name in sorted(names)):
            with contextlib.suppress(FileNotFoundError):
                if stat.S_ISREG(os.lstat(path).st_mode):
                    yield path


def below(top: str, *, without: str = "") -> Iterator[str]:
    """Everything below a directory, what is deepest first, so that each can be renamed."""
    for folder, folders, names in os.walk(top, topdown=False):
        if without not in os.path.relpath(folder, top).split(os.sep):
            yield from (os.path.join(folder, name) for name in sorted((*folders, *names)))


def in_text(path: str, wanted: Wanted, *, write: bool) -> int:
    """How often it is in a file of text; with `write` it no longer is."""
    return _in_file(path, wanted.in_text, write=write)


def in_json(path: str, wanted: Wanted, *, write: bool) -> int:
    """The same for documents of the state directory, also damaged ones, under their lock."""
    with _locked(path) if write else contextlib.nullcontext():
        return _in_file(path, wanted.in_json, write=write)


def in_name(path: str, wanted: Wanted, *, write: bool) -> int:
    """The same for the name of a file or directory."""
    folder, name = os.path.split(path)
    new, found = wanted.in_text(name)
    if found and write:
        target = os.path.join(folder, new)
        if os.path.lexists(target):
            target = os.path.join(folder, f"{os.urandom(4).hex()}-{new}")
        os.rename(path, target)
        fsio.sync_directory(folder)
    return found


def check_memory(store: str, wanted: Wanted) -> None:
    """Raises UsageFault where the frontmatter of the four files would not survive."""
    for name in MEMORY_FILES:
        path = os.path.join(store, name)
        with contextlib.suppress(FileNotFoundError):
            text = _read(path)
            if _is_valid(text) and not _is_valid(wanted.in_text(text)[0]):
                raise UsageFault(
                    f"{path}: its frontmatter holds what is to be purged and would not be valid "
                    "without it; change that by hand first"
                )


def _is_valid(text: str) -> bool:
    try:
        return frontmatter.is_valid(frontmatter.parse(split(text)[0]))
    except ValueError:
        return False


def _in_file(path: str, edit: Edit, *, write: bool) -> int:
    try:
        text = _read(path)
    except FileNotFoundError:
        return 0
    new, found = edit(text)
    if found and write:
        data = new.encode("utf-8", "surrogateescape")
        fsio.write_atomic(path, data, mode=stat.S_IMODE(os.lstat(path).st_mode))
    return found


def _read(path: str) -> str:
    return fsio.read_regular(path, limit=LIMIT).decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Under the lock that its writers take, where it has one."""
    document = path.partition(".json")[0] + ".json"
    folder = os.path.dirname(path)
    lock = folder if os.path.basename(folder) == "marks" else f"{document}.lock"
    with locks.held(lock, wait=True) if os.path.exists(lock) else contextlib.nullcontext():
        yield
