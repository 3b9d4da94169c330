"""What was measured, held against what it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    work: str
    median: str
    ratio: str
    """To the bare interpreter in the same run, where that says anything."""
    goal: str
    met: bool

    def cells(self) -> tuple[str, ...]:
        return self.work, self.median, self.ratio, self.goal, "yes" if self.met else "NO"


_HEAD = ("work", "median", "x bare", "goal", "met")


def line(row: Row) -> str:
    return "  ".join(row.cells())


def show(rows: Sequence[Row]) -> str:
    table = [_HEAD, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in table]
    missed = sum(not row.met for row in rows)
    return "\n".join(["", *lines, "", f"{len(rows)} goals, {missed} missed"])
