"""The real command line, killed at random moments: every fact is kept, once, and paid once."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crash.victim import Victim, hook_call
from e2e.conftest import machine  # noqa: F401 - a fixture
from e2e.machine import Machine
from fakes.curator import new_facts

from memd import inbox, runtime
from memd.frontmatter_split import split
from memd.marks import Request
from memd.model import MEMORY_FILES, Busy, NothingNew
from memd.paths import store_of
from memd.state import ledger
from memd.store import history
from memd.sync import sync

PARTS = 4
KILLS = int(os.environ.get("CRASH_KILLS", "240"))
STEPS = 25
"""Disturbed commands after which a new project is begun: the journal holds no more."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_kill_loses_or_doubles_anything(
    part: int,
    machine: Machine,  # noqa: F811
    record_property: Callable[[str, object], None],
) -> None:
    victim = Victim(machine, random.Random(f"{os.environ['CRASH_SEED']}-{part}"))
    victim.prepare()
    wrong: list[str] = []
    while victim.kills < KILLS / PARTS:
        wrong += _Round(victim, f"p{part}r{victim.kills}").wrongs()
    record_property("random kills", victim.kills)
    record_property("violations", len(wrong))
    assert not wrong, "\n".join([f"{len(wrong)} violations", *wrong[:20]])


class _Round:
    def __init__(self, victim: Victim, name: str) -> None:
        self._victim, self._machine, self._name = victim, victim.machine, name
        self._app = victim.machine.project(name)
        self._store = Path(store_of(str(self._app)))
        self._facts: dict[str, int] = {}
        """Each with the number of kills before it was there."""

    def wrongs(self) -> list[str]:
        wrong: list[str] = []
        for step in range(1, STEPS + 1):
            if self._victim.kills >= KILLS / PARTS:
                break
            what = self._disturb(step)
            where = f"{self._name}, step {step}, {what}"
            wrong += [
                f"{where}: {text}" for text in (*self._torn(), *self._recover(), *self._bad())
            ]
        return wrong

    def _disturb(self, step: int) -> str:
        chance = self._victim.chance
        log = self._machine.session(self._app, self._fact(f"s{step}"))
        if chance.random() < 0.5:
            inbox.publish(str(self._store), self._fact(f"n{step}"), now=time.time())
        what = chance.choices(("sync", "sweep", "note", "init", "hook"), (6, 3, 2, 1, 2))[0]
        project = ("--project", str(self._app))
        match what:
            case "note":
                self._note(step)
            case "init":
                self._victim.run_and_kill("init", str(self._app), "--backfill")
            case "hook":
                call = hook_call(log, self._app)
                self._victim.run_and_kill("hook", "session-end", stdin=call)
            case "sync":
                self._victim.run_and_kill("sync", *project)
            case _:
                self._victim.run_and_kill("sweep")
        return what

    def _note(self, step: int) -> None:
        fact = f"FACT-{self._name}-late{step}"
        code = self._victim.run_and_kill("note", "-m", fact, "--project", str(self._app))
        texts = [path.read_text() for path in (self._store / "inbox").iterdir()]
        # One that was killed has promised nothing yet.
        if code == 0 or any(fact in text for text in texts):
            self._facts[fact] = self._victim.kills

    def _fact(self, about: str) -> str:
        fact = f"FACT-{self._name}-{about}"
        self._facts[fact] = self._victim.kills
        return fact

    def _torn(self) -> Iterator[str]:
        """What a person or a session would see right after the kill."""
        for name in MEMORY_FILES:
            if not split((self._store / name).read_text())[0]:
                yield f"{name} is torn"
        documents = self._machine.state.rglob("*.json")
        yield from (f"{path} is torn" for path in documents if not _is_json(path.read_text()))

    def _recover(self) -> Iterator[str]:
        """The next run; what was accepted before it is not asked about again."""
        state = self._machine.state
        settled = (self._store / "state.md").read_text()
        settled += "".join(path.read_text() for path in (state / "pending").glob("*.json"))
        before = len(self._machine.prompts())
        rt = runtime.build(self._machine.env)
        project = rt.project(str(self._app))
        self._let_time_pass()
        while isinstance(sync(rt, project, Request()), Busy):
            time.sleep(0.01)
        for prompt in self._machine.prompts()[before:]:
            again = [fact for fact in new_facts(prompt) if _has(settled, fact)]
            if again:
                yield f"paid twice: {again}"
        if sync(rt, project, Request()) != NothingNew():
            yield "the run after that still found something"

    def _let_time_pass(self) -> None:
        """A day: after that a lock that a killed git left is nobody's."""
        for path in (self._store / ".git").rglob("*.lock"):
            os.utime(path, (time.time() - 90_000,) * 2)

    def _bad(self) -> Iterator[str]:
        known = ledger.read(runtime.build(self._machine.env).paths, str(self._app))
        archived = "".join(path.read_text() for path in (self._store / "archive").glob("*.md"))
        mistakes = (self._store / "mistakes.md").read_text()
        state = (self._store / "state.md").read_text()
        shown = [fact for prompt in self._machine.prompts() for fact in new_facts(prompt)]
        for fact, kills in self._facts.items():
            counts = (_count(state, f"- {fact}"), _count(mistakes, f"mistake {fact}"))
            if (*counts, _count(archived, f"archived {fact}")) != (1, 1, 1):
                yield f"{fact}: {counts} in state and mistakes, or not once in the archive"
            if not 1 <= shown.count(fact) <= 1 + self._victim.kills - kills:
                yield f"{fact}: shown {shown.count(fact)} times"
        told = sum(int(entry.summary.removeprefix("kept ")) for entry in known.journal)
        if told != len(self._facts):
            yield f"the journal counts {told} facts of {len(self._facts)}"
        yield from self._left(known)

    def _left(self, known: ledger.Ledger) -> Iterator[str]:
        if names := inbox.waiting(str(self._store)):
            yield f"notes left: {names}"
        if list((self._machine.state / "pending").glob("*.json")):
            yield "an update is left pending"
        if known.commit_error:
            yield f"not committed: {known.commit_error}"
        if history.HAND_EDIT in self._machine.git(self._store, "log", "--format=%s"):
            yield "memd's own text was committed as a hand edit"
        for path in (*self._store.glob("*.md"), *self._store.glob("archive/*.md")):
            name = path.relative_to(self._store)
            if self._machine.git(self._store, "show", f"HEAD:./{name}") != path.read_text():
                yield f"{name} is not in the history"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _has(text: str, fact: str) -> bool:
    return _count(text, fact) > 0


def _count(text: str, words: str) -> int:
    return len(re.findall(rf"{re.escape(words)}(?![\w-])", text))
