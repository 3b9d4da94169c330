"""Fold what is new in one project into its memory: one writer, as many passes as it takes."""

from __future__ import annotations

import dataclasses
import functools

from memd import apply, distill, locks, marks, onboard, passes, strikes
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
    Failed,
    NothingNew,
    Project,
    SyncOutcome,
    Waiting,
)
from memd.passes import Done
from memd.runtime import Runtime
from memd.state import ledger as ledgers
from memd.state.ledger import LastRun, Ledger
from memd.store import layout, memory
from memd.store.memory import EditedMeanwhile
from memd.survey import Survey

_EDITS = 3
"""How often a pass is made again because a person edited the memory meanwhile."""


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
        return Applied(done.summaries, done.pending, done.warnings)
    return NothingNew(done.warnings)


def preview(rt: Runtime, project: Project, request: Request) -> CuratorRequest | None:
    """What the next pass would send, changing nothing; None when there is nothing to send."""
    job = _job(rt, project, onboard.store_to_read(rt.registry(), project))
    ledger = _prepared(rt, project, request, ledgers.read(rt.paths, project.root))
    digest = passes.draw(job, request, ledger, _look(job, request))
    return None if digest.is_empty else distill.request(job, digest, memory.read(job.store))


def _hold(
    rt: Runtime,
    project: Project,
    store: str,
    request: Request,
    gate: Gate,
    survey: Survey | None,
) -> Done | None:
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
        done = done + more if done else more
    return done


def _serve_all(
    rt: Runtime,
    project: Project,
    store: str,
    requests: tuple[Request, ...],
    gate: Gate,
    survey: Survey | None,
) -> Done:
    """Serve these requests and those left in marks. Raises Locked."""
    with locks.held(store, wait=False):
        layout.clear_leftovers(store, now=rt.clock())
        requests = (*requests, *marks.collect(rt.paths, project))
        if not requests:
            return Done()
        merged = requests[0].merged(requests[1:])
        return _serve(_job(rt, project, store), merged, gate, survey)


def _serve(job: Job, request: Request, gate: Gate, survey: Survey | None) -> Done:
    """All passes of one request, the store's lock held."""
    rt = job.rt
    done = Done(warnings=apply.recover(rt, job.project, job.store))
    ledger = _prepare(job, request)
    if survey is None:
        survey = _look(job, request)
        done += Done(warnings=tuple(survey.unreadable))
    edits = 0
    while (number := len(done.summaries) + 1) <= rt.config.max_passes:
        try:
            served = passes.make(job, request, ledger, gate, survey, number)
        except EditedMeanwhile as edited:
            edits += 1
            if edits == _EDITS:
                raise CuratorError(f"{edited}: edited over and over while memd worked") from edited
        except Closed as closed:
            if number == 1:
                raise
            return done + Done(pending=True, warnings=(str(closed),))
        else:
            done += served
            if not served.pending or ledger.strikes.suspect:
                break
        ledger = ledgers.read(rt.paths, job.project.root)
    return done


def _job(rt: Runtime, project: Project, store: str) -> Job:
    return Job(rt, project, store, rt.owners(), rt.redactor())


def _look(job: Job, request: Request) -> Survey:
    """All sessions; none where only named ones are to be read."""
    if job.project.is_global or request.rest == "none":
        return Survey()
    return surveys.take(job.rt, [job.project])


def _prepare(job: Job, request: Request) -> Ledger:
    """The ledger, made ready for the request."""
    rt, project = job.rt, job.project
    ledger = ledgers.read(rt.paths, project.root)
    if ledger.lost:
        logger(rt.paths).error(
            "%s: read markers were damaged twice; sessions that exist are taken as read",
            project.root,
        )
    edit = functools.partial(_prepared, rt, project, request)
    if edit(ledger) == ledger:
        return ledger
    ledgers.edit(rt.paths, project.root, edit)
    return ledgers.read(rt.paths, project.root)


def _prepared(rt: Runtime, project: Project, request: Request, old: Ledger) -> Ledger:
    if old.lost:
        old = old.started_at(onboard.baseline(rt, project))
    if request.trigger not in marks.UNATTENDED:
        for ref in filter(None, (surveys.locate(rt, path) for path in request.transcripts)):
            old = old.wanting(ref.key)
    return strikes.taken_up(old) if request.retry else old


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
