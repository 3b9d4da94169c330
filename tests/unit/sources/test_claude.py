from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.sources.claude import ClaudeSource

UUID = "0b0e0d0c-0000-4000-8000-000000000001"
OTHER = "0b0e0d0c-0000-4000-8000-000000000002"


def said(text: str = "hello", cwd: str | None = "/srv/app") -> str:
    record: dict[str, object] = {"type": "user", "message": {"content": text}}
    return json.dumps({**record, **({"cwd": cwd} if cwd else {})}) + "\n"


def session(home: Path, name: str = UUID, folder: str = "-srv-app", text: str = "") -> Path:
    path = home / "projects" / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or said())
    return path


def source(home: Path) -> ClaudeSource:
    return ClaudeSource(str(home), str(home.parent / f"{home.name}-state"))


def test_a_session_is_known_by_the_name_of_its_file(tmp_path: Path) -> None:
    path = session(tmp_path)
    (ref,) = source(tmp_path).discover()
    assert (ref.key, ref.path, ref.cwd) == (f"claude-code/{UUID}", str(path), "/srv/app")
    assert (ref.size, ref.modified) == (path.stat().st_size, path.stat().st_mtime)


def test_a_file_without_a_session_id_is_known_by_its_directory_too(tmp_path: Path) -> None:
    session(tmp_path, "cur")
    session(tmp_path, "cur", "-srv-other")
    session(tmp_path, "a\nb")
    found = {ref.session for ref in source(tmp_path).discover()}
    assert found == {"-srv-app~cur", "-srv-other~cur", "-srv-app~a?b"}


def test_a_home_with_glob_characters_is_no_pattern(tmp_path: Path) -> None:
    home = tmp_path / "h[1]"
    session(home)
    assert [ref.session for ref in source(home).discover()] == [UUID]


def test_subagents_and_other_files_are_no_sessions(tmp_path: Path) -> None:
    session(tmp_path)
    session(tmp_path, "agent-a1b2")
    subagents = session(tmp_path).with_suffix("") / "subagents"
    subagents.mkdir(parents=True)
    (subagents / "agent-c3.jsonl").write_text(said())
    (subagents.parent.parent / "notes.txt").write_text(said())
    (tmp_path / "projects" / "stray.jsonl").write_text(said())
    os.mkfifo(session(tmp_path).parent / "fifo.jsonl")
    (session(tmp_path).parent / "folder.jsonl").mkdir()
    (session(tmp_path).parent / "dangling.jsonl").symlink_to("nowhere")
    assert [ref.session for ref in source(tmp_path).discover()] == [UUID]


def test_every_file_of_one_session_is_read_and_the_largest_has_its_name(tmp_path: Path) -> None:
    session(tmp_path, folder="-a", text=said())
    larger = session(tmp_path, folder="-b", text=said() * 3)
    session(tmp_path, folder="-c", text=said() * 2)
    found = {ref.session: ref.path for ref in source(tmp_path).discover()}
    assert set(found) == {UUID, f"-a~{UUID}", f"-c~{UUID}"}
    assert found[UUID] == str(larger)
    assert {ref.client_id for ref in source(tmp_path).discover()} == {UUID}


def test_a_file_seen_in_two_places_is_one_session(tmp_path: Path) -> None:
    (tmp_path / "projects" / "-b").symlink_to(session(tmp_path, folder="-a").parent)
    assert [ref.session for ref in source(tmp_path).discover()] == [UUID]


def test_a_session_without_a_directory_has_none(tmp_path: Path) -> None:
    session(tmp_path, text='{"type":"summary"}\n')
    session(tmp_path, OTHER, text=said(cwd=None) * 30_000 + said())
    assert {ref.cwd for ref in source(tmp_path).discover()} == {None}


def test_the_first_directory_is_found_behind_long_records(tmp_path: Path) -> None:
    session(tmp_path, text=said("x" * 100_000, cwd=None) + said() + said(cwd="/elsewhere"))
    assert [ref.cwd for ref in source(tmp_path).discover()] == ["/srv/app"]


