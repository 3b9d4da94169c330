from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.sources.gemini import GeminiSource
from memd.sources.gemini_records import messages, once, parts
from memd.sources.jsonl import Json, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.model import SourceRef, Span

ID = "0b0e0d0c-0000-4000-8000-000000000001"
ROOT = "/srv/app"
HASH = hashlib.sha256(ROOT.encode()).hexdigest()

JSON = st.sampled_from([None, True, 7, "", "x", [], ["x"], {}, {"a": 1}])
CALL = st.fixed_dictionaries(
    {}, optional={"id": JSON, "name": JSON, "args": JSON, "response": JSON, "status": JSON}
)
BLOCK = st.fixed_dictionaries(
    {},
    optional={
        "text": JSON,
        "thought": JSON,
        "functionCall": st.one_of(JSON, CALL),
        "functionResponse": st.one_of(JSON, CALL),
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "id": JSON,
        "type": st.sampled_from(["user", "gemini", "info", "x", 7, None]),
        "content": st.one_of(JSON, st.lists(st.one_of(BLOCK, JSON), max_size=3)),
        "toolCalls": st.one_of(JSON, st.lists(st.one_of(CALL, JSON), max_size=2)),
        "timestamp": JSON,
    },
)
RECORD = st.one_of(
    MESSAGE, st.fixed_dictionaries({"$set": st.one_of(JSON, st.just({"messages": [{"id": "x"}]}))})
)


def top(session: str = ID, digest: str = HASH, **more: object) -> dict[str, object]:
    return {"sessionId": session, "projectHash": digest, "startTime": "2026-01-02", **more}


def message(name: str, text: object, kind: str = "user", **more: object) -> dict[str, object]:
    return {"id": name, "type": kind, "content": text, **more}


def called(name: str, **more: object) -> dict[str, object]:
    return {"id": name, "name": "run", "args": {}, **more}


def log(home: Path, *records: object, slug: str = "app", name: str = "session-1.jsonl") -> Path:
    path = home / "tmp" / slug / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def document(home: Path, *found: object, name: str = "session-1.json", **more: object) -> Path:
    path = log(home, slug=HASH, name=name)
    path.write_text(json.dumps({**top(), "messages": found, **more}, indent=2))
    return path


def source(home: Path, state_dir: str = "/state/memd", roots: Iterable[str] = ()) -> GeminiSource:
    return GeminiSource(str(home), state_dir, lambda: roots)


def only(home: Path) -> SourceRef:
    (ref,) = source(home).discover()
    return ref


def texts(spans: Iterable[Span]) -> list[str]:
    return [event.text for span in spans for event in span.events]


def ids(spans: Iterable[Span]) -> list[str | None]:
    return [span.record_id for span in spans if span.events]


def test_a_session_is_known_by_the_id_it_gives_itself(tmp_path: Path) -> None:
    path = log(tmp_path, top(), message("m", "hello"))
    ref = only(tmp_path)
    assert (ref.key, ref.path, ref.cwd) == (f"gemini-cli/{ID}", str(path), None)
    assert (ref.size, ref.modified) == (path.stat().st_size, path.stat().st_mtime)
    assert source(tmp_path).locate(str(path)) == ref


def test_the_directory_is_found_where_the_client_notes_it(tmp_path: Path) -> None:
    path = log(tmp_path, top(digest="0" * 64))
    noted = tmp_path / "projects.json"
    assert only(tmp_path).cwd is None
    noted.write_text(json.dumps({"projects": {"/srv/noted": "app", "/srv/odd": 7, "x": "app"}}))
    assert only(tmp_path).cwd == "/srv/noted"
    (path.parents[1] / ".project_root").write_text("/srv/beside\n")
    assert only(tmp_path).cwd == "/srv/beside"


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "{}", '{"projects": 7}', '{"projects": {"', "\xff"]
)
def test_a_note_that_cannot_be_read_tells_nothing(tmp_path: Path, text: str) -> None:
    path = log(tmp_path, top())
    (tmp_path / "projects.json").write_text(text, "latin-1")
    (path.parents[1] / ".project_root").write_text(text, "latin-1")
    assert only(tmp_path).cwd is None


