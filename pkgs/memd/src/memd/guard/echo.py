"""Guard 9: the prompt handed back as memory."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memd.digest_text import read_events

_STRETCH = 600
"""Characters of session prose in one piece, white space apart, that no curator needs to quote."""
_WINDOW = 40
_FRAME_LINES = 3
_FENCE = re.compile(r"(?:Fence token: |<<<|>>>)\w+(?: [a-z. ]+)?")
_FRAME = re.compile(r"\[(?:session|note)\b.*\]|[A-Z]: .+")
_NO_PROSE = re.compile(r"\s*(?:[-*+] |[0-9]{1,3}[.)] |#{1,6} |\|)")
_LABEL = re.compile(r"\A[A-Z]: ")


class Shown:
    """What a curator saw, in the forms that an echo of it takes."""

    def __init__(self, text: str, memory: Collection[str], sessions: str) -> None:
        """`text` is a prompt, `memory` and `sessions` are what it holds of those."""
        lines = set(map(str.rstrip, text.split("\n"))).difference(*map(_lines, memory))
        self._fences = {line for line in lines if _FENCE.fullmatch(line)}
        self._frames = {line for line in lines if _FRAME.fullmatch(line)}
        said = "\n".join(event.text for event in read_events(sessions))
        self._windows = set(_windows(said)).difference([""], *map(_windows, memory))

    def is_echoed_in(self, text: str) -> bool:
        """Whether `text` holds a fence of the prompt, several lines of the digest's own form,
        or a long stretch of what was said in a session.

        What stands in notes and in the memory may be repeated at any length; so may lists,
        tables and headings.
        """
        lines = _lines(text)
        frames = sum(line in self._frames for line in lines)
        fenced = not self._fences.isdisjoint(lines)
        return fenced or frames >= _FRAME_LINES or self._has_stretch_of(text)

    def _has_stretch_of(self, text: str) -> bool:
        run = 0
        for window in _windows(text):
            run = run + 1 if window in self._windows else 0
            if run > _STRETCH - _WINDOW:
                return True
        return False


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _windows(text: str) -> Iterator[str]:
    """Each piece of `_WINDOW` characters of the prose, and "" where a stretch of it ends."""
    for prose in _stretches(text):
        yield from (prose[at : at + _WINDOW] for at in range(len(prose) - _WINDOW + 1))
        yield ""


def _stretches(text: str) -> Iterator[str]:
    """Prose between lists, tables and headings, without white space and labels."""
    words: list[str] = []
    for line in text.split("\n"):
        if _NO_PROSE.match(line):
            yield "".join(words)
            words = []
        else:
            words += _LABEL.sub("", line).split()
    yield "".join(words)
