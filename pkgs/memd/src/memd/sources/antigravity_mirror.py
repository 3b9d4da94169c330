"""The transcript that Antigravity mirrors for display, read where there is no database."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import BinaryIO, Final

from memd.model import Cursor, Event, Span
from memd.sources.calls import call
from memd.sources.injected import output, own_words, without_brief
from memd.sources.jsonl import (
    Json,
    RecordError,
    Said,
    mappings,
    opening,
    printable,
    spans,
    text,
)
from memd.sources.lines import end, lines, resume

_NAMES: Final = ("transcript_full.jsonl", "transcript.jsonl")
"""The second cuts long texts; older versions may write no other."""
_LOGS: Final = (".system_generated", "logs")
_REQUEST: Final = re.compile(r"<USER_REQUEST>\n?(.*?)\n?</USER_REQUEST>", re.DOTALL)
_TIMES: Final = re.compile(r"(?:(?:Created|Completed) At: .*\n)*\n?")


def find(folder: str) -> str:
    """The transcript below a folder of `brain/`, "" when there is none."""
    paths = (os.path.join(folder, *_LOGS, name) for name in _NAMES)
    return next((path for path in paths if os.path.isfile(path)), "")


def is_mirror(path: str) -> bool:
    return os.path.basename(path) in _NAMES


def session_of(path: str) -> str:
    """`<session>/.system_generated/logs/transcript.jsonl`."""
    return os.path.basename(os.path.dirname(os.path.dirname(os.path.dirname(path))))


class Mirror:
    """One open transcript: a record for each step, `step_index`, `source`, `type`, `status`,
    `created_at`, `content`, `tool_calls`, as google-antigravity 0.1.22 was seen to write."""

    def __init__(self, file: BinaryIO, session: str) -> None:
        self._file = file
        self._session = session

    def end(self) -> Cursor:
        return end(self._file)

    def size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def last(self) -> int:
        """0: how much is waiting is told by the offset."""
        return 0

    def spans(self, after: Cursor | None) -> Iterator[Span]:
        return spans(lines(self._file, resume(self._file, after)), self._judge)

    def words(self) -> Iterator[str]:
        for span in self.spans(None):
            yield from (event.text for event in span.events)

    def workspaces(self) -> list[str]:
        """None: it does not say."""
        return []

    def is_subagent(self) -> bool:
        """Whether something else than a person's words stands first."""
        first = next(opening(self._file), {})
        return text(first, "source") != "USER_EXPLICIT"

    def _judge(self, record: Json) -> Said:
        kind = text(record, "type")
        if not kind:
            raise RecordError("record without a type")
        events = tuple(event for event in _events(kind, record) if event.text.strip())
        told = repr([(event.kind, event.text) for event in events]).encode("utf-8", "replace")
        words = sha256(told).hexdigest()[:16]
        return Said(
            "events" if events else "noise",
            events=events,
            record_id=f"{self._session}/{record.get('step_index')}/{words}" if events else None,
            at=printable(text(record, "created_at")) or None,
        )


def _events(kind: str, record: Json) -> Iterator[Event]:
    content = text(record, "content")
    if text(record, "status") == "ERROR" or kind == "ERROR_MESSAGE":
        yield Event("error", text(record, "error") or _output(content))
    elif kind == "USER_INPUT":
        request = _REQUEST.search(content)
        yield Event("user", own_words(request[1] if request else content))
    elif kind == "PLANNER_RESPONSE":
        yield Event("assistant", without_brief(content))
        for made in mappings(record.get("tool_calls")):
            yield Event("tool", without_brief(call(text(made, "name"), made.get("args"))))
    elif text(record, "source") == "MODEL":
        yield Event("error" if record.get("exit_code") else "result", _output(content))


def _output(content: str) -> str:
    return output(_TIMES.sub("", content, count=1))
