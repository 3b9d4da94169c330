"""What the records of a Codex rollout say."""

from __future__ import annotations

import hashlib
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
    parse,
    printable,
    short,
    text,
    usable_directory,
)

# Lines and items that hold no words of a person or an assistant, or hold them a second time:
# 0.47 and 0.171 as seen, others as the client's sources name them.
_BOOKKEEPING: Final = frozenset(
    """compacted event_msg inter_agent_communication inter_agent_communication_metadata
    realtime_item retained_context security_risk_score session_meta token_usage_record
    turn_context world_state""".split()  # noqa: SIM905 - 11 lines otherwise
)
_SILENT: Final = frozenset(
    """additional_tools agent_message compaction compaction_summary compaction_trigger
    context_compaction ghost_snapshot image_generation_call mcp_list_tools other reasoning
    tool_search_call tool_search_output""".split()  # noqa: SIM905 - 13 lines otherwise
)
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_INJECTED: Final = re.compile(
    r"<(environment_context|user_instructions|turn_aborted|user_shell_command|user_action|skill"
    r"|subagent_notification|collaboration_mode|permissions instructions|goal_context"
    r"|codex_internal_context|hook_prompt|recommended_plugins)\b[^>]*>.*</\1>",
    re.DOTALL,
)
_AGENTS: Final = re.compile(r"# AGENTS\.md instructions(?: for |[ \t]*\n)")
_PICTURE: Final = re.compile(r"</?image(?: name=[^>]*)?>")
_EDITOR: Final = re.compile(
    r"# (?:Context from my IDE setup|Files mentioned by the user):\n.*\n## My request for Codex:\n",
    re.DOTALL,
)
_FRAME: Final = re.compile(
    r"(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines): .*\n"
    r"|Process (?:exited with code|running with session ID) .*\n)*Output:\n"
)
_FAILED: Final = re.compile(r"^(?:Process exited with code|Exit code:) -?[1-9]", re.MULTILINE)
_DIRECTORY: Final = re.compile(r"<cwd>(/[^<\n]*)</cwd>|Current working directory: (/[^\n]*)")
_OWN_ID: Final = 16
"""Characters from which on an id is one of a kind; some providers count from 1."""


class Records:
    """Judges the records of one rollout, in their order from the start where they bear no ids.

    The id of a record without one is made from all that was said before it, so that the
    copy in a fork has the same id. A fork brings along the first record of the session it
    comes from, behind its own.
    """

    def __init__(self) -> None:
        self._said_so_far = b""
        self._has_begun = False

    def judge(self, record: Json) -> Said:
        if is_rollout(record) and not self._has_begun:
            self._said_so_far = b""
            self._follow(text(mapping(record, "payload"), "id") or text(record, "id"))
        said = _judge(record)
        if said.outcome != "events":
            return said
        self._has_begun = True
        self._follow(*(event.text for event in said.events))
        record_id = said.record_id or self._said_so_far.hex()
        at = printable(text(record, "timestamp")) or None
        return Said("events", events=said.events, record_id=record_id, at=at)

    def _follow(self, *texts: str) -> None:
        data = "\0".join(texts).encode("utf-8", "surrogatepass")
        self._said_so_far = hashlib.sha256(self._said_so_far + data).digest()[:16]


def is_rollout(first: Json) -> bool:
    """Whether a log that begins with this record is one of Codex."""
    if text(first, "type") == "session_meta":
        return "id" in mapping(first, "payload")
    return "type" not in first and all(key in first for key in ("id", "timestamp", "instructions"))


def is_of_subagent(first: Json) -> bool:
    """Whether a session was not held with a person."""
    payload = mapping(first, "payload")
    source = mapping(payload, "source")
    own = text(payload, "thread_source") in ("subagent", "memory_consolidation")
    return own or "subagent" in source or "internal" in source


def directory(record: Json) -> str | None:
    """The working directory that a record names; old versions told only the model."""
    if text(record, "type") in ("session_meta", "turn_context"):
        return usable_directory(text(mapping(record, "payload"), "cwd"))
    item = _item(record)
    if text(item, "type") != "message":
        return None
    found = (_DIRECTORY.search(text(part, "text")) for part in mappings(item.get("content")))
    return next((usable_directory(m[1] or m[2]) for m in found if m), None)


