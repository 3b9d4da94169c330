"""Sessions as the real client left them (the database as SQL), and small ones built here.

Beside the real ones stands `<session>.events`, what is to be read from each, in the form
of test_conformance.py.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memd.model import Cursor
from memd.sources.opencode import INDEX, OpencodeSource
from memd.sources.opencode_records import judge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.model import SourceRef, Span

DATA = Path(__file__).parents[2] / "data" / "transcripts" / "opencode"
LETTERS = {"user": "U", "assistant": "A", "tool": "T", "result": "R", "error": "E", "text": "X"}
NOW = 2_000_000_000.0
Json = dict[str, Any]
MODEST = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
WORDS = st.sampled_from(["user", "assistant", "text", "tool"])
MESSAGE_KEYS = ["role", "time", "created", "completed", "error", "name", "data", "type", "text"]
PART_KEYS = ["state", "input", "output", "metadata", "exit", "tool"]
KEYS = st.sampled_from(MESSAGE_KEYS + PART_KEYS)
JSON = st.recursive(
    SCALARS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


class Home:
    """A data directory of opencode and two writers of sessions in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = NOW
        folder.mkdir()

    def source(self) -> OpencodeSource:
        return OpencodeSource(str(self.folder), str(self.folder / "state"), lambda: self.now)

    def refs(self) -> list[SourceRef]:
        return list(self.source().discover())

    def ref(self) -> SourceRef:
        (ref,) = self.refs()
        return ref

    def read(self, after: Cursor | None = None) -> list[Span]:
        return list(self.source().read(self.ref(), after))

    def end(self) -> Cursor:
        return self.source().end(self.ref())

    def execute(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.folder / "opencode.db")) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()


class Database(Home):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.execute(
            "CREATE TABLE session (id PRIMARY KEY, parent_id, directory, time_updated)",
            "CREATE TABLE message (id PRIMARY KEY, session_id, time_created, data)",
            "CREATE TABLE part (id PRIMARY KEY, message_id, session_id, data)",
        )

    def session(self, session: str = "ses_1", parent: str | None = None, cwd: str = "/p") -> None:
        with closing(sqlite3.connect(self.folder / "opencode.db")) as db:
            row = (session, parent, cwd, 1_900_000_000_000)
            db.execute("INSERT INTO session VALUES (?, ?, ?, ?)", row)
            db.commit()

    def message(self, name: str, info: Json, *parts: Json, session: str = "ses_1") -> None:
        with closing(sqlite3.connect(self.folder / "opencode.db")) as db:
            row = (name, session, info["time"]["created"], json.dumps(info))
            db.execute("REPLACE INTO message VALUES (?, ?, ?, ?)", row)
            for number, part in enumerate(parts):
                values = (f"{name}_{number}", name, session, json.dumps(part))
                db.execute("REPLACE INTO part VALUES (?, ?, ?, ?)", values)
            db.execute("UPDATE session SET time_updated = time_updated + 1")
            db.commit()

    def remove(self, name: str) -> None:
        self.execute(f"DELETE FROM message WHERE id = '{name}'")


class Storage(Home):
    def session(self, session: str = "ses_1", parent: str | None = None, cwd: str = "/p") -> None:
        info = {"id": session, "directory": cwd, **({"parentID": parent} if parent else {})}
        self._write("session", "project", session, info)

    def message(self, name: str, info: Json, *parts: Json, session: str = "ses_1") -> None:
        self._write("message", session, name, info)
        for number, part in enumerate(parts):
            self._write("part", name, f"{name}_{number}", part)

    def remove(self, name: str) -> None:
        (self.folder / "storage" / "message" / "ses_1" / f"{name}.json").unlink()

    def _write(self, kind: str, folder: str, name: str, value: Json) -> None:
        path = self.folder / "storage" / kind / folder
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{name}.json").write_text(json.dumps(value))


@pytest.fixture(params=[Database, Storage])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Database | Storage:
    made: Database | Storage = request.param(Path(os.path.realpath(tmp_path)) / "opencode")
    return made


def asked(at: int, **more: object) -> Json:
    return {"role": "user", "time": {"created": at}, **more}


