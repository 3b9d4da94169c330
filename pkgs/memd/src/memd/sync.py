"""Fold what is new in one project into its memory."""

from __future__ import annotations

import dataclasses
import os
import secrets
from dataclasses import dataclass

from memd import apply, distill, guard, locks, marks, onboard
from memd import survey as surveys
from memd.apply import Record
from memd.distill import Job, Tally
from memd.errors import CuratorError, MemdError, Rejected, UnusableReply
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
    SourceRef,
    SyncOutcome,
    Waiting,
)
from memd.runtime import Runtime
from memd.state import ledger as ledgers
from memd.state.ledger import JournalEntry, LastRun, Ledger, SetAside, Strikes
from memd.store import archive, history, layout
from memd.store import memory as memories
from memd.store.memory import EditedMeanwhile, FileChange
from memd.survey import Survey

STRIKES = 3
"""Unusable replies after which a span is tried in parts."""
MOST_CALLS = 12
"""Curator calls after which it is set aside."""
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
    gate = gate or Gate(rt, patient=request.trigger != "manual")
    try:
        store = onboard.usable_store(rt, project)
        return _as_holder(rt, project, store, request, gate, survey)
    except Closed as closed:
        return Waiting(str(closed))
    except (MemdError, OSError) as error:
        return _failed(rt, project, error)


def preview(rt: Runtime, project: Project, request: Request) -> CuratorRequest | None:
    """What the next pass would send, changing nothing; None when there is nothing to send."""
    job = _job(rt, project, onboard.store_to_read(rt.paths, project))
    ledger = ledgers.read(rt.paths, project.root)
    digest = _draw(job, ledger, _due(job, request, ledger, None))
    return None if digest.is_empty else distill.request(job, digest, memories.read(job.store))


def _as_holder(
    rt: Runtime,
    project: Project,
    store: str,
    request: Request,
    gate: Gate,
    survey: Survey | None,
) -> SyncOutcome:
    requests: tuple[Request, ...] = (request,)
    done: _Passes | None = None
    left_word = False
    while requests or marks.waiting(rt.paths, project):
        try:
            with locks.held(store, wait=False):
                layout.clear_leftovers(store, now=rt.clock())
                requests = (*requests, *marks.collect(rt.paths, project))
                merged = request.merged(requests[1:]) if done is None else _merge(requests)
                served = _serve(_job(rt, project, store), merged, gate, survey)
        except locks.Locked:
            if done is not None:
                break
            if left_word:
                return Busy()
            # The holder may have let go between the failed try and the mark: try once more.
            marks.leave(rt.paths, project, request)
            left_word = True
            continue
        done = _add(done or _Passes(), served)
        requests, survey = (), None
    return _outcome(done or _Passes())


def _merge(requests: tuple[Request, ...]) -> Request:
    return requests[0].merged(requests[1:]) if requests else Request(rest="none")


def _add(done: _Passes, more: _Passes) -> _Passes:
    return _Passes(
        (*done.summaries, *more.summaries),
        more.pending,
        tuple(dict.fromkeys((*done.warnings, *more.warnings))),
    )


def _outcome(done: _Passes) -> SyncOutcome:
    if done.summaries:
        return Applied(len(done.summaries), done.summaries, done.pending, done.warnings)
    return NothingNew(done.warnings)


def _serve(job: Job, request: Request, gate: Gate, survey: Survey | None) -> _Passes:
    """All passes of one request, the store's lock held."""
    rt = job.rt
    done = _Passes(warnings=apply.recover(rt, job.project, job.store))
    _prepare(job, request)
    edits = 0
    for number in range(1, rt.config.max_passes + 1):
        ledger = ledgers.read(rt.paths, job.project.root)
        digest = _draw(job, ledger, _due(job, request, ledger, survey))
        if digest.is_empty:
            return _add(done, _Passes(pending=False, warnings=_settle(job, digest, ledger)))
        rt.progress(f"{job.project.name}: pass {number}, {digest.chars:,} characters")
        try:
            done = _add(done, _one_pass(job, request, digest, ledger, gate))
        except EditedMeanwhile as edited:
            edits += 1
            if edits == _EDITS:
                raise MemdError(f"{edited}: edited again and again while memd worked") from edited
            continue
        if not done.pending or ledger.strikes.count >= STRIKES:
            break
    return done


