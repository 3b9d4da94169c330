"""Those who write, ask, edit and kill, each in a thread of its own."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from e2e.machine import FAKE, Machine

from memd import inbox
from memd.paths import store_of

PROJECTS = 20
NOTE_WRITERS = 8


@dataclass
class Town:
    machine: Machine
    projects: list[Path]
    logs: list[tuple[Path, Path]]
    """Project and log of each session, two for each project."""
    promised: dict[str, Path] = field(default_factory=dict)
    """Each fact whose writer was done, with its project."""
    possible: dict[str, Path] = field(default_factory=dict)
    """Each whose writer was killed."""
    edits: dict[str, Path] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def found(machine: Machine) -> Town:
        projects = [machine.project(f"app{number}") for number in range(PROJECTS)]
        logs = [(app, machine.session(app, "hello")) for app in projects for _ in range(2)]
        town = Town(machine, projects, logs)
        town.curator("moody")
        return town

    def curator(self, mode: str) -> None:
        fake = [sys.executable, "-IS", str(FAKE), "--mode", mode, "--latency", "0.1"]
        self.machine.configure(
            curator_cmd=[*fake, "--record", str(self.machine.top / "prompts")],
            max_distills_per_day=0,
            budgets={"state.md": 2000, "decisions.md": 2000},
        )

    def figures(self) -> Iterator[str]:
        yield f"facts promised: {len(self.promised)}, hand edits: {len(self.edits)}"
        yield from (f"{name}: {count}" for name, count in sorted(self.counts.items()))


def _turns(over: threading.Event, chance: random.Random, seconds: float) -> Iterator[None]:
    while not over.wait(chance.uniform(0, 2 * seconds)):
        yield


def write_sessions(town: Town, over: threading.Event, chance: random.Random) -> None:
    for _ in _turns(over, chance, 0.3):
        app, log = chance.choice(town.logs)
        fact = f"FACT-s{uuid.uuid4().hex[:12]}"
        line = json.dumps(_record(app, log, fact)).encode() + b"\n"
        cut = chance.randrange(len(line))
        with log.open("ab", buffering=0) as file:
            file.write(line[:cut])
            over.wait(chance.uniform(0, 0.1))
            file.write(line[cut:])
        town.promised[fact] = app
        town.counts["session records"] += 1


def _record(app: Path, log: Path, text: str) -> dict[str, object]:
    return {
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "sessionId": log.stem,
        "cwd": str(app),
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "message": {"role": "user", "content": text},
    }


def write_notes(town: Town, over: threading.Event, chance: random.Random) -> None:
    for _ in _turns(over, chance, 2):
        app = chance.choice(town.projects)
        fact = f"FACT-n{uuid.uuid4().hex[:12]}"
        inbox.publish(store_of(str(app)), fact, now=time.time())
        town.promised[fact] = app
        town.counts["notes"] += 1


def edit_by_hand(town: Town, over: threading.Event, chance: random.Random) -> None:
    for _ in _turns(over, chance, 1):
        app, word = chance.choice(town.projects), f"HAND-{uuid.uuid4().hex[:12]}"
        day = time.strftime("%Y-%m-%d")
        path = app / ".memory" / "decisions.md"
        with path.open("a") as file:
            file.write(f"\n### {day} - {word}\n\nby hand\n")
        # Where memd took the old file away in between, the editor tells, and one saves again.
        if word in path.read_text():
            town.edits[word] = app
            town.counts["hand edits"] += 1


def run_commands(town: Town, over: threading.Event, chance: random.Random) -> None:
    """What people and timers start; one in three is killed."""
    for _ in _turns(over, chance, 0.5):
        app, fact = chance.choice(town.projects), f"FACT-c{uuid.uuid4().hex[:12]}"
        kind = chance.choice(("sweep", "sync", "sync", "note"))
        arguments = {
            "sweep": ["sweep"],
            "sync": ["sync", "--project", str(app)],
            "note": ["note", "-m", fact, "--project", str(app)],
        }[kind]
        code = _run(town, arguments, chance)
        town.counts[f"memd {kind}: {'killed' if code < 0 else 'ended'}"] += 1
        if kind == "note":
            (town.promised if code == 0 else town.possible)[fact] = app


def _run(town: Town, arguments: list[str], chance: random.Random) -> int:
    run = subprocess.Popen(
        ["memd", *arguments],
        env=town.machine.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return run.wait(chance.uniform(0.1, 1.5) if chance.random() < 0.33 else 120)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
    return run.wait(60)


ACTORS: tuple[Callable[[Town, threading.Event, random.Random], None], ...] = (
    write_sessions,
    edit_by_hand,
    run_commands,
    run_commands,
    *[write_notes] * NOTE_WRITERS,
)
