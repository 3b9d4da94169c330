"""Take back what was learned from one session, and never read it again."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memd import apply, guard, locks, onboard
from memd.errors import MemdError, StoreError
from memd.frontmatter_split import split
from memd.model import MEMORY_FILES, QUALIFIER, Memory, MemoryUpdate, Project
from memd.record import Record
from memd.runtime import Runtime
from memd.sources import REGISTRY
from memd.state import ledger as ledgers
from memd.state import private
from memd.store import archive, history, layout, past
from memd.store import memory as memories
from memd.store.memory import EditedMeanwhile, FileChange, is_memory
from memd.store.objects import ReadableHistory
from memd.store.past import Commit


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of a session's distills in one memory."""

    project: Project
    commits: tuple[Commit, ...]
    """Those that name the session, newest first."""
    files: tuple[str, ...]
    """Below the store, that were changed."""
    kept: tuple[str, ...]
    """One line about each thing that could not be taken back."""
    warnings: tuple[str, ...] = ()


def forget(
    rt: Runtime, session: str, projects: Iterable[Project]
) -> tuple[tuple[Forgotten, ...], tuple[str, ...]]:
    """Mark the session private, then undo it in those memories that know it.

    `session` is the client's id, or `<client>/<id>` as in a trailer. The second value has one
    line about each memory that could not be worked on. Raises OSError.
    """
    private.remember(rt.paths, _client_id(session))
    done, troubles = [], []
    for project in projects:
        result = _forget_in(rt, project, session)
        if isinstance(result, Forgotten):
            done.append(result)
        else:
            troubles.append(f"{project.root}: {result}")
    return tuple(one for one in done if one.commits), tuple(troubles)


def _forget_in(rt: Runtime, project: Project, session: str) -> Forgotten | MemdError:
    try:
        store = onboard.store_to_read(rt.registry(), project)
        rt.progress(f"{project.name}: once no sync holds it")
        with locks.held(store, wait=True):
            layout.clear_leftovers(store, now=rt.clock())
            warnings = apply.recover(rt, project, store)
            uncommitted = ledgers.read(rt.paths, project.root).uncommitted
            if uncommitted:
                warnings += apply.commit_again(rt, project, store, uncommitted)
            return _undo(rt, project, store, session, warnings)
    except EditedMeanwhile as edited:
        return StoreError(f"{edited}: was edited meanwhile: run memd forget again")
    except MemdError as error:
        return error


def _undo(
    rt: Runtime, project: Project, store: str, session: str, warnings: tuple[str, ...]
) -> Forgotten:
    past_of = ReadableHistory(store)
    found = past.commits(past_of) if past_of.exists else ()
    commits = tuple(c for c in found if any(_is_named(key, session) for key in c.sessions))
    memory = memories.read(store)
    now = _Texts(store, memory)
    kept = tuple(
        line for commit in commits for line in _undo_commit(past_of, commit, now, rt.paths.state)
    )
    changes = _changes(rt, store, memory, now)
    if changes:
        trailers = [("Memd-Trigger", "forget"), *(("Memd-Forgot", c.oid) for c in commits)]
        message = history.message(f"Forget session {session}", trailers)
        warnings += _execute(rt, project, store, changes, message)
        warnings += _fit(rt, project, store)
    return Forgotten(project, commits, tuple(change.path for change in changes), kept, warnings)


class _Texts:
    """Bodies of the four files and texts of the archive, as they become."""

    def __init__(self, store: str, memory: Memory) -> None:
        self._store = store
        self.old = {name: file.body for name, file in memory.items()}
        self.new = dict(self.old)

    def get(self, path: str) -> str:
        if path not in self.old:
            data = layout.read_file(f"{self._store}/{path}", limit=layout.ARCHIVE_LIMIT)
            self.old[path] = self.new[path] = data.decode("utf-8", "surrogateescape")
        return self.new[path]

    @property
    def changed(self) -> Mapping[str, str]:
        return {path: text for path, text in self.new.items() if text != self.old[path]}


def _undo_commit(
    past_of: ReadableHistory, commit: Commit, now: _Texts, folder: str
) -> Iterator[str]:
    """Undo it in the texts; yields what stays."""
    if not commit.parent:
        yield f"{commit.oid[:12]}: is the first commit of the memory, with all that was there then"
        return
    for path in filter(is_memory, past_of.changed(commit.oid, commit.parent)):
        after, before = (_body(past_of, oid, path) for oid in (commit.oid, commit.parent))
        undone = past.undo(now.get(path), after=after, before=before, folder=folder)
        now.new[path] = undone.text
        if not undone.is_whole:
            yield f"{commit.oid[:12]}: {path}: later changes stand in the way of some of it"


def _body(past_of: ReadableHistory, oid: str, path: str) -> str:
    text = past_of.blob(oid, path).decode("utf-8", "surrogateescape")
    return split(text)[1] if path in MEMORY_FILES else text


def _changes(rt: Runtime, store: str, memory: Memory, now: _Texts) -> tuple[FileChange, ...]:
    bodies = {path: text for path, text in now.changed.items() if path in MEMORY_FILES}
    archived = (
        memories.change(path, _sha(now.old[path]), text)
        for path, text in now.changed.items()
        if path not in MEMORY_FILES
    )
    update = MemoryUpdate("forget", bodies)
    return (*archived, *memories.planned(store, memory, update, today=rt.today))


def _fit(rt: Runtime, project: Project, store: str) -> tuple[str, ...]:
    """What came back may be more than a file has room for."""
    memory = memories.read(store)
    update = guard.rotate(memory, rt.config.budgets)
    if update.changes_nothing:
        return ()
    entries = archive.planned(store, update.archive, now=rt.now)
    changes = (*entries, *memories.planned(store, memory, update, today=rt.today))
    message = history.message(update.summary, [("Memd-Trigger", "budget")])
    return _execute(rt, project, store, changes, message)


def _execute(
    rt: Runtime, project: Project, store: str, changes: tuple[FileChange, ...], message: str
) -> tuple[str, ...]:
    unreadable = ledgers.read(rt.paths, project.root).unreadable
    record = Record(secrets.token_hex(8), changes, message, unreadable=unreadable)
    return apply.execute(rt, project, store, record)


def _sha(text: str) -> str:
    return memories.change("", "", text).new_sha


def _client_id(session: str) -> str:
    source, _, name = session.partition("/")
    return (name if source in REGISTRY else session).rpartition(QUALIFIER)[2]


def _is_named(key: str, session: str) -> bool:
    source, _, name = key.partition("/")
    client_id = name.rpartition(QUALIFIER)[2]
    return session in (key, client_id, f"{source}/{client_id}")
