"""Many writers of notes, and one sync that reads them all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.machine import Machine
from bench.table import Row

_WRITERS = 8
_SHARE = 1.5
"""Of the time that the same writers take for the bare calls of the system."""
_AROUND = 20_000
"""Characters of a prompt beside its digest."""
_CAP = 60_000


def rows(place: Path, quick: bool) -> Iterator[Row]:
    each = 25 if quick else 125
    total = each * _WRITERS
    machine = Machine(place, git_commit=False)
    machine.adopt(1)
    store = machine.memory(0)
    (place / "inbox").mkdir()
    bare = _written(machine, "bare", str(place), each)
    ours = _written(machine, "memd", str(store), each)
    work = f"{total} notes by {_WRITERS} writers"
    ratio = ours / bare
    goal = f"{_SHARE} x the bare calls"
    yield Row(work, f"{total / ours:.0f} notes/s", f"{ratio:.1f}", goal, ratio <= _SHARE)
    lost = total - len(list((store / "inbox").glob("*.md")))
    syncs = 0
    while any((store / "inbox").glob("*.md")) and syncs < total:
        machine.memd("sync", "-p", str(machine.root(0)))
        syncs += 1
    lost += total - len(machine.seen())
    yield Row(f"{work}: lost", f"{lost} after {syncs} syncs", "", "none", lost == 0)
    largest = max(machine.prompts())
    met = largest <= _CAP + _AROUND
    yield Row(f"{work}: largest prompt", f"{largest:,} bytes", "", f"{_CAP + _AROUND:,}", met)


def _written(machine: Machine, how: str, store: str, each: int) -> float:
    """Seconds that the writers needed from their common start to the end of the last one."""
    argv = (sys.executable, "-m", "bench.writer", how, store, str(each))
    writers = [
        subprocess.Popen(
            [*argv, str(number)],
            env=machine.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(_WRITERS)
    ]
    for writer in writers:
        _ready(writer)
    told = [writer.communicate("go\n")[0] for writer in writers]
    spans = [json.loads(text) for text in told]
    return float(max(end for _, end in spans) - min(begin for begin, _ in spans))


def _ready(writer: subprocess.Popen[str]) -> None:
    """Wait until it is."""
    if writer.stdout:
        writer.stdout.readline()
