"""Which project a session is about when all it has is words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from os.path import commonprefix
from typing import Final

_ENOUGH: Final = 3


class Mentions:
    """Counts how often texts name directories, at the borders of a path.

    `/p/app` is named by `/p/app/a.ts` and `file:///p/app`, not by `/p/app-web`,
    `/p/app.old` or `/mnt/p/app`. Of nested directories the deepest is the one that is named.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        longest_first = sorted((root for root in roots if root != "/"), key=len, reverse=True)
        self._pattern = _pattern(longest_first) if longest_first else None
        self._counts: Counter[str] = Counter()

    def add(self, text: str) -> None:
        if self._pattern:
            self._counts.update(self._pattern.findall(text))

    def winner(self) -> str | None:
        """The directory named most often, three times at least; None for a tie."""
        first, second = (*self._counts.most_common(2), ("", 0), ("", 0))[:2]
        return first[0] if first[1] >= _ENOUGH and first[1] > second[1] else None


def _pattern(longest_first: list[str]) -> re.Pattern[str]:
    """What stands in front of a path is looked at last: `re` is ten times as fast in looking
    for a pattern that begins with a fixed text."""
    common = commonprefix(longest_first)  # noqa: RUF071 - characters, not whole names
    begin = re.escape(common)
    rest = "|".join(re.escape(root[len(common) :]) for root in longest_first)
    return re.compile(rf"{begin}(?<![\w.~-]{begin})(?:{rest})(?![\w-]|\.\w)")