def test_what_memd_lets_its_curator_do_is_no_session(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (tmp_path / "link").symlink_to(state)
    real = str(state.resolve())
    session(tmp_path, "curator", text=said(cwd=f"{real}/curator"))
    session(tmp_path, "itself", text=said(cwd=real))
    session(tmp_path, "beside", text=said(cwd=f"{real}-of-things"))
    through_link = ClaudeSource(str(tmp_path), str(tmp_path / "link"))
    assert [ref.session for ref in through_link.discover()] == ["-srv-app~beside"]
    assert through_link.locate(str(session(tmp_path, "c", text=said(cwd=real)))) is None


def index_of(home: Path, *, age: float) -> Path:
    """What was found out about a home, said to be so much younger than what it tells of."""
    list(source(home).discover())
    index = home.parent / f"{home.name}-state" / "claude_index.json"
    newest = max(path.stat().st_ctime for path in home.rglob("*.jsonl"))
    index.write_text(index.read_text().replace("/srv/app", "/from/index"))
    os.utime(index, (newest + age, newest + age))
    return index


def test_a_file_that_did_not_change_is_not_opened_again(tmp_path: Path) -> None:
    session(tmp_path)
    index_of(tmp_path, age=60)
    found = source(tmp_path)
    (ref,) = found.discover()
    assert ref.cwd == "/from/index"
    assert found.end(ref) == source(tmp_path).end(ref)


def test_a_file_that_changed_as_the_index_was_written_is_opened_again(tmp_path: Path) -> None:
    session(tmp_path)
    index = index_of(tmp_path, age=0)
    assert [ref.cwd for ref in source(tmp_path).discover()] == ["/srv/app"]
    assert "/from/index" not in index.read_text()


def test_another_file_of_the_same_size_and_time_is_noticed(tmp_path: Path) -> None:
    path = session(tmp_path)
    index_of(tmp_path, age=60)
    before = path.stat()
    found = source(tmp_path)
    (old,) = found.discover()
    path.with_suffix(".new").write_text(said("other", cwd="/srv/new"))
    os.utime(path.with_suffix(".new"), ns=(before.st_atime_ns, before.st_mtime_ns))
    path.with_suffix(".new").replace(path)
    assert path.stat().st_size == before.st_size
    assert found.end(old) == source(tmp_path).end(old)
    assert [ref.cwd for ref in source(tmp_path).discover()] == ["/srv/new"]


@pytest.mark.parametrize("text", ["", "nonsense", '{"format": 1, "entries": {}}'])
def test_an_index_that_is_of_no_use_is_made_again(tmp_path: Path, text: str) -> None:
    session(tmp_path)
    index = index_of(tmp_path, age=60)
    index.write_text(text)
    assert [ref.cwd for ref in source(tmp_path).discover()] == ["/srv/app"]
    assert "/srv/app" in index.read_text()


def test_nothing_is_found_where_the_client_never_ran(tmp_path: Path) -> None:
    assert list(source(tmp_path / "missing").discover()) == []
    (tmp_path / "projects").write_text("a file")
    assert list(source(tmp_path).discover()) == []


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    session(tmp_path).chmod(0)
    session(tmp_path, OTHER, "-locked").parent.chmod(0)
    session(tmp_path, "free", "-free")
    if os.access(tmp_path / "projects" / "-locked", os.R_OK):
        pytest.skip("this user may read everything")
    try:
        assert [ref.session for ref in source(tmp_path).discover()] == ["-free~free"]
    finally:
        (tmp_path / "projects" / "-locked").chmod(0o700)


def test_a_file_that_vanished_meanwhile_is_left_out(tmp_path: Path) -> None:
    paths = [session(tmp_path), session(tmp_path, OTHER)]
    (tmp_path / "projects" / "-gone").symlink_to("nowhere")
    found = source(tmp_path).discover()
    seen = next(found).path
    for path in paths:
        path.unlink()
    assert seen in map(str, paths)
    assert list(found) == []


def test_what_is_behind_a_cursor_is_the_backlog(tmp_path: Path) -> None:
    path = session(tmp_path, text=said() + said())
    (ref,) = source(tmp_path).discover()
    end = source(tmp_path).end(ref)
    assert [source(tmp_path).backlog(ref, after) for after in (None, end)] == [ref.size, 0]
    path.write_text(said())
    (shorter,) = source(tmp_path).discover()
    assert source(tmp_path).backlog(shorter, end) == shorter.size


def test_a_path_is_located_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session(tmp_path)
    (tmp_path / "link").symlink_to(path.parent)
    (tmp_path / "copy.jsonl").symlink_to(path)
    monkeypatch.chdir(path.parent)
    for name in (str(path), f"./{path.name}", f"{tmp_path}/link/{path.name}"):
        ref = source(tmp_path).locate(name)
        assert ref is not None
        assert (ref.session, ref.path, ref.cwd) == (UUID, os.path.realpath(path), "/srv/app")
    elsewhere = source(tmp_path).locate(str(tmp_path / "copy.jsonl"))
    assert elsewhere is not None
    assert elsewhere.session == f"{tmp_path.name}~copy"


def test_a_session_has_one_identity_found_or_located(tmp_path: Path) -> None:
    session(tmp_path)
    session(tmp_path, folder="-srv-app-tree", text=said() * 2)
    session(tmp_path, "cur")
    found = source(tmp_path)
    for ref in found.discover():
        located = found.locate(ref.path)
        assert located is not None
        assert located.key == ref.key


def test_what_is_no_session_is_not_located(tmp_path: Path) -> None:
    path = session(tmp_path)
    os.mkfifo(tmp_path / "fifo.jsonl")
    others = [
        str(session(tmp_path, "agent-1")),
        str(path.parent),
        str(path) + "x",
        str(tmp_path / "fifo.jsonl"),
        "a\0b.jsonl",
        "\ud83d.jsonl",
        "",
    ]
    assert [source(tmp_path).locate(other) for other in others] == [None] * len(others)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(
        st.one_of(
            st.binary(max_size=20),
            st.sampled_from([b"\n", said().encode(), b'{"cwd":7}\n', b'{"cwd":"/a\\u0000"}\n']),
        ),
        max_size=8,
    ).map(b"".join)
)
def test_any_bytes_are_read_to_their_last_line_end(tmp_path: Path, data: bytes) -> None:
    session(tmp_path).write_bytes(data)
    (ref,) = source(tmp_path).discover()
    spans = list(source(tmp_path).read(ref, None))
    offsets = [json.loads(span.cursor)["offset"] for span in spans]
    assert offsets == sorted(set(offsets))
    assert sum(span.size for span in spans) == data.rfind(b"\n") + 1
    end = source(tmp_path).end(ref)
    assert list(source(tmp_path).read(ref, end)) == []
    assert not spans or spans[-1].cursor == end
