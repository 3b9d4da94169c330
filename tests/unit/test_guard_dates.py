"""The date rule: every entry of decisions gets one, none is made up for old entries."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.guard.dates import date_entries, dated
from memd.sections import earliest_date, split_sections

DAY = "2026-07-30"
LINES = st.sampled_from(["### a", "### 2026-01-02 - b", "###", "## c", "```", "x"]) | st.text(
    max_size=20
)
BODIES = st.lists(LINES, max_size=12).map("\n".join)


@settings(max_examples=100, deadline=None)
@given(BODIES)
def test_every_new_entry_has_a_date_in_front(body: str) -> None:
    for section in split_sections(date_entries(body, "", DAY)):
        mark, _, title = section.heading.partition(" ")
        assert mark != "###" or not title or earliest_date(title[:10])


@settings(max_examples=100, deadline=None)
@given(BODIES)
def test_entries_that_stood_there_stay_as_they_are(body: str) -> None:
    assert date_entries(body, body, DAY) == body


@settings(max_examples=100, deadline=None)
@given(BODIES)
def test_dating_twice_changes_nothing_more(body: str) -> None:
    once = date_entries(body, "", DAY)
    assert date_entries(once, "", DAY) == once


def test_only_third_level_headings_outside_code_are_dated() -> None:
    body = (
        "# D\n\n## Group\n\n### Use redis\n\n#### Why\n\n```\n### Use x\n```\n### 2026-01-01 - y\n"
    )
    assert date_entries(body, "", DAY) == body.replace("### Use redis", f"### {DAY} - Use redis")


def test_a_date_named_later_in_the_title_is_the_date() -> None:
    assert dated("Use redis (2026-01-05)", DAY) == "2026-01-05 - Use redis (2026-01-05)"
    assert dated("2026-05-01 - replaces 2026-01-05", DAY) == "2026-05-01 - replaces 2026-01-05"
    assert dated("Use redis", DAY) == f"{DAY} - Use redis"
