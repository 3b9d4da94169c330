from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.sources.copilot import CopilotSource
from memd.sources.copilot_records import judge
from memd.sources.jsonl import Json, RecordError

ID = "0b0e0d0c-0000-4000-8000-000000000001"
OTHER = "0b0e0d0c-0000-4000-8000-000000000002"

JSON = st.sampled_from([None, True, 7, "", "x", [], ["x"], {}, {"content": 7}, [{"name": 7}]])
RECORD = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["user.message", "assistant.message", "tool.execution_complete", "x", 7, None]
        )
    },
    optional={
        "data": st.one_of(
            JSON,
            st.fixed_dictionaries(
                {},
                optional=dict.fromkeys(
                    ("content", "source", "toolRequests", "result", "error", "success"), JSON
                ),
            ),
        ),
        "id": JSON,
        "timestamp": JSON,
        "agentId": JSON,
    },
)


def event(kind: str, **data: object) -> str:
    return json.dumps({"type": kind, "data": data, "id": f"{kind}-{len(data)}"}) + "\n"


def start(cwd: object = "/srv/app") -> str:
    return event("session.start", context={"cwd": cwd})


def said(text: str = "hello") -> str:
    return event("user.message", content=text)


def session(home: Path, text: str = "", name: str = ID) -> Path:
    path = home / "session-state" / name / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or start() + said())
    return path


def early(home: Path, text: str, name: str = ID) -> Path:
    path = home / "session-state" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def source(home: Path, state_dir: str = "/state/memd") -> CopilotSource:
    return CopilotSource(str(home), state_dir)


def test_a_session_is_known_by_its_folder(tmp_path: Path) -> None:
    path = session(tmp_path)
    (ref,) = source(tmp_path).discover()
    assert (ref.key, ref.path, ref.cwd) == (f"copilot/{ID}", str(path), "/srv/app")
    assert (ref.size, ref.modified) == (path.stat().st_size, path.stat().st_mtime)
    assert source(tmp_path).locate(str(path)) == ref


def test_both_layouts_are_one_session(tmp_path: Path) -> None:
    session(tmp_path)
    early(tmp_path, start() + said() * 2)
    early(tmp_path, start(), OTHER)
    found = {ref.session: ref.path for ref in source(tmp_path).discover()}
    assert found[ID].endswith(f"{ID}.jsonl")
    assert found.keys() == {ID, OTHER}


@pytest.mark.parametrize(
    "line", ["cwd: /srv/app", "id: x\ncwd: '/srv/app'", 'cwd: "/srv/app"\r\nbranch: main']
)
def test_the_directory_may_stand_beside_the_events(tmp_path: Path, line: str) -> None:
    path = session(tmp_path, "an event of a kind to come\n")
    assert list(source(tmp_path).discover()) == []
    (path.parent / "workspace.yaml").write_text(line + "\n")
    assert [ref.cwd for ref in source(tmp_path).discover()] == ["/srv/app"]


def test_the_directory_that_a_person_was_asked_to_trust_is_the_last_resort(tmp_path: Path) -> None:
    asked = event(
        "session.info",
        infoType="folder_trust",
        message="Folder /srv/app has been added to trusted folders.",
    )
    hook = event("hook.start", input={"cwd": "/srv/hooked"})
    session(tmp_path, start(None) + asked)
    session(tmp_path, start("relative") + hook, OTHER)
    session(tmp_path, start(None) + event("user.message", message="Folder /x"), "third")
    assert {ref.session: ref.cwd for ref in source(tmp_path).discover()} == {
        ID: "/srv/app",
        OTHER: "/srv/hooked",
        "third": None,
    }


def test_other_files_are_no_sessions(tmp_path: Path) -> None:
    path = session(tmp_path)
    early(tmp_path, '{"type":"user","cwd":"/srv/app"}\n', OTHER)
    os.mkfifo(path.parents[1] / "fifo.jsonl")
    (path.parents[1] / "empty").mkdir()
    (path.parents[1] / "notes.txt").write_text("x")
    (path.parents[1] / "folder.jsonl").mkdir()
    found = source(tmp_path)
    assert [ref.session for ref in found.discover()] == [ID]
    others = ["", "a\0b.jsonl", "\ud83d.jsonl", *map(str, path.parents[1].iterdir())]
    assert [found.locate(other) for other in others] == [None] * len(others)


def test_nothing_is_found_where_the_client_never_ran(tmp_path: Path) -> None:
    assert list(source(tmp_path / "missing").discover()) == []
    (tmp_path / "session-state").write_text("a file")
    assert list(source(tmp_path).discover()) == []


def test_what_memd_lets_its_curator_do_is_no_session(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (tmp_path / "link").symlink_to(state)
    path = session(tmp_path, start(str(state.resolve())))
    session(tmp_path, start(f"{state.resolve()}-beside"), OTHER)
    found = source(tmp_path, str(tmp_path / "link"))
    assert [ref.session for ref in found.discover()] == [OTHER]
    assert found.locate(str(path)) is None


def test_what_is_behind_a_cursor_is_the_backlog(tmp_path: Path) -> None:
    session(tmp_path)
    (ref,) = source(tmp_path).discover()
    end = source(tmp_path).end(ref)
    assert [source(tmp_path).backlog(ref, after) for after in (None, end)] == [ref.size, 0]


@settings(max_examples=150, deadline=None)
@given(record=RECORD)
def test_no_shape_of_a_record_raises(record: Json) -> None:
    with suppress(RecordError):
        said = judge(record)
        assert (said.outcome == "events") == bool(said.events)
        assert said.detail.isprintable()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(
        st.one_of(
            st.binary(max_size=20), st.sampled_from([b"\n", start().encode(), said().encode()])
        ),
        max_size=6,
    ).map(b"".join),
    cursor=st.one_of(st.none(), st.text(max_size=20)),
)
def test_any_bytes_are_read_to_their_last_line_end(
    tmp_path: Path, data: bytes, cursor: str | None
) -> None:
    path = session(tmp_path)
    (path.parent / "workspace.yaml").write_text("cwd: /srv/app\n")
    path.write_bytes(data)
    (ref,) = source(tmp_path).discover()
    spans = list(source(tmp_path).read(ref, cursor))  # type: ignore[arg-type]
    assert sum(span.size for span in spans) == data.rfind(b"\n") + 1
    assert list(source(tmp_path).read(ref, source(tmp_path).end(ref))) == []
