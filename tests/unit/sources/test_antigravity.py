"""Conversations as the real client left them, and small ones built here.

The real ones stand as archives (a database with its log cannot be read as text) beside
`<session>.events`, what is to be read from each, in the form of test_conformance.py.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tarfile
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.model import Cursor
from memd.sources.antigravity import INDEX, AntigravitySource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.model import SourceRef, Span

DATA = Path(__file__).parents[2] / "data" / "transcripts" / "antigravity"
LETTERS = {"user": "U", "assistant": "A", "tool": "T", "result": "R", "error": "E", "text": "X"}
REAL = ("killed-then-resumed", "live-wal", "tools")
MODEST = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
RUNNING, DONE, ERROR, GENERATING = 2, 3, 7, 8

StepRow = tuple[int, int, int, bytes]
"""Number, type, status, and the fields of the payload that hold words."""


# --- writing what the client writes ------------------------------------------------


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def pb(field: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def user(idx: int, text: str, status: int = DONE) -> StepRow:
    return idx, 14, status, pb(19, pb(2, text) + pb(3, pb(1, text)))


def answer(idx: int, text: str, status: int = DONE, kind: int = 15) -> StepRow:
    return idx, kind, status, pb(20, pb(1, text))


def payload(row: StepRow, created: int = 1_796_078_887) -> bytes:
    _, kind, status, words = row
    return pb(1, kind) + pb(4, status) + pb(5, pb(1, pb(1, created) + pb(2, 7))) + words


class Client:
    """An antigravity directory and a writer of conversations in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.roots: list[str] = []
        (home / "conversations").mkdir(parents=True)

    def path(self, session: str = "s") -> Path:
        return self.home / "conversations" / f"{session}.db"

    def write(
        self, *rows: StepRow, session: str = "s", workspace: bytes = b"", trajectory: str = "t1"
    ) -> None:
        with closing(sqlite3.connect(self.path(session))) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(
                "CREATE TABLE IF NOT EXISTS steps (idx integer PRIMARY KEY, step_type integer,"
                " status integer, step_payload blob);"
                "CREATE TABLE IF NOT EXISTS trajectory_meta (trajectory_id text PRIMARY KEY);"
                "CREATE TABLE IF NOT EXISTS trajectory_metadata_blob (id text PRIMARY KEY, data);"
            )
            db.execute("DELETE FROM trajectory_meta")
            db.execute("INSERT INTO trajectory_meta VALUES (?)", (trajectory,))
            if workspace:
                db.execute("REPLACE INTO trajectory_metadata_blob VALUES ('main', ?)", (workspace,))
            for row in rows:
                values = (row[0], row[1], row[2], payload(row))
                db.execute("REPLACE INTO steps VALUES (?, ?, ?, ?)", values)
            db.commit()

    def execute(self, statement: str, *values: object, session: str = "s") -> None:
        with closing(sqlite3.connect(self.path(session))) as db:
            db.execute(statement, values)
            db.commit()

    def source(self) -> AntigravitySource:
        return AntigravitySource(str(self.home), str(self.home / "state"), lambda: self.roots)

    def ref(self, session: str = "s") -> SourceRef:
        (found,) = (ref for ref in self.source().discover() if ref.session == session)
        return found

    def cwd(self, session: str = "s") -> str | None:
        return self.ref(session).cwd

    def read(self, after: Cursor | None = None) -> list[Span]:
        return list(self.source().read(self.ref(), after))


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(Path(os.path.realpath(tmp_path)) / "antigravity-cli")


def texts(spans: Iterable[Span]) -> list[str]:
    return [event.text for span in spans for event in span.events]


def shown(spans: Iterable[Span]) -> str:
    lines = []
    for span in spans:
        lines += [f"{LETTERS[event.kind]}: {one_line(event.text)}" for event in span.events]
        if span.outcome in ("unknown", "broken"):
            lines.append(f"! {span.outcome}: {span.detail}")
    return "".join(f"{line}\n" for line in lines)