def answered(at: int, *, done: bool = True, **more: object) -> Json:
    ended = {"completed": at + 1} if done else {}
    return {"role": "assistant", "time": {"created": at, **ended}, **more}


def text(words: str, **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def texts(spans: Iterable[Span]) -> list[str]:
    return [event.text for span in spans for event in span.events]


def shown(spans: Iterable[Span]) -> str:
    lines = []
    for span in spans:
        lines += [f"{LETTERS[event.kind]}: {one_line(event.text)}" for event in span.events]
        if span.outcome in ("unknown", "broken"):
            lines.append(f"! {span.outcome}: {span.detail}")
    return "".join(f"{line}\n" for line in lines)


def one_line(words: str) -> str:
    return words.strip().replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")


# --- the real client ----------------------------------------------------------------


@pytest.fixture(params=["1.0.152", "1.18.33"])
def real(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[OpencodeSource, SourceRef, Path]:
    case = DATA / request.param
    folder = tmp_path / "opencode"
    shutil.copytree(case, folder, copy_function=shutil.copyfile)
    if (case / "opencode.sql").exists():
        with closing(sqlite3.connect(folder / "opencode.db")) as db:
            db.executescript((case / "opencode.sql").read_text("utf-8"))
    source = OpencodeSource(str(folder), str(tmp_path / "state"))
    (ref,) = source.discover()
    return source, ref, case


def test_a_real_session_gives_what_was_said_once_and_nothing_else(
    real: tuple[OpencodeSource, SourceRef, Path],
) -> None:
    source, ref, case = real
    golden = (case / f"{ref.session}.events").read_text("utf-8")
    assert shown(source.read(ref, None)) == golden
    assert ref.cwd == "/home/dev/work/shop"


def test_a_real_session_keeps_the_promises_of_cursors(
    real: tuple[OpencodeSource, SourceRef, Path],
) -> None:
    source, ref, _ = real
    spans = list(source.read(ref, None))
    assert source.end(ref) == spans[-1].cursor
    assert sum(span.size for span in spans) == ref.size == source.backlog(ref, None)
    for number, span in enumerate(spans, 1):
        assert list(source.read(ref, span.cursor)) == spans[number:]
        assert bool(source.backlog(ref, span.cursor)) == bool(spans[number:])


# --- messages -----------------------------------------------------------------------


def test_all_that_is_said_and_done_is_read(home: Database | Storage) -> None:
    home.session()
    home.message("m1", asked(10), text("größe", synthetic=False), {"type": "file"})
    tool = {"type": "tool", "tool": "bash"}
    home.message(
        "m2",
        answered(20, error={"name": "APIError", "data": {"message": "overloaded"}}),
        {"type": "reasoning", "text": "a thought"},
        {**tool, "state": {"input": {"command": "a\nb"}, "output": "ok", "metadata": {"exit": 0}}},
        {**tool, "state": {"output": "no\n", "metadata": {"exit": 3}}},
        {**tool, "state": {"error": "denied", "metadata": {}}},
        {**tool, "state": 7},
        text("サーバー"),
    )
    home.message(
        "m3", answered(30, error={"name": "MessageAbortedError", "data": {"message": "x"}})
    )
    assert shown(home.read()).splitlines() == [
        "U: größe",
        'T: bash {"command": "a\\nb"}',
        "R: ok",
        "T: bash",
        "E: no\\nexit code 3",
        "T: bash",
        "E: denied",
        "T: bash",
        "A: サーバー",
        "E: overloaded",
    ]
    assert [span.at for span in home.read()] == ["1970-01-01T00:00:00Z"] * 2 + [None]


def test_what_the_client_put_in_is_not_learned(home: Database | Storage) -> None:
    brief = "<!-- memd:brief:begin -->\nold news\n<!-- memd:brief:end -->\n"
    home.session()
    home.message(
        "m1", asked(10), text(f"{brief}a"), text("file", synthetic=True), text("b", ignored=True)
    )
    home.message("m2", answered(20, summary=True), text("a summary of all"))
    home.message("m3", answered(30), text(f"{brief}c"))
    assert texts(home.read()) == ["a", "c"]
    assert [span.outcome for span in home.read()] == ["events", "noise", "events"]


def test_unknown_kinds_are_named(home: Database | Storage) -> None:
    home.session()
    home.message("m1", {**asked(10), "role": "critic"}, text("a"))
    home.message("m2", answered(20), {"type": "hologram"}, {"type": "step-start"})
    home.message("m3", answered(30), {"type": "step-start"}, {"type": "reasoning"})
    assert [(span.outcome, span.detail) for span in home.read()] == [
        ("unknown", "message/critic"),
        ("unknown", "part/hologram"),
        ("noise", ""),
    ]


def test_what_cannot_be_parsed_is_broken_and_passed(tmp_path: Path) -> None:
    home = Database(tmp_path / "opencode")
    home.session()
    for at in range(1, 6):
        home.message(f"m{at}", answered(at), text(f"word {at}"))
    home.execute(
        "UPDATE message SET data = '{' WHERE id = 'm1'",
        "UPDATE message SET data = CAST(zeroblob(16777217) AS TEXT) WHERE id = 'm2'",
        "UPDATE part SET data = CAST(x'22FF22' AS TEXT) WHERE message_id = 'm3'",
        "UPDATE part SET data = '[' WHERE message_id = 'm4'",
    )
    details = [(span.outcome, span.detail) for span in home.read()]
    assert [outcome for outcome, _ in details] == ["broken"] * 4 + ["events"]
    assert details[2] == ("broken", "not UTF-8")


def test_files_that_cannot_be_parsed_are_broken_and_too_large_parts_left_out(
    tmp_path: Path,
) -> None:
    home = Storage(tmp_path / "opencode")
    home.session()
    home.message("m1", answered(1), text("a"))
    home.message("m2", answered(2), text("b"), text("c"))
    folder = home.folder / "storage"
    (folder / "message" / "ses_1" / "m1.json").write_text("{")
    with (folder / "part" / "m2" / "m2_0.json").open("r+b") as file:
        file.truncate((16 << 20) + 1)
    assert [(span.outcome, texts([span])) for span in home.read()] == [
        ("broken", []),
        ("events", ["c"]),
    ]


@settings(MODEST, max_examples=40)
@given(value=JSON)
def test_any_json_gives_a_span_and_the_end_is_after_it(tmp_path: Path, value: object) -> None:
    shutil.rmtree(tmp_path / "opencode", ignore_errors=True)
    home = Database(tmp_path / "opencode")
    home.session()
    home.message("m1", answered(1), text("a"))
    with closing(sqlite3.connect(home.folder / "opencode.db")) as db:
        db.execute("UPDATE part SET data = ?", (json.dumps(value),))
        db.execute("INSERT INTO message VALUES ('m2', 'ses_1', 2, ?)", (json.dumps(value),))
        db.execute("INSERT INTO part VALUES ('p', 'm2', 'ses_1', ?)", (json.dumps(value),))
        db.commit()
    spans = home.read()
    assert spans
    assert home.end() == spans[-1].cursor
    assert home.read(home.end()) == []


@settings(MODEST, max_examples=40)
@given(
    place=st.integers(0, 1 << 16),
    scrap=st.binary(min_size=1, max_size=60),
    keep=st.integers(0, 1 << 16),
)
@example(place=3766, scrap=b"\x80", keep=0)  # in a name of the schema
def test_any_bytes_as_a_database_raise_nothing_but_oserror(
    tmp_path: Path, place: int, scrap: bytes, keep: int
) -> None:
    shutil.rmtree(tmp_path / "opencode", ignore_errors=True)
    home = Database(tmp_path / "opencode")
    home.session()
    home.message("m1", answered(1), text("a"))
    ref, path = home.ref(), home.folder / "opencode.db"
    data = bytearray(path.read_bytes())
    place %= len(data)
    data[place : place + len(scrap)] = scrap
    path.write_bytes(data[: keep or None])
    assert all(isinstance(found.size, int) for found in home.refs())
    spans: list[Span] = []
    with suppress(OSError):
        spans = list(home.source().read(ref, None))
    assert len(spans) <= 1


# --- growing, going back --------------------------------------------------------------


def test_an_answer_under_way_is_waited_for(home: Database | Storage) -> None:
    home.session()
    home.message("m1", asked(10), text("port?"))
    home.message("m2", answered(20, done=False), text("We u"))
    first = home.read()
    assert texts(first) == ["port?"]
    assert home.end() == first[-1].cursor
    home.message("m3", asked(30), text("and?"))
    assert home.read(first[-1].cursor) == []
    home.message("m2", answered(20), text("We use 9090."))
    home.message("m4", answered(40), text("Yes."))
    assert texts(home.read(first[-1].cursor)) == ["We use 9090.", "and?", "Yes."]


def test_an_answer_that_was_never_ended_is_read_when_another_follows(
    home: Database | Storage,
) -> None:
    home.session()
    home.message("m1", answered(10, done=False), text("half"))
    assert home.read() == []
    home.message("m2", answered(20), text("next"))
    assert texts(home.read()) == ["half", "next"]


def test_a_prompt_that_nothing_follows_is_read_once_it_was_left_alone(
    home: Database | Storage,
) -> None:
    home.session()
    home.message("m1", answered(1), text("hello"))
    home.message("m2", asked(int(NOW * 1000) - 30_000), text("port?"))
    assert texts(home.read()) == ["hello"]
    home.now += 40
    assert texts(home.read()) == ["hello", "port?"]


def test_a_prompt_whose_words_are_not_there_yet_is_waited_for(home: Database | Storage) -> None:
    home.session()
    home.message("m1", asked(10))
    assert home.read() == []
    assert home.read(home.end()) == []


def test_messages_that_were_taken_back_move_the_cursor_only(home: Database | Storage) -> None:
    home.session()
    home.message("m1", answered(10), text("a"))
    home.message("m2", answered(20), text("b"))
    before = home.read()[-1].cursor
    home.remove("m2")
    (span,) = home.read(before)
    assert (span.outcome, span.size, span.records) == ("noise", 0, 0)
    home.message("m3", answered(30), text("c"))
    assert texts(home.read(span.cursor)) == ["c"]


def test_a_message_that_turns_up_among_those_read_is_not_lost(home: Database | Storage) -> None:
    home.session()
    home.message("m1", answered(10), text("a"))
    home.message("m3", answered(30), text("c"))
    first = home.read()
    home.message("m9", answered(20), text("b"))
    second = home.read(first[-1].cursor)
    assert texts(second) == ["a", "b", "c"]
    assert [second[0].record_id, second[2].record_id] == [span.record_id for span in first]
    assert home.end() == second[-1].cursor


def test_a_fork_keeps_the_ids_of_records(home: Database | Storage) -> None:
    for session, name in (("ses_1", "m1"), ("ses_2", "m2")):
        home.session(session)
        home.message(name, asked(10), text("a"), session=session)
    ids = [next(iter(home.source().read(ref, None))).record_id for ref in home.refs()]
    assert len(ids) == 2
    assert len(set(ids)) == 1


def test_input_nested_however_deep_is_said_or_broken() -> None:
    outcomes = set()
    for depth in range(sys.getrecursionlimit() + 10):
        nested = "[" * depth + "]" * depth
        part = f'{{"type": "tool", "tool": "x", "state": {{"input": {nested or 0}}}}}'
        outcomes.add(judge(json.dumps(answered(10)).encode(), [part.encode()]).outcome)
    assert {"events"} <= outcomes <= {"events", "broken"}


@pytest.mark.parametrize("created", ["never", -1, 1e300, None])
def test_a_message_without_a_usable_time_has_none(tmp_path: Path, created: object) -> None:
    home = Database(tmp_path / "opencode")
    home.session()
    home.message("m1", answered(10), text("a"))
    home.execute(f"UPDATE message SET data = replace(data, '10', '{json.dumps(created)}')")
    assert [(span.at, texts([span])) for span in home.read()] == [(None, ["a"])]


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "[]", "[" * 100_000, '{"time": 1}', '{"time": 1, "id": 7, "count": 1}',
     '{"time": 99999999999999999999, "id": "", "count": 1}'],
)  # fmt: skip
def test_a_cursor_of_another_source_reads_from_the_start(
    home: Database | Storage, cursor: str
) -> None:
    home.session()
    home.message("m1", answered(10), text("a"))
    assert texts(home.read(Cursor(cursor))) == ["a"]


