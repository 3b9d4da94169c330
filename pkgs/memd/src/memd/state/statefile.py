"""One JSON document on disk, kept through crashes and damage.

A document is an object with a `format` number. It is replaced atomically and durably
under a lock, the version before it stays beside it as `<name>.bak`, and a damaged
one is moved aside as `<name>.corrupt-<time>` and replaced by that version. What the
fields mean is its owner's: a `decode` function makes of a document (`{}` where there is
none) what the owner works with, and raises ValueError for one that it cannot make sense of.
On the session-start path: imports nothing but `json` and `os`.
"""

from __future__ import annotations

import json
import os

from memd import fsio
from memd.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    Document = dict[str, Any]
    T = TypeVar("T")

FORMAT = 1
BACKUP = ".bak"
ASIDE = ".corrupt-"
LIMIT = 256 << 20
"""Bytes; a state file larger than that is none that memd wrote."""


class Missing(Exception):
    """There is no such document."""


class Damaged(Exception):
    """The file is there and holds no document."""


def read(path: str, decode: Callable[[Document], T]) -> T:
    """What stands at `path`; its predecessor when it is damaged. Changes nothing.

    Raises Missing when there is neither, Damaged when only damaged files are there,
    StateError when a newer memd wrote it.
    """
    try:
        return _decoded(path, decode)
    except (Missing, Damaged) as first:
        try:
            return _decoded(path + BACKUP, decode)
        except Missing:
            raise first from None


def edit(
    path: str,
    decode: Callable[[Document], T],
    change: Callable[[T], Document | None],
    *,
    when_lost: str = "",
) -> None:
    """Read, change and replace the document under its lock.

    `change` returns what is to be written, or None to leave the file as it is. A damaged
    file is moved aside first; where nothing is left, the field `lost` is `when_lost`.
    """
    from memd import locks

    fsio.make_private_dir(os.path.dirname(path))
    with locks.held(path + ".lock", wait=True):
        changed = change(_rescued(path, decode, when_lost))
        if changed is None:
            return
        data = json.dumps({"format": FORMAT, **changed}, ensure_ascii=True, indent=1)
        if os.path.exists(path):
            _keep_predecessor(path)
        fsio.write_atomic(path, data.encode() + b"\n")


def identity(path: str) -> tuple[int, ...]:
    """Another one whenever the document was written, () while there is none."""
    try:
        about = os.stat(path)
    except OSError:
        return ()
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def corrupt_files(folder: str) -> Iterator[str]:
    """Names of the documents in `folder` that were moved aside."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from (name for name in names if ASIDE in name)


def is_damaged(path: str, decode: Callable[[Document], object]) -> bool:
    try:
        _decoded(path, decode)
    except Missing:
        return False
    except Damaged:
        return True
    return False


def _decoded(path: str, decode: Callable[[Document], T]) -> T:
    try:
        document = json.loads(fsio.read_regular(path, limit=LIMIT))
    except FileNotFoundError:
        raise Missing(path) from None
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(path) from error
    if not isinstance(document, dict) or not isinstance(document.get("format"), int):
        raise Damaged(path)
    if document["format"] > FORMAT:
        raise StateError(
            f"{path}: has format {document['format']}, this memd knows up to {FORMAT}: upgrade memd"
        )
    try:
        return decode(document)
    except ValueError as error:
        raise Damaged(path) from error


def _rescued(path: str, decode: Callable[[Document], T], when_lost: str) -> T:
    try:
        return _decoded(path, decode)
    except Missing:
        lost = os.path.lexists(path + BACKUP)
    except Damaged:
        _move_aside(path)
        lost = True
    try:
        found = _decoded(path + BACKUP, decode)
    except Missing:
        return decode({"lost": when_lost} if lost and when_lost else {})
    except Damaged:
        _move_aside(path + BACKUP)
        return decode({"lost": when_lost} if when_lost else {})
    fsio.write_atomic(path, fsio.read_regular(path + BACKUP, limit=LIMIT))
    return found


def _move_aside(path: str) -> None:
    import time

    os.replace(path, f"{path}{ASIDE}{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")


def _keep_predecessor(path: str) -> None:
    staged = f"{path}{BACKUP}.new"
    if os.path.lexists(staged):
        os.unlink(staged)
    os.link(path, staged)
    os.replace(staged, path + BACKUP)
