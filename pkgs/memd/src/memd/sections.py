"""Markdown bodies as a row of sections, dated and cut at their headings.

Used at the start of every session: imports nothing but `re`.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r"#{2,3}(?![^ \t\r\n])")
_FENCE = re.compile(r" {0,3}(`+|~+)([^\n]*)")
_DATE = re.compile(r"(?<![0-9])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Section:
    """A heading with everything up to the next one."""

    __slots__ = ("date", "heading", "text")

    def __init__(self, heading: str, text: str) -> None:
        self.heading = heading
        """The heading line, marks included, ends stripped; "" for what stands above the first."""
        self.text = text
        """Verbatim, with the heading and the line ends."""
        self.date = earliest_date(text)
        """ISO date; None when the section holds none."""


def split_sections(body: str) -> tuple[Section, ...]:
    """Sections from the top; their texts joined are `body`.

    Every `##` and `###` at the start of a line opens one, so a `###` below a `##` is a
    section of its own. Fenced code opens none.
    """
    sections = []
    heading = ""
    lines: list[str] = []
    for line, in_code in marked_lines(body):
        if not in_code and _HEADING.match(line):
            if lines:
                sections.append(Section(heading, "".join(lines)))
            heading, lines = line.strip(), []
        lines.append(line)
    if lines:
        sections.append(Section(heading, "".join(lines)))
    return tuple(sections)


def marked_lines(text: str) -> list[tuple[str, bool]]:
    """Lines with their ends, each with whether it belongs to fenced code (CommonMark 4.5).

    Other than there, a fence that nothing closes is ordinary text: one stray fence must
    not hide every heading below it.
    """
    lines = _LINE.findall(text)
    fences = [_fence(line) for line in lines]
    marked = []
    inside = ""
    for line, (run, bare), reach in zip(lines, fences, _closers_below(fences), strict=True):
        if inside:
            marked.append((line, True))
            if bare and run.startswith(inside):
                inside = ""
        else:
            inside = run if run and reach[run[0]] >= len(run) else ""
            marked.append((line, bool(inside)))
    return marked


def open_fence(text: str) -> str:
    """The first fence that nothing in `text` closes, "" when all are closed."""
    runs = (_fence(line)[0] for line, in_code in marked_lines(text) if not in_code)
    return next(filter(None, runs), "")


def earliest_date(text: str) -> str | None:
    """The earliest ISO date in `text` that the calendar has."""
    return min(
        (m[0] for m in _DATE.finditer(text) if _in_calendar(*map(int, m.groups()))), default=None
    )


def _in_calendar(year: int, month: int, day: int) -> bool:
    if year == 0 or not 1 <= month <= 12:
        return False
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + leap


def _fence(line: str) -> tuple[str, bool]:
    """The run of marks that opens or closes code, and whether nothing follows it."""
    match = _FENCE.match(line)
    if not match or len(match[1]) < 3 or (match[1][0] == "`" and "`" in match[2]):
        return "", False
    return match[1], not match[2].strip()


def _closers_below(fences: list[tuple[str, bool]]) -> list[dict[str, int]]:
    """For each line, the longest closing run of either mark on the lines below it."""
    longest = {"`": 0, "~": 0}
    below = []
    for run, bare in reversed(fences):
        below.append(longest)
        if bare and len(run) > longest[run[0]]:
            longest = {**longest, run[0]: len(run)}
    below.reverse()
    return below
