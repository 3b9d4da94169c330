"""Runs of whole processes, side by side with a bare interpreter.

A command that waits for nobody is judged by its processor time, on the scale of a machine
whose bare interpreter takes 11 ms: other work on the machine makes the clock useless and
slows the processor down, too. What the clock said stands in brackets.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.table import Row

BARE = (sys.executable, "-c", "pass")
_BARE_TAKES = 0.011
"""Seconds, where the goals were set."""
RUNNER = str(Path(__file__).with_name("runner.py"))
JSON = (sys.executable, "-c", "import json")


@dataclass(frozen=True, slots=True)
class Run:
    wall: float
    cpu: float
    """Seconds of the process and of the children it waited for."""
    peak: float
    """MiB of the largest single process."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Runs of one command, and of others that were begun right before each."""

    runs: tuple[Run, ...]
    bare: tuple[Run, ...]

    @property
    def wall(self) -> float:
        return statistics.median(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak(self) -> float:
        return statistics.median(run.peak for run in self.runs)

    @property
    def ratio(self) -> float:
        return self.cpu / statistics.median(bare.cpu for bare in self.bare)

    @property
    def seconds(self) -> float:
        """Of processor time, where the bare interpreter takes as long as it should."""
        return self.ratio * _BARE_TAKES

    def within(self, work: str, goal: float) -> Row:
        return self._row(work, f"at most {goal:g} s", self.seconds <= goal)

    def waits_within(self, work: str, goal: float) -> Row:
        shown = f"{self.wall * 1000:.0f} ms by the clock"
        return Row(work, shown, "", f"at most {goal:g} s", self.wall <= goal)

    def little_above(self, work: str, goal: float) -> Row:
        above = self.seconds - _BARE_TAKES
        return self._row(work, f"{goal * 1000:.0f} ms above bare", above <= goal)

    def times(self, work: str, goal: float) -> Row:
        shown = f"{self.ratio:.2f} x ({self.wall * 1000:.0f} ms)"
        return Row(work, shown, "", f"at most {goal:g} x import json", self.ratio <= goal)

    def small(self, work: str, goal: float) -> Row:
        peak = f"{self.peak:.1f} MiB"
        return Row(f"{work}, peak", peak, "", f"under {goal:g} MiB", self.peak < goal)

    def _row(self, work: str, goal: str, met: bool) -> Row:
        shown = f"{self.seconds * 1000:.0f} ms ({self.wall * 1000:.0f})"
        return Row(work, shown, f"{self.ratio:.1f}", goal, met)


def run(argv: Sequence[str], env: Mapping[str, str], stdin: str = "") -> Run:
    """One run, its output thrown away; a failure ends the benchmark."""
    through = (sys.executable, "-IS", RUNNER, *argv)
    done = subprocess.run(
        through, env=env, input=stdin, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} failed: {done.stderr}")
    return Run(*map(float, done.stdout.split()))


def sample(
    argv: Sequence[str],
    env: Mapping[str, str],
    *,
    count: int,
    stdin: str = "",
    bare: Sequence[str] = BARE,
    before: Callable[[], object] = lambda: None,
    warm: int = 1,
) -> Sample:
    """`count` runs, each after one of `bare`; `before` makes ready for each run."""
    pairs = []
    for _ in range(warm + count):
        before()
        pairs.append((run(bare, env), run(argv, env, stdin)))
    bares, runs = zip(*pairs[warm:], strict=True)
    return Sample(runs, bares)