def test_a_hash_tells_the_directory_where_it_is_a_known_one(tmp_path: Path) -> None:
    document(tmp_path, message("m", "hello"))
    found = [list(source(tmp_path, roots=roots).discover()) for roots in ([], ["/x", ROOT])]
    assert [ref.cwd for (ref,) in found] == [None, ROOT]
    (tmp_path / "tmp" / HASH).rename(tmp_path / "tmp" / "renamed")
    assert [ref.cwd for ref in source(tmp_path, roots=[ROOT]).discover()] == [ROOT]


def test_a_log_takes_the_place_of_the_document_it_was_made_from(tmp_path: Path) -> None:
    said = message("m", "hello"), message("n", "Noted.", "gemini", toolCalls=[called("c")])
    document(tmp_path, *said, name="session-2.json")
    before = only(tmp_path)
    read = list(source(tmp_path).read(before, None))
    path = log(tmp_path, top(), *said, message("o", "more"), slug=HASH, name="session-2.jsonl")
    after = only(tmp_path)
    assert (after.key, after.path) == (before.key, str(path))
    again = list(source(tmp_path).read(after, read[-1].cursor))
    assert ids(again)[:3] == ids(read)
    assert texts(again)[3:] == ["more"]


def test_other_files_are_no_sessions(tmp_path: Path) -> None:
    path = log(tmp_path, top(), message("m", "hello"))
    log(tmp_path, message("m", '"sessionId": "x", "projectHash": "y"'), name="session-2.jsonl")
    log(tmp_path, top(kind="subagent"), name="session-3.jsonl")
    log(tmp_path, top(), name="other.jsonl")
    log(tmp_path, top(), slug=f"app/chats/{ID}", name="session-4.jsonl")
    os.mkfifo(path.parent / "session-5.jsonl")
    (path.parent / "session-6.jsonl").mkdir()
    (tmp_path / "tmp" / "stray").write_text("x")
    found = source(tmp_path)
    assert [ref.path for ref in found.discover()] == [str(path)]
    others = ["", "a\0b", "\ud83d", *map(str, path.parent.iterdir())]
    assert [ref.path for ref in map(found.locate, others) if ref] == [str(path)]


def test_nothing_is_found_where_the_client_never_ran(tmp_path: Path) -> None:
    assert list(source(tmp_path / "missing").discover()) == []
    (tmp_path / "tmp").write_text("a file")
    assert list(source(tmp_path).discover()) == []


