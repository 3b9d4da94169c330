"""Where many keywords stand in a text, at little cost where there are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_ANCHORS: Final = '-$kz_3+q1w2j=bx*0v87~:."\\/'
"""Characters that are rare in sessions, best ones first: the scan stops at these only."""


class Keywords:
    """A fixed set of lower-case words.

    Most are found in one scan. It runs over the text read backwards, since vendors' prefixes end
    in a rare character: it stops at that one and goes on to the letters before it.
    """

    def __init__(self, words: Iterable[str]) -> None:
        words = sorted(set(words))
        self._single = [word for word in words if _anchor(word) is None]
        self._order, self._pattern = _compiled([word for word in words if _anchor(word)])

    def places(self, lowered: str) -> Iterator[tuple[int, str]]:
        """Each place of each word in a text in lower case."""
        for word in self._single:
            at = lowered.find(word)
            while at >= 0:
                yield at, word
                at = lowered.find(word, at + 1)
        size = len(lowered)
        for match in self._pattern.finditer(lowered[::-1]):
            for word, right in self._order[(match.lastindex or 0) - 1]:
                at = size - match.start() - right
                if lowered.startswith(word, at):
                    yield at, word


def lower(text: str) -> str:
    """ASCII letters in lower case; every character stays where it is."""
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _anchor(word: str) -> str | None:
    return next((character for character in _ANCHORS if character in word), None)


def _compiled(words: list[str]) -> tuple[list[list[tuple[str, int]]], re.Pattern[str]]:
    """A pattern with empty groups, and for each group the words that may stand there.

    With a word goes how far its beginning is left of the end of its anchor.
    """
    order: list[list[tuple[str, int]]] = []
    groups: list[str] = []
    for anchor in reversed(_ANCHORS):
        lefts: dict[str, list[str]] = {}
        for word in words:
            if _anchor(word) == anchor:
                lefts.setdefault(word[: word.rindex(anchor)], []).append(word)
        if lefts:
            groups.append(f"{re.escape(anchor)}(?={_tree(lefts, '', order)})")
    return order, re.compile("|".join(groups))


def _tree(lefts: dict[str, list[str]], left: str, order: list[list[tuple[str, int]]]) -> str:
    """What may stand left of an anchor, letter by letter, long ones first."""
    letters = {other[-len(left) - 1] for other in lefts if other.endswith(left) and other != left}
    branches = [
        re.escape(letter) + _tree(lefts, letter + left, order) for letter in sorted(letters)
    ]
    if left in lefts:
        chain = [word for other in lefts if left.endswith(other) for word in lefts[other]]
        order.append([(word, len(left) + 1) for word in chain for left in [_left(word)]])
        branches.append(_rights(lefts[left]) + "()")
    return f"(?:{'|'.join(branches)})"


def _left(word: str) -> str:
    return word[: word.rindex(_anchor(word) or "")]


def _rights(words: list[str]) -> str:
    """A check of what stands to the right of the anchor, where every word asks for something."""
    if any(_left(word) == word[:-1] for word in words):
        return ""
    return f"(?:{'|'.join(f'(?<={re.escape(word[::-1])})' for word in words)})"