def _one_pass(
    job: Job, request: Request, digest: Digest, ledger: Ledger, gate: Gate
) -> _Passes:
    memory = memories.read(job.store)
    tally = Tally()
    attempts = 1 if ledger.strikes.count >= STRIKES else gate.attempts
    try:
        update = distill.ask(job, digest, memory, gate, tally, attempts=attempts)
    except (UnusableReply, Rejected) as error:
        _strike(job, digest, ledger, tally, error)
        raise
    finally:
        _log_redactions(job)
    warnings = apply.execute(
        job.rt, job.project, job.store, _record(job, request, digest, memory, update)
    )
    if ledger.strikes.count:
        _ease(job, ledger.strikes)
    return _Passes((update.summary,), not digest.complete, (*warnings, *digest.unreadable))


def _settle(job: Job, digest: Digest, ledger: Ledger) -> tuple[str, ...]:
    """Nothing for the curator: move markers over noise, enforce budgets, commit what is due."""
    rt = job.rt
    memory = memories.read(job.store)
    update = guard.rotate(memory, rt.config.budgets)
    moved = {key: c for key, c in digest.cursors.items() if ledger.cursors.get(key) != c}
    if moved or digest.visited or digest.unreadable != ledger.unreadable or _news(digest, ledger):
        quiet = Record(
            id=secrets.token_hex(8),
            cursors=moved,
            seen=digest.seen,
            visited=digest.visited,
            counts=digest.counts,
            unreadable=digest.unreadable,
        )
        apply.execute(rt, job.project, job.store, quiet)
    if not update.changes_nothing:
        record = Record(
            id=secrets.token_hex(8),
            changes=_changes(job, memory, update),
            message=history.message(update.summary, [("Memd-Trigger", "budget")]),
        )
        return (*apply.execute(rt, job.project, job.store, record), *digest.unreadable)
    if ledger.commit_error:
        error = apply.commit(rt, job.store, "Commit what could not be committed before")
        ledgers.edit(
            rt.paths, job.project.root, lambda old: dataclasses.replace(old, commit_error=error)
        )
        return (f"not committed: {error}",) if error else ()
    return digest.unreadable


def _news(digest: Digest, ledger: Ledger) -> bool:
    """Whether a source is barren now that was not, or by another number of bytes."""
    return any(
        counts.barren_bytes != getattr(ledger.health.get(name), "barren_bytes", 0)
        for name, counts in digest.counts.items()
    )


def _record(
    job: Job, request: Request, digest: Digest, memory: Memory, update: MemoryUpdate
) -> Record:
    rt = job.rt
    model = rt.curator.answers_as(distill.model_for(rt, digest))
    trailers = [("Memd-Trigger", request.trigger), ("Memd-Model", model)]
    trailers += [("Memd-Session", key) for key in digest.sessions]
    return Record(
        id=secrets.token_hex(8),
        changes=_changes(job, memory, update),
        message=history.message(update.summary, trailers),
        cursors=digest.cursors,
        seen=digest.seen,
        notes=tuple((note.name, note.fingerprint) for note in digest.notes),
        visited=digest.visited,
        counts=digest.counts,
        unreadable=digest.unreadable,
        journal=JournalEntry(
            at=rt.now,
            trigger=request.trigger,
            model=model,
            summary=update.summary,
            sessions=digest.sessions,
            notes=len(digest.notes),
            chars=digest.chars,
        ),
    )


def _changes(job: Job, memory: Memory, update: MemoryUpdate) -> tuple[FileChange, ...]:
    changed = memories.planned(job.store, memory, update, today=job.rt.today)
    return (*archive.planned(job.store, update.archive, now=job.rt.now), *changed)


def _job(rt: Runtime, project: Project, store: str) -> Job:
    return Job(rt, project, store, rt.owners(), rt.redactor())


def _draw(job: Job, ledger: Ledger, refs: tuple[SourceRef, ...]) -> Digest:
    return distill.draw(job, ledger, refs, cap=ledger.strikes.cap or job.rt.config.digest_cap_chars)


def _due(
    job: Job, request: Request, ledger: Ledger, survey: Survey | None
) -> tuple[SourceRef, ...]:
    """Sessions to read now that are not read to their end."""
    rt = job.rt
    if job.project.is_global:
        return ()
    survey = survey or surveys.take(rt, [job.project])
    named = {os.path.realpath(path) for path in request.transcripts}
    return tuple(
        ref
        for ref in survey.of(job.project, ledger)
        if (os.path.realpath(ref.path) in named or _is_due(rt, request, ref))
        and _has_more(rt, ref, ledger)
    )


