"""Sessions of Antigravity: `<antigravity_dir>/conversations/<id>.db`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar, Final

from memd.model import Cursor, Project, SourceRef, Span
from memd.sources import antigravity_mirror as mirrors
from memd.sources.antigravity_db import Conversation, place
from memd.sources.antigravity_mirror import Mirror
from memd.sources.antigravity_origin import Facts, Roots, from_json, most_named
from memd.sources.folders import readable_entries
from memd.sources.jsonl import printable
from memd.sources.lines import behind, open_regular
from memd.sources.own_work import OwnWork
from memd.sources.session_index import SessionIndex
from memd.sources.sqlite import reading, stamp

INDEX: Final = "ag_index.json"


class AntigravitySource:
    """Reads the databases that the client keeps, one for each conversation.

    A conversation without one is read from the transcript that the client mirrors for
    display, which is poorer. Subagents are no sessions.

    A session began in its workspace. Where it has none, or one above projects of
    `known_roots`, that project counts which is named most often. What was found out is kept
    in `ag_index.json` in the state directory, so that only what changed is opened again.
    """

    name: ClassVar[str] = "antigravity-cli"

    def __init__(
        self, antigravity_dir: str, state_dir: str, known_roots: Callable[[], Iterable[str]]
    ) -> None:
        self._dir = antigravity_dir
        self._index_path = os.path.join(state_dir, INDEX)
        self._own_work = OwnWork(state_dir)
        self._known_roots = known_roots
        self._ends: dict[str, int] = {}
        """Number of the last step by session, as of the last look."""

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        """Every session. One that cannot be looked at now is as it was when it could."""
        index, roots = SessionIndex(self._index_path), Roots(self._known_roots())
        paths = list(self._paths())
        for path in paths:
            if ref := self._ref(path, index, roots):
                yield ref
        index.save(paths)

    def locate(self, path: str) -> SourceRef | None:
        path = os.path.abspath(path)
        known = path.endswith(".db") or mirrors.is_mirror(path)
        return (
            self._ref(path, SessionIndex(self._index_path), Roots(self._known_roots()))
            if known
            else None
        )

    def end(self, ref: SourceRef) -> Cursor:
        with _opened(ref.path) as log:
            return log.end()

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        """For a database an estimate, by the number of steps."""
        if mirrors.is_mirror(ref.path):
            return behind(after, ref.size)
        if ref.session not in self._ends:
            return ref.size
        last = self._ends[ref.session]
        return ref.size * max(0, last - place(after).step) // (last + 1)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with _opened(ref.path) as log:
            yield from log.spans(after)

    def _paths(self) -> Iterator[str]:
        sessions = set()
        for path in readable_entries(os.path.join(self._dir, "conversations")):
            if path.endswith(".db"):
                sessions.add(_session(path))
                yield path
        for folder in readable_entries(os.path.join(self._dir, "brain")):
            if os.path.basename(folder) not in sessions and (path := mirrors.find(folder)):
                yield path

    def _ref(self, path: str, index: SessionIndex, roots: Roots) -> SourceRef | None:
        """The session at a path; None when it is left out, or was never to be read."""
        try:
            now = stamp(path)
            facts = _look(path, from_json(index.facts(path, now)), roots)
            index.learn(path, now, facts.to_json())
        except OSError:
            known = from_json(index.last_known(path))
            if known is None:
                return None
            now, facts = [0, 0, 0, 0], known
        session, cwd = _session(path), facts.began_in(roots)
        if facts.is_subagent or self._own_work.holds(cwd):
            return None
        self._ends[session] = facts.last
        return SourceRef(self.name, session, path, cwd, max(now[1], now[3]) / 1e9, facts.size)


def _look(path: str, known: Facts | None, roots: Roots) -> Facts:
    """What there is to know about a conversation; it is opened for what is not `known`."""
    if known and not known.candidates(roots):
        return known
    with _opened(path) as log:
        facts = known or Facts(log.size(), log.last(), log.is_subagent(), tuple(log.workspaces()))
        if candidates := facts.candidates(roots):
            named = most_named(log.words(), candidates)
            facts = replace(facts, among=roots.print, named=named)
    return facts


@contextmanager
def _opened(path: str) -> Iterator[Conversation | Mirror]:
    if mirrors.is_mirror(path):
        with open_regular(path) as file:
            yield Mirror(file, _session(path))
    else:
        with reading(path) as db:
            yield Conversation(db, _session(path))


def _session(path: str) -> str:
    if mirrors.is_mirror(path):
        return printable(mirrors.session_of(path))
    return printable(os.path.basename(path).removesuffix(".db"))
