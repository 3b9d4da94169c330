"""What the events of a Copilot CLI session say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memd.model import Event, EventKind
from memd.sources.calls import call, call_json
from memd.sources.injected import output, own_words, without_brief
from memd.sources.jsonl import (
    NOISE,
    Json,
    RecordError,
    Said,
    mapping,
    mappings,
    printable,
    short,
    text,
    usable_directory,
)

# Events of 1.0.102 and of the client's SDK that hold no words of a person or an assistant,
# or hold them a second time.
_BOOKKEEPING: Final = frozenset(
    """abort assistant.idle assistant.intent assistant.message_delta assistant.message_start
    assistant.reasoning assistant.reasoning_delta assistant.streaming_delta
    assistant.tool_call_delta assistant.turn_end assistant.turn_start assistant.usage
    pending_messages.modified tool.execution_partial_result tool.execution_progress
    tool.execution_start tool.user_requested""".split()  # noqa: SIM905 - 17 lines otherwise
)
_FAMILIES: Final = re.compile(
    r"(?:session|hook|subagent|skill|system|permission|command|commands|model|mcp|user_input"
    r"|elicitation|sampling|external_tool|exit_plan_mode|auto_mode_switch|capabilities)\b.*",
    re.DOTALL,
)
"""Kinds of events that are about the client itself, those to come included."""
_TRUSTED: Final = re.compile(r"Folder (/.+) has been added to trusted folders\.")
_INJECTORS: Final = re.compile(r"(?:skill|system|schedule|thread|autopilot|agent)\b.*", re.DOTALL)
"""Origins of a user message that no person wrote."""


def judge(record: Json) -> Said:
    """What one event says; what a subagent says is noise."""
    kind, data = text(record, "type"), mapping(record, "data")
    if kind in _BOOKKEEPING or _FAMILIES.fullmatch(kind) or _is_of_subagent(record):
        return NOISE
    if kind == "user.message":
        events = _asked(data)
    elif kind == "assistant.message":
        events = tuple(_answered(data))
    elif kind == "tool.execution_complete":
        events = (_result(data),)
    else:
        return Said("unknown", short(kind))
    kept = tuple(event for event in events if event.text.strip())
    if not kept:
        return NOISE
    return Said(
        "events",
        events=kept,
        record_id=printable(text(record, "id")) or None,
        at=printable(text(record, "timestamp")) or None,
    )


def is_start(record: Json) -> bool:
    """Whether this is the first event of a session."""
    return text(record, "type") == "session.start"


def directory(record: Json) -> str | None:
    """The working directory that an event names; early versions asked to trust it at most."""
    data = mapping(record, "data")
    named = text(mapping(data, "context"), "cwd") or text(mapping(data, "input"), "cwd")
    trusted = _TRUSTED.fullmatch(text(data, "message")) if "infoType" in data else None
    return usable_directory(trusted[1] if trusted else named)


def _is_of_subagent(record: Json) -> bool:
    return bool(text(record, "agentId") or text(mapping(record, "data"), "parentToolCallId"))


def _asked(data: Json) -> tuple[Event, ...]:
    # `transformedContent` is the same with what the client adds for the model.
    if not isinstance(data.get("content"), str):
        raise RecordError("user.message without content")
    injected = _INJECTORS.fullmatch(text(data, "source"))
    if injected or data.get("isAutopilotContinuation") is True:
        return ()
    return (Event("user", own_words(text(data, "content"))),)


def _answered(data: Json) -> Iterator[Event]:
    if not isinstance(data.get("content"), str) and not data.get("toolRequests"):
        raise RecordError("assistant.message without content")
    yield Event("assistant", without_brief(text(data, "content")))
    for request in mappings(data.get("toolRequests")):
        name, given = text(request, "name"), request.get("arguments")
        made = call_json(name, given) if isinstance(given, str) else call(name, given)
        yield Event("tool", without_brief(made))


def _result(data: Json) -> Event:
    said = text(mapping(data, "result"), "content") or text(mapping(data, "error"), "message")
    code = mapping(data, "shellExecution").get("exitCode", 0)
    kind: EventKind = "error" if data.get("success") is False or code != 0 else "result"
    return Event(kind, output(said))
