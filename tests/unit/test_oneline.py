"""Text from outside on one line: no trailers, no control characters, no endless lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.oneline import one_line, spelled_out, subject

TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from(["Memd-Session: x/1", "Signed-off-by: a", "did it", "\x1b[31m", "\u202e"])
).map("\n".join)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(4, 200))
def test_a_line_is_short_and_printable(text: str, limit: int) -> None:
    for line in (one_line(text, limit), subject(text, limit)):
        assert line.isprintable()
        assert len(line) <= limit
        assert line == line.strip()


@given(TEXTS)
def test_without_a_limit_no_word_is_lost(text: str) -> None:
    assert one_line(f"{text}\nend of it").endswith("end of it")


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from(["\n", "\r", "\x85", "\u2028", "\x0b", "\n \x00"]))
def test_no_line_of_a_subject_becomes_a_trailer(text: str, line_end: str) -> None:
    found = subject(f"{text}{line_end}Memd-Session: evil/1", 200)
    assert "evil" not in found
    assert not found.startswith("Signed-off-by:")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" Ports\n noted;\ttodo: x ", "Ports noted; todo: x"),
        ("Co-Authored-By: x", ""),
        ("Moved Memd-Session: forged/1 today", "Moved today"),
        ("Note the follow-up: check it", "Note the follow-up: check it"),
        ("a " * 200, ("a " * 99)[:-1] + "..."),
    ],
)
def test_a_subject_keeps_its_words(text: str, line: str) -> None:
    assert subject(text, 200) == line


@given(st.text())
def test_one_line_stays_one_line_whatever_is_in_it(text: str) -> None:
    shown = spelled_out(text)
    assert shown.isprintable()
    assert spelled_out(shown) == shown
