"""A pass shows what fits, marks as read what it showed, and loses nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd import digest
from memd.model import Cursor, Digest, Event, Note, SourceCounts, SourceRef, Span
from memd.redact import Redactor

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
Taking = Callable[[SourceRef, Span], "str | None"]


def ref(session: str = "s1", source: str = "claude-code") -> SourceRef:
    return SourceRef(source, session, f"/logs/{session}", "/srv/shop", 0.0, 0)


def span(
    *texts: str,
    kind: str = "user",
    place: int = 1,
    outcome: str = "events",
    record_id: str | None = None,
    at: str | None = "2026-11-30T09:00:00Z",
    detail: str = "",
    records: int = 1,
) -> Span:
    events = tuple(Event(kind, text) for text in texts)  # type: ignore[arg-type]
    return Span(
        Cursor(str(place)),
        10,
        outcome,  # type: ignore[arg-type]
        events,
        record_id,
        at=at,
        detail=detail,
        records=records,
    )


def note(name: str, text: str, **fields: str) -> Note:
    return Note(name, text, f"print-of-{name}", **fields)


def build(
    *streams: tuple[SourceRef, Iterable[Span]],
    cap: int = 10_000,
    notes: Sequence[Note] = (),
    accepts: Taking = lambda _ref, _span: "",
    seen: Iterable[str] = (),
) -> Digest:
    return digest.build(
        ((which, iter(spans)) for which, spans in streams),
        redactor=Redactor(),
        cap=cap,
        accepts=accepts,
        seen=set(seen).__contains__,
        notes=notes,
    )


# --- what is shown ----------------------------------------------------------------


def test_shows_who_said_what_in_which_session() -> None:
    shown = build(
        (ref(), [span("go"), span("gone", kind="assistant"), span("Bash\n ls", kind="tool")]),
        (ref("s2"), [span("a.py\nb.py", kind="result"), span("no", kind="error")]),
        (ref("n", "extra"), [span("plain", kind="text", at=None)]),
    )
    assert shown.text == (
        "[session claude-code/s1 2026-11-30]\nU: go\nA: gone\nT: Bash ls\n"
        "[session claude-code/s2 2026-11-30]\nR: a.py\n  b.py\nE: no\n"
        "[session extra/n]\nX: plain"
    )
    assert shown.sessions == ("claude-code/s1", "claude-code/s2", "extra/n")
    assert shown.spans == 6
    assert shown.complete


def test_a_new_day_gets_a_heading_of_its_own() -> None:
    days = [span("a"), span("b", at=None), span("c", at="2026-12-01T01:00:00Z"), span("d", at="?")]
    shown = build((ref(), days))
    assert shown.text == (
        "[session claude-code/s1 2026-11-30]\nU: a\nU: b\n"
        "[session claude-code/s1 2026-12-01]\nU: c\nU: d"
    )
    assert shown.latest == "2026-12-01"


def test_nothing_new_is_an_empty_digest() -> None:
    shown = build((ref(), []))
    assert shown.is_empty
    assert shown.complete
    assert shown.latest is None
    assert not shown.cursors
    assert not shown.counts


def test_blank_events_show_nothing_and_are_read() -> None:
    shown = build((ref(), [span(" \n", "", place=4)]))
    assert shown.is_empty
    assert shown.cursors == {"claude-code/s1": "4"}
    assert shown.counts["claude-code"].events == 1


@pytest.mark.parametrize(
    ("kind", "limit"),
    [
        ("user", 4000),
        ("assistant", 4000),
        ("text", 4000),
        ("tool", 300),
        ("result", 240),
        ("error", 600),
    ],
)
def test_long_texts_keep_head_and_tail_around_a_mark(kind: str, limit: int) -> None:
    text = "HEAD " + "lorem " * 1000 + "TAIL"
    shown = build((ref(), [span(text, kind=kind)])).text.partition("\n")[2]
    assert "HEAD" in shown
    assert "TAIL" in shown
    assert re.search(r"\[\.\.\. [\d,]+ characters left out \.\.\.\]", shown)
    assert limit * 0.8 < len(shown) <= limit + len("U: ")


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["user", "assistant", "tool", "result", "error", "text"]),
    before=st.integers(0, 4200),
    after=st.integers(0, 4200),
)
def test_no_piece_of_a_secret_survives_a_cut(kind: str, before: int, after: int) -> None:
    text = f"{'x ' * (before // 2)}\n{SECRET}\n{'y ' * (after // 2)}"
    shown = build((ref(), [span(text, kind=kind)]), notes=[note("n", text)])
    for piece in (SECRET[at : at + 12] for at in range(len(SECRET) - 11)):
        assert piece not in shown.text + shown.notes_text


def test_secrets_at_the_start_of_a_line_are_seen_before_letters_stand_in_front() -> None:
    shown = build((ref(), [span("DB_PASSWORD=s3cr3tvalue0001x\nDB_TOKEN=s3cr3tvalue0002x")]))
    assert "s3cr3tvalue" not in shown.text


# --- room -------------------------------------------------------------------------


def test_the_first_span_that_does_not_fit_ends_the_pass_unread() -> None:
    spans = [span("a" * 60, place=1), span("b" * 60, place=2), span("c", place=3)]
    shown = build((ref(), spans), (ref("s2"), [span("d")]), cap=110)
    assert "aaa" in shown.text
    assert "b" not in shown.text
    assert not shown.complete
    assert shown.cursors == {"claude-code/s1": "1"}
    assert shown.sessions == ("claude-code/s1",)


def test_the_first_span_is_taken_whatever_its_size() -> None:
    shown = build((ref(), [span("a" * 500), span("b", place=2)]), cap=1, notes=[note("n", "note")])
    assert shown.spans == 1
    assert shown.cursors == {"claude-code/s1": "1"}
    assert not shown.notes
    assert not shown.complete


def test_notes_get_half_the_room_while_sessions_have_content() -> None:
    notes = [note(f"n{i}", "n" * 80) for i in range(10)]
    spans = [span("s" * 80, place=i) for i in range(1, 20)]
    shown = build((ref(), spans), cap=1000, notes=notes)
    assert 400 < len(shown.notes_text) <= 500
    assert 400 < len(shown.text) <= 600
    assert shown.notes == tuple(notes[: len(shown.notes)])


def test_notes_get_what_the_sessions_leave() -> None:
    notes = [note(f"n{i}", "n" * 80) for i in range(10)]
    shown = build((ref(), [span("short")]), cap=1000, notes=notes)
    assert 500 < shown.chars <= 1000
    assert shown.complete
    less = build((ref(), [span("short")]), cap=900, notes=notes)
    assert 700 < less.chars <= 900
    assert not less.complete


def test_one_note_is_taken_even_where_it_alone_is_too_much() -> None:
    shown = build(cap=1, notes=[note("a", "first"), note("b", "second")])
    assert [n.name for n in shown.notes] == ["a"]
    assert not shown.complete


def test_a_long_note_is_cut_with_a_mark() -> None:
    shown = build(notes=[note("a", "HEAD" + "word " * 2000 + "TAIL")])
    assert "HEAD" in shown.notes_text
    assert "characters left out ...]" in shown.notes_text
    assert shown.notes_text.endswith("TAIL")
    assert len(shown.notes_text) <= 4000 + len("[note]\n  ")


OUTCOMES = st.sampled_from(["events", "events", "events", "noise", "unknown", "broken"])
LOGS = st.lists(
    st.lists(st.tuples(OUTCOMES, st.integers(0, 300), st.integers(0, 30)), max_size=12), max_size=4
)


def fact(name: object, size: int = 0) -> str:
    return f"<{name}>{'x' * size}"


def spans_of(session: int, log: list[tuple[str, int, int]]) -> list[Span]:
    """Records under 10 are copies of one another, wherever they stand; others have no id."""
    return [
        span(
            *([fact(f"copy{copy}" if copy < 10 else f"{session}.{place}", size)]),
            place=place + 1,
            outcome=outcome,
            record_id=f"id{copy}" if copy < 10 else None,
        )
        for place, (outcome, size, copy) in enumerate(log)
    ]


@settings(max_examples=150, deadline=None)
@given(LOGS, st.lists(st.integers(0, 200), max_size=5), st.integers(1, 1500))
def test_passes_together_show_every_event_once_within_the_cap(
    logs: list[list[tuple[str, int, int]]], sizes: list[int], cap: int
) -> None:
    streams = {f"s{i}": spans_of(i, log) for i, log in enumerate(logs)}
    notes = [note(f"n{i}", fact(f"note{i}", size)) for i, size in enumerate(sizes)]
    cursors: dict[str, Cursor] = {}
    seen: set[str] = set()
    told = ""
    for _ in range(200):
        shown = build(
            *(
                (ref(name), spans[int(cursors.get(ref(name).key, "0")) :])
                for name, spans in streams.items()
            ),
            cap=cap,
            notes=notes,
            seen=seen,
        )
        pieces = shown.spans or len(shown.notes)
        assert shown.chars <= cap or pieces == 1 or shown.spans == 1
        told += shown.text + shown.notes_text
        cursors |= shown.cursors
        seen |= set(shown.seen)
        notes = [n for n in notes if n not in shown.notes]
        if shown.complete:
            break
        assert not shown.is_empty
    else:
        pytest.fail("never complete")
    events = {
        s.events[0].text[:9].split(">")[0]
        for spans in streams.values()
        for s in spans
        if s.outcome == "events"
    }
    for event in [*events, *(f"<note{i}" for i in range(len(sizes)))]:
        assert told.count(f"{event}>") == 1
    for name, spans in streams.items():
        left = spans[int(cursors.get(ref(name).key, "0")) :]
        assert all(s.outcome in ("unknown", "broken") for s in left)


# --- copies, owners ---------------------------------------------------------------


def test_copies_are_passed_over_and_their_ids_stay_fresh() -> None:
    spans = [span("old", record_id="a", place=1), span("new", record_id="b", place=2)]
    again = [span("new", record_id="b", place=1), span("last", record_id="c", place=2)]
    shown = build((ref(), spans), (ref("s2"), again), seen=["a"])
    assert "old" not in shown.text
    assert shown.text.count("new") == 1
    assert shown.seen == ("a", "b", "c")
    assert shown.cursors == {"claude-code/s1": "2", "claude-code/s2": "2"}


def test_a_session_of_copies_only_is_read_and_not_named() -> None:
    shown = build((ref(), [span("old", record_id="a", place=7)]), seen=["a"])
    assert shown.is_empty
    assert not shown.sessions
    assert shown.cursors == {"claude-code/s1": "7"}


def test_records_of_other_projects_go_there_or_nowhere() -> None:
    owners = {"mine": "", "theirs": "/srv/other", "private": None}
    spans = [span(word, record_id=word, place=i) for i, word in enumerate(owners)]
    shown = build((ref(), spans), accepts=lambda _ref, s: owners[s.events[0].text])
    assert shown.text.endswith("U: mine")
    assert shown.visited == {"/srv/other": ("claude-code/s1",)}
    assert shown.seen == ("mine",)
    assert shown.cursors == {"claude-code/s1": "2"}


def test_only_spans_with_events_are_asked_about() -> None:
    def refuse(_ref: SourceRef, asked: Span) -> str | None:
        assert asked.outcome == "events"
        return None

    shown = build((ref(), [span(outcome="noise"), span("x", place=2)]), accepts=refuse)
    assert shown.cursors == {"claude-code/s1": "2"}


# --- health -----------------------------------------------------------------------


def test_a_stretch_in_which_nothing_is_recognised_keeps_its_cursor() -> None:
    strange = [span(outcome="unknown", detail="v9"), span(outcome="broken", detail="not JSON")]
    shown = build((ref(), strange), (ref("s2"), [span("ok", place=5)]))
    assert shown.cursors == {"claude-code/s2": "5"}
    assert shown.counts == {
        "claude-code": SourceCounts(events=1, barren_bytes=20, unknown_types=("v9",))
    }


def test_unknown_records_among_recognised_ones_are_counted_and_passed() -> None:
    spans = [
        span(outcome="unknown", detail="v9", place=1, records=2),
        span(outcome="noise", place=2, records=40),
        span(outcome="broken", place=3),
    ]
    shown = build((ref(), spans))
    assert shown.is_empty
    assert shown.cursors == {"claude-code/s1": "3"}
    assert shown.counts == {
        "claude-code": SourceCounts(noise=40, unknown=2, broken=1, unknown_types=("v9",))
    }


def test_unknown_records_before_a_span_that_waits_are_passed_once() -> None:
    first = (ref(), [span("a")])
    second = (ref("s2"), [span(outcome="unknown", place=1), span("b" * 99, place=2)])
    shown = build(first, second, cap=60)
    assert shown.cursors["claude-code/s2"] == "1"
    assert shown.counts["claude-code"].unknown == 1
    assert not shown.complete


def test_names_of_unknown_types_are_few_short_and_redacted() -> None:
    spans = [span(outcome="unknown", detail=f"{SECRET} {i} {'long ' * 50}") for i in range(50)]
    types = build((ref(), spans)).counts["claude-code"].unknown_types
    assert 1 <= len(types) <= 10
    assert all(len(name) <= 80 and "ghp_" not in name for name in types)


def failing(*spans: Span, error: OSError) -> Iterator[Span]:
    yield from spans
    raise error


def test_a_stream_that_fails_keeps_what_it_showed_and_others_go_on() -> None:
    shown = build(
        (ref(), failing(span("half", place=1), error=OSError(5, "Input/output error", "/logs/s1"))),
        (ref("gone"), failing(error=FileNotFoundError(2, "No such file or directory"))),
        (ref("odd"), failing(error=OSError())),
        (ref("s2"), [span("other", place=3)]),
    )
    assert "half" in shown.text
    assert "other" in shown.text
    assert shown.cursors == {"claude-code/s1": "1", "claude-code/s2": "3"}
    assert shown.unreadable == (
        "claude-code/s1: Input/output error",
        "claude-code/gone: No such file or directory",
        "claude-code/odd: OSError",
    )


def test_streams_after_a_full_digest_are_not_opened() -> None:
    def untouched() -> Iterator[Span]:
        pytest.fail("opened")
        yield

    shown = build((ref(), [span("a"), span("b" * 99)]), (ref("s2"), untouched()), cap=40)
    assert not shown.complete
