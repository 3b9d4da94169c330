"""One span for each record of a log of JSON lines."""

from __future__ import annotations

import functools
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from memd.model import Cursor, Event, Span, SpanOutcome
from memd.sources.lines import Line, Place, lines

Json = Mapping[str, object]

_HEADS: Final = (32 << 10, 1 << 20)
"""Bytes in which the opening of a log is looked for: nearly always the first few are enough."""
_DECODER: Final = json.JSONDecoder(strict=False)


class RecordError(ValueError):
    """A record that cannot be used. The text says why and quotes nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one record says."""

    outcome: SpanOutcome
    detail: str = ""
    events: tuple[Event, ...] = ()
    record_id: str | None = None
    at: str | None = None
    cwd: str | None = None


NOISE: Final = Said("noise")
Judge = Callable[[Json], Said]


@dataclass(frozen=True, slots=True)
class Step:
    """One record, or a part of one, on the way through a file."""

    after: Place
    size: int
    said: Said
    parts: int = 0
    """How many parts of the record that begins at `after` are taken, too."""
    records: int = 1

    @property
    def cursor(self) -> Cursor:
        cursor = self.after.cursor
        return Cursor(f'{cursor[:-1]}, "parts": {self.parts}}}') if self.parts else cursor


def spans(found: Iterable[Line], judge: Judge, *, beyond: int = 0) -> Iterator[Span]:
    """What the lines that end behind an offset say; `judge` is asked about all of them."""
    steps = (_step(line, judge) for line in found)
    return fold(step for step in steps if step.after.offset > beyond)


def fold(steps: Iterable[Step]) -> Iterator[Span]:
    """One span for each step; steps without words that follow one another share one."""
    noise: Step | None = None
    size = records = 0
    for step in steps:
        if step.said.outcome == "noise":
            noise, size, records = step, size + step.size, records + step.records
            continue
        if noise:
            yield Span(noise.cursor, size, "noise", records=records)
            noise, size, records = None, 0, 0
        said = step.said
        yield Span(
            cursor=step.cursor,
            size=step.size,
            outcome=said.outcome,
            events=said.events,
            record_id=said.record_id,
            at=said.at,
            cwd=said.cwd,
            detail=said.detail,
            records=step.records,
        )
    if noise:
        yield Span(noise.cursor, size, "noise", records=records)


def _step(line: Line, judge: Judge) -> Step:
    if line.too_long:
        return Step(line.after, line.size, Said("broken", "line over 16 MiB"), records=0)
    content = line.content
    return Step(line.after, line.size, _said(content, judge), records=int(bool(content)))


def _said(content: bytes, judge: Judge) -> Said:
    """What `judge` finds in the record on a line."""
    if not content or content.isspace():
        return NOISE
    try:
        return judge(parse(content))
    except RecordError as fault:
        return Said("broken", str(fault))
    except RecursionError:
        return Said("broken", "nested too deeply")


def parse(content: bytes) -> Json:
    """The object on a line. Raises RecordError."""
    try:
        record = _quick_decoder()(content)
    except ValueError:
        record = _parsed_leniently(content)
    if not isinstance(record, dict):
        raise RecordError("not an object")
    return record


@functools.cache
def _quick_decoder() -> Callable[[bytes], object]:
    # Takes longer to import than most runs need for all of their records.
    from pydantic_core import from_json

    return from_json


def _parsed_leniently(content: bytes) -> object:
    """With lone surrogates, raw control characters and deep nesting, as clients write them."""
    try:
        return _DECODER.decode(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise RecordError("not UTF-8") from None
    except (ValueError, RecursionError):
        raise RecordError("not JSON") from None


def opening(file: BinaryIO) -> Iterator[Json]:
    """The records at the beginning of a log, as far as they lie in its first MiB."""
    done = 0
    for size in _HEADS:
        head = io.BytesIO(os.pread(file.fileno(), size, 0))
        for line in lines(head, Place()):
            if line.after.offset <= done:
                continue
            done = line.after.offset
            try:
                yield parse(line.content)
            except RecordError:
                continue


def printable(text: str) -> str:
    """A name from outside on one line: what cannot be shown becomes a question mark."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def short(kind: str) -> str:
    """The name of a type, as a detail of a span."""
    return printable(kind)[:40] or "no type"


def text(value: Json, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def mapping(value: Json, key: str) -> Json:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def mappings(value: object) -> Iterator[Json]:
    """The objects in a list; none in anything else."""
    return (v for v in value if isinstance(v, dict)) if isinstance(value, list) else iter(())


def usable_directory(path: str) -> str | None:
    """An absolute path that the operating system would take, else None."""
    if not path.startswith("/") or "\0" in path:
        return None
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return None
    return path
