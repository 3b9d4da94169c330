"""Sections: nothing lost between them, headings found, code left alone, dates read."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.sections import earliest_date, marked_lines, open_fence, split_sections

LINES = st.sampled_from(
    ["# T", "## A", "### 2026-01-02 - b", "#### deep", "text 2026-03-04", "", "```", "```py", "~~~"]
) | st.text(max_size=12)
BODIES = st.lists(LINES, max_size=25).map("\n".join) | st.text(max_size=80)


def headings(body: str) -> list[str]:
    return [section.heading for section in split_sections(body)]


@settings(max_examples=100, deadline=None)
@given(BODIES)
def test_sections_joined_are_the_body(body: str) -> None:
    assert "".join(section.text for section in split_sections(body)) == body


@settings(max_examples=100, deadline=None)
@given(BODIES)
def test_a_section_split_again_stays_whole(body: str) -> None:
    for section in split_sections(body):
        assert headings(section.text) == [section.heading]


@settings(deadline=None)
@given(BODIES)
def test_marked_lines_joined_are_the_text(text: str) -> None:
    assert "".join(line for line, _ in marked_lines(text)) == text


@settings(deadline=None)
@given(BODIES)
def test_closing_the_open_fence_closes_all(text: str) -> None:
    fence = open_fence(text)
    assert not fence or open_fence(f"{text}\n{fence}") == ""


def test_an_empty_body_has_no_sections() -> None:
    assert split_sections("") == ()


def test_second_and_third_level_headings_open_sections_others_do_not() -> None:
    body = "# T\n\nintro\n## A\n### B\n#### c\n##d\n ## e\n##\n##\tF\r\n"
    assert headings(body) == ["", "## A", "### B", "##", "##\tF"]


def test_the_preamble_has_no_heading() -> None:
    first, second = split_sections("# T\n\nintro\n\n## A\n\nx\n")
    assert (first.heading, first.text) == ("", "# T\n\nintro\n\n")
    assert (second.heading, second.text) == ("## A", "## A\n\nx\n")


@pytest.mark.parametrize(
    "code",
    [
        "```\n## no\n```\n",
        "```sh\n## no\n```\n",
        "~~~\n## no\n```\n## no\n~~~\n",
        "````\n```\n## no\n```\n## no\n````\n",
        "   ```\n## no\n`````\n",
        "~~~ a`b\n## no\n~~~\n",
    ],
)
def test_fenced_code_opens_no_section(code: str) -> None:
    assert headings(f"## A\n{code}## B\n") == ["## A", "## B"]


@pytest.mark.parametrize(
    "stray",
    ["```\n", "``` a`b\n```sh\n", "``\n", "    ```\n", "````\n```sh\n", "~~~\n", "x ```\n"],
)
def test_a_stray_fence_hides_no_heading(stray: str) -> None:
    assert headings(f"## A\n{stray}## B\n") == ["## A", "## B"]


def test_a_fence_that_is_not_closed_is_named() -> None:
    assert open_fence("a\n````py\nb\n```\n") == "````"
    assert open_fence("```\na\n```\n~~~\n") == "~~~"
    assert open_fence("```\na\n```\n") == ""


@settings(deadline=None)
@given(st.dates(), st.text(alphabet="ab -\n", max_size=9), st.text(alphabet="ab -\n", max_size=9))
def test_every_calendar_date_is_found(day: dt.date, before: str, after: str) -> None:
    assert earliest_date(f"{before}{day.isoformat()}{after}") == day.isoformat()


@settings(deadline=None)
@given(st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True))
def test_a_date_the_calendar_has_not_is_none(written: str) -> None:
    try:
        expected = dt.date.fromisoformat(written).isoformat()
    except ValueError:
        expected = None
    assert earliest_date(written) == expected


@pytest.mark.parametrize("text", ["", "12026-01-01", "2026-01-011", "2026-1-1", "٢٠٢٦-٠١-٠١"])
def test_what_is_no_date_gives_none(text: str) -> None:
    assert earliest_date(text) is None


def test_the_date_of_a_section_is_the_earliest_in_it() -> None:
    (section,) = split_sections("## A\n\n2026-02-30, 2026-03-01T10:00:00 and 2026-02-28\n")
    assert section.date == "2026-02-28"


def test_many_open_fences_take_linear_time() -> None:
    body = "```a\n" * 20_000 + "## A\n"
    assert headings(body)[-1] == "## A"


def test_the_module_is_cheap_to_import() -> None:
    code = (
        "import sys, re, json; before = set(sys.modules); import memd.sections;"
        "print(*sorted(set(sys.modules) - before))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert set(found) <= {"__future__", "memd", "memd.sections"}
