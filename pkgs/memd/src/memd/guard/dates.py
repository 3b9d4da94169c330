"""The date that every entry of decisions and mistakes begins with."""

from __future__ import annotations

import re

from memd.sections import earliest_date, marked_lines, split_sections

_ENTRY = re.compile(r"###[ \t]+(?=[^ \t\r\n])")


def dated(title: str, day: str) -> str:
    """`title` behind an ISO date: the one it begins with, else one it names, else `day`."""
    if earliest_date(title[:10]):
        return title
    return f"{earliest_date(title) or day} - {title}"


def date_entries(body: str, old: str, day: str) -> str:
    """`body` with a date in each `###` heading that was not in `old` without one."""
    known = {section.heading for section in split_sections(old)}
    return "".join(
        line if in_code or line.strip() in known else _dated_line(line, day)
        for line, in_code in marked_lines(body)
    )


def _dated_line(line: str, day: str) -> str:
    entry = _ENTRY.match(line)
    return f"### {dated(line[entry.end() :], day)}" if entry else line
