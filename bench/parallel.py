"""A sweep that waits for a curator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.machine import Machine
from bench.sample import sample
from bench.table import Row

_JOBS, _LATENCY = 4, 1
_REST = 0.4
"""Seconds beyond those in which the curator alone would be through."""


def rows(place: Path, quick: bool) -> Iterator[Row]:
    projects = 4 if quick else 16
    machine = Machine(place, "--latency", str(_LATENCY))
    machine.adopt(projects)
    for number in range(projects):
        machine.memd("note", "-p", str(machine.root(number)), "-m", f"NOTE-{number}-0")
    with machine.kept(range(projects)) as kept:
        sweep = machine.command("sweep", "--jobs", str(_JOBS))
        runs = 1 if quick else 3
        work = f"sweep of {projects} projects, a curator of {_LATENCY} s, {_JOBS} jobs"
        found = sample(sweep, machine.env, count=runs, before=kept.restore, warm=0)
    yield found.waits_within(work, projects / _JOBS * _LATENCY + _REST)
    calls, most = len(machine.prompts()), machine.most_at_once()
    met = most <= _JOBS and calls == runs * projects
    yield Row(f"{work}: calls at once", f"{most} of {calls}", "", f"at most {_JOBS}", met)
