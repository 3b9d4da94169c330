from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.model import Event
from memd.sources.claude_records import is_claude, judge
from memd.sources.jsonl import spans
from memd.sources.lines import LONGEST, Line, Place, lines

if TYPE_CHECKING:
    from memd.model import Span

CANARY = "c4n4ry"
JSON = st.sampled_from(
    [None, True, 7, 0.5, "", CANARY, [], [CANARY], [None, [7]], {}, {"a": CANARY}, {"b": [None]}]
)
BLOCK = st.fixed_dictionaries(
    {},
    optional={
        "type": st.one_of(JSON, st.sampled_from(["text", "tool_use", "tool_result", "image"])),
        "text": JSON,
        "name": JSON,
        "input": JSON,
        "content": JSON,
        "is_error": JSON,
    },
)
CONTENT = st.one_of(JSON, st.lists(st.one_of(BLOCK, JSON), max_size=3))
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["user", "assistant", "attachment", "summary", "other", 7, ["x"]]),
        "message": st.one_of(JSON, st.fixed_dictionaries({"content": CONTENT, "model": JSON})),
        "attachment": st.one_of(
            JSON,
            st.fixed_dictionaries(
                {"type": st.just("queued_command"), "commandMode": st.just("prompt")},
                optional={"prompt": CONTENT},
            ),
        ),
        "uuid": JSON,
        "cwd": st.one_of(JSON, st.text(max_size=5).map(lambda text: "/" + text)),
        "timestamp": JSON,
        "isMeta": JSON,
    },
)


def read(*records: object) -> list[Span]:
    data = b"".join(
        (r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records
    )
    return list(spans(lines(io.BytesIO(data), Place()), judge))


def user(content: object, **extra: object) -> dict[str, object]:
    return {"type": "user", "message": {"content": content}, **extra}


@settings(max_examples=100, deadline=None)
@given(records=st.lists(st.one_of(RECORD, JSON), max_size=4))
def test_no_shape_of_a_record_raises_or_is_lost(records: list[object]) -> None:
    found = read(*records)
    assert sum(span.records for span in found) == len(records)
    assert all((span.outcome == "events") == bool(span.events) for span in found)
    assert all(len(span.detail) <= 60 and span.detail.isprintable() for span in found)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=60))
def test_any_bytes_are_a_span_or_noise(data: bytes) -> None:
    found = list(spans(lines(io.BytesIO(data + b"\n"), Place()), judge))
    assert sum(span.size for span in found) == len(data) + 1


@settings(max_examples=50, deadline=None)
@given(content=CONTENT)
def test_what_is_wrong_is_said_without_quoting(content: object) -> None:
    broken = user(content, message=content), [content], str(content).encode()
    for span in read(*broken):
        assert span.outcome == "events" or CANARY not in span.detail


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(exclude_characters="<["), min_size=1).filter(str.strip))
def test_text_is_whole_whatever_it_holds(text: str) -> None:
    (said,) = read({"type": "assistant", "message": {"content": text}})
    assert said.events == (Event("assistant", text),)


def test_a_span_says_where_when_and_which_record() -> None:
    record = user("hello", uuid="u1", cwd="/srv/app", timestamp="2026-01-02T03:04:05.000Z")
    (span,) = read(record)
    assert (span.record_id, span.cwd, span.at) == ("u1", "/srv/app", "2026-01-02T03:04:05.000Z")
    (span,) = read(user("hello", uuid=7, cwd="srv/app", timestamp=None))
    assert (span.record_id, span.cwd, span.at) == (None, None, None)


def test_ids_and_directories_can_be_encoded() -> None:
    for cwd in ("/a\ud83d", "/a\0b", ""):
        (span,) = read(user("hello", uuid="u\ud83d", cwd=cwd))
        assert (span.record_id, span.cwd) == ("u?", None)


def test_noise_that_follows_on_noise_is_one_span() -> None:
    noise: dict[str, object] = {"type": "summary"}
    found = read(noise, noise, b"", user("hello"), noise, {"type": "new"}, noise)
    assert [(span.outcome, span.records) for span in found] == [
        ("noise", 2),
        ("events", 1),
        ("noise", 1),
        ("unknown", 1),
        ("noise", 1),
    ]


def test_deep_nesting_is_a_broken_record() -> None:
    limit = sys.getrecursionlimit()
    for depth in (500, 5_000, 50_000, *range(limit - 120, limit)):
        deep = b"[" * depth + b"]" * depth
        call = b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":%b}]}}'
        assert read(call % deep)[0].outcome in ("events", "broken")
    assert read(b'{"type":"user","message":%b}' % deep)[0].outcome == "broken"


def test_a_line_that_is_too_long_is_broken() -> None:
    (span,) = spans([Line(b"", LONGEST + 1, Place(LONGEST + 1))], judge)
    assert (span.outcome, span.detail, span.size) == ("broken", "line over 16 MiB", LONGEST + 1)


def test_texts_of_a_tool_call_stand_unescaped() -> None:
    secret = 'A\n  API_TOKEN="x\\y"\tü'
    call = {"type": "tool_use", "name": "Edit", "input": {"edits": [{"new": secret}]}}
    (span,) = read({"type": "assistant", "message": {"content": [call]}})
    assert span.events == (Event("tool", f'Edit {{"edits": [{{"new": "{secret}"}}]}}'),)


def test_lines_of_another_format_are_told_apart() -> None:
    def judge(record: object) -> bool:
        data = json.dumps(record).encode()
        return is_claude(Line(data, len(data), Place()))

    assert judge(user("hello", sessionId="s"))
    assert judge({"type": "summary", "leafUuid": "u"})
    assert not judge(user("hello"))
    assert not judge({"type": "session_meta", "cwd": "/srv"})
    assert not judge({"type": ["user"], "cwd": "/srv"})
    assert not judge([1])
    assert not is_claude(Line(b"text", 4, Place()))