def one_line(text: str) -> str:
    return text.strip().replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")


# --- the real client ----------------------------------------------------------------


@pytest.fixture(params=REAL)
def real(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[AntigravitySource, SourceRef]:
    with tarfile.open(DATA / request.param / "conversations.tar.gz") as archive:
        for member in archive.getmembers():
            if member.isfile():
                target = tmp_path / "conversations" / os.path.basename(member.name)
                target.parent.mkdir(exist_ok=True)
                content = archive.extractfile(member)
                assert content is not None
                target.write_bytes(content.read())
    source = AntigravitySource(str(tmp_path), str(tmp_path / "state"), lambda: ())
    (ref,) = source.discover()
    return source, ref


def golden(ref: SourceRef, case: str) -> str:
    return (DATA / case / f"{ref.session}.events").read_text("utf-8")


def test_a_real_conversation_gives_what_was_said_once_and_nothing_else(
    real: tuple[AntigravitySource, SourceRef], request: pytest.FixtureRequest
) -> None:
    source, ref = real
    assert shown(source.read(ref, None)) == golden(ref, request.node.callspec.params["real"])
    assert ref.cwd in ("/home/dev/work/shop", "/home/dev/work/My App.v2 ünï")


def test_a_real_conversation_keeps_the_promises_of_cursors(
    real: tuple[AntigravitySource, SourceRef],
) -> None:
    source, ref = real
    spans = list(source.read(ref, None))
    assert source.end(ref) == spans[-1].cursor
    assert sum(span.size for span in spans) == ref.size == source.backlog(ref, None)
    assert len({span.cursor for span in spans}) == len(spans)
    for number, span in enumerate(spans, 1):
        assert list(source.read(ref, span.cursor)) == spans[number:]
        assert bool(source.backlog(ref, span.cursor)) == bool(spans[number:])


def test_a_session_that_went_on_after_its_client_was_killed_is_read_on(
    tmp_path: Path,
) -> None:
    refs = {}
    for case in ("live-wal", "killed-then-resumed"):
        with tarfile.open(DATA / case / "conversations.tar.gz") as archive:
            names = [member.name for member in archive.getmembers() if member.isfile()]
            folder = tmp_path / case
            (folder / "conversations").mkdir(parents=True)
            for name in names:
                content = archive.extractfile(name)
                assert content is not None
                (folder / "conversations" / os.path.basename(name)).write_bytes(content.read())
        source = AntigravitySource(str(folder), str(folder / "state"), lambda: ())
        refs[case] = (source, next(iter(source.discover())))
    live, ref = refs["live-wal"]
    later, later_ref = refs["killed-then-resumed"]
    assert texts(later.read(later_ref, live.end(ref))) == ["are you there", "Noted."]


# --- steps --------------------------------------------------------------------------


def test_all_that_is_said_and_done_is_read(client: Client) -> None:
    args = json.dumps({"CommandLine": "pnpm t", "toolSummary": "Läuft"}, ensure_ascii=False)
    called = pb(1, "call_1") + pb(2, "run_command") + pb(3, args)
    client.write(
        user(0, "use pnpm"),
        (1, 15, DONE, pb(20, pb(1, "サーバー") + pb(3, "a thought") + pb(7, called))),
        (2, 21, DONE, pb(5, pb(4, called)) + pb(28, pb(21, pb(1, "ok")) + pb(2, "/w"))),
        (3, 21, DONE, pb(28, pb(21, pb(1, "no\n")) + pb(6, (1 << 64) - 2) + pb(23, "false"))),
        (4, 21, DONE, pb(28, pb(6, 3) + pb(23, "exit 3"))),
        (5, 17, DONE, pb(24, pb(3, pb(1, "tool failed") + pb(2, "why") + pb(3, "a stack")))),
        (6, 8, ERROR, pb(31, pb(1, "no file") + pb(2, "no file")) + pb(14, pb(4, ""))),
        (7, 82, DONE, pb(94, pb(2, "please look"))),
        (8, 138, DONE, pb(154, pb(1, pb(1, "Which port?") + pb(5, "8080")))),
        (9, 14, DONE, pb(19, pb(1, "old field") + pb(7, pb(4, "a remark")))),
        (10, 14, DONE, pb(19, pb(3, pb(1, "one")) + pb(3, pb(1, "two")))),
        (11, 9, DONE, pb(15, pb(2, "a.py") + pb(2, "b.py"))),
        (12, 132, DONE, pb(140, pb(2, pb(1, "of any tool")))),
        (13, 33, DONE, pb(42, pb(1, "query") + pb(5, "of the web"))),
    )
    assert shown(client.read()).splitlines() == [
        "U: use pnpm",
        "A: サーバー",
        'T: run_command {"CommandLine": "pnpm t", "toolSummary": "Läuft"}',
        "R: ok",
        "T: run_command false",
        "E: no\\nexit code -2",
        "T: run_command exit 3",
        "E: exit code 3",
        "E: tool failed\\nwhy",
        "E: no file",
        "A: please look",
        "A: Which port?",
        "U: 8080",
        "U: old field",
        "U: a remark",
        "U: one\\ntwo",
        "R: a.py\\nb.py",
        "R: of any tool",
        "R: of the web",
    ]
    assert [span.cwd for span in client.read()[2:4]] == ["/w", None]
    assert {span.at for span in client.read()} == {"2026-11-30T22:48:07Z"}


def test_the_older_dialect_without_a_status_column_is_read(client: Client) -> None:
    with closing(sqlite3.connect(client.path())) as db:
        db.execute("CREATE TABLE steps (idx INTEGER PRIMARY KEY, step_type, step_payload BLOB)")
        for row in (user(0, "port?"), answer(1, "9090", kind=33), answer(2, "We u", GENERATING)):
            db.execute("INSERT INTO steps VALUES (?, ?, ?)", (row[0], row[1], payload(row)))
        db.commit()
    spans = client.read()
    assert texts(spans) == ["port?", "9090"]
    assert client.source().end(client.ref()) == spans[-1].cursor
    row = answer(2, "We use 9090.")
    client.execute("UPDATE steps SET step_payload = ? WHERE idx = 2", payload(row))
    assert texts(client.read(spans[-1].cursor)) == ["We use 9090."]


def test_unknown_steps_are_named_and_keep_their_text(client: Client) -> None:
    client.write(
        (0, 999, DONE, pb(20, pb(1, "the module is renamed"))),
        (1, 998, DONE, pb(77, b"\xff\x00scrap of text that stands nowhere known")),
        (2, 14, DONE, pb(88, "words in a field of the future")),
        (3, 14, DONE, pb(19, pb(5, pb(1, "a picture")))),
        (4, 132, DONE, pb(20, pb(1, "at an odd place"))),
    )
    assert [(span.outcome, span.detail, texts([span])) for span in client.read()] == [
        ("unknown", "999", ["the module is renamed"]),
        ("unknown", "998", []),
        ("unknown", "14", []),
        ("noise", "", []),
        ("events", "", ["at an odd place"]),
    ]


def test_reminders_and_the_brief_are_not_learned(client: Client) -> None:
    brief = "<!-- memd:brief:begin -->\nold news\n<!-- memd:brief:end -->\n"
    client.write(user(0, f"{brief}<system-reminder>x</system-reminder>"), answer(1, f"{brief}ok"))
    assert texts(client.read()) == ["ok"]


def test_steps_that_are_no_protobuf_or_too_long_are_broken_and_passed(client: Client) -> None:
    client.write(user(0, "a"), *(answer(i, "b") for i in range(1, 5)), user(5, "c"))
    client.execute("UPDATE steps SET step_payload = x'0AFF01' WHERE idx = 1")
    client.execute("UPDATE steps SET step_payload = NULL WHERE idx = 2")
    client.execute("UPDATE steps SET step_payload = 'text' WHERE idx = 3")
    client.execute("UPDATE steps SET step_payload = zeroblob(16777217) WHERE idx = 4")
    assert shown(client.read()).splitlines() == [
        "U: a",
        "! broken: not protobuf: field is cut off",
        *["! broken: payload missing or over 16 MiB"] * 3,
        "U: c",
    ]


@settings(MODEST, max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 12), st.binary(max_size=80)), max_size=6)
)
def test_any_payloads_give_spans_that_end_at_the_end(
    client: Client, rows: list[tuple[int, int, bytes]]
) -> None:
    client.path().unlink(missing_ok=True)
    client.write()
    for idx, (kind, status, data) in enumerate(rows):
        client.execute("INSERT INTO steps VALUES (?, ?, ?, ?)", idx, kind, status, data)
    source, ref = client.source(), client.ref()
    spans = list(source.read(ref, None))
    assert sum(span.size for span in spans) == ref.size
    assert list(source.read(ref, source.end(ref))) == []
    if spans:
        assert source.end(ref) == spans[-1].cursor


