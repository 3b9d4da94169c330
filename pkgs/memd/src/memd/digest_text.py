"""The text form of what a digest shows: written here, read back here.

A session starts with `[session <source>/<id> <date>]`, a note with `[note key=value ...]`.
What was said follows as one block each, a letter for its kind in front. Every further
line of a block is indented, so that no content can pose as a block of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from memd.model import NOTE_CHARS, NOTE_KINDS
from memd.redact import join, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memd.model import CleanText, Event, EventKind, Note, SourceRef
    from memd.redact import Redactor

_FIELD_CHARS = 120
_INDENT = "  "
_SHAPES: Final[dict[EventKind, tuple[str, int]]] = {
    "user": ("U", 4000),
    "assistant": ("A", 4000),
    "tool": ("T", 300),
    "result": ("R", 240),
    "error": ("E", 600),
    "text": ("X", 4000),
}
"""Letter of each kind of event, and how many characters of one are shown."""
_KINDS = {letter: kind for kind, (letter, _) in _SHAPES.items()}
_DATE = r"\d{4}-\d\d-\d\d"
_SESSION_LINE = re.compile(rf"\[session (.+?)(?: ({_DATE}))?\]")
_NOTE_LINE = re.compile(rf"\[note(?: kind=(\w+))?(?: date=({_DATE}))?(?: .*)?\]")
_EVENT_START = re.compile(r"([A-Z]): (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """One event as a digest shows it."""

    kind: EventKind
    text: str
    session: str
    day: str
    """ISO date, or "" where the record had none."""


@dataclass(frozen=True, slots=True)
class Noted:
    """One inbox note as a digest shows it."""

    text: str
    kind: str
    day: str
    """ISO date, or "" where the note had none."""


def day_of(stamp: str | None) -> str:
    """The date of an ISO 8601 time, "" where there is no valid one."""
    try:
        return date.fromisoformat((stamp or "")[:10]).isoformat()
    except ValueError:
        return ""


def one_line(redactor: Redactor, text: str, limit: int) -> CleanText:
    """`text` redacted, cut, then all its white space made single spaces."""
    return redactor.clean(" ".join(redactor.excerpt(text, limit).split()))


def session_line(redactor: Redactor, ref: SourceRef, day: str) -> CleanText:
    key = one_line(redactor, ref.key, _FIELD_CHARS)
    return join("", (literal("[session "), key, literal(f" {day}]" if day else "]")))


def event_block(redactor: Redactor, event: Event) -> CleanText:
    """The event behind its letter; "" when it says nothing."""
    letter, limit = _SHAPES[event.kind]
    if event.kind == "tool":
        shown = one_line(redactor, event.text, limit)
    else:
        shown = _indented(redactor, redactor.excerpt(event.text, limit))
    return join("", (literal(f"{letter}: "), shown)) if shown else literal("")


def note_block(redactor: Redactor, note: Note) -> CleanText:
    fields = [literal("[note")]
    if note.kind in NOTE_KINDS:
        fields.append(literal(f"kind={note.kind}"))
    if day := day_of(note.date):
        fields.append(literal(f"date={day}"))
    for name, value in (("source", note.source), ("topic", note.topic)):
        if value:
            shown = one_line(redactor, value, _FIELD_CHARS)
            fields.append(join("", (literal(f"{name}="), shown)))
    head = join("", (join(" ", fields), literal("]")))
    text = _indented(redactor, redactor.excerpt(note.text, NOTE_CHARS))
    return join("", (head, literal(f"\n{_INDENT}"), text)) if text else head


def read_events(text: str) -> Iterator[Said]:
    """The events of a digest's text, in order. Lines of another form are passed over."""
    session = day = ""
    for block in _blocks(text):
        if heading := _SESSION_LINE.fullmatch(block):
            session, day = heading[1], heading[2] or ""
        elif (event := _EVENT_START.fullmatch(block)) and event[1] in _KINDS:
            yield Said(_KINDS[event[1]], event[2], session, day)


def read_notes(text: str) -> Iterator[Noted]:
    """The notes of a digest's notes text, in order."""
    for block in _blocks(text):
        head, _, rest = block.partition("\n")
        if fields := _NOTE_LINE.fullmatch(head):
            yield Noted(rest, fields[1] or "", fields[2] or "")


def _indented(redactor: Redactor, text: CleanText) -> CleanText:
    return redactor.clean(re.sub(r"\n(?=[^\n])", f"\n{_INDENT}", text.strip()))


def _blocks(text: str) -> Iterator[str]:
    block: list[str] = []
    for line in text.split("\n"):
        if block and (not line or line.startswith(_INDENT)):
            block.append(line[len(_INDENT) :])
        else:
            if block:
                yield "\n".join(block)
            block = [line]
    yield "\n".join(block)
