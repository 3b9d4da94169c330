"""A backlog worked off through the command line, curator and history included."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from bench import transcripts
from bench.machine import Machine
from bench.table import Row


def rows(place: Path, quick: bool) -> Iterator[Row]:
    size = 12_000_000 if quick else 50_000_000
    machine = Machine(place, max_distills_per_day=0)
    machine.adopt(1)
    facts = transcripts.write(machine, 0, 10, size // 10)
    begun = time.perf_counter()
    while "nothing new" not in machine.memd("sync", "-p", str(machine.root(0))):
        continue
    took = time.perf_counter() - begun
    passes = len(machine.prompts())
    work = f"backlog of {size / 1e6:.0f} MB through memd sync, {passes} passes in {took:.1f} s"
    share = len(facts & machine.seen()) / len(facts)
    yield Row(work, f"{share:.2%}", "", "100 % of the facts", share == 1)
