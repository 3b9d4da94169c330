"""The corpus of made-up secrets and of what only looks like one."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

_DIRECTORY = os.path.join(os.path.dirname(__file__), "data", "secrets")
_MARKED = re.compile("«(.*?)»", re.DOTALL)


class Sample(NamedTuple):
    rule: str
    surroundings: str
    marked: str
    """The text with « and » around what has to be replaced."""

    @property
    def text(self) -> str:
        return self.marked.replace("«", "").replace("»", "")

    @property
    def clean(self) -> str:
        return _MARKED.sub(f"[REDACTED:{self.rule}]", self.marked)

    @property
    def secrets(self) -> list[str]:
        return _MARKED.findall(self.marked)


def found() -> list[Sample]:
    return [_sample(block) for block in _read("found.txt").split("%% ")[1:]]


def kept() -> list[str]:
    return _read("kept.txt").splitlines()


def _sample(block: str) -> Sample:
    head, _, text = block.partition("\n")
    rule, _, surroundings = head.partition(" | ")
    marked = text[:-1].replace("¦", "").replace("␛", "\x1b")
    return Sample(rule, surroundings, marked)


def _read(name: str) -> str:
    with open(os.path.join(_DIRECTORY, name), encoding="utf-8") as file:
        return file.read()
