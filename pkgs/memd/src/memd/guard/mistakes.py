"""Guard 2: the log of mistakes only grows, by entries that are new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memd.guard.dates import dated
from memd.sections import marked_lines, open_fence, split_sections

_TITLE_CHARS = 80
_HEADING = re.compile(r"#{1,6}(?![^ \t\r\n])")
_DATED_HEADING = re.compile(r"#{1,3}[ \t]+(?=[0-9]{4}-[0-9]{2}-[0-9]{2})")
_ENTRY_LEVEL = re.compile(r"\A#{1,3}(?![^ \t\r\n])")
_LINE_MARKS = re.compile(r"\A(?:(?:[-*+>]|#{1,6})[ \t]+)+")


def new_entries(old: str, told: Iterable[str], day: str) -> tuple[str, ...]:
    """Entries to append to `old`, each behind its own `### YYYY-MM-DD - title`.

    A text is one entry, and one more for every dated heading further down; its other
    headings become parts of the entry. What has no line that is new, and entries whose
    heading line is in `old` or came before, are left out.
    """
    known = _lines(old)
    taken = {section.heading for section in split_sections(old)}
    entries = []
    for part in _parts(told):
        entry = _entry(part, day)
        heading = entry.partition("\n")[0]
        if heading not in taken and not _lines(part) <= known:
            taken.add(heading)
            entries.append(entry)
    return tuple(entries)


def append(old: str, entries: Iterable[str]) -> str:
    """`old` verbatim, then the entries, a blank line before each."""
    gap = "" if not old or old.endswith("\n\n") else "\n" if old.endswith("\n") else "\n\n"
    return f"{old}{gap}" + "\n\n".join(entries) + "\n"


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n")}


def _parts(told: Iterable[str]) -> Iterator[str]:
    for text in told:
        parts: list[list[str]] = [[]]
        for line, in_code in marked_lines(_closed(text.strip())):
            if _DATED_HEADING.match(line) and not in_code:
                parts.append([])
            parts[-1].append(line)
        yield from filter(None, ("".join(part).strip() for part in parts))


def _closed(text: str) -> str:
    """`text` with its code closed, so that it cannot swallow the entries after it."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text


def _entry(part: str, day: str) -> str:
    first, _, rest = part.partition("\n")
    heading = _HEADING.match(first)
    title = first[heading.end() :].strip() if heading else ""
    if not title:
        title, rest = _first_words(rest.strip() if heading else part)
    return f"### {dated(title, day)}\n{_demoted(rest)}".rstrip()


def _first_words(text: str) -> tuple[str, str]:
    """A title from the first line, and what is left to stand below it."""
    first, _, rest = text.partition("\n")
    title = _LINE_MARKS.sub("", first).strip()
    if not any(map(str.isalnum, title)) or marked_lines(text)[0][1]:
        return "Untitled", f"\n{text}"
    if len(title) > _TITLE_CHARS:
        return f"{title[:_TITLE_CHARS].rpartition(' ')[0] or title[:_TITLE_CHARS]}...", f"\n{text}"
    return title, rest if rest.startswith("\n") else f"\n{rest}"


def _demoted(text: str) -> str:
    """`text` with headings that would end the entry made smaller."""
    return "".join(
        line if in_code else _ENTRY_LEVEL.sub("####", line) for line, in_code in marked_lines(text)
    )
