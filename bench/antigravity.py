"""Conversations of Antigravity, looked at for the first time and again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench import conversations
from bench.machine import Machine
from bench.sample import sample
from bench.table import Row

_FIRST, _IDLE = 1.5, 0.3


def rows(place: Path, quick: bool) -> Iterator[Row]:
    count, projects = (20, 5) if quick else (200, 50)
    machine = Machine(place, git_commit=False)
    machine.adopt(projects)
    size = conversations.write(machine, count, projects, steps=120)
    index = machine.state / "ag_index.json"
    status = machine.command("status")
    runs = 2 if quick else 3
    first = sample(
        status, machine.env, count=runs, before=lambda: index.unlink(missing_ok=True), warm=0
    )
    idle = sample(status, machine.env, count=runs + 2)
    what = f"{count} antigravity databases x {projects} projects ({size / 1e6:.0f} MB)"
    yield first.within(f"first read of {what}", _FIRST)
    yield idle.within("again, nothing changed", _IDLE)