def _is_due(rt: Runtime, request: Request, ref: SourceRef) -> bool:
    if request.rest == "quiet":
        age = rt.clock() - ref.modified
        return age < 0 or age >= rt.config.quiet_seconds
    return request.rest == "all"


def _has_more(rt: Runtime, ref: SourceRef, ledger: Ledger) -> bool:
    try:
        return rt.sources[ref.source].end(ref) != ledger.cursors.get(ref.key)
    except OSError:
        return True


def _prepare(job: Job, request: Request) -> None:
    rt, root = job.rt, job.project.root
    ledger = ledgers.read(rt.paths, root)
    if ledger.lost:
        started = onboard.baseline(rt, job.project)
        logger(rt.paths).error(
            "%s: read markers were damaged twice; sessions that exist are taken as read", root
        )
        ledgers.edit(rt.paths, root, lambda old: old.started_at(started))
    if request.retry and ledger.aside:
        ledgers.edit(rt.paths, root, _with_aside_back)


def _with_aside_back(old: Ledger) -> Ledger:
    cursors = dict(old.cursors)
    for entry in reversed(old.aside):
        cursors.pop(entry.key, None)
        if entry.after is not None:
            cursors[entry.key] = entry.after
    return dataclasses.replace(old, aside=(), strikes=Strikes(), cursors=cursors)


def _strike(
    job: Job, digest: Digest, ledger: Ledger, tally: Tally, error: CuratorError
) -> None:
    """Another unusable reply: try less next time, in the end set the span aside."""
    old = ledger.strikes
    calls = old.calls + tally.unusable
    new = Strikes(old.count + tally.unusable, calls, old.cap, str(error))
    if new.count >= STRIKES:
        smaller = max(1, min(old.cap or digest.chars, digest.chars) // 2)
        new = dataclasses.replace(new, cap=smaller)
    parted = len(digest.cursors) + len(digest.notes) > 1 or digest.spans > 1
    if calls >= MOST_CALLS or (old.count >= STRIKES and not parted):
        ledgers.edit(job.rt.paths, job.project.root, lambda led: _aside(job, led, digest, error))
        return
    ledgers.edit(
        job.rt.paths, job.project.root, lambda led: dataclasses.replace(led, strikes=new)
    )


def _aside(job: Job, old: Ledger, digest: Digest, error: CuratorError) -> Ledger:
    """Pass over what the digest showed, keeping the way back."""

    def entry(key: str, after: str | None, until: str) -> SetAside:
        return SetAside(key, after, until, job.rt.now, str(error))  # type: ignore[arg-type]

    entries = [
        entry(key, old.cursors.get(key), digest.cursors[key])
        for key in digest.sessions
        if key in digest.cursors
    ]
    entries += [entry(key, None, "") for key in distill.note_keys(digest)]
    return dataclasses.replace(
        old,
        strikes=Strikes(),
        aside=(*old.aside, *entries),
        cursors={**old.cursors, **digest.cursors},
    )


def _ease(job: Job, strikes: Strikes) -> None:
    """A part got through: show more next time, until the usual size is reached again."""
    cap = strikes.cap * 2
    new = dataclasses.replace(strikes, cap=cap)
    if not strikes.cap or cap >= job.rt.config.digest_cap_chars:
        new = Strikes()
    ledgers.edit(
        job.rt.paths, job.project.root, lambda old: dataclasses.replace(old, strikes=new)
    )


def _log_redactions(job: Job) -> None:
    if job.redactor.fired:
        rules = ", ".join(f"{rule} x{n}" for rule, n in sorted(job.redactor.fired.items()))
        logger(job.rt.paths).info("%s: redacted %s", job.project.root, rules)
        job.redactor.fired.clear()


def _failed(rt: Runtime, project: Project, error: Exception) -> Failed:
    text = str(error)
    run = LastRun(rt.now, "failed", text)
    logger(rt.paths).error("%s: %s", project.root, text)
    try:
        ledgers.edit(
            rt.paths,
            project.root,
            lambda old: dataclasses.replace(old, last=run, last_failure=run),
        )
    except (MemdError, OSError):
        logger(rt.paths).error("%s: the failure could not be noted", project.root)
    return Failed(text, getattr(error, "exit_code", 1))
