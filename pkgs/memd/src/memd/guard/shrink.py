"""Guard 3: what a reply takes away has to stand somewhere else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memd.errors import Rejected
from memd.sections import split_sections

_SMALL = 300
_LIMIT = 0.6
_ITEM_MARKS = re.compile(r"\A[-*+] (?:\[[ xX]\] )?")


class Line(NamedTuple):
    heading: str
    """Of the section it stands in."""
    text: str
    """Without list marks and check box, white space made single: ticking an item off and
    indenting it anew leave it the same line."""


def check(old: Mapping[str, str], new: Mapping[str, str], archive: Iterable[str]) -> None:
    """Raises Rejected when a body of `new` lacks more than 60 % of its old text and not all
    of that stands in the archive entries.

    Both mappings hold bodies by file name; bodies under 300 characters may go. Counted are
    lines, each as often as it stands there. A line is not lost while it stands in the same
    file, came into another one with the same reply, or was reworded: three quarters of it are
    words of new lines below the same heading.
    """
    elsewhere = sum((_gained(old[name], new[name]) for name in new), Counter[str]())
    archived = Counter(line.text for text in archive for line in _lines(text))
    for name in filter(new.__contains__, old):
        lost = _lost(old[name], new[name], elsewhere)
        total = sum(len(line.text) for line in _lines(old[name]))
        if len(old[name]) < _SMALL or sum(map(len, lost)) <= _LIMIT * total:
            continue
        if not all(_take(archived, text) for text in lost):
            raise Rejected(
                f"reply rejected (guard 3): {name} would lose more than 60 % of its text and"
                " not all of that stands in the archive entries; the file stays as it is"
            )


def _gained(old: str, new: str) -> Counter[str]:
    return _texts(new) - _texts(old)


def _lost(old: str, new: str, elsewhere: Counter[str]) -> list[str]:
    """Lines of `old` that neither stayed nor were moved or reworded."""
    here = _texts(new)
    gone = [
        line
        for line in _lines(old)
        if not _take(here, line.text) and not _take(elsewhere, line.text)
    ]
    words = _new_words(old, new)
    return [line.text for line in gone if not _reworded(line, words)]


def _new_words(old: str, new: str) -> dict[str, Counter[str]]:
    """Words of the lines that are new, by the heading they stand below."""
    there = _texts(old)
    words: dict[str, Counter[str]] = {}
    for line in _lines(new):
        if not _take(there, line.text):
            words.setdefault(line.heading, Counter()).update(line.text.split())
    return words


def _reworded(line: Line, words: Mapping[str, Counter[str]]) -> bool:
    """Whether three quarters of the line are new words, which are then used up."""
    mine = Counter(line.text.split())
    found = mine & words.get(line.heading, Counter())
    if 4 * _size(found) < 3 * _size(mine):
        return False
    words[line.heading].subtract(found)
    return True


def _size(words: Counter[str]) -> int:
    return sum(len(word) * times for word, times in words.items())


def _take(supply: Counter[str], text: str) -> bool:
    if supply[text] <= 0:
        return False
    supply[text] -= 1
    return True


def _texts(body: str) -> Counter[str]:
    return Counter(line.text for line in _lines(body))


def _lines(body: str) -> Iterator[Line]:
    for section in split_sections(body):
        for line in section.text.split("\n"):
            text = _ITEM_MARKS.sub("", " ".join(line.split()))
            if text:
                yield Line(section.heading, text)