@settings(MODEST, max_examples=40)
@given(
    cuts=st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(max_size=40)), max_size=5),
    keep=st.integers(0, 1 << 16),
)
def test_any_bytes_as_a_database_raise_nothing_but_oserror(
    client: Client, cuts: list[tuple[int, bytes]], keep: int
) -> None:
    client.path().unlink(missing_ok=True)
    client.write(user(0, "a" * 3000), answer(1, "b" * 3000))
    data = bytearray(client.path().read_bytes())
    for place, scrap in cuts:
        start = place % len(data)
        data[start : start + len(scrap)] = scrap
    client.path().write_bytes(data[: keep or None])
    source = client.source()
    list(source.discover())
    spans: list[Span] = []
    with suppress(OSError):
        ref = source.locate(str(client.path()))
        spans = list(source.read(ref, None)) if ref else []
    assert len(spans) <= 2


# --- growing, going back --------------------------------------------------------------


def test_a_step_in_flight_is_waited_for(client: Client) -> None:
    client.write(user(0, "port?"), answer(1, "We u", GENERATING))
    first = client.read()
    assert texts(first) == ["port?"]
    assert client.read(first[-1].cursor) == []
    client.write(answer(1, "We use 9090."), answer(2, "Done."))
    assert texts(client.read(first[-1].cursor)) == ["We use 9090.", "Done."]