# --- finding sessions -----------------------------------------------------------------


def test_subagents_and_memds_own_work_are_no_sessions(home: Database | Storage) -> None:
    home.session("ses_1", cwd="/p/app")
    home.session("ses_2", parent="ses_1")
    home.session("ses_3", cwd=f"{home.folder}/state/curator")
    home.session("ses_4", cwd="not/absolute")
    assert {ref.session: ref.cwd for ref in home.refs()} == {"ses_1": "/p/app", "ses_4": None}


def test_a_session_in_both_places_is_read_from_the_database(tmp_path: Path) -> None:
    database = Database(tmp_path / "opencode")
    database.session()
    database.message("m1", answered(10), text("a"))
    files = Storage.__new__(Storage)
    files.folder = database.folder
    files.session()
    files.message("m1", answered(10), text("a"))
    assert database.ref().path == str(database.folder / "opencode.db")
    database.execute("DELETE FROM session")
    assert database.ref().path.endswith("ses_1.json")


def test_sizes_are_added_up_once(tmp_path: Path) -> None:
    home = Database(tmp_path / "opencode")
    home.session()
    home.message("m1", answered(10), text("a"))
    before = home.ref()
    index = json.loads((home.folder / "state" / INDEX).read_text())
    index["entries"]["ses_1"]["facts"]["size"] = 12345
    (home.folder / "state" / INDEX).write_text(json.dumps(index))
    assert home.ref().size == 12345
    (home.folder / "state" / INDEX).unlink()
    assert home.ref() == before


