"""The inbox of a store: many writers, one reader (INBOX-PROTOCOL.md)."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Final

from memd import frontmatter, fsio
from memd.errors import StoreError
from memd.frontmatter_split import split
from memd.model import NOTE_KINDS, Note
from memd.paths import INBOX_DIR

SUFFIXES: Final = (".md", ".txt")
MAX_NOTE_BYTES: Final = 1 << 20
"""A larger file is no note: it is neither read nor deleted."""
MAX_NOTES: Final = 1000
MAX_READ_CHARS: Final = 16 << 20
"""Of all notes together that one pass holds in memory; the last one may go beyond."""


def publish(
    store: str,
    text: str,
    *,
    source: str | None = None,
    kind: str | None = None,
    now: float,
) -> str:
    """Put a note into the inbox, whole and on disk, and return its path.

    `now` is seconds since the epoch. Raises StoreError for an inbox that is a link, OSError.
    """
    directory = os.path.join(store, INBOX_DIR)
    if os.path.islink(directory):
        raise StoreError(f"{directory}: has to be a directory, not a link: remove it")
    fsio.make_private_dir(directory)
    at = datetime.fromtimestamp(now, timezone.utc)
    about = {"source": source, "kind": kind}
    keys = {key: value for key, value in about.items() if value}
    # Text that itself begins like frontmatter is only safe below some.
    if keys or split(text)[0]:
        text = frontmatter.compose({"date": f"{at:%Y-%m-%dT%H:%M:%SZ}", **keys}, text)
    name = f"{at:%Y%m%dT%H%M%S%f}-{os.getpid()}-{os.urandom(4).hex()}{SUFFIXES[0]}"
    path = os.path.join(directory, name)
    fsio.publish(path, text.encode("utf-8", "replace"), staging_dir=store)
    return path


def waiting(store: str) -> tuple[str, ...]:
    """Names of the notes to be read, in their order; reads none."""
    return tuple(n for n in _names(store) if _size(os.path.join(store, INBOX_DIR, n)) >= 0)


def too_large(store: str) -> tuple[str, ...]:
    """Paths of the files that would be notes if they were not larger than MAX_NOTE_BYTES."""
    paths = (os.path.join(store, INBOX_DIR, name) for name in _names(store))
    return tuple(path for path in paths if _size(path, largest=sys.maxsize) > MAX_NOTE_BYTES)


def read(store: str, names: Iterable[str], *, limit: int = MAX_NOTES) -> tuple[Note, ...]:
    """The first of these notes: `limit` at most, and as many as memory is kept for.

    Takes nothing away. What is no note any more is passed. Of an iterator, the names that
    were not come to are left.
    """
    notes: list[Note] = []
    chars = 0
    for name in names:
        found = _read(os.path.join(store, INBOX_DIR, name))
        notes += found
        chars += sum(len(note.text) for note in found)
        if len(notes) == limit or chars >= MAX_READ_CHARS:
            break
    return tuple(notes)


def delete(store: str, notes: Iterable[Note]) -> None:
    """Delete exactly the files these notes were read from; others of their names stay."""
    directory = os.path.join(store, INBOX_DIR)
    for note in notes:
        path = os.path.join(directory, note.name)
        if any(found.fingerprint == note.fingerprint for found in _read(path)):
            os.unlink(path)
    if os.path.isdir(directory):
        fsio.sync_directory(directory)


def _names(store: str) -> list[str]:
    directory = os.path.join(store, INBOX_DIR)
    if os.path.islink(directory):
        return []
    try:
        names = os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(n for n in names if n.endswith(SUFFIXES) and not n.startswith("."))


def _read(path: str) -> list[Note]:
    """The note at `path`, if one is there."""
    try:
        fd = fsio.open_regular(path)
    except OSError:
        return []
    try:
        about = os.fstat(fd)
        if about.st_nlink != 1 or about.st_size > MAX_NOTE_BYTES:
            return []
        data = fsio.read_up_to(fd, MAX_NOTE_BYTES)
    finally:
        os.close(fd)
    identity = (about.st_dev, about.st_ino, about.st_mtime_ns, about.st_size, fsio.sha256(data))
    return [_note(os.path.basename(path), data, ":".join(map(str, identity)))]


def _note(name: str, data: bytes, fingerprint: str) -> Note:
    text = data.decode("utf-8", "replace")
    raw, body = split(text)
    try:
        keys = frontmatter.parse(raw)
    except ValueError:
        keys, body = {}, text
    kind = (_word(keys.get("kind")) or "").lower()
    return Note(
        name,
        body,
        fingerprint,
        kind=kind if kind in NOTE_KINDS else None,
        source=_word(keys.get("source")),
        date=_word(keys.get("date")),
        topic=_word(keys.get("topic")),
    )


def _word(value: object) -> str | None:
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _size(path: str, *, largest: int = MAX_NOTE_BYTES) -> int:
    """Bytes of a note, negative for what is none."""
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return -1
    is_note = stat.S_ISREG(about.st_mode) and about.st_nlink == 1 and about.st_size <= largest
    return about.st_size if is_note else -1
