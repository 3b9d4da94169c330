"""The only place that makes clean text: it redacts secrets, then cuts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from memd.model import CleanText
from memd.redact_rules import RULES
from memd.redact_scan import Keywords, lower

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NAMES: Final = "|".join(dict.fromkeys(rule.name for rule in RULES))
_MARK: Final = re.compile(rf"\[REDACTED:(?:{_NAMES}|extra_[0-9]{{1,4}})\]")
_PASSES: Final = 4
_TAIL: Final = re.compile("[A-Za-z0-9_]*")
_RANKS: Final = {
    word: [(rank, rule.leads) for rank, rule in enumerate(RULES) if word in rule.keywords]
    for word in {word for rule in RULES for word in rule.keywords}
}
_KEYWORDS: Final = Keywords(_RANKS)


class _Found(NamedTuple):
    start: int
    end: int
    rank: int
    """Of the rule, the foremost is 0."""


class Redactor:
    """Replaces what looks like a secret by `[REDACTED:<rule>]`; changes nothing around it.

    All rules look at the same text; where their finds overlap, the whole stretch is replaced once
    and named by the foremost rule. Marks that are already there stay. A text in which something
    was found is looked at again, since one secret can hide the beginning of another.
    """

    def __init__(self, extra_patterns: Sequence[str] = (), *, only: Collection[str] = ()) -> None:
        """`extra_patterns` become the rules extra_1, extra_2, ...; their whole match is replaced.

        With `only`, of memd's own rules those of these names alone are asked. Raises
        ValueError, one line that names the pattern, for an invalid one.
        """
        self.fired: Counter[str] = Counter()
        """How often each rule fired since creation; never what it matched."""
        self._extra = [_compiled(pattern) for pattern in extra_patterns]
        self._only = frozenset(only)
        self._names = [rule.name for rule in RULES]
        self._names += [f"extra_{number}" for number, _ in enumerate(self._extra, 1)]

    def clean(self, text: str) -> CleanText:
        """Redact, and turn lone surrogates into U+FFFD. Cleaning clean text changes nothing."""
        return CleanText(self._repeated(_valid(text), _PASSES))

    def excerpt(self, text: str, limit: int) -> CleanText:
        """Redact the whole, then keep a head and a tail of at most `limit` characters in all.

        Between them stands how many characters of the redacted text are missing. A limit below
        60 may be exceeded by that notice. No mark of a redaction is cut.
        """
        clean = self.clean(text)
        if len(clean) <= limit:
            return clean
        room = max(0, limit - len(_left_out(len(clean))))
        marks = _marks(clean)
        tail = _tail_start(marks, len(clean), room)
        head = _head_end(marks, room - (len(clean) - tail))
        return CleanText(clean[:head] + _left_out(tail - head) + clean[tail:])

    def _asks(self, rank: int) -> bool:
        return not self._only or self._names[rank] in self._only

    def _repeated(self, text: str, passes: int) -> str:
        once = self._once(text)
        return once if once == text or passes == 1 else self._repeated(once, passes - 1)

    def _once(self, text: str) -> str:
        marks = _marks(text)
        marked = {at for mark in marks for at in range(*mark)}
        kept = (_Found(*mark, len(self._names)) for mark in marks)
        pieces: list[str] = []
        position = 0
        for found in _united([*self._search(text, marked), *kept]):
            if (found.start, found.end) not in marks:
                name = self._names[found.rank]
                self.fired[name] += 1
                pieces += [text[position : found.start], f"[REDACTED:{name}]"]
                position = found.end
        return "".join([*pieces, text[position:]])

    def _search(self, text: str, marked: set[int]) -> Iterator[_Found]:
        for rank, match in _matches(text, marked):
            group = match.lastindex or 0
            if self._asks(rank) and (group or not match.re.groups):
                start, end = match.span(group)
                yield _Found(start, _run_end(text, end), rank)
        for rank, pattern in enumerate(self._extra, len(RULES)):
            for match in pattern.finditer(text):
                if match.group():
                    yield _Found(*match.span(), rank)


def join(separator: str, parts: Iterable[CleanText]) -> CleanText:
    """Clean texts with one of memd's own separators between them."""
    return CleanText(separator.join(parts))


def literal(text: str) -> CleanText:
    """memd's own fixed words; never text from outside."""
    return CleanText(text)


def _matches(text: str, marked: set[int]) -> Iterator[tuple[int, re.Match[str]]]:
    """Of a rule that begins with its keyword only the places of that are looked at.

    No match begins within a mark, the names in which hold keywords.
    """
    ends: dict[int, int] = {}
    anywhere: set[int] = set()
    for at, word in sorted(_KEYWORDS.places(lower(text))):
        for rank, leads in _RANKS[word] if at not in marked else ():
            if not leads:
                anywhere.add(rank)
            elif at >= ends.get(rank, 0) and (match := _pattern(rank).match(text, at)):
                ends[rank] = match.end()
                yield rank, match
    for rank in anywhere:
        for match in _pattern(rank).finditer(text):
            if match.start() not in marked:
                yield rank, match


def _run_end(text: str, at: int) -> int:
    """So that what stands behind a mark never looks like the beginning of a token."""
    match = _TAIL.match(text, at)
    return match.end() if match else at


@cache
def _pattern(rank: int) -> re.Pattern[str]:
    return re.compile(RULES[rank].pattern, re.ASCII)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern!r} is not a valid regular expression: {error}") from None


def _valid(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _marks(text: str) -> set[tuple[int, int]]:
    return {match.span() for match in _MARK.finditer(text)} if "[REDACTED:" in text else set()


def _united(finds: Iterable[_Found]) -> list[_Found]:
    """In order; finds that overlap made one, with the foremost rank among them."""
    united: list[_Found] = []
    for found in sorted(finds):
        if united and found.start < united[-1].end:
            last = united[-1]
            end, rank = max(last.end, found.end), min(last.rank, found.rank)
            united[-1] = _Found(last.start, end, rank)
        else:
            united.append(found)
    return united


def _left_out(missing: int) -> str:
    return f" [... {missing} characters left out ...] "


def _tail_start(marks: Iterable[tuple[int, int]], size: int, room: int) -> int:
    """Half of `room` before the end; more where a mark would be cut, less where that is no use."""
    middle = size - (room + 1) // 2
    for start, end in marks:
        if start < middle < end:
            return start if size - start <= room else end
    return middle


def _head_end(marks: Iterable[tuple[int, int]], end: int) -> int:
    return next((start for start, stop in marks if start < end < stop), end)
