"""The two forms in which Gemini CLI keeps a session, part by part."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from memd.model import Cursor, Span
from memd.sources.gemini_records import messages, once, parts
from memd.sources.jsonl import NOISE, RecordError, Said, Step, fold, parse, short, text
from memd.sources.lines import Line, Place, lines, resume

_LARGEST: Final = 64 << 20
"""Bytes of a document, which is read whole; the client wrote all of it at each message."""
_TAKEN: Final = re.compile(r', "parts": (\d{1,9})\}$')
_MESSAGES: Final = re.compile(rb'"messages"\s*:\s*\[')
_BETWEEN: Final = re.compile(r"[\s,]*")
_DECODER: Final = json.JSONDecoder(strict=False)


def read_log(file: BinaryIO, after: Cursor | None) -> Iterator[Span]:
    """A log of changes (`.jsonl`, 0.61 seen).

    A message is written again when it gets on, and all of them after a resume. The log is
    gone over from its start each time, to know again what was read before a cursor.
    """
    base, taken = _split(after)
    start = resume(file, base)
    yield from _behind(_log(file), start.offset, taken)


def read_document(file: BinaryIO, after: Cursor | None) -> Iterator[Span]:
    """One JSON document (`.json`, 0.20 seen), written anew at each message.

    Messages are added at its end and the last one gets on. A cursor that stands behind a
    message that changed is not known again: all is read, under the same record ids.
    Raises OSError for a document over 64 MiB.
    """
    base, taken = _split(after)
    ends = (s.after.offset for s in _document(file) if s.after.cursor == base)
    yield from _behind(_document(file), next(ends, 0), taken)


def end_of_document(file: BinaryIO) -> Cursor:
    """After the last complete message; a document may be met while it is being written."""
    last = Place()
    for step in _document(file):
        last = step.after
    return last.cursor


def _split(after: Cursor | None) -> tuple[Cursor | None, int]:
    """The place of a cursor, and how many parts of the record there are taken."""
    match = _TAKEN.search(after or "")
    if not after or not match:
        return after, 0
    return Cursor(after[: match.start()] + "}"), int(match[1])


def _behind(steps: Iterable[Step], offset: int, taken: int) -> Iterator[Span]:
    # The start of a file is no mark to know it by.
    place = (offset, taken if offset else 0)
    return fold(step for step in steps if (step.after.offset, step.parts) > place)


def _log(file: BinaryIO) -> Iterator[Step]:
    seen: set[int] = set()
    before = Place()
    for line in lines(file, Place()):
        yield from _steps(before, line.after, line.size, _said(line, seen))
        before = line.after


def _said(line: Line, seen: set[int]) -> list[Said]:
    if line.too_long:
        return [Said("broken", "line over 16 MiB")]
    if not line.content.strip():
        return []
    try:
        record = parse(line.content)
    except RecordError as fault:
        return [Said("broken", str(fault))]
    found = messages(record)
    if found is None:
        return [Said("unknown", short(text(record, "type")))]
    return [part for message in found for part in once(_parts(message), seen)]


def _document(file: BinaryIO) -> Iterator[Step]:
    data = _whole(file)
    opening = _MESSAGES.search(data)
    if not opening:
        if data.rstrip().endswith(b"}"):
            yield Step(_place(data, len(data)), len(data), Said("unknown", "no messages"))
        return
    seen: set[int] = set()
    before, done, position = opening.end(), 0, 0
    words = data[before:].decode("utf-8", "surrogateescape")
    while (found := _next(words, position)) is not None:
        message, end = found
        after = before + len(words[position:end].encode("utf-8", "surrogateescape"))
        said = once(_parts(message), seen)
        yield from _steps(_place(data, before), _place(data, after), after - done, said)
        before = done = after
        position = end


def _next(words: str, position: int) -> tuple[object, int] | None:
    """The next complete element of a JSON array, and where it ends."""
    between = _BETWEEN.match(words, position)
    try:
        return _DECODER.raw_decode(words, between.end() if between else position)
    except (ValueError, RecursionError):
        return None


def _whole(file: BinaryIO) -> bytes:
    if os.fstat(file.fileno()).st_size > _LARGEST:
        raise OSError(errno.EFBIG, "is larger than 64 MiB")
    file.seek(0)
    return file.read(_LARGEST)


def _place(data: bytes, offset: int) -> Place:
    """A place known again by what stands before it. The top of the document has a time stamp."""
    return Place(offset, tail=data[max(0, offset - 1024) : offset])


def _steps(before: Place, after: Place, size: int, said: list[Said]) -> Iterator[Step]:
    """One step for each part, the last of which ends the record."""
    *first, last = said or [NOISE]
    for number, part in enumerate(first, 1):
        yield Step(before, 0, part, parts=number)
    yield Step(after, size, last)


def _parts(message: object) -> Iterator[Said]:
    if not isinstance(message, dict):
        yield Said("broken", "not an object")
        return
    try:
        yield from parts(message)
    except RecordError as fault:
        yield Said("broken", str(fault))
    except RecursionError:
        yield Said("broken", "nested too deeply")
