"""What the messages of opencode say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from hashlib import sha256
from typing import Final

from memd.model import Event
from memd.sources.calls import call
from memd.sources.injected import output, own_words, without_brief
from memd.sources.jsonl import NOISE, Json, RecordError, Said, mapping, parse, short, text

_SILENT: Final = frozenset(
    """agent compaction file patch reasoning retry snapshot step-finish step-start
    subtask""".split()  # noqa: SIM905 - 10 lines otherwise
)
"""Parts of 1.0.152 to 1.18.33 without words of a person or an assistant."""

_MOST: Final = 1e15


def judge(message: bytes, parts: Iterable[bytes]) -> Said:
    """What a message says, given its JSON and that of its parts in order."""
    try:
        info = parse(message)
        if text(info, "role") not in ("user", "assistant"):
            return Said("unknown", short(f"message/{text(info, 'role')}"))
        if info.get("summary") is True:
            # What an assistant wrote to shorten the session repeats it.
            return NOISE
        return _heard(info, [parse(part) for part in parts])
    except RecordError as fault:
        return Said("broken", str(fault))
    except RecursionError:
        return Said("broken", "nested too deeply")


def is_complete(info: Json) -> bool:
    """Whether the assistant has ended a message, in one way or another."""
    return number(mapping(info, "time").get("completed")) > 0 or bool(info.get("error"))


def _heard(info: Json, parts: list[Json]) -> Said:
    speaker = text(info, "role")
    events = tuple(
        event for part in parts for event in _events(speaker, part) if event.text.strip()
    )
    if fault := _fault(info):
        events = (*events, Event("error", fault))
    at = number(mapping(info, "time").get("created"))
    if events:
        return Said("events", "", events, _id(speaker, at, events), _iso(at))
    kinds = (text(part, "type") for part in parts)
    unknown = next((kind for kind in kinds if kind not in (*_SILENT, "text", "tool")), None)
    return NOISE if unknown is None else Said("unknown", short(f"part/{unknown}"))


def _events(speaker: str, part: Json) -> Iterator[Event]:
    kind = text(part, "type")
    if kind == "text" and not (part.get("synthetic") is True or part.get("ignored") is True):
        if speaker == "user":
            yield Event("user", own_words(text(part, "text")))
        else:
            yield Event("assistant", without_brief(text(part, "text")))
    elif kind == "tool":
        state = mapping(part, "state")
        yield Event("tool", without_brief(call(text(part, "tool"), state.get("input"))))
        yield from _outcome(state)


def _outcome(state: Json) -> Iterator[Event]:
    found = output(text(state, "output"))
    code = mapping(state, "metadata").get("exit")
    if fault := text(state, "error"):
        yield Event("error", output(fault))
    elif isinstance(code, int) and code:
        yield Event("error", f"{found.rstrip()}\nexit code {code}".lstrip())
    else:
        yield Event("result", found)


def _fault(info: Json) -> str:
    """Why an answer broke off, unless the person broke it off."""
    error = mapping(info, "error")
    return "" if "Abort" in text(error, "name") else text(mapping(error, "data"), "message")


def _id(speaker: str, at: float, events: tuple[Event, ...]) -> str:
    """The same in a fork of the session, where messages get new ids and keep their time."""
    told = repr([(event.kind, event.text) for event in events]).encode("utf-8", "replace")
    return f"{speaker}/{at:.0f}/{sha256(told).hexdigest()[:16]}"


def _iso(milliseconds: float) -> str | None:
    if not 0 < milliseconds < 253402300800000:
        return None
    return datetime.fromtimestamp(milliseconds // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def number(value: object) -> float:
    """A positive number within reason, 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return float(value) if 0 < value < _MOST else 0
