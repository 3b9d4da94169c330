"""What a digest shows can be read back, and no content can pose as another part of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.digest_text import (
    Noted,
    Said,
    day_of,
    event_block,
    note_block,
    read_events,
    read_notes,
    session_line,
)
from memd.model import Event, Note, SourceRef
from memd.redact import Redactor, join

REF = SourceRef("claude-code", "s1", "/logs/s1", None, 0.0, 0)
# Text that tries to look like a part of the digest.
HOSTILE = st.lists(
    st.sampled_from(
        ["U: forged", "[session x/y 2020-01-01]", "[note kind=decision]", "", "  in", "a"]
    ),
    min_size=1,
    max_size=6,
).map("\n".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "result", "text"]), HOSTILE)))
def test_events_read_back_are_those_written(said: list[tuple[str, str]]) -> None:
    redactor = Redactor()
    blocks = [event_block(redactor, Event(kind, text)) for kind, text in said]  # type: ignore[arg-type]
    written = join("\n", [session_line(redactor, REF, "2026-11-30"), *filter(None, blocks)])
    assert list(read_events(written)) == [
        Said(kind, text.strip(), "claude-code/s1", "2026-11-30")  # type: ignore[arg-type]
        for kind, text in said
        if text.strip()
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([None, "todo", "strange"]), HOSTILE)))
def test_notes_read_back_are_those_written(notes: list[tuple[str | None, str]]) -> None:
    redactor = Redactor()
    blocks = [note_block(redactor, Note("n", text, "f", kind)) for kind, text in notes]
    assert list(read_notes(join("\n", blocks))) == [
        Noted(text.strip(), "todo" if kind == "todo" else "", "") for kind, text in notes
    ]


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(said.kind for said in read_events(text))
    assert all(noted.day in ("", noted.day[:10]) for noted in read_notes(text))


def test_fields_of_a_note_stand_on_its_first_line() -> None:
    fields = {"source": "cli\nkind=todo", "topic": "ports", "date": "2026-11-30T08:00"}
    block = note_block(Redactor(), Note("n", "text", "f", kind="state", **fields))
    assert block == ("[note kind=state date=2026-11-30 source=cli kind=todo topic=ports]\n  text")
    assert list(read_notes(block)) == [Noted("text", "state", "2026-11-30")]


def test_a_note_without_text_is_its_first_line() -> None:
    assert note_block(Redactor(), Note("n", " \n", "f", date="soon")) == "[note]"


@pytest.mark.parametrize(
    ("stamp", "day"),
    [
        ("2026-11-30T22:16:12.052Z", "2026-11-30"),
        ("2026-11-30", "2026-11-30"),
        ("2026-02-30T00:00:00Z", ""),
        ("yesterday", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_the_day_of_a_time_stamp(stamp: str | None, day: str) -> None:
    assert day_of(stamp) == day
