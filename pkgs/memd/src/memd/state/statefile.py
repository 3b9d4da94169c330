"""One JSON document on disk, kept through crashes and damage.

A document is an object with a `format` number. It is replaced atomically and durably
under a lock, the version before it stays beside it as `<name>.bak`, and a damaged
one is moved aside as `<name>.corrupt-<time>` and replaced by that version.
On the session-start path: imports nothing but `json` and `os`.
"""

from __future__ import annotations

import json
import os

from memd.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Document = dict[str, Any]

FORMAT = 1
BACKUP = ".bak"
ASIDE = ".corrupt-"


class Missing(Exception):
    """There is no such document."""


class Damaged(Exception):
    """The file is there and holds no document."""


def read(path: str) -> Document:
    """The document at `path`; its predecessor when it is damaged. Changes nothing.

    Raises Missing when there is neither, Damaged when only damaged files are there,
    StateError when a newer memd wrote it.
    """
    try:
        return _parse(path)
    except (Missing, Damaged) as first:
        try:
            return _parse(path + BACKUP)
        except Missing:
            raise first from None


def edit(path: str, change: Callable[[Document], Document | None], *, when_lost: str = "") -> None:
    """Read, change and replace the document under its lock.

    `change` gets the document ({} when there is none) and returns what is to be
    written, or None to leave the file as it is. A damaged file is moved aside first.
    """
    from memd import fsio, locks

    fsio.make_private_dir(os.path.dirname(path))
    with locks.held(path + ".lock", wait=True):
        document = _rescue(path, when_lost)
        changed = change(document)
        if changed is None:
            return
        data = json.dumps({"format": FORMAT, **changed}, ensure_ascii=True, indent=1)
        if os.path.exists(path):
            _keep_predecessor(path)
        fsio.write_atomic(path, data.encode() + b"\n")


def corrupt_files(folder: str) -> Iterator[str]:
    """Names of the documents in `folder` that were moved aside."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from (name for name in names if ASIDE in name)


def is_damaged(path: str) -> bool:
    try:
        _parse(path)
    except Missing:
        return False
    except Damaged:
        return True
    return False


def _parse(path: str) -> Document:
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read())
    except FileNotFoundError:
        raise Missing(path) from None
    except (ValueError, RecursionError) as error:
        raise Damaged(path) from error
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror}") from error
    if not isinstance(document, dict) or not isinstance(document.get("format"), int):
        raise Damaged(path)
    if document["format"] > FORMAT:
        raise StateError(
            f"{path}: has format {document['format']}, this memd knows up to {FORMAT}: upgrade memd"
        )
    return document


def _rescue(path: str, when_lost: str) -> Document:
    from memd import fsio

    try:
        return _parse(path)
    except Missing:
        lost = os.path.exists(path + BACKUP)
    except Damaged:
        _move_aside(path)
        lost = True
    try:
        document = _parse(path + BACKUP)
    except Missing:
        return {"lost": when_lost} if lost and when_lost else {}
    except Damaged:
        _move_aside(path + BACKUP)
        return {"lost": when_lost} if when_lost else {}
    with open(path + BACKUP, "rb") as file:
        fsio.write_atomic(path, file.read())
    return document


def _move_aside(path: str) -> None:
    import time

    os.replace(path, f"{path}{ASIDE}{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")


def _keep_predecessor(path: str) -> None:
    staged = f"{path}{BACKUP}.new"
    if os.path.lexists(staged):
        os.unlink(staged)
    os.link(path, staged)
    os.replace(staged, path + BACKUP)
