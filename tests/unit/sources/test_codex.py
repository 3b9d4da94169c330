from __future__ import annotations

import gzip
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.sources.codex import CodexSource
from memd.sources.codex_records import Records
from memd.sources.jsonl import Json, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.model import Span

DATA = Path(__file__).parents[2] / "data" / "transcripts" / "codex"
DAY = "sessions/2026/01/02"
ID = "0b0e0d0c-0000-4000-8000-000000000001"
OTHER = "0b0e0d0c-0000-4000-8000-000000000002"

JSON = st.sampled_from([None, True, 7, "", "x", [], ["x"], {}, {"a": 1}, "a" * 20])
PART = st.fixed_dictionaries({}, optional={"type": JSON, "text": JSON})
ITEM = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            (
                *("message", "function_call", "function_call_output", "custom_tool_call_output"),
                *("local_shell_call", "web_search_call", "reasoning", "other kind", 7),
            )
        )
    },
    optional={
        "id": JSON,
        "role": st.sampled_from(["user", "assistant", "developer", "x", 7]),
        "content": st.one_of(JSON, st.lists(st.one_of(PART, JSON), max_size=3)),
        "internal_chat_message_metadata_passthrough": st.one_of(
            JSON,
            st.fixed_dictionaries({"content_item_metadata": st.lists(JSON, max_size=2)}),
        ),
        "name": JSON,
        "arguments": JSON,
        "input": JSON,
        "action": JSON,
        "output": st.one_of(JSON, st.just('{"output": 7, "metadata": 7}'), st.lists(JSON)),
    },
)
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["response_item", "session_meta", "message", "x", 7, ["x"]]),
        "payload": st.one_of(JSON, ITEM),
        "timestamp": JSON,
        "id": JSON,
        "content": JSON,
    },
)


def meta(session: str = ID, cwd: object = "/srv/app", **more: object) -> str:
    payload = {"id": session, "cwd": cwd, "source": "cli", **more}
    return json.dumps({"type": "session_meta", "payload": payload}) + "\n"


def said(text: str = "hello", **more: object) -> str:
    item = {"type": "message", "role": "user", "content": [{"text": text}], **more}
    return json.dumps({"type": "response_item", "payload": item}) + "\n"


def rollout(home: Path, text: str = "", session: str = ID, suffix: str = "") -> Path:
    path = home / DAY / f"rollout-2026-01-02T03-04-05-{session}.jsonl{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or meta(session) + said())
    return path


def source(home: Path, state_dir: str = "/state/memd") -> CodexSource:
    return CodexSource(str(home), state_dir, unpack=gunzip)


def gunzip(packed: BinaryIO, plain: BinaryIO, limit: int) -> None:
    """Stands in for Zstandard, which not every interpreter can read."""
    try:
        plain.write(gzip.decompress(packed.read())[:limit])
    except EOFError:
        raise OSError("cut off") from None


def pack(path: Path) -> Path:
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def texts(spans: Iterable[Span]) -> list[str]:
    return [event.text for span in spans for event in span.events]


def test_a_session_is_known_by_the_id_in_the_name_of_its_file(tmp_path: Path) -> None:
    path = rollout(tmp_path)
    (ref,) = source(tmp_path).discover()
    assert (ref.key, ref.path, ref.cwd) == (f"codex/{ID}", str(path), "/srv/app")
    assert (ref.size, ref.modified) == (path.stat().st_size, path.stat().st_mtime)
    assert source(tmp_path).locate(str(path)) == ref


def test_other_files_are_no_sessions(tmp_path: Path) -> None:
    path = rollout(tmp_path)
    (path.parent / "notes.jsonl").write_text(meta())
    os.mkfifo(path.parent / "rollout-fifo.jsonl")
    (path.parent / "rollout-folder.jsonl").mkdir()
    (path.parent / "rollout-dangling.jsonl").symlink_to("nowhere")
    found = source(tmp_path)
    assert [ref.session for ref in found.discover()] == [ID]
    others = ["", "a\0b", "\ud83d", *map(str, path.parent.iterdir())]
    assert [ref.path for ref in map(found.locate, others) if ref] == [str(path)]


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    locked = rollout(tmp_path)
    rollout(tmp_path, session=OTHER)
    locked.chmod(0)
    if os.access(locked, os.R_OK):
        pytest.skip("this user may read everything")
    assert [ref.session for ref in source(tmp_path).discover()] == [OTHER]


def test_nothing_is_found_where_the_client_never_ran(tmp_path: Path) -> None:
    assert list(source(tmp_path / "missing").discover()) == []


def test_a_session_without_a_directory_has_none(tmp_path: Path) -> None:
    rollout(tmp_path, meta(cwd="relative") + said())
    rollout(tmp_path, "x", OTHER)
    assert [ref.cwd for ref in source(tmp_path).discover()] == [None, None]


