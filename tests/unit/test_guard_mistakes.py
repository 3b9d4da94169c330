"""Guard 2: the log of mistakes keeps all it has and gains only well-formed new entries."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.guard.mistakes import append, new_entries
from memd.sections import open_fence, split_sections

DAY = "2026-07-30"
LINES = st.sampled_from(
    ["# T", "## 2026-01-01 - a", "### b", "### 2026-01-02 - c", "###", "```", "~~~py", "- x", ""]
) | st.text(max_size=30)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)
OLD = "# Mistakes\n\nAbout it.\n\n### 2026-01-01 - Port clash with unifi\n\nold cause\n"


def headings(entries: tuple[str, ...]) -> list[str]:
    return [entry.split("\n")[0] for entry in entries]


def entry(text: str) -> str:
    (found,) = new_entries(OLD, [text], DAY)
    return found


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_the_old_text_stays_in_front(old: str, told: list[str]) -> None:
    entries = new_entries(old, told, DAY)
    new = append(old, entries)
    assert new.startswith(old)
    assert all(f"\n{text}\n" in f"\n{new}" for text in entries)


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, max_size=4))
def test_every_entry_is_one_section_with_a_dated_heading(told: list[str]) -> None:
    entries = new_entries(OLD, told, DAY)
    for text in entries:
        assert re.match(r"### \d{4}-\d\d-\d\d\b", text)
        assert open_fence(text) == ""
    added = split_sections(append(OLD, entries))[2:] if entries else ()
    assert [section.text.strip() for section in added] == [text.strip() for text in entries]


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, max_size=4))
def test_what_was_added_is_not_added_again(told: list[str]) -> None:
    new = append(OLD, new_entries(OLD, told, DAY))
    assert new_entries(new, told, DAY) == ()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=9))
def test_no_word_of_a_new_entry_is_lost(titles: list[str]) -> None:
    told = [f"### 2026-01-01 - {title}\n\nwhy {number}" for number, title in enumerate(titles)]
    expected = dict(reversed(list(zip(titles, told, strict=True))))
    assert sorted(new_entries(OLD, told, DAY)) == sorted(expected.values())


def test_an_entry_in_the_house_form_is_kept_as_it_is() -> None:
    text = "### 2026-01-01 - Port clash\n\nNever bind 8080.\n\n- a\n- b"
    assert entry(text) == text


def test_a_heading_that_begins_like_an_older_one_is_another_entry() -> None:
    assert headings(new_entries(OLD, ["### 2026-01-01 - Port clash\nNEW"], DAY)) == [
        "### 2026-01-01 - Port clash"
    ]


def test_a_heading_that_is_there_already_is_a_duplicate() -> None:
    told = ["### 2026-01-01 - Port clash with unifi\n\nnew words", "## 2026-02-01 - B", "# B"]
    told += ["### 2026-02-01 - B\n\nsecond"]
    assert headings(new_entries(OLD, told, DAY)) == ["### 2026-02-01 - B", f"### {DAY} - B"]


def test_the_old_file_handed_back_adds_only_what_is_new() -> None:
    told = [f"{OLD}\n### 2026-03-01 - Fresh\n\nnever do that"]
    assert headings(new_entries(OLD, told, DAY)) == ["### 2026-03-01 - Fresh"]


def test_several_entries_in_one_text_are_taken_apart() -> None:
    text = "### 2026-03-01 - A\n\na\n\n## 2026-03-02 - B\n\nb\n### 2026-03-03 - C"
    assert new_entries(OLD, [text], DAY) == (
        "### 2026-03-01 - A\n\na",
        "### 2026-03-02 - B\n\nb",
        "### 2026-03-03 - C",
    )


def test_headings_inside_an_entry_do_not_end_it() -> None:
    text = "## Port clash\n\n# Symptom\n\n### Rule\n\n#### Detail\n\n#hash\n\n```\n# sh\n```"
    assert entry(text) == (
        f"### {DAY} - Port clash\n\n#### Symptom\n\n#### Rule\n\n#### Detail\n\n#hash\n\n"
        "```\n# sh\n```"
    )


def test_a_dated_heading_in_code_is_code() -> None:
    text = "### 2026-03-01 - A\n\n```\n### 2026-03-02 - B\n```"
    assert entry(text) == text


def test_code_left_open_is_closed() -> None:
    assert entry("### 2026-03-01 - A\n\n```sh\n## x") == "### 2026-03-01 - A\n\n```sh\n## x\n```"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Never bind 8080", f"### {DAY} - Never bind 8080"),
        ("- Never bind 8080\n- ever", f"### {DAY} - Never bind 8080\n\n- ever"),
        ("2026-01-05: never", "### 2026-01-05: never"),
        ("Seen on 2026-01-05\n\nx", "### 2026-01-05 - Seen on 2026-01-05\n\nx"),
        ("### 2026-02-30 - x", f"### {DAY} - 2026-02-30 - x"),
        ("###\n\n## Symptom\n\nx", f"### {DAY} - Symptom\n\nx"),
        ("###", f"### {DAY} - Untitled"),
        ("```\nx\n```", f"### {DAY} - Untitled\n\n```\nx\n```"),
        ("---\nx", f"### {DAY} - Untitled\n\n---\nx"),
        ("word " * 20, f"### {DAY} - {('word ' * 16).strip()}...\n\n{('word ' * 20).strip()}"),
        ("w" * 90, f"### {DAY} - {'w' * 80}...\n\n{'w' * 90}"),
    ],
)
def test_a_missing_heading_or_date_is_added(text: str, expected: str) -> None:
    assert entry(text) == expected


@pytest.mark.parametrize("told", [[], [""], [" \n\t"], ["About it."], ["# Mistakes\n\nAbout it."]])
def test_nothing_new_adds_nothing(told: list[str]) -> None:
    assert new_entries(OLD, told, DAY) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [("", "e\n"), ("a", "a\n\ne\n"), ("a\n", "a\n\ne\n"), ("a\n\n", "a\n\ne\n")],
)
def test_a_blank_line_stands_before_a_new_entry(old: str, new: str) -> None:
    assert append(old, ["e"]) == new
