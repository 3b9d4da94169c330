"""What the steps of an Antigravity conversation say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from hashlib import sha256
from itertools import chain
from typing import Final
from urllib.parse import unquote

from memd.model import Event, EventKind, SpanOutcome
from memd.sources.calls import call_json
from memd.sources.injected import output, own_words, without_brief
from memd.sources.jsonl import usable_directory
from memd.sources.protowire import WireError, fields, number, text, texts, values

# Names and numbers are those of `gemini_coder.Step` and `exa.cortex_pb.CortexStepType`,
# which the client's own program (google-antigravity 0.1.22) carries as descriptors.
FINISH: Final = 2
USER_INPUT: Final = 14
PLANNER_RESPONSE: Final = 15
ERROR_MESSAGE: Final = 17
RUN_COMMAND: Final = 21
NOTIFY_USER: Final = 82
ASK_QUESTION: Final = 138
OLD_RESPONSE: Final = 33
"""A web search today, an answer in databases of older versions."""

IN_FLIGHT: Final = (1, 2, 8, 9, 11)
"""Pending, running, generating, waiting, queued."""
_ERROR: Final = 7

_RESULTS: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    7: ((13, 3), (13, 5)),  # grep: output, error
    8: ((14, 4),),  # view file
    9: ((15, 2),),  # list directory
    RUN_COMMAND: ((28, 21, 1), (28, 21, 2), (28, 4), (28, 5)),
    25: ((34, 11), (34, 8)),  # find: output, error
    28: ((37, 9), (37, 3), (37, 4)),  # command status
    OLD_RESPONSE: ((42, 5),),
    38: ((47, 3),),  # a tool of an MCP server
    85: ((97, 2),),  # browser subagent
    100: ((113, 8, 1),),  # command input
    101: ((114, 4, 4),),  # a message of a subagent or of a task in the background
    112: ((127, 3), (127, 4)),  # shell: output, error
    132: ((140, 2, 1),),  # any other tool
}
"""Where the results of tools stand, by step type; the first place that holds text counts."""
_ANSWERS: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    FINISH: ((12, 2),),
    PLANNER_RESPONSE: ((20, 1), (20, 8)),
    OLD_RESPONSE: ((20, 1),),
    NOTIFY_USER: ((94, 2),),
}
_COMMENTS: Final = ((19, 7, 4), (19, 10, 3, 3), (19, 11, 2, 1))
"""A person's remarks on an artifact, a diff, a file."""
_ANYWHERE: Final = ((20, 1), (19, 2), (140, 2, 1), (94, 2), (114, 4, 4))
"""Where text may stand in a step whose type does not say so."""
_UNNAMED: Final = (11, 12, 16, 18, 19, 20, 22, 26, 30, 35, 36, 37, 43, 44, 46, 48, 50, 58, 115)
_NAMED: Final = frozenset(range(141)) - {*_UNNAMED, 69, 70, 71, 72}
"""Types with a name. Those in no table above repeat what other steps say, or say nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """One row as it stands in the database."""

    idx: int
    kind: int
    size: int
    """Bytes of the payload."""
    payload: bytes | None
    """None when it is too long to be loaded, or no bytes."""


@dataclass(frozen=True, slots=True)
class Said:
    outcome: SpanOutcome
    id: str
    """The same for a copy that says the same, another for any other step."""
    events: tuple[Event, ...] = ()
    at: str | None = None
    detail: str = ""
    cwd: str | None = None
    """Where a command ran."""


def said(step: Step, session: str) -> Said:
    """What one step says."""
    if step.payload is None:
        return Said("broken", f"{session}/{step.idx}", detail="payload missing or over 16 MiB")
    if fault := _fault_of(step.payload):
        return Said("broken", f"{session}/{step.idx}", detail=f"not protobuf: {fault}")
    events = _heard(step.kind, step.payload)
    known = step.kind in _NAMED and not (step.kind == USER_INPUT and _is_mute(step.payload))
    outcome: SpanOutcome = "unknown" if not known else "events" if events else "noise"
    return Said(
        outcome=outcome,
        id=_id(step, session, events),
        events=events,
        at=_time(step.payload),
        detail="" if known else str(step.kind),
        cwd=directory(text(step.payload, 28, 2)) or None,
    )


def words(step: Step) -> tuple[str, ...]:
    """The texts of its events, without all else that `said` finds out."""
    if step.payload is None or _fault_of(step.payload):
        return ()
    return tuple(event.text for event in _heard(step.kind, step.payload))


def _fault_of(payload: bytes) -> str:
    """Why it is no protobuf message, "" when it is one."""
    try:
        for _ in fields(payload):
            pass
    except WireError as fault:
        return str(fault)
    return ""


def _heard(kind: int, payload: bytes) -> tuple[Event, ...]:
    events = tuple(_worded(chain(_events(kind, payload), _errors(payload))))
    if events or kind == USER_INPUT:
        return events
    return tuple(_worded(_stray(payload)))


def directory(uri: str) -> str:
    """The absolute path in a `file:` URI, or such a path itself; "" for anything else."""
    try:
        path = unquote(uri[7:], errors="strict") if uri.startswith("file:///") else uri
    except UnicodeDecodeError:
        return ""
    usable = usable_directory(path)
    return os.path.normpath(usable) if usable else ""


def status_of(payload: bytes) -> int:
    """The state of a step as its payload has it; not every database has a column for it."""
    return number(payload, 4)


def _events(kind: int, payload: bytes) -> Iterator[Event]:
    if kind == USER_INPUT:
        yield Event("user", own_words(_first(payload, (19, 2), (19, 1)) or _items(payload)))
        for path in _COMMENTS:
            yield from (Event("user", remark) for remark in texts(payload, *path))
    elif kind == ASK_QUESTION:
        yield Event("assistant", "\n".join(texts(payload, 154, 1, 1)))
        yield from (Event("user", reply) for reply in texts(payload, 154, 1, 5))
    elif kind == ERROR_MESSAGE:
        yield Event("error", _fault(payload, 24, 3))
    if answer := _first(payload, *_ANSWERS.get(kind, ())):
        yield Event("assistant", without_brief(answer))
    if kind == PLANNER_RESPONSE:
        yield from _calls(payload)
    yield from _results(kind, payload)


def _items(payload: bytes) -> str:
    return "\n".join(texts(payload, 19, 3, 1))


def _is_mute(payload: bytes) -> bool:
    """Whether a prompt holds neither text nor a picture: then it is not understood."""
    inside = ((19, 1), (19, 2), (19, 3), (19, 5), (19, 9), *_COMMENTS)
    return not any(value for path in inside for value in values(payload, *path))


def _calls(payload: bytes) -> Iterator[Event]:
    for found in values(payload, 20, 7):
        if isinstance(found, bytes):
            yield Event("tool", without_brief(call_json(text(found, 2), text(found, 3))))


def _results(kind: int, payload: bytes) -> Iterator[Event]:
    if kind == RUN_COMMAND and not text(payload, 5, 4, 1):
        # No call of the model's names it: the person's own command.
        command = _first(payload, (28, 23), (28, 25), (28, 1))
        yield Event("tool", f"run_command {command}" if command else "")
    found = _first(payload, *_RESULTS.get(kind, ()))
    code = number(payload, 28, 6) if kind == RUN_COMMAND else 0
    if code:
        yield Event("error", f"{output(found).rstrip()}\nexit code {_signed(code)}".lstrip())
    else:
        yield Event("result", output(found))


def _errors(payload: bytes) -> Iterator[Event]:
    if status_of(payload) == _ERROR or text(payload, 31, 1):
        yield Event("error", _fault(payload, 31))


def _fault(payload: bytes, *path: int) -> str:
    """What went wrong, for a person and in short; the stack trace beside it is left out."""
    return "\n".join(dict.fromkeys((text(payload, *path, 1), text(payload, *path, 2)))).strip()


def _stray(payload: bytes) -> Iterator[Event]:
    for path in _ANYWHERE:
        yield Event("text", without_brief(text(payload, *path)))


def _first(payload: bytes, *paths: tuple[int, ...]) -> str:
    """The text at the first of some paths that holds any; repeated ones are lines."""
    return next((found for path in paths if (found := "\n".join(texts(payload, *path)))), "")


def _worded(events: Iterator[Event]) -> Iterator[Event]:
    return (event for event in events if event.text.strip())


def _signed(code: int) -> int:
    # Negative int32 values travel as 64 bits.
    return code - (1 << 64) if code >> 63 else code


def _id(step: Step, session: str, events: tuple[Event, ...]) -> str:
    payload = step.payload or b""
    told: list[tuple[EventKind, str]] = [(event.kind, event.text) for event in events]
    words = sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    created = f"{session}/{step.idx}/{number(payload, 5, 1, 1)}.{number(payload, 5, 1, 2)}"
    return f"{text(payload, 5, 35) or created}/{words}"


def _time(payload: bytes) -> str | None:
    seconds = number(payload, 5, 1, 1)
    if not 0 < seconds < 253402300800:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat().replace("+00:00", "Z")
