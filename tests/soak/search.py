"""Where every fact went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from soak.actors import Town

from memd import inbox, runtime
from memd.marks import Request
from memd.model import NothingNew
from memd.paths import store_of
from memd.sync import sync

_WORD = re.compile(r"(?:FACT|HAND)-[\w-]+")
_MOST_RUNS = 50


def settle(town: Town) -> Iterator[str]:
    """Sync until nothing is new anywhere."""
    rt = runtime.build(town.machine.env)
    for app in town.projects:
        project, request = rt.project(str(app)), Request(retry=True)
        outcome = None
        for _ in range(_MOST_RUNS):
            outcome = sync(rt, project, request)
            if outcome == NothingNew():
                break
        else:
            yield f"{app.name}: does not come to rest: {outcome}"


def wrongs(town: Town) -> Iterator[str]:
    for app in town.projects:
        found = _memory(app)
        for fact in _of(town.promised, app):
            if found[fact] != 1:
                yield f"{app.name}: {fact} stands {found[fact]} times"
        for fact in _of(town.possible, app):
            if found[fact] > 1:
                yield f"{app.name}: {fact} of a killed writer stands {found[fact]} times"
        for word in _of(town.edits, app):
            if found[word] != 1:
                yield f"{app.name}: {word} by hand stands {found[word]} times"
        if names := inbox.waiting(store_of(str(app))):
            yield f"{app.name}: notes left: {names}"
    yield from (str(problem) for problem in town.machine.status()["problems"])


def figures(town: Town) -> Iterator[str]:
    archived = sum(len(_WORD.findall(text)) for app in town.projects for text in _archive(app))
    yield f"of these in the archive: {archived}; questions to the curator: {_asked(town)}"


def _asked(town: Town) -> int:
    return len(list((town.machine.top / "prompts").glob("*.txt")))


def _of(facts: dict[str, Path], app: Path) -> list[str]:
    return [fact for fact, where in facts.items() if where == app]


def _memory(app: Path) -> Counter[str]:
    texts = [path.read_text() for path in (app / ".memory").glob("*.md")]
    return Counter(word for text in (*texts, *_archive(app)) for word in _WORD.findall(text))


def _archive(app: Path) -> list[str]:
    return [path.read_text() for path in (app / ".memory" / "archive").glob("*.md")]
