"""One pass: what is new shown to the curator and carried out, or settled without a call."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

from memd import apply, distill, guard, marks, strikes
from memd import record as records
from memd import survey as surveys
from memd.distill import Job
from memd.errors import CuratorError
from memd.gate import Gate
from memd.log import logger
from memd.marks import Request
from memd.model import Digest, Memory, MemoryUpdate
from memd.record import Record
from memd.state import ledger as ledgers
from memd.state.ledger import JournalEntry, Ledger, Strikes
from memd.store import archive, history
from memd.store import memory as memories
from memd.store.memory import FileChange
from memd.survey import Survey


@dataclass(frozen=True, slots=True)
class Done:
    """What came of passes."""

    summaries: tuple[str, ...] = ()
    pending: bool = False
    warnings: tuple[str, ...] = ()

    def __add__(self, more: Done) -> Done:
        return Done(
            (*self.summaries, *more.summaries),
            more.pending,
            tuple(dict.fromkeys((*self.warnings, *more.warnings))),
        )


def make(
    job: Job, request: Request, ledger: Ledger, gate: Gate, survey: Survey, number: int
) -> Done:
    """What is new shown to the curator once; the rest of the work when nothing is."""
    digest = draw(job, request, ledger, survey)
    if digest.is_empty:
        return Done(warnings=_settle(job, request, digest, ledger))
    job.rt.progress(f"{job.project.name}: pass {number}, {digest.chars:,} characters")
    memory = memories.read(job.store)
    memories.check_writable(job.store, memory)
    try:
        update = distill.ask(
            job,
            digest,
            memory,
            gate,
            attempts=strikes.attempts(ledger.strikes, gate.attempts),
            on_useless=lambda error: _strike(job, digest, error),
        )
    finally:
        _log_redactions(job)
    distill.require_managed(job)
    changes = _changes(job, memory, update)
    record = _record(job, request, digest, ledger, update, changes)
    warnings = apply.execute(job.rt, job.project, job.store, record)
    return Done((update.summary,), not digest.complete, (*warnings, *digest.unreadable))


def draw(job: Job, request: Request, ledger: Ledger, survey: Survey) -> Digest:
    refs = surveys.due(job.rt, job.project, job.owners, ledger, request, survey)
    cap = strikes.cap(ledger.strikes, job.rt.config.digest_cap_chars)
    return distill.draw(job, ledger, refs, cap=cap)


def _strike(job: Job, digest: Digest, error: CuratorError) -> None:
    rt = job.rt
    # Should the span be set aside, its records made elsewhere are still read there.
    apply.tell_visited(rt, digest.visited)
    ledgers.edit(
        rt.paths, job.project.root, lambda old: strikes.struck(old, digest, str(error), rt.now)
    )


def _log_redactions(job: Job) -> None:
    if job.redactor.fired:
        rules = ", ".join(f"{rule} x{n}" for rule, n in sorted(job.redactor.fired.items()))
        logger(job.rt.paths).info("%s: redacted %s", job.project.root, rules)
        job.redactor.fired.clear()


def _settle(job: Job, request: Request, digest: Digest, ledger: Ledger) -> tuple[str, ...]:
    """Nothing for the curator: move markers over noise, enforce budgets, commit what is due."""
    rt, project = job.rt, job.project
    is_over = request.rest != "none" and (
        ledger.last.outcome == "failed" or ledger.strikes != Strikes()
    )
    if is_over:
        edit = functools.partial(dataclasses.replace, strikes=Strikes())
        ledgers.edit(rt.paths, project.root, edit)
    record = _rotated(job, _gone_over(request, digest, ledger))
    warnings: tuple[str, ...] = ()
    if is_over or record.changes or record.adds_to(ledger):
        warnings = apply.execute(rt, project, job.store, record)
    if ledger.commit_error and not record.changes:
        warnings = apply.commit_again(rt, project, job.store, ledger.uncommitted)
    if ledger.aside and request.trigger not in marks.UNATTENDED:
        warnings = (*warnings, f"set aside: {len(ledger.aside)}; memd status says why")
    return (*warnings, *digest.unreadable)


def _rotated(job: Job, record: Record) -> Record:
    """With what it takes to bring the memory back within its budgets."""
    if memories.is_within(job.store, job.rt.config.budgets):
        return record
    memory = memories.read(job.store)
    update = guard.rotate(memory, job.rt.config.budgets)
    if update.changes_nothing:
        return record
    message = history.message(update.summary, [("Memd-Trigger", "budget")])
    return dataclasses.replace(record, changes=_changes(job, memory, update), message=message)


def _gone_over(request: Request, digest: Digest, ledger: Ledger) -> Record:
    whole = digest.complete and request.rest != "none"
    return records.gone_over(digest, ledger, whole=whole)


def _record(
    job: Job,
    request: Request,
    digest: Digest,
    ledger: Ledger,
    update: MemoryUpdate,
    changes: tuple[FileChange, ...],
) -> Record:
    rt = job.rt
    model = rt.curator.answers_as(distill.model_for(rt, digest))
    trailers = [("Memd-Trigger", request.trigger), ("Memd-Model", model)]
    sessions = tuple(job.redactor.clean(key) for key in digest.sessions)
    trailers += [("Memd-Session", key) for key in sessions]
    return dataclasses.replace(
        _gone_over(request, digest, ledger),
        changes=changes,
        message=history.message(update.summary, trailers),
        notes=tuple((note.name, note.fingerprint) for note in digest.notes),
        weight=strikes.weight(digest),
        journal=JournalEntry(
            at=rt.now,
            trigger=request.trigger,
            model=model,
            summary=update.summary,
            sessions=sessions,
            notes=len(digest.notes),
            chars=digest.chars,
        ),
    )


def _changes(job: Job, memory: Memory, update: MemoryUpdate) -> tuple[FileChange, ...]:
    changed = memories.planned(job.store, memory, update, today=job.rt.today)
    return (*archive.planned(job.store, update.archive, now=job.rt.now), *changed)