@pytest.mark.parametrize("status", [1, 2, 8, 9, 11])
def test_no_step_in_flight_is_passed_while_the_turn_lasts(client: Client, status: int) -> None:
    client.write(user(0, "go"), answer(1, "half", status), answer(2, "after"))
    assert texts(client.read()) == ["go"]


def test_a_step_passed_in_flight_is_read_again_when_it_ends(client: Client) -> None:
    client.write(user(0, "go"), answer(1, "half", RUNNING), user(2, "next"), answer(3, "yes"))
    first = client.read()
    assert texts(first) == ["go", "half", "next", "yes"]
    assert client.read(first[-1].cursor) == []
    client.write(answer(1, "half and half"))
    second = client.read(first[-1].cursor)
    assert texts(second) == ["half and half"]
    assert client.source().end(client.ref()) == second[-1].cursor != first[-1].cursor


def test_a_step_passed_in_flight_that_goes_away_moves_the_cursor_only(client: Client) -> None:
    client.write(user(0, "go"), answer(1, "half", RUNNING), user(2, "next"))
    before = client.read()[-1].cursor
    client.execute("DELETE FROM steps WHERE idx = 1")
    (span,) = client.read(before)
    assert (span.outcome, span.size, span.records) == ("noise", 0, 0)
    assert client.source().end(client.ref()) == span.cursor


def test_a_step_that_starts_again_is_read_again_when_it_ends(client: Client) -> None:
    client.write(user(0, "go"), answer(1, "one"), user(2, "next"))
    before = client.read()[-1].cursor
    client.write(answer(1, "one and", RUNNING))
    (moved,) = client.read(before)
    client.write(answer(1, "one and two"))
    assert texts(client.read(moved.cursor)) == ["one and two"]