def test_a_later_record_names_the_directory_where_the_first_does_not(tmp_path: Path) -> None:
    context = {"type": "turn_context", "payload": {"cwd": "/srv/other"}}
    long = meta(cwd=None, base_instructions="x" * 100_000)
    rollout(tmp_path, long + json.dumps(context) + "\n")
    assert [ref.cwd for ref in source(tmp_path).discover()] == ["/srv/other"]


def test_what_memd_lets_its_curator_do_is_no_session(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (tmp_path / "link").symlink_to(state)
    path = rollout(tmp_path, meta(cwd=f"{state.resolve()}/curator"))
    rollout(tmp_path, meta(OTHER, cwd=f"{state.resolve()}-beside"), OTHER)
    found = source(tmp_path, str(tmp_path / "link"))
    assert [ref.session for ref in found.discover()] == [OTHER]
    assert found.locate(str(path)) is None


def test_a_copy_in_a_fork_has_the_id_of_the_original() -> None:
    by_session = {}
    for ref in CodexSource(str(DATA / "forks-without-ids"), "/nonexistent").discover():
        spans = CodexSource("", "").read(ref, None)
        by_session[ref.session[-1]] = [s.record_id for s in spans if s.events]
    original, fork, alike = (by_session[name] for name in "123")
    assert fork[:3] == original[:3]
    assert len({*original, *fork, *alike}) == len(original) + len(fork) + len(alike) - 3


def test_an_id_that_counts_from_one_is_not_taken_for_unique(tmp_path: Path) -> None:
    for session in (ID, OTHER):
        rollout(tmp_path, meta(session) + said(id="msg_1"), session)
    found = source(tmp_path)
    ids = [span.record_id for ref in found.discover() for span in found.read(ref, None)]
    assert len({name for name in ids if name}) == 2


def test_a_session_is_read_on_when_the_client_packs_it(tmp_path: Path) -> None:
    path = rollout(tmp_path, meta() + said("before") + said("after"))
    found = source(tmp_path)
    (ref,) = found.discover()
    whole = list(found.read(ref, None))
    pack(path)
    assert [r.path for r in found.discover()] == [str(path)]
    path.unlink()
    (packed,) = found.discover()
    assert (packed.key, packed.cwd) == (ref.key, ref.cwd)
    assert list(found.read(packed, whole[1].cursor)) == whole[2:]
    assert texts(whole[2:]) == ["after"]
    assert found.end(packed) == whole[-1].cursor
    assert found.locate(packed.path) == packed
    assert [found.backlog(packed, c) for c in (None, whole[0].cursor)] == [packed.size, 0]


def test_a_packed_session_that_cannot_be_unpacked_is_said_to_be_so(tmp_path: Path) -> None:
    packed = pack(rollout(tmp_path))
    packed.with_suffix("").unlink()
    packed.write_bytes(packed.read_bytes()[:20])
    (ref,) = source(tmp_path).discover()
    assert ref.cwd is None
    with pytest.raises(OSError, match="cut off"):
        list(source(tmp_path).read(ref, None))


def test_what_is_behind_a_cursor_is_the_backlog(tmp_path: Path) -> None:
    rollout(tmp_path)
    (ref,) = source(tmp_path).discover()
    end = source(tmp_path).end(ref)
    assert [source(tmp_path).backlog(ref, after) for after in (None, end)] == [ref.size, 0]


def test_records_without_ids_have_the_same_ones_from_any_cursor(tmp_path: Path) -> None:
    shutil.copytree(DATA / "0.47.0", tmp_path, dirs_exist_ok=True)
    found = source(tmp_path)
    (ref,) = found.discover()
    spans = list(found.read(ref, None))
    ids = [span.record_id for span in spans if span.events]
    assert len(set(ids)) == len(ids) == 7
    assert list(found.read(ref, spans[5].cursor)) == spans[6:]


@settings(max_examples=150, deadline=None)
@given(records=st.lists(RECORD, max_size=4))
def test_no_shape_of_a_record_raises(records: list[Json]) -> None:
    judge = Records().judge
    for record in records:
        with suppress(RecordError):
            said = judge(record)
            assert (said.outcome == "events") == bool(said.events) == bool(said.record_id)
            assert said.detail.isprintable()
            assert len(said.detail) <= 60


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(
        st.one_of(
            st.binary(max_size=20), st.sampled_from([b"\n", meta().encode(), said().encode()])
        ),
        max_size=6,
    ).map(b"".join),
    cursor=st.one_of(st.none(), st.text(max_size=20), st.just('{"offset": 3, "parts": 9}')),
)
def test_any_bytes_are_read_to_their_last_line_end(
    tmp_path: Path, data: bytes, cursor: str | None
) -> None:
    rollout(tmp_path).write_bytes(data)
    (ref,) = source(tmp_path).discover()
    spans = list(source(tmp_path).read(ref, cursor))  # type: ignore[arg-type]
    assert sum(span.size for span in spans) == data.rfind(b"\n") + 1
    assert list(source(tmp_path).read(ref, source(tmp_path).end(ref))) == []
