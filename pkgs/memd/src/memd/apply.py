"""Carry out an accepted update: one order of effects, each of which may be repeated.

The record of what is to be done is written first and dropped last. Whoever finds one
finishes it before anything else, so a crash at any point costs nothing.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Mapping

from memd import fsio, inbox, strikes
from memd import record as records
from memd.errors import StoreError
from memd.log import logger
from memd.model import Note, Project
from memd.record import Record
from memd.runtime import Runtime
from memd.state import ledger as ledgers
from memd.state import statefile
from memd.state.ledger import LastRun, Ledger
from memd.store import history
from memd.store.memory import EditedMeanwhile, check_change, is_memory, write_change


def execute(rt: Runtime, project: Project, store: str, record: Record) -> tuple[str, ...]:
    """Do it; returns warnings. Raises EditedMeanwhile, having changed nothing, when a file
    no longer is what the update was made from, OSError when the disk refuses."""
    for change in record.changes:
        check_change(store, change)
    if not record.is_news:
        _remember(rt, project, record)
        return ()
    path = ledgers.pending_path(rt.paths, project.root)
    fsio.make_private_dir(os.path.dirname(path))
    fsio.write_atomic(path, records.to_bytes(record))
    return _finish(rt, project, store, record)


def recover(rt: Runtime, project: Project, store: str) -> tuple[str, ...]:
    """Finish what an earlier run began. Where a file was edited since, the record is
    dropped: the pass will be made again on the edited text."""
    record = _pending(rt, project)
    if record is None:
        return ()
    logger(rt.paths).warning("%s: finishing an update that was interrupted", project.root)
    try:
        # Once the markers have moved all files were written: what a person did since is theirs.
        if ledgers.read(rt.paths, project.root).applied == record.id:
            record = dataclasses.replace(record, changes=())
        for change in record.changes:
            check_change(store, change)
        return _finish(rt, project, store, record)
    except EditedMeanwhile as edited:
        fsio.remove(ledgers.pending_path(rt.paths, project.root))
        return (f"{edited}: an interrupted update was dropped and will be made again",)


def has_pending(rt: Runtime, project: Project) -> bool:
    return os.path.exists(ledgers.pending_path(rt.paths, project.root))


def commit_again(rt: Runtime, project: Project, store: str, message: str) -> tuple[str, ...]:
    """Make the commit that could not be made before; returns warnings."""
    error = _commit(rt, store, message)
    ledgers.edit(rt.paths, project.root, _committed(message, error))
    return _warnings(error)


def tell_visited(rt: Runtime, visited: Mapping[str, tuple[str, ...]]) -> None:
    """Let other projects know of sessions that hold records made in them."""
    for root, keys in visited.items():
        ledgers.edit(rt.paths, root, _visited(keys))


def _finish(rt: Runtime, project: Project, store: str, record: Record) -> tuple[str, ...]:
    for change in record.changes:
        write_change(store, change)
    message, error = _commit_with_earlier(rt, project, store, record)
    _remember(rt, project, record, message=message, commit_error=error)
    inbox.delete(store, [Note(name, "", fingerprint) for name, fingerprint in record.notes])
    fsio.remove(ledgers.pending_path(rt.paths, project.root))
    return _warnings(error)


def _remember(
    rt: Runtime, project: Project, record: Record, *, message: str = "", commit_error: str = ""
) -> None:
    """Move the read markers; of sessions shared with other projects, tell those first."""
    tell_visited(rt, record.visited)

    def change(old: Ledger) -> Ledger:
        if old.applied == record.id:
            return old
        new = old.with_seen(record.seen, rt.today).with_counts(record.counts, rt.now)
        if record.journal:
            new = strikes.eased(new.with_journal(record.journal), record.weight)
        if record.changes:
            new = _committed(message, commit_error)(new)
        return dataclasses.replace(
            new,
            applied=record.id,
            cursors={**new.cursors, **record.cursors},
            unreadable=record.unreadable,
            last=LastRun(rt.now, "applied" if record.journal else "nothing-new"),
        )

    ledgers.edit(rt.paths, project.root, change)


def _commit_with_earlier(
    rt: Runtime, project: Project, store: str, record: Record
) -> tuple[str, str]:
    """Commit the changes, together with those that could not be committed before.

    Returns the message and why that failed, "" when it did not.
    """
    if not record.changes:
        return "", ""
    earlier = ledgers.read(rt.paths, project.root).uncommitted
    if not earlier:
        paths = [change.path for change in record.changes]
        return record.message, _commit(rt, store, record.message, paths=paths)
    lines = record.message.splitlines()
    lines += [trailer for trailer in earlier.splitlines()[2:] if trailer not in lines]
    message = "\n".join(lines) + "\n"
    return message, _commit(rt, store, message)


def _commit(rt: Runtime, store: str, message: str, *, paths: Collection[str] = ()) -> str:
    """Returns why that failed, "" when it did not."""
    if not rt.config.git_commit:
        return ""
    try:
        history.commit(store, message, paths=paths)
    except StoreError as error:
        logger(rt.paths).error("%s", error)
        return str(error)
    return ""


def _committed(message: str, error: str) -> Callable[[Ledger], Ledger]:
    uncommitted = message if error else ""
    return lambda old: dataclasses.replace(old, commit_error=error, uncommitted=uncommitted)


def _warnings(commit_error: str) -> tuple[str, ...]:
    return (f"not committed: {commit_error}",) if commit_error else ()


def _visited(keys: tuple[str, ...]) -> Callable[[Ledger], Ledger]:
    return lambda old: dataclasses.replace(old, visits=tuple(dict.fromkeys((*old.visits, *keys))))


def _usable_record(document: Mapping[str, object]) -> Record:
    """Raises ValueError also for one that would write what memd never writes."""
    record = records.from_document(document)
    if not all(is_memory(change.path) for change in record.changes):
        raise ValueError("no path of a memory")
    return record


def _pending(rt: Runtime, project: Project) -> Record | None:
    path = ledgers.pending_path(rt.paths, project.root)
    try:
        return statefile.read(path, _usable_record)
    except statefile.Missing:
        return None
    except statefile.Damaged:
        aside = f"{path}{statefile.ASIDE}{rt.now}"
        os.replace(path, aside)
        logger(rt.paths).error("%s: damaged, moved aside to %s", path, aside)
        return None
