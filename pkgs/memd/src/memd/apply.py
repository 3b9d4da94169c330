"""Carry out an accepted update: one order of effects, each of which may be repeated.

The record of what is to be done is written first and dropped last. Whoever finds one
finishes it before anything else, so a crash at any point costs nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from memd import fsio, inbox
from memd.errors import StoreError
from memd.log import logger
from memd.model import Cursor, Note, Project, SourceCounts
from memd.runtime import Runtime
from memd.state import ledger as ledgers
from memd.state.ledger import JournalEntry, LastRun, Ledger
from memd.store import history
from memd.store.memory import EditedMeanwhile, FileChange, check_change, write_change

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Record:
    """All that follows from one accepted reply."""

    id: str
    changes: tuple[FileChange, ...] = ()
    message: str = ""
    """Commit message."""
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    seen: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    """Name and fingerprint of each note that was read."""
    visited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: Mapping[str, SourceCounts] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    journal: JournalEntry | None = None


def execute(rt: Runtime, project: Project, store: str, record: Record) -> tuple[str, ...]:
    """Do it; returns warnings. Raises EditedMeanwhile, having changed nothing, when a file
    no longer is what the update was made from, OSError when the disk refuses."""
    for change in record.changes:
        check_change(store, change)
    if not record.changes and not record.notes:
        _remember(rt, project, record, commit_error=None)
        return ()
    fsio.make_private_dir(os.path.dirname(_path(rt, project)))
    data = json.dumps({"format": FORMAT, **dataclasses.asdict(record)}, ensure_ascii=True)
    fsio.write_atomic(_path(rt, project), data.encode())
    return _finish(rt, project, store, record)


def recover(rt: Runtime, project: Project, store: str) -> tuple[str, ...]:
    """Finish what an earlier run began. Where a file was edited since, the record is
    dropped: the pass will be made again on the edited text."""
    record = _pending(rt, project)
    if record is None:
        return ()
    logger(rt.paths).warning("%s: finishing an update that was interrupted", project.root)
    try:
        for change in record.changes:
            check_change(store, change)
        return _finish(rt, project, store, record)
    except EditedMeanwhile as edited:
        fsio.remove(_path(rt, project))
        return (f"{edited}: an interrupted update was dropped and will be made again",)


def has_pending(rt: Runtime, project: Project) -> bool:
    return os.path.exists(_path(rt, project))


def commit(rt: Runtime, store: str, message: str, *, paths: Collection[str] = ()) -> str:
    """Commit the memory; returns why that failed, "" when it did not."""
    if not rt.config.git_commit:
        return ""
    try:
        history.commit(store, message, paths=paths)
    except StoreError as error:
        logger(rt.paths).error("%s", error)
        return str(error)
    return ""


def _finish(rt: Runtime, project: Project, store: str, record: Record) -> tuple[str, ...]:
    for change in record.changes:
        write_change(store, change)
    paths = [change.path for change in record.changes]
    error = commit(rt, store, record.message, paths=paths) if paths else None
    _remember(rt, project, record, commit_error=error)
    inbox.delete(store, [Note(name, "", fingerprint) for name, fingerprint in record.notes])
    fsio.remove(_path(rt, project))
    return (f"not committed: {error}",) if error else ()


def _remember(rt: Runtime, project: Project, record: Record, *, commit_error: str | None) -> None:
    """Move the read markers; of sessions shared with other projects, tell those first."""
    for root, keys in record.visited.items():
        ledgers.edit(rt.paths, root, _visited(keys))

    def change(old: Ledger) -> Ledger:
        if old.applied == record.id:
            return old
        new = old.with_seen(record.seen, rt.today).with_counts(record.counts, rt.now)
        if record.journal:
            new = new.with_journal(record.journal)
        return dataclasses.replace(
            new,
            applied=record.id,
            cursors={**new.cursors, **record.cursors},
            unreadable=record.unreadable,
            commit_error=old.commit_error if commit_error is None else commit_error,
            last=LastRun(rt.now, "applied" if record.journal else "nothing-new"),
        )

    ledgers.edit(rt.paths, project.root, change)


def _visited(keys: tuple[str, ...]) -> Callable[[Ledger], Ledger]:
    return lambda old: dataclasses.replace(
        old, visits=tuple(dict.fromkeys((*old.visits, *keys)))
    )


def _path(rt: Runtime, project: Project) -> str:
    return ledgers.path(rt.paths, project.root).replace("/projects/", "/pending/")


def _pending(rt: Runtime, project: Project) -> Record | None:
    path = _path(rt, project)
    try:
        with open(path, "rb") as file:
            document = json.load(file)
        return _from_document(document)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError):
        aside = f"{path}.corrupt-{rt.now}"
        os.replace(path, aside)
        logger(rt.paths).error("%s: damaged, moved aside to %s", path, aside)
        return None


def _from_document(document: dict[str, Any]) -> Record:
    journal = document["journal"]
    return Record(
        id=str(document["id"]),
        changes=tuple(FileChange(**change) for change in document["changes"]),
        message=str(document["message"]),
        cursors={key: Cursor(value) for key, value in document["cursors"].items()},
        seen=tuple(document["seen"]),
        notes=tuple((name, fingerprint) for name, fingerprint in document["notes"]),
        visited={root: tuple(keys) for root, keys in document["visited"].items()},
        counts={
            name: SourceCounts(**{**counts, "unknown_types": tuple(counts["unknown_types"])})
            for name, counts in document["counts"].items()
        },
        unreadable=tuple(document["unreadable"]),
        journal=JournalEntry(**{**journal, "sessions": tuple(journal["sessions"])})
        if journal
        else None,
    )
