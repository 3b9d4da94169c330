"""Fold what is new in one project into its memory."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

from memd import apply, distill, guard, locks, marks, onboard, strikes
from memd import record as records
from memd import survey as surveys
from memd.distill import Job
from memd.errors import CuratorError, MemdError, in_words
from memd.gate import Closed, Gate
from memd.log import logger
from memd.marks import Request
from memd.model import (
    Applied,
    Busy,
    CuratorRequest,
    Digest,
    Failed,
    Memory,
    MemoryUpdate,
    NothingNew,
    Project,
    SyncOutcome,
    Waiting,
)
from memd.record import Record
from memd.runtime import Runtime
from memd.state import ledger as ledgers
from memd.state.ledger import JournalEntry, LastRun, Ledger, Strikes
from memd.store import archive, history, layout
from memd.store import memory as memories
from memd.store.memory import EditedMeanwhile, FileChange
from memd.survey import Survey

_EDITS = 3
"""How often a pass is made again because a person edited the memory meanwhile."""


@dataclass(frozen=True, slots=True)
class _Passes:
    summaries: tuple[str, ...] = ()
    pending: bool = False
    warnings: tuple[str, ...] = ()


def sync(
    rt: Runtime,
    project: Project,
    request: Request,
    *,
    gate: Gate | None = None,
    survey: Survey | None = None,
) -> SyncOutcome:
    """Run passes until nothing is new or `max_passes` is reached.

    One writer at a time: with the store in use the request is left for its holder.
    Known failures are an outcome, kept in the ledger; nothing is consumed by them.
    """
    gate = gate or Gate(rt, patient=request.trigger in marks.UNATTENDED)
    try:
        store = onboard.usable_store(rt, project)
        done = _hold(rt, project, store, request, gate, survey)
    except Closed as closed:
        return Waiting(str(closed))
    except (MemdError, OSError) as error:
        return _failed(rt, project, error)
    if done is None:
        return Busy()
    if done.summaries:
        return Applied(len(done.summaries), done.summaries, done.pending, done.warnings)
    return NothingNew(done.warnings)


def preview(rt: Runtime, project: Project, request: Request) -> CuratorRequest | None:
    """What the next pass would send, changing nothing; None when there is nothing to send."""
    job = _job(rt, project, onboard.store_to_read(rt.registry(), project))
    ledger = _prepared(rt, project, request, ledgers.read(rt.paths, project.root))
    digest = _draw(job, request, ledger, _look(job, request))
    return None if digest.is_empty else distill.request(job, digest, memories.read(job.store))


def _hold(
    rt: Runtime,
    project: Project,
    store: str,
    request: Request,
    gate: Gate,
    survey: Survey | None,
) -> _Passes | None:
    """Serve the request as the one holder of the store, then what was asked for meanwhile.

    None when another one holds it, who will look again.
    """
    try:
        done = _serve_all(rt, project, store, (request,), gate, survey)
    except locks.Locked:
        marks.leave(rt.paths, project, request)
        done = None
    # The holder may have let go before the mark was there: then it is served here.
    while marks.waiting(rt.paths, project):
        try:
            more = _serve_all(rt, project, store, (), gate, None)
        except locks.Locked:
            break
        done = _add(done, more) if done else more
    return done


def _serve_all(
    rt: Runtime,
    project: Project,
    store: str,
    requests: tuple[Request, ...],
    gate: Gate,
    survey: Survey | None,
) -> _Passes:
    """Serve these requests and those left in marks. Raises Locked."""
    with locks.held(store, wait=False):
        layout.clear_leftovers(store, now=rt.clock())
        requests = (*requests, *marks.collect(rt.paths, project))
        if not requests:
            return _Passes()
        merged = requests[0].merged(requests[1:])
        return _serve(_job(rt, project, store), merged, gate, survey)


def _add(done: _Passes, more: _Passes) -> _Passes:
    return _Passes(
        (*done.summaries, *more.summaries),
        more.pending,
        tuple(dict.fromkeys((*done.warnings, *more.warnings))),
    )


def _serve(job: Job, request: Request, gate: Gate, survey: Survey | None) -> _Passes:
    """All passes of one request, the store's lock held."""
    rt = job.rt
    done = _Passes(warnings=apply.recover(rt, job.project, job.store))
    _prepare(job, request)
    if survey is None:
        survey = _look(job, request)
        done = _add(done, _Passes(warnings=tuple(survey.unreadable)))
    edits = 0
    while (number := len(done.summaries) + 1) <= rt.config.max_passes:
        ledger = ledgers.read(rt.paths, job.project.root)
        try:
            served = _pass(job, request, ledger, gate, survey, number)
        except EditedMeanwhile as edited:
            edits += 1
            if edits == _EDITS:
                raise CuratorError(f"{edited}: edited over and over while memd worked") from edited
        except Closed as closed:
            if number == 1:
                raise
            return _add(done, _Passes(pending=True, warnings=(str(closed),)))
        else:
            done = _add(done, served)
            if not served.pending or ledger.strikes.suspect:
                break
    return done