def test_the_last_step_that_grows_without_saying_so_is_read_again(client: Client) -> None:
    client.write(user(0, "port?"), answer(1, "We u"))
    first = client.read()
    client.write(answer(1, "We use 9090."))
    second = client.read(first[-1].cursor)
    assert texts(second) == ["port?", "We use 9090."]
    assert second[0].record_id == first[0].record_id
    assert second[1].record_id != first[1].record_id


@pytest.mark.parametrize("same_words", [True, False])
def test_going_back_is_noticed_and_what_stayed_keeps_its_id(
    client: Client, same_words: bool
) -> None:
    client.write(user(0, "a"), answer(1, "b"), user(2, "c"), answer(3, "d"))
    first = client.read()
    client.execute("DELETE FROM steps WHERE idx > 1")
    client.write(user(2, "x"), answer(3, "d" if same_words else "y"), trajectory="t2")
    second = client.read(first[-1].cursor)
    assert texts(second) == ["a", "b", "x", "d" if same_words else "y"]
    assert [s.record_id for s in second[:2]] == [s.record_id for s in first[:2]]
    assert second[2].record_id != first[2].record_id


def test_going_back_to_an_earlier_end_is_noticed(client: Client) -> None:
    client.write(user(0, "a"), answer(1, "b"))
    first = client.read()
    client.execute("DELETE FROM steps WHERE idx = 1")
    assert texts(client.read(first[-1].cursor)) == ["a"]


def test_a_fork_keeps_the_ids_that_the_client_gave(client: Client) -> None:
    step = (0, 14, DONE, pb(5, pb(35, "7be7ba701dc74a03")) + pb(19, pb(2, "a")))
    for session in ("one", "two"):
        client.write(step, session=session)
    ids = [
        next(iter(client.source().read(ref, None))).record_id for ref in client.source().discover()
    ]
    assert len(ids) == 2
    assert len(set(ids)) == 1


def test_equal_words_in_two_conversations_without_such_ids_are_two_records(client: Client) -> None:
    for session in ("one", "two"):
        client.write(user(0, "thanks"), user(1, "thanks"), session=session)
    spans = [s for ref in client.source().discover() for s in client.source().read(ref, None)]
    assert len({span.record_id for span in spans}) == 4


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "[]", "[" * 100_000, '{"step": 1}', '{"step": "1", "mark": "", "open": []}',
     '{"step": 99999999999999999999, "mark": "", "open": [-1, 99999999999999999999, "a"]}'],
)  # fmt: skip
def test_a_cursor_of_another_source_reads_from_the_start(client: Client, cursor: str) -> None:
    client.write(user(0, "a"))
    assert texts(client.read(Cursor(cursor))) == ["a"]


def test_a_writer_that_is_not_done_hides_nothing_that_is(client: Client) -> None:
    client.write(user(0, "a"))
    with closing(sqlite3.connect(client.path())) as writer:
        values = (1, 15, DONE, payload(answer(1, "b")))
        writer.execute("INSERT INTO steps VALUES (?, ?, ?, ?)", values)
        first = client.read()
        assert texts(first) == ["a"]
        writer.commit()
        assert texts(client.read(first[-1].cursor)) == ["b"]


# --- whose it is ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blob", "cwd"),
    [
        (pb(7, "file:///p/My%20App%20%C3%BCn"), "/p/My App ün"),
        (pb(7, "file:///p/app/"), "/p/app"),
        (pb(1, pb(1, "file:///p/app") + pb(4, "main")), "/p/app"),
        (pb(1, pb(1, "/p/app")), "/p/app"),
        (pb(1, pb(1, "none")), None),
        (pb(7, "https://p/app"), None),
        (pb(7, "file:///p/%FF"), None),
        (pb(7, "file:///p/%00"), None),
        (b"\xff", None),
    ],
)
def test_the_workspace_says_where_a_session_began(client: Client, blob: bytes, cwd: str) -> None:
    client.write(user(0, "a"), workspace=blob)
    assert client.cwd() == cwd


