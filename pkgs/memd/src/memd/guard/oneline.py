"""Text of the model that has to fit on one line of a commit or the archive."""

from __future__ import annotations

import re

from memd.model import ArchiveEntry

_TRAILER = re.compile(r"\w+(?:-\w+)+\s*:")
_SUMMARY_CHARS = 200
_SOURCE_CHARS = 80


def summary(text: str) -> str:
    """At most 200 printable characters, without the lines that git would read as trailers."""
    lines = (_printable(line) for line in text.splitlines())
    kept = " ".join(line for line in lines if not _TRAILER.match(line))
    return _cut(_printable(kept), _SUMMARY_CHARS) or "memory updated"


def archive_entry(entry: ArchiveEntry) -> ArchiveEntry:
    """The content as it is, behind a source of at most 80 printable characters."""
    return ArchiveEntry(_cut(_printable(entry.source), _SOURCE_CHARS) or "curator", entry.content)


def _printable(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3].rstrip()}..."