def _pass(
    job: Job, request: Request, ledger: Ledger, gate: Gate, survey: Survey, number: int
) -> _Passes:
    """What is new shown to the curator once; the rest of the work when nothing is."""
    digest = _draw(job, request, ledger, survey)
    if digest.is_empty:
        return _Passes(warnings=_settle(job, request, digest, ledger))
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
    _require_managed(job)
    changes = _changes(job, memory, update)
    record = _record(job, request, digest, ledger, update, changes)
    warnings = apply.execute(job.rt, job.project, job.store, record)
    return _Passes((update.summary,), not digest.complete, (*warnings, *digest.unreadable))


def _require_managed(job: Job) -> None:
    """Raises Closed when a person excluded the project while the curator was thinking."""
    root = job.project.root
    if not job.project.is_global and job.rt.owners().excludes(root):
        raise Closed(f"{root} was excluded meanwhile: nothing of it was written")


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


def _job(rt: Runtime, project: Project, store: str) -> Job:
    return Job(rt, project, store, rt.owners(), rt.redactor())


def _look(job: Job, request: Request) -> Survey:
    """All sessions; none where only named ones are to be read."""
    if job.project.is_global or request.rest == "none":
        return Survey()
    return surveys.take(job.rt, [job.project])


def _draw(job: Job, request: Request, ledger: Ledger, survey: Survey) -> Digest:
    refs = surveys.due(job.rt, job.project, job.owners, ledger, request, survey)
    cap = strikes.cap(ledger.strikes, job.rt.config.digest_cap_chars)
    return distill.draw(job, ledger, refs, cap=cap)


def _prepare(job: Job, request: Request) -> None:
    rt, project = job.rt, job.project
    ledger = ledgers.read(rt.paths, project.root)
    if ledger.lost:
        logger(rt.paths).error(
            "%s: read markers were damaged twice; sessions that exist are taken as read",
            project.root,
        )
    edit = functools.partial(_prepared, rt, project, request)
    if edit(ledger) != ledger:
        ledgers.edit(rt.paths, project.root, edit)


def _prepared(rt: Runtime, project: Project, request: Request, old: Ledger) -> Ledger:
    if old.lost:
        old = old.started_at(onboard.baseline(rt, project))
    if request.trigger not in marks.UNATTENDED:
        for ref in filter(None, (surveys.locate(rt, path) for path in request.transcripts)):
            old = old.wanting(ref.key)
    return strikes.taken_up(old) if request.retry else old


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


def _failed(rt: Runtime, project: Project, error: Exception) -> Failed:
    text = in_words(error)
    run = LastRun(rt.now, "failed", text)
    logger(rt.paths).error("%s: %s", project.root, text)
    try:
        ledgers.edit(
            rt.paths,
            project.root,
            lambda old: dataclasses.replace(old, last=run),
        )
    except (MemdError, OSError):
        logger(rt.paths).error("%s: the failure could not be noted", project.root)
    return Failed(text, getattr(error, "exit_code", 1))
