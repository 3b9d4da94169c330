"""Reading a large backlog to its end: how fast, in how much memory, and whether all of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import transcripts
from bench.machine import Machine
from bench.table import Row

_RATE, _PEAK = 400, 80


def rows(place: Path, quick: bool) -> Iterator[Row]:
    size = 30_000_000 if quick else 1_000_000_000
    machine = Machine(place, git_commit=False)
    machine.adopt(1)
    facts = transcripts.write(machine, 0, 10, size // 10)
    shown = f"{size / 1e9:g} GB"
    yield from _read(machine, f"digest of {shown} in ten files", facts)
    transcripts.joined(machine)
    yield from _read(machine, f"digest of {shown} in one file", facts)


def _read(machine: Machine, work: str, facts: set[str]) -> Iterator[Row]:
    command = (sys.executable, "-m", "bench.digest_all", str(machine.root(0)))
    done = subprocess.run(command, env=machine.env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout)
    rate = transcripts.total(machine) / 1e6 / found["cpu"]
    share = len(facts & set(found["facts"])) / len(facts)
    passes = f"{found['passes']} passes"
    yield Row(work, f"{rate:.0f} MB/s", passes, f"{_RATE} MB/s on one core", rate >= _RATE)
    peak = found["peak"]
    yield Row(f"{work}, peak", f"{peak:.1f} MiB", "", f"under {_PEAK} MiB", peak < _PEAK)
    yield Row(f"{work}, facts shown", f"{share:.2%}", "", "100 %", share == 1)
