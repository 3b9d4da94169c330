"""The archive: what left the four files, verbatim, by month."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memd.fsio import sha256
from memd.model import ArchiveEntry
from memd.oneline import one_line
from memd.store import layout
from memd.store.memory import FileChange, change, writable

FULL = 8 << 20
"""Bytes from which on nothing more is added to a file."""
_SOURCE_LIMIT = 80


def planned(store: str, entries: Sequence[ArchiveEntry], *, now: str) -> tuple[FileChange, ...]:
    """This month's newest file with the entries added at its end; nothing for no entries.

    One that has grown large gets a successor: 2026-08.md, 2026-08-2.md and so on. `now` is an
    ISO time, UTC; the same arguments on the same files give the same change. Raises
    StoreError when a file cannot be read.
    """
    if not entries:
        return ()
    month = now[:7]
    path, data = _newest(store, month)
    old = data.decode("utf-8", "surrogateescape") or f"# Archive {month}\n"
    text = "".join([old, *(_section(entry, now) for entry in entries)])
    return (change(os.path.relpath(path, store), sha256(data), text),)


def _newest(store: str, month: str, number: int = 1) -> tuple[str, bytes]:
    """Path and content of the first file of a month that is not full."""
    path = layout.archive_path(store, month if number == 1 else f"{month}-{number}")
    data = layout.read_file(path, limit=layout.ARCHIVE_LIMIT)
    return (path, data) if len(data) < FULL else _newest(store, month, number + 1)


def _section(entry: ArchiveEntry, now: str) -> str:
    source = one_line(entry.source, _SOURCE_LIMIT) or "unnamed"
    end = "" if entry.content.endswith("\n") else "\n"
    return writable(f"\n## {now} - {source}\n\n{entry.content}{end}")