def test_what_memd_lets_its_curator_do_is_no_session(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (tmp_path / "link").symlink_to(state)
    path = log(tmp_path, top())
    (path.parents[1] / ".project_root").write_text(f"{state.resolve()}/curator")
    found = source(tmp_path, str(tmp_path / "link"))
    assert list(found.discover()) == []
    assert found.locate(str(path)) is None


def test_a_message_that_gets_on_is_read_once_over_any_number_of_readings(tmp_path: Path) -> None:
    answer = message("n", "I run it.", "gemini")
    done = {**answer, "toolCalls": [called("c", result=[{"functionResponse": {"response": {}}}])]}
    rewritten = {"$set": {"messages": [message("m", "hello"), done, message("p", "new")]}}
    records = [top(), message("m", "hello"), answer, done, rewritten, message("q", "last")]
    spans: list[Span] = []
    for count in range(1, len(records) + 1):
        log(tmp_path, *records[:count])
        after = spans[-1].cursor if spans else None
        spans += source(tmp_path).read(only(tmp_path), after)
        assert spans[-1].cursor == source(tmp_path).end(only(tmp_path))
    assert texts(spans) == ["hello", "I run it.", "run", "new", "last"]
    assert len(set(ids(spans))) == 5


def test_a_document_that_got_on_is_read_again_under_the_same_ids(tmp_path: Path) -> None:
    question, answer = message("m", "hello"), message("n", "I run it.", "gemini")
    done = {**answer, "toolCalls": [called("c")]}
    document(tmp_path, question, answer)
    first = list(source(tmp_path).read(only(tmp_path), None))
    end = source(tmp_path).end(only(tmp_path))
    document(tmp_path, question, answer, message("o", "go on"), lastUpdated="later")
    assert texts(source(tmp_path).read(only(tmp_path), end)) == ["go on"]
    document(tmp_path, question, done, summary="a summary")
    again = list(source(tmp_path).read(only(tmp_path), end))
    assert texts(again) == ["hello", "I run it.", "run"]
    assert ids(again)[:2] == ids(first)
    assert source(tmp_path).end(only(tmp_path)) == again[-1].cursor != end


def test_a_place_between_the_parts_of_a_record_is_a_cursor_too(tmp_path: Path) -> None:
    first = message("l", "first")
    many = message("m", "text", "gemini", toolCalls=[called("c"), called("d")])
    for path in (log(tmp_path, top(), first, many), document(tmp_path, first, many)):
        ref = source(tmp_path).locate(str(path))
        assert ref is not None
        spans = list(source(tmp_path).read(ref, None))
        assert texts(spans)[-3:] == ["text", "run", "run"]
        assert len({span.cursor for span in spans}) == len(spans)
        for number, span in enumerate(spans, 1):
            assert list(source(tmp_path).read(ref, span.cursor)) == spans[number:]


def test_a_document_of_another_form_is_said_to_be_unknown(tmp_path: Path) -> None:
    path = document(tmp_path)
    path.write_text(json.dumps(top()))
    (span,) = source(tmp_path).read(only(tmp_path), None)
    assert (span.outcome, span.detail, span.size) == ("unknown", "no messages", only(tmp_path).size)
    assert source(tmp_path).end(only(tmp_path)) == span.cursor
    path.write_text(json.dumps(top())[:-1])
    assert list(source(tmp_path).read(only(tmp_path), None)) == []


def test_a_document_too_large_to_be_held_is_not_opened(tmp_path: Path) -> None:
    path = document(tmp_path, message("m", "hello"))
    ref = only(tmp_path)
    os.truncate(path, (64 << 20) + 1)
    with pytest.raises(OSError, match="64 MiB"):
        list(source(tmp_path).read(ref, None))


def test_a_line_too_long_to_be_held_is_passed(tmp_path: Path) -> None:
    path = log(tmp_path, top())
    with path.open("ab") as file:
        file.write(b"x" * (17 << 20) + b"\n" + json.dumps(message("m", "behind")).encode() + b"\n")
    spans = list(source(tmp_path).read(only(tmp_path), None))
    assert [span.detail for span in spans] == ["", "line over 16 MiB", ""]
    assert texts(spans) == ["behind"]


def test_what_is_nested_too_deeply_is_passed(tmp_path: Path) -> None:
    deep: object = "x"
    for _ in range(900):
        deep = [deep]
    log(tmp_path, top(), message("m", "", "gemini", toolCalls=[called("c", args=deep)]))
    spans = list(source(tmp_path).read(only(tmp_path), None))
    assert spans[-1].outcome in ("events", "broken")


def test_what_is_behind_a_cursor_is_the_backlog(tmp_path: Path) -> None:
    log(tmp_path, top(), message("m", "hello"))
    ref = only(tmp_path)
    end = source(tmp_path).end(ref)
    assert [source(tmp_path).backlog(ref, after) for after in (None, end)] == [ref.size, 0]


@settings(max_examples=150, deadline=None)
@given(record=RECORD)
def test_no_shape_of_a_record_raises(record: Json) -> None:
    for found in messages(record) or ():
        with suppress(RecordError):
            said = once(parts(found), set())
            assert all((part.outcome == "events") == bool(part.events) for part in said)
            assert all(part.detail.isprintable() for part in said)


PIECE = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        [b"\n", b",", b"]}", b'"messages": [', b"{}", b"[[", b"7"]
        + [json.dumps(message(name, text)).encode() for name in "ab" for text in ("x", ["y"])]
    ),
)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(PIECE, max_size=8).map(b"".join),
    cursor=st.one_of(st.none(), st.text(max_size=20), st.just('{"offset": 3, "parts": 9}')),
)
def test_any_bytes_are_read_to_their_end(tmp_path: Path, data: bytes, cursor: str | None) -> None:
    for path in (log(tmp_path, top()), document(tmp_path)):
        ref = source(tmp_path).locate(str(path))
        assert ref is not None
        path.write_bytes(data)
        spans = list(source(tmp_path).read(ref, cursor))  # type: ignore[arg-type]
        end = source(tmp_path).end(ref)
        assert sum(span.size for span in spans) <= len(data)
        assert not spans or spans[-1].cursor == end
        assert list(source(tmp_path).read(ref, end)) == []
        list(source(tmp_path).discover())
