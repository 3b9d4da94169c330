"""Text from outside on one line."""

from __future__ import annotations

import re
import sys

_TRAILER = re.compile(r"\w+(?:-\w+)+\s*:")
_OWN_TRAILER = re.compile(r"\bMemd-[A-Za-z-]+\s*:\s*\S*", re.IGNORECASE)


def one_line(text: str, limit: int = sys.maxsize) -> str:
    """At most `limit` printable characters, all white space made single spaces."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else f"{line[: limit - 3].rstrip()}..."


def spelled_out(text: str) -> str:
    """One line with what cannot be shown written as an escape: no text can move a cursor."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def subject(text: str, limit: int) -> str:
    """The same, without the lines that git would read as trailers and without memd's own."""
    lines = (one_line(line) for line in text.splitlines())
    kept = " ".join(line for line in lines if not _TRAILER.match(line))
    return one_line(_OWN_TRAILER.sub(" ", kept), limit)