def test_of_several_workspaces_a_known_project_counts(client: Client) -> None:
    client.roots = ["/p/app"]
    client.write(user(0, "a"), workspace=pb(7, "file:///p/other") + pb(7, "file:///p/app/sub"))
    assert client.cwd() == "/p/app/sub"


def test_without_a_workspace_the_project_that_is_named_most_counts(client: Client) -> None:
    client.roots = ["/p/app", "/p/app-web"]
    client.write(user(0, "open /p/app-web/a.ts and /p/app-web/b.ts"), answer(1, "see /p/app-web/"))
    assert client.cwd() == "/p/app-web"
    client.roots = ["/p/app"]
    assert client.cwd() is None


def test_a_workspace_above_projects_gives_way_to_the_one_that_is_named(client: Client) -> None:
    client.roots = ["/home/u/app", "/srv/other"]
    client.write(
        user(0, "/home/u/app/a " * 3 + "/srv/other/b " * 9), workspace=pb(7, "file:///home/u")
    )
    assert client.cwd() == "/home/u/app"
    client.roots = ["/srv/other"]
    assert client.cwd() == "/home/u"


def test_a_workspace_elsewhere_stands_whatever_is_named(client: Client) -> None:
    client.roots = ["/p/app"]
    client.write(user(0, "/p/app/a " * 9), workspace=pb(7, "file:///q/new"))
    assert client.cwd() == "/q/new"


