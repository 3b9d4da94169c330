"""Guard 4: every file within its budget, the overflow in the archive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from memd.model import MEMORY_FILES, ArchiveEntry
from memd.sections import Section, split_sections

_TITLE = re.compile(r"\s*# [^\n]*\s*")


class Rotated(NamedTuple):
    body: str
    moved: tuple[str, ...]
    """Texts taken out, verbatim, oldest first."""


def fit(
    bodies: Mapping[str, str], budgets: Mapping[str, int]
) -> tuple[dict[str, str], tuple[ArchiveEntry, ...]]:
    """The bodies that had to shrink, by file name, with what was taken out of them."""
    changed = {}
    archive: list[ArchiveEntry] = []
    for name in filter(bodies.__contains__, MEMORY_FILES):
        body, moved = rotate_body(bodies[name], budgets[name])
        if moved:
            changed[name] = body
            archive += (ArchiveEntry(name, text) for text in moved)
    return changed, tuple(archive)


def rotate_body(body: str, budget: int) -> Rotated:
    """Move the oldest sections out until `budget` characters hold the rest.

    The newest section stays, whatever its size. So does the text above the first one,
    unless that text alone is over the budget: then what follows its title is a section.
    """
    top, sections = _movable(body, budget)
    excess = len(body) - budget
    moved = []
    for index in _by_age(sections)[:-1]:
        if excess <= 0:
            break
        moved.append(index)
        excess -= len(sections[index].text)
    gone = set(moved)
    kept = (section.text for index, section in enumerate(sections) if index not in gone)
    return Rotated(top + "".join(kept), tuple(sections[index].text for index in moved))


def _movable(body: str, budget: int) -> tuple[str, tuple[Section, ...]]:
    sections = split_sections(body)
    if not sections or sections[0].heading:
        return "", sections
    top = sections[0].text
    if len(top) <= budget:
        return top, sections[1:]
    title = _TITLE.match(top)
    cut = title.end() if title else 0
    content = (Section("", top[cut:]),) if top[cut:] else ()
    return top[:cut], (*content, *sections[1:])


def _by_age(sections: tuple[Section, ...]) -> list[int]:
    """Places of the sections, oldest first.

    An undated section is as old as the nearest dated one above it, older than all dated
    ones when there is none; among equals the one nearer to the top is older.
    """
    date = ""
    dates = []
    for section in sections:
        date = section.date or date
        dates.append(date)
    return sorted(range(len(sections)), key=dates.__getitem__)
