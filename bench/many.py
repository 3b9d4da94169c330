"""Very many projects in which nothing happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from bench import commands, transcripts
from bench.machine import Machine
from bench.sample import Sample, sample
from bench.table import Row

_EACH = 10
_STATUS, _SWEEP, _SWEEP_PEAK = 0.6, 1.0, 60
_FIXED = 0.3
"""Seconds of the goal that do not depend on the number of projects."""
_SLOPE = 1.3
"""How much more a project may cost among many than among few."""


def rows(place: Path, quick: bool) -> Iterator[Row]:
    sizes = (1, 10, 50) if quick else (1, 100, 500)
    count = 3 if quick else 5
    machines = [_machine(place / str(size), size) for size in sizes]
    many, large = sizes[-1], machines[-1]
    yield from commands.session_start(large, many, 2 * count)
    for command, goal in (("status", _STATUS), ("sweep", _SWEEP)):
        found = [sample(m.command(command), m.env, count=count) for m in machines]
        work = f"{command}, {many} projects, {many * _EACH} transcripts, idle"
        yield found[-1].within(work, _FIXED + (goal - _FIXED) * many / 500)
        if not quick:
            yield _linear(work, sizes, found)
    at_many = found[-1]
    yield at_many.small(work, _SWEEP_PEAK)
    opened = _opened(large)
    yield Row(f"{work}: opened", f"{opened} transcripts", "", "none", opened == 0)


def _machine(place: Path, count: int) -> Machine:
    # Nobody reads the history here, and a git for each project takes minutes.
    machine = Machine(place, git_commit=False)
    machine.adopt(count)
    for number in range(count):
        transcripts.write(machine, number, _EACH, 10_000, tool_max=1_000)
    machine.take_as_read()
    return machine


def _linear(work: str, sizes: Sequence[int], found: Sequence[Sample]) -> Row:
    """Seconds for each further project among many, as a multiple of those among few."""
    steps = zip(pairwise(found), pairwise(sizes), strict=True)
    few, many = ((b.seconds - a.seconds) / (n - m) for (a, b), (m, n) in steps)
    slope = many / few
    return Row(f"{work}: linear", f"{slope:.2f} x", "", f"at most {_SLOPE} x", slope <= _SLOPE)


def _opened(machine: Machine) -> int:
    """How many transcripts one more sweep opens."""
    watched = (sys.executable, "-m", "bench.opened", "sweep")
    done = subprocess.run(watched, env=machine.env, capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1])