def test_a_database_that_cannot_be_read_hides_no_files(tmp_path: Path) -> None:
    home = Storage(tmp_path / "opencode")
    home.session()
    (home.folder / "opencode.db").write_bytes(b"no database at all")
    (home.folder / "opencode-dev.db").mkdir()
    assert home.ref().session == "ses_1"


def test_odd_rows_and_files_are_no_sessions(tmp_path: Path) -> None:
    home = Database(tmp_path / "opencode")
    home.execute(
        "INSERT INTO session VALUES ('a' || char(10), NULL, '/p', 1)",
        "INSERT INTO session VALUES (x'00', NULL, '/p', 1)",
        "INSERT INTO session VALUES ('ses_1', NULL, 7, 'never')",
    )
    folder = home.folder / "storage" / "session" / "project"
    folder.mkdir(parents=True)
    (folder / "ses_2.json").write_text("{")
    (folder / "ses_3.txt").write_text("{}")
    (folder.parent / "file").touch()
    assert [(ref.session, ref.cwd, ref.modified) for ref in home.refs()] == [("ses_1", None, 0)]


def test_no_directory_is_no_session(tmp_path: Path) -> None:
    source = OpencodeSource(str(tmp_path / "none"), str(tmp_path / "state"))
    assert list(source.discover()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_session_in_a_file_is_located_by_its_path(tmp_path: Path) -> None:
    home = Storage(tmp_path / "opencode")
    home.session()
    home.session("ses_2", parent="ses_1")
    source, ref = home.source(), home.ref()
    assert source.locate(ref.path) == ref
    assert source.locate(ref.path.replace("ses_1", "ses_2")) is None
    assert source.locate(str(home.folder / "ses_1.json")) is None


def test_a_session_that_has_gone_fails_to_read(home: Database | Storage) -> None:
    home.session()
    ref = home.ref()
    os.unlink(ref.path)
    with pytest.raises(OSError, match="No such"):
        list(home.source().read(ref, None))
    with pytest.raises(OSError, match="No such"):
        home.source().end(ref)


def test_the_backlog_of_a_session_never_looked_at_is_all_of_it(home: Database | Storage) -> None:
    home.session()
    home.message("m1", answered(10), text("a"))
    home.message("m2", answered(20), text("b"))
    ref, cursor = home.ref(), home.read()[0].cursor
    source = home.source()
    assert source.backlog(ref, cursor) == ref.size
    list(source.discover())
    assert 0 < source.backlog(ref, cursor) < ref.size
