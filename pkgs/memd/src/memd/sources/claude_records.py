"""What the records of a Claude Code transcript say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memd.model import Event, EventKind, SpanOutcome
from memd.sources.calls import call
from memd.sources.injected import output, own_words, without_brief
from memd.sources.jsonl import (
    NOISE,
    Json,
    RecordError,
    Said,
    mapping,
    mappings,
    parse,
    printable,
    short,
    text,
    usable_directory,
)
from memd.sources.lines import Line

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


def directory(record: Json) -> str | None:
    """The working directory that a record names."""
    return usable_directory(text(record, "cwd"))


def is_claude(line: Line) -> bool:
    """Whether a line is a record of this format."""
    try:
        record = parse(line.content)
    except RecordError:
        return False
    known = text(record, "type") in (*_BOOKKEEPING, "user", "assistant", "attachment")
    return known and any(key in record for key in ("sessionId", "leafUuid", "cwd"))


def judge(record: Json) -> Said:
    """What one record says."""
    kind = text(record, "type")
    if kind in _BOOKKEEPING or any(record.get(flag) is True for flag in _LEFT_OUT):
        return NOISE
    if kind == "attachment":
        return _heard(record, "user", _queued(mapping(record, "attachment")))
    if kind == "user":
        return _heard(record, "user", _message(record, kind).get("content"))
    if kind == "assistant":
        message = _message(record, kind)
        if message.get("model") == "<synthetic>":
            return NOISE
        return _heard(record, "assistant", message.get("content"))
    return _about(record, "unknown", detail=short(kind))


def _message(record: Json, kind: str) -> Json:
    message = record.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), (str, list)):
        raise RecordError(f"{kind} record without a message")
    return message


def _queued(attachment: Json) -> object:
    """What a person typed while the assistant worked: recorded nowhere else."""
    typed = attachment.get("commandMode", "prompt") == "prompt"
    return attachment.get("prompt") if attachment.get("type") == "queued_command" and typed else ""


def _heard(record: Json, speaker: EventKind, content: object) -> Said:
    """What a message of one speaker holds: its text, or a list of blocks."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = list(mappings(content))
    events = tuple(event for block in blocks for event in _events(speaker, block))
    if events:
        return _about(record, "events", events=events)
    for kind in (text(block, "type") for block in blocks):
        if kind not in _BLOCKS:
            return _about(record, "unknown", detail=f"{speaker}/{short(kind)}")
    return NOISE


def _about(
    record: Json, outcome: SpanOutcome, *, detail: str = "", events: tuple[Event, ...] = ()
) -> Said:
    return Said(
        outcome,
        detail,
        events,
        record_id=printable(text(record, "uuid")) or None,
        at=printable(text(record, "timestamp")) or None,
        cwd=directory(record),
    )


def _events(speaker: EventKind, block: Json) -> Iterator[Event]:
    kind = text(block, "type")
    if kind == "text" and speaker == "user":
        event = Event("user", own_words(text(block, "text")))
    elif kind == "text":
        event = Event(speaker, without_brief(text(block, "text")))
    elif kind in _CALLS:
        event = Event("tool", without_brief(call(text(block, "name"), block.get("input"))))
    elif kind == "tool_result":
        failed = block.get("is_error") is True
        event = Event("error" if failed else "result", output(_output(block.get("content"))))
    else:
        return
    if event.text.strip():
        yield event


def _output(content: object) -> str:
    """The text of a tool's result: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    return "\n".join(text(block, "text") for block in mappings(content))