def test_what_is_known_is_not_looked_up_again(client: Client) -> None:
    client.roots = ["/p/app"]
    client.write(user(0, "/p/app/a " * 3))
    before = client.ref()
    status = client.path().stat()
    client.path().write_bytes(b"x" * status.st_size)
    os.utime(client.path(), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert client.ref() == before


def test_a_new_project_is_looked_for_in_conversations_that_were_nobodys(client: Client) -> None:
    client.write(user(0, "/p/app/a " * 3))
    assert client.cwd() is None
    client.roots = ["/p/app"]
    assert client.cwd() == "/p/app"


def test_the_index_may_vanish_or_hold_nonsense(client: Client) -> None:
    client.write(user(0, "a"), workspace=pb(7, "file:///p/app"))
    before = client.ref()
    index = client.home / "state" / INDEX
    document = json.loads(index.read_text())
    for entry in document["entries"].values():
        entry["facts"]["workspaces"] = [1]
    for text in (json.dumps(document), "{", None):
        index.unlink()
        if text is not None:
            index.write_text(text)
        assert client.ref() == before


def test_a_conversation_that_cannot_be_looked_at_now_is_still_there_and_fails_to_read(
    client: Client,
) -> None:
    client.write(user(0, "a"), workspace=pb(7, "file:///p/app"))
    assert client.cwd() == "/p/app"
    client.path().write_bytes(b"no database at all" * 100)
    ref = client.ref()
    assert ref.cwd == "/p/app"
    with pytest.raises(OSError, match="database"):
        list(client.source().read(ref, None))
    with pytest.raises(OSError, match="database"):
        client.source().end(ref)


def test_a_file_that_never_was_a_conversation_is_left_out(client: Client) -> None:
    client.path("other").write_bytes(b"no database at all")
    client.path("empty").touch()
    with closing(sqlite3.connect(client.path("foreign"))) as db:
        db.execute("CREATE TABLE t (x)")
    (client.home / "conversations" / "notes.txt").touch()
    assert list(client.source().discover()) == []
    assert client.source().locate(str(client.path("foreign"))) is None
    assert client.source().locate(str(client.home / "conversations" / "notes.txt")) is None
    assert client.source().locate(str(client.path("missing"))) is None


def test_no_directory_is_no_session(tmp_path: Path) -> None:
    source = AntigravitySource(str(tmp_path / "none"), str(tmp_path / "state"), lambda: ())
    assert list(source.discover()) == []
    assert list(tmp_path.iterdir()) == []


def test_subagents_and_memds_own_work_are_no_sessions(client: Client) -> None:
    client.write(
        user(0, "a"), session="own", workspace=pb(7, f"file://{client.home}/state/curator")
    )
    client.write(user(0, "a"), session="child", workspace=pb(7, "file:///p") + pb(5, "parent"))
    client.write(user(0, "a"), session="main", workspace=pb(7, "file:///p") + pb(5, "main"))
    assert [ref.session for ref in client.source().discover()] == ["main"]


def test_a_session_is_located_by_its_path(client: Client) -> None:
    client.write(user(0, "a"), workspace=pb(7, "file:///p/app"))
    assert client.source().locate(str(client.path())) == client.ref()


def test_the_backlog_of_a_session_never_looked_at_is_all_of_it(client: Client) -> None:
    client.write(user(0, "a"), answer(1, "b"))
    ref = client.ref()
    cursor = client.read()[0].cursor
    source = client.source()
    assert source.backlog(ref, cursor) == ref.size
    list(source.discover())
    assert 0 < source.backlog(ref, cursor) < ref.size
    assert source.backlog(ref, None) == ref.size


# --- the mirror -------------------------------------------------------------------------


@pytest.fixture
def mirrored(client: Client) -> Client:
    shutil.copytree(DATA / "mirror" / "brain", client.home / "brain")
    return client


MIRRORED = "dfbb62f65220b15fb94c45fdceaf69a2"


def test_a_conversation_without_a_database_is_read_from_its_mirror(mirrored: Client) -> None:
    mirrored.roots = ["/home/dev/work/shop"]
    (ref,) = mirrored.source().discover()
    assert ref.session == MIRRORED
    assert os.path.basename(ref.path) == "transcript_full.jsonl"
    source = mirrored.source()
    spans = list(source.read(ref, None))
    assert shown(spans) == golden(ref, "mirror")
    assert source.end(ref) == spans[-1].cursor
    assert source.backlog(ref, None) == ref.size
    assert source.backlog(ref, spans[-1].cursor) == 0
    assert source.locate(ref.path) == ref


def test_the_database_is_preferred(mirrored: Client) -> None:
    mirrored.write(user(0, "whole"), session=MIRRORED, workspace=pb(7, "file:///p/app"))
    (ref,) = mirrored.source().discover()
    assert ref.path == str(mirrored.path(MIRRORED))


def test_an_older_mirror_is_read_where_there_is_no_full_one(mirrored: Client) -> None:
    for path in mirrored.home.rglob("transcript_full.jsonl"):
        path.unlink()
    (ref,) = mirrored.source().discover()
    assert texts(mirrored.source().read(ref, None))[0] == "first: use pnpm ünï"


def test_odd_lines_of_a_mirror_are_broken_or_noise(mirrored: Client) -> None:
    (ref,) = mirrored.source().discover()
    lines = [
        {"source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "bare words"},
        {"source": "SYSTEM", "type": "ERROR_MESSAGE", "error": "why"},
        {
            "source": "MODEL",
            "type": "VIEW_FILE",
            "status": "ERROR",
            "content": "Created At: x\ngone",
        },
        {
            "source": "MODEL",
            "type": "RUN_COMMAND",
            "exit_code": 3,
            "content": "Created At: x\n\nout",
        },
        {"source": "MODEL", "type": "PLANNER_RESPONSE", "tool_calls": "none"},
        {"source": "MODEL"},
    ]
    Path(ref.path).write_text("".join(f"{json.dumps(line)}\n" for line in lines) + "[]\n{\n")
    assert shown(mirrored.source().read(ref, None)).splitlines() == [
        "U: bare words",
        "E: why",
        "E: gone",
        "E: out",
        "! broken: record without a type",
        "! broken: not an object",
        "! broken: not JSON",
    ]
