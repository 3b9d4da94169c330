"""Text of the model on one line: no trailers, no control characters, no endless lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.guard.oneline import archive_entry, summary
from memd.model import ArchiveEntry

TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from(["Memd-Session: x/1", "Signed-off-by: a", "did it", "\x1b[31m", "\u202e"])
).map("\n".join)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_summary_is_one_short_printable_line(text: str) -> None:
    line = summary(text)
    assert line.isprintable()
    assert 0 < len(line) <= 200
    assert line == line.strip()


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from(["\n", "\r", "\x85", "\u2028", "\x0b", "\n \x00"]))
def test_no_line_of_a_summary_becomes_a_trailer(text: str, line_end: str) -> None:
    found = summary(f"{text}{line_end}Memd-Session: evil/1")
    assert "evil" not in found
    assert not found.startswith("Signed-off-by:")


def test_a_summary_keeps_its_words() -> None:
    assert summary(" Ports\n noted;\ttodo: x ") == "Ports noted; todo: x"
    assert summary("Co-Authored-By: x") == "memory updated"
    assert summary("a " * 200) == ("a " * 99)[:-1] + "..."


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_an_archive_entry_keeps_its_content_behind_one_line(source: str, content: str) -> None:
    found = archive_entry(ArchiveEntry(source, content))
    assert found.content == content
    assert found.source.isprintable()
    assert 0 < len(found.source) <= 80


@pytest.mark.parametrize("source", ["", " ", "\n\x00"])
def test_an_archive_entry_without_a_source_comes_from_the_curator(source: str) -> None:
    assert archive_entry(ArchiveEntry(source, "x")).source == "curator"
