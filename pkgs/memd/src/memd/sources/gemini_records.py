"""What the messages of a Gemini CLI session say."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Final

from memd.model import Event, EventKind
from memd.sources.calls import call
from memd.sources.injected import output, own_words, without_brief
from memd.sources.jsonl import (
    Json,
    RecordError,
    Said,
    mapping,
    mappings,
    printable,
    short,
    text,
)

_SILENT: Final = ("info", "error", "warning")
_HOOK: Final = r"<hook_context>(?:(?!<hook_context>).)*?</hook_context>"
_HOOK_FIRST: Final = re.compile(rf"(?:\s*{_HOOK})+\s*", re.DOTALL)
_HOOK_LAST: Final = re.compile(rf"{_HOOK}\s*\Z", re.DOTALL)
_INJECTED: Final = re.compile(
    r"<(session_context|state_snapshot)>.*</\1>"
    r"|This is the Gemini CLI\. We are setting up the context for our chat\..*"
    r"|Here is (?:the user's editor context as a JSON object|a summary of changes in the user's"
    r" editor context).*"
    r"|System: (?:Please continue\.|Potential loop detected\..*)",
    re.DOTALL,
)
_FILES: Final = "--- Content from referenced files ---"
_FILES_END: Final = "--- End of content ---"
_POLITENESS: Final = re.compile(r"Got it\. Thanks for the (?:additional )?context!")
_FRAME: Final = re.compile(r"<untrusted_context>\n(.*)\n</untrusted_context>", re.DOTALL)
_FAILED: Final = re.compile(r"^Exit Code: -?[1-9]", re.MULTILINE)


def parts(message: Json) -> Iterator[Said]:
    """The parts of a message, each with an id that it keeps wherever it is written again.

    The id of a text changes with the text. Calls and results are known by the id of the
    call alone: the client shortens old results later on. Raises RecordError.
    """
    kind, content = text(message, "type"), message.get("content")
    if kind in _SILENT:
        return
    if kind not in ("user", "gemini"):
        yield Said("unknown", short(kind))
        return
    if not isinstance(content, (str, list)):
        raise RecordError(f"{kind} message without content")
    blocks = list(_blocks([content] if isinstance(content, str) else content))
    at = printable(text(message, "timestamp")) or None
    for name, event in _events(message, kind, blocks):
        if event.text.strip():
            yield Said("events", events=(event,), record_id=name or None, at=at)


def messages(record: Json) -> list[Json] | None:
    """The messages that a line of the log adds or writes again; None for an unknown line."""
    changes = mapping(record, "$set")
    if "$set" in record:
        return list(mappings(changes.get("messages")))
    if "$rewindTo" in record or {"sessionId", "projectHash"} <= record.keys():
        return []
    return [record] if "id" in record else None


def once(found: Iterable[Said], seen: set[int]) -> list[Said]:
    """The parts that were not met before; `seen` learns them."""
    new = []
    for part in found:
        mark = hash(part.record_id)
        if part.record_id is None or mark not in seen:
            new.append(part)
            seen.add(mark)
    return new


def _blocks(content: list[object]) -> Iterator[Json]:
    for block in content:
        if isinstance(block, str):
            yield {"text": block}
        elif isinstance(block, dict):
            yield block


def _events(message: Json, kind: str, blocks: list[Json]) -> Iterator[tuple[str, Event]]:
    """Each event with the id of its part, "" when nothing tells it from others."""
    own = printable(text(message, "id"))
    said = _asked(blocks) if kind == "user" else _answered(blocks)
    digest = hashlib.sha256(" ".join(said.split()).encode("utf-8", "replace")).hexdigest()[:16]
    yield f"{own}/{digest}" if own else "", Event("user" if kind == "user" else "assistant", said)
    for block in blocks:
        if made := mapping(block, "functionCall"):
            yield _call(made)
        if answer := mapping(block, "functionResponse"):
            yield _result(answer, failed=False)
    for made in mappings(message.get("toolCalls")):
        yield _call(made)
        failed, results = text(made, "status") == "error", made.get("result")
        for block in mappings(results if isinstance(results, list) else [results]):
            if answer := mapping(block, "functionResponse"):
                yield _result({**answer, "id": made.get("id")}, failed=failed)


def _asked(blocks: list[Json]) -> str:
    """What a person typed: no context that hooks, the editor or the client put around it."""
    kept, in_files = [], False
    for block in blocks:
        words = text(block, "text")
        if words.strip() in (_FILES, _FILES_END):
            in_files = words.strip() == _FILES
        elif not in_files:
            kept.append(_typed(words))
    return "\n".join(words for words in kept if words)


def _typed(words: str) -> str:
    if first := _HOOK_FIRST.match(words):
        words = words[first.end() :]
    words = _HOOK_LAST.sub("", words)
    return "" if _INJECTED.fullmatch(words.strip()) else own_words(words)


def _answered(blocks: list[Json]) -> str:
    said = "".join(text(block, "text") for block in blocks if block.get("thought") is not True)
    return "" if _POLITENESS.fullmatch(said.strip()) else without_brief(said)


def _call(made: Json) -> tuple[str, Event]:
    event = Event("tool", without_brief(call(text(made, "name"), made.get("args"))))
    return _part_id("call", made), event


def _result(answer: Json, *, failed: bool) -> tuple[str, Event]:
    response = mapping(answer, "response")
    said = text(response, "output") or text(response, "error")
    if frame := _FRAME.fullmatch(said.strip()):
        said = frame[1]
    failed = failed or "error" in response or bool(_FAILED.search(said))
    kind: EventKind = "error" if failed else "result"
    return _part_id("result", answer), Event(kind, output(said))


def _part_id(part: str, of_call: Json) -> str:
    name = printable(text(of_call, "id"))
    return f"{part}/{name}" if name else ""
