"""Guard 4: what is over budget moves to the archive, oldest first, and nothing is lost."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.guard.budget import fit, rotate_body
from memd.model import ArchiveEntry
from memd.sections import split_sections

LINES = st.sampled_from(
    ["# T", "## A", "## B", "### 2026-01-02 - b", "### 2025-06-01 - c", "2024-03-04", "", "```"]
) | st.text(max_size=40)
BODIES = st.lists(LINES, max_size=25).map("\n".join)
BUDGETS = st.integers(min_value=0, max_value=300)


def dated(*days: str) -> str:
    return "# T\n\n" + "".join(f"### {day} - entry\n\ntext\n\n" for day in days)


def moved_days(body: str, budget: int) -> list[str]:
    return [text.split()[1] for text in rotate_body(body, budget).moved]


@settings(max_examples=100, deadline=None)
@given(BODIES, BUDGETS)
def test_nothing_is_lost_between_file_and_archive(body: str, budget: int) -> None:
    rotated = rotate_body(body, budget)
    rest = body
    for text in rotated.moved:
        assert text in rest
        rest = rest.replace(text, "", 1)
    assert sorted(rest) == sorted(rotated.body)
    assert len(rotated.body) + sum(map(len, rotated.moved)) == len(body)


@settings(max_examples=100, deadline=None)
@given(BODIES, BUDGETS)
def test_a_body_fits_or_only_its_newest_section_is_left(body: str, budget: int) -> None:
    kept = split_sections(rotate_body(body, budget).body)
    below = [section for section in kept if section.heading]
    over = sum(len(section.text) for section in kept) > budget
    assert not over or len(below) <= 1


@settings(max_examples=100, deadline=None)
@given(BODIES, BUDGETS)
def test_rotating_again_moves_nothing(body: str, budget: int) -> None:
    once = rotate_body(body, budget)
    assert rotate_body(once.body, budget) == (once.body, ())


@settings(max_examples=100, deadline=None)
@given(BODIES, BUDGETS)
def test_a_body_within_budget_is_left_alone(body: str, more: int) -> None:
    assert rotate_body(body, len(body) + more) == (body, ())


@settings(max_examples=100, deadline=None)
@given(BODIES, BUDGETS)
def test_sections_that_stay_keep_their_text_and_order(body: str, budget: int) -> None:
    texts = iter(section.text for section in split_sections(body))
    kept = [s.text for s in split_sections(rotate_body(body, budget).body) if s.heading]
    assert all(any(text == other for other in texts) for text in kept)


@given(st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_earliest_date_goes_first_wherever_it_stands(shuffler: random.Random) -> None:
    days = [f"2026-01-{day:02d}" for day in range(1, 9)]
    shuffler.shuffle(days)
    body = dated(*days)
    assert moved_days(body, len(dated(*days[:4]))) == [f"2026-01-0{day}" for day in range(1, 5)]


def test_undated_sections_go_from_the_top() -> None:
    body = "# T\n\n## A\n\n" + "x" * 50 + "\n\n## B\n\n" + "x" * 50 + "\n\n## C\n\n" + "x" * 50
    assert [text[:4] for text in rotate_body(body, 100).moved] == ["## A", "## B"]


def test_an_undated_section_is_as_old_as_the_dated_one_above_it() -> None:
    body = "## top\n\n### 2026-05-01 - b\n\n### below b\n\n### 2026-01-01 - a\n\n### below a\n"
    headings = [text.split("\n")[0] for text in rotate_body(body, 1).moved]
    assert headings == ["## top", "### 2026-01-01 - a", "### below a", "### 2026-05-01 - b"]
    assert rotate_body(body, 1).body == "### below b\n\n"


def test_the_newest_section_stays_even_where_it_is_over_the_budget() -> None:
    body = dated("2026-01-01") + "### 2026-02-02 - NEWEST\n\n" + "long " * 600
    rotated = rotate_body(body, 2000)
    assert "NEWEST" in rotated.body
    assert [text[:14] for text in rotated.moved] == ["### 2026-01-01"]


def test_one_long_list_without_sections_stays() -> None:
    body = "# Todo\n\n" + "- [ ] task\n" * 500
    assert rotate_body(body, 1000) == (body, ())


def test_the_text_above_the_first_section_stays() -> None:
    body = "# T\n\nintro\n\n" + dated("2026-01-01", "2026-01-02").removeprefix("# T\n\n")
    assert rotate_body(body, 60).body.startswith("# T\n\nintro\n\n### 2026-01-02")


@pytest.mark.parametrize("title", ["# T\n\n", "", "\n# T\n"])
def test_too_much_text_above_the_first_section_moves_but_for_its_title(title: str) -> None:
    lines = "- fact\n" * 100
    rotated = rotate_body(f"{title}{lines}## A\n\nx\n", 200)
    assert rotated == (f"{title}## A\n\nx\n", (lines,))


def test_a_title_over_the_budget_is_no_section() -> None:
    assert rotate_body("# " + "T" * 99 + "\n## A\n", 50).moved == ()


def test_archive_entries_name_the_file_they_left() -> None:
    bodies = {"todo.md": dated("2026-01-01", "2026-01-02"), "state.md": "# S\n"}
    changed, archive = fit(bodies, {"todo.md": 40, "state.md": 40})
    assert list(changed) == ["todo.md"]
    assert archive == (ArchiveEntry("todo.md", "### 2026-01-01 - entry\n\ntext\n\n"),)