def bears_id(record: Json) -> bool | None:
    """Whether a message has an id of its own; None for what is no message."""
    item = _item(record)
    return bool(_own_id(item)) if text(item, "type") == "message" else None


def _item(record: Json) -> Json:
    """The item of a line; versions before 0.30 wrote it bare."""
    if text(record, "type") == "response_item":
        return mapping(record, "payload")
    return record if "payload" not in record else {}


def _own_id(item: Json) -> str | None:
    found = printable(text(item, "id"))
    return found if len(found) >= _OWN_ID else None


def _judge(record: Json) -> Said:
    kind = text(record, "type")
    if kind in _BOOKKEEPING or is_rollout(record) or text(record, "record_type") == "state":
        return NOISE
    if "payload" in record and kind != "response_item":
        return Said("unknown", short(kind))
    return _judge_item(_item(record))


def _judge_item(item: Json) -> Said:
    kind = text(item, "type")
    if kind in _SILENT:
        return NOISE
    if kind == "message":
        return _message(item)
    if kind in _CALLS:
        return _heard(item, Event("tool", without_brief(_call(item))))
    if kind in _OUTPUTS:
        return _heard(item, _output(item.get("output")))
    return Said("unknown", short(kind))


def _heard(item: Json, *events: Event) -> Said:
    kept = tuple(event for event in events if event.text.strip())
    return Said("events", events=kept, record_id=_own_id(item)) if kept else NOISE


def _message(item: Json) -> Said:
    role = text(item, "role")
    if role in ("developer", "system"):
        return NOISE
    if role not in ("user", "assistant"):
        return Said("unknown", f"message/{short(role)}")
    content = item.get("content")
    if isinstance(content, str):
        item = {**item, "content": [{"text": content}]}
    elif not isinstance(content, list):
        raise RecordError(f"{role} message without content")
    if role == "user":
        return _heard(item, *(Event("user", words) for words in _own_words(item)))
    texts = "\n".join(text(part, "text") for part in mappings(item["content"]))
    return _heard(item, Event("assistant", without_brief(texts)))


def _own_words(item: Json) -> Iterator[str]:
    """The parts of a user message that a person wrote."""
    extra = mapping(item, "internal_chat_message_metadata_passthrough")
    origins = [text(mapping(m, "provenance"), "type") for m in _all(extra, "content_item_metadata")]
    for number, part in enumerate(_all(item, "content")):
        origin = origins[number] if number < len(origins) else ""
        words = text(part, "text")
        if origin not in ("", "user") or (not origin and _is_injected(words)):
            continue
        words = words[match.end() :] if (match := _EDITOR.match(words)) else words
        yield own_words(words)


def _all(value: Json, key: str) -> list[Json]:
    found = value.get(key)
    return [v if isinstance(v, dict) else {} for v in found] if isinstance(found, list) else []


def _is_injected(words: str) -> bool:
    words = words.strip()
    whole = _INJECTED.fullmatch(words) or _PICTURE.fullmatch(words)
    return bool(whole or _AGENTS.match(f"{words}\n"))


def _call(item: Json) -> str:
    kind, action = text(item, "type"), mapping(item, "action")
    if kind == "local_shell_call":
        return call("shell", action.get("command"))
    if kind == "web_search_call":
        return call("web_search", text(action, "query") or text(action, "url"))
    given = item.get("arguments", item.get("input"))
    name = text(item, "name")
    return call_json(name, given) if isinstance(given, str) else call(name, given)


def _output(given: object) -> Event:
    """A text, a text that holds JSON, or a list of parts."""
    failed = False
    if isinstance(given, dict):
        failed, given = given.get("success") is False, given.get("content")
    if isinstance(given, list):
        given = "\n".join(text(part, "text") for part in mappings(given))
    said = given if isinstance(given, str) else ""
    if said.startswith('{"output"'):
        try:
            framed = parse(said.encode("utf-8", "replace"))
        except RecordError:
            framed = {}
        said = text(framed, "output") or said
        failed = failed or mapping(framed, "metadata").get("exit_code", 0) != 0
    while frame := _FRAME.match(said):
        failed = failed or bool(_FAILED.search(frame[0]))
        said = said[frame.end() :]
    kind: EventKind = "error" if failed else "result"
    return Event(kind, output(said))
