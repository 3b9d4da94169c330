"""What the records of a Claude Code transcript say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from memd.model import Event, EventKind, Span, SpanOutcome
from memd.sources.injected import output, own_words, without_brief
from memd.sources.lines import Line, Place

# Types of 1.0.128 to 2.1.332 that hold no words of a person or an assistant; those with
# api-request in their name repeat earlier ones.
_BOOKKEEPING: Final = frozenset(
    """agent-color agent-name agent-setting ai-title api-request api-request-blob
    api-request-shape atis-latch content-replacement cost-state custom-title
    file-history-delta file-history-snapshot last-prompt mode permission-mode pr-link progress
    queue-operation relocated summary system tag task-summary tools-used worktree-state""".split()  # noqa: SIM905 - 26 lines otherwise
)
_LEFT_OUT: Final = (
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)
_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_SILENT: Final = ("thinking", "redacted_thinking", "image", "document")
_BLOCKS: Final = ("text", "tool_result", *_CALLS, *_SILENT)
_DECODER: Final = json.JSONDecoder(strict=False)
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}

_Json = Mapping[str, object]


class _RecordError(ValueError):
    """A line that is no record. The text says why and quotes nothing."""


@dataclass(frozen=True, slots=True)
class _Said:
    outcome: SpanOutcome
    detail: str = ""
    events: tuple[Event, ...] = ()
    record: _Json = field(default_factory=dict)


_NOISE: Final = _Said("noise")


def spans(found: Iterable[Line]) -> Iterator[Span]:
    """One span for each record; records without words that follow one another share one."""
    size = records = 0
    after = Place()
    for line in found:
        said = _said(line)
        if said.outcome == "noise":
            size, after = size + line.size, line.after
            records += bool(line.content)
            continue
        if size:
            yield Span(after.cursor, size, "noise", records=records)
            size = records = 0
        yield Span(
            cursor=line.after.cursor,
            size=line.size,
            outcome=said.outcome,
            events=said.events,
            record_id=printable(_text(said.record, "uuid")) or None,
            cwd=_directory(said.record) or None,
            at=printable(_text(said.record, "timestamp")) or None,
            detail=said.detail,
        )
    if size:
        yield Span(after.cursor, size, "noise", records=records)


def directory(line: Line) -> str:
    """The working directory that a record names, "" when it names none."""
    try:
        return _directory(_parse(line.content))
    except _RecordError:
        return ""


def is_claude(line: Line) -> bool:
    """Whether a line is a record of this format."""
    try:
        record = _parse(line.content)
    except _RecordError:
        return False
    known = _text(record, "type") in (*_BOOKKEEPING, "user", "assistant", "attachment")
    return known and any(key in record for key in ("sessionId", "leafUuid", "cwd"))


def printable(text: str) -> str:
    """A name from outside on one line: what cannot be shown becomes a question mark."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _said(line: Line) -> _Said:
    if line.too_long:
        return _Said("broken", "line over 16 MiB")
    if not line.content.strip():
        return _NOISE
    try:
        return _judge(_parse(line.content))
    except _RecordError as fault:
        return _Said("broken", str(fault))
    except RecursionError:
        return _Said("broken", "nested too deeply")


def _parse(content: bytes) -> _Json:
    try:
        record = _DECODER.decode(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise _RecordError("not UTF-8") from None
    except (ValueError, RecursionError):
        raise _RecordError("not JSON") from None
    if not isinstance(record, dict):
        raise _RecordError("not an object")
    return record


def _judge(record: _Json) -> _Said:
    kind = _text(record, "type")
    if kind in _BOOKKEEPING or any(record.get(flag) is True for flag in _LEFT_OUT):
        return _NOISE
    if kind == "attachment":
        return _heard(record, "user", _queued(_mapping(record, "attachment")))
    if kind == "user":
        return _heard(record, "user", _message(record, kind).get("content"))
    if kind == "assistant":
        message = _message(record, kind)
        if message.get("model") == "<synthetic>":
            return _NOISE
        return _heard(record, "assistant", message.get("content"))
    return _Said("unknown", _short(kind), record=record)


def _message(record: _Json, kind: str) -> _Json:
    message = record.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), (str, list)):
        raise _RecordError(f"{kind} record without a message")
    return message


def _queued(attachment: _Json) -> object:
    """What a person typed while the assistant worked: recorded nowhere else."""
    typed = attachment.get("commandMode", "prompt") == "prompt"
    return attachment.get("prompt") if attachment.get("type") == "queued_command" and typed else ""


def _heard(record: _Json, speaker: EventKind, content: object) -> _Said:
    """What a message of one speaker holds: its text, or a list of blocks."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
    events = tuple(event for block in blocks for event in _events(speaker, block))
    if events:
        return _Said("events", events=events, record=record)
    for kind in (_text(block, "type") for block in blocks):
        if kind not in _BLOCKS:
            return _Said("unknown", f"{speaker}/{_short(kind)}", record=record)
    return _NOISE


def _events(speaker: EventKind, block: _Json) -> Iterator[Event]:
    kind = _text(block, "type")
    if kind == "text" and speaker == "user":
        event = Event("user", own_words(_text(block, "text")))
    elif kind == "text":
        event = Event(speaker, without_brief(_text(block, "text")))
    elif kind in _CALLS:
        event = Event("tool", without_brief(_call(block)))
    elif kind == "tool_result":
        text = output(_output(block.get("content")))
        event = Event("error" if block.get("is_error") is True else "result", text)
    else:
        return
    if event.text.strip():
        yield event


def _call(block: _Json) -> str:
    """Name and input of a tool call. Texts stand in it unescaped, as the redactor knows them."""
    name, given = _text(block, "name"), block.get("input")
    if not given:
        return name
    escaped = json.dumps(given, ensure_ascii=False)
    return f"{name} {_ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[0]), escaped)}".lstrip()


def _output(content: object) -> str:
    """The text of a tool's result: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(_text(b, "text") for b in blocks if isinstance(b, dict))


def _short(kind: str) -> str:
    return printable(kind)[:40] or "no type"


def _text(value: _Json, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _mapping(value: _Json, key: str) -> _Json:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _directory(record: _Json) -> str:
    """An absolute path that the operating system would take."""
    cwd = _text(record, "cwd")
    if not cwd.startswith("/") or "\0" in cwd:
        return ""
    try:
        os.fsencode(cwd)
    except UnicodeEncodeError:
        return ""
    return cwd
