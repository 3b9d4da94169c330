"""What a client or a person waits for, in one small project."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from bench import transcripts
from bench.machine import Machine
from bench.sample import JSON, sample
from bench.table import Row

HOOK_TIMES, HOOK_PEAK, ABOVE = 1.6, 15, 0.2
_SYNC_TAKES = 0.7
"""Seconds that the sync in the background is given to be out of the way."""


def rows(place: Path, quick: bool) -> Iterator[Row]:
    machine = Machine(place)
    machine.adopt(1)
    transcripts.write(machine, 0, 10, 20_000, tool_max=2_000)
    yield from session_start(machine, 1, 5 if quick else 15)
    root = str(machine.root(0))
    while "nothing new" not in machine.memd("sync", "-p", root):
        continue
    end = payload(machine, 0, "SessionEnd")
    hook = sample(
        machine.command("hook", "session-end"),
        machine.env,
        count=3 if quick else 10,
        stdin=end,
        bare=JSON,
        before=lambda: time.sleep(_SYNC_TAKES),
    )
    yield hook.times("hook session-end returns", HOOK_TIMES)
    yield hook.small("hook session-end", HOOK_PEAK)
    time.sleep(_SYNC_TAKES)
    for work, arguments in (
        ("brief", ("brief", root)),
        ("status", ("status",)),
        ("sync, nothing to do", ("sync", "-p", root)),
        ("note", ("note", "-p", root, "-m", "a fact")),
    ):
        command = machine.command(*arguments)
        found = sample(command, machine.env, count=3 if quick else 9)
        yield found.little_above(work, ABOVE)


def session_start(machine: Machine, projects: int, count: int) -> Iterator[Row]:
    start = payload(machine, projects // 2, "SessionStart")
    command = machine.command("hook", "session-start")
    hook = sample(command, machine.env, count=count, stdin=start, bare=JSON)
    yield hook.times(f"hook session-start, {projects} projects", HOOK_TIMES)
    yield hook.small(f"hook session-start, {projects} projects", HOOK_PEAK)


def payload(machine: Machine, number: int, event: str) -> str:
    told = {"session_id": "s", "cwd": str(machine.root(number)), "hook_event_name": event}
    return json.dumps({**told, "source": "startup", "reason": "exit"})
