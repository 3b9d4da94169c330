"""One question: draw a digest of what is new, ask the curator, have the answer judged."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from memd import digest as digests
from memd import guard, inbox, prompt
from memd.curator.retry import ask_until_usable
from memd.errors import BackendError, CuratorError, Rejected, UnusableReply
from memd.gate import Closed, Gate
from memd.model import (
    NOTE_CHARS,
    ArchiveEntry,
    CleanText,
    CuratorRequest,
    Cursor,
    Digest,
    Memory,
    MemoryUpdate,
    Project,
    Reply,
    SourceRef,
    Span,
    Usage,
)
from memd.projects import Owners
from memd.redact import Redactor
from memd.runtime import Runtime
from memd.state import ledger as ledgers
from memd.state.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Job:
    """One project being synced."""

    rt: Runtime
    project: Project
    store: str
    """Directory of the store, its lock held."""
    owners: Owners
    redactor: Redactor


def draw(job: Job, ledger: Ledger, refs: tuple[SourceRef, ...], *, cap: int) -> Digest:
    """What the next pass shows: at most `cap` characters and one span."""
    aside = {entry.key.removeprefix("inbox/") for entry in ledger.aside}
    names = (name for name in inbox.waiting(job.store) if name not in aside)
    notes = inbox.read(job.store, names)
    digest = digests.build(
        ((ref, _spans(job, ref, ledger.cursors.get(ref.key))) for ref in refs),
        redactor=job.redactor,
        cap=cap,
        accepts=lambda ref, span: _made_in(job, ref, span),
        seen=ledger.has_seen(),
        notes=notes,
    )
    return replace(digest, complete=digest.complete and next(names, None) is None)


def ask(
    job: Job,
    digest: Digest,
    memory: Memory,
    gate: Gate,
    *,
    attempts: int,
    on_useless: Callable[[CuratorError], None],
) -> MemoryUpdate:
    """The update that one usable reply leads to, with over-long notes kept whole.

    `on_useless` is told of each reply that is unusable or rejected. Raises BackendError,
    UnusableReply or Rejected after the last attempt, Closed when no call may be made.
    """
    from memd.curator import reply as replies

    shown = request(job, digest, memory)
    tries = 0

    def once() -> MemoryUpdate:
        nonlocal tries
        tries += 1
        require_managed(job)
        try:
            with gate.call(again=tries > 1):
                answer = job.rt.curator.ask(shown)
            _count(job, answer.usage)
            return _judge(job, digest, memory, shown.prompt, replies.parse(answer.text))
        except (UnusableReply, Rejected) as error:
            on_useless(error)
            raise

    try:
        update = ask_until_usable(once, attempts=attempts, sleep=job.rt.sleep)
    except BackendError as error:
        gate.give_up(error)
        raise
    return _with_long_notes(job, digest, update)


def require_managed(job: Job) -> None:
    """Raises Closed when a person has excluded the project since the run began."""
    root = job.project.root
    if not job.project.is_global and job.rt.owners().excludes(root):
        raise Closed(f"{root} was excluded meanwhile: nothing of it was written")


def request(job: Job, digest: Digest, memory: Memory) -> CuratorRequest:
    built = prompt.build(
        memory,
        digest,
        redactor=job.redactor,
        project_name=job.project.name,
        today=job.rt.today,
        token=secrets.token_hex(8),
    )
    return CuratorRequest(built.system, built.text, model_for(job.rt, digest))


def model_for(rt: Runtime, digest: Digest) -> str:
    """The configured model for a digest of this size."""
    large = digest.chars > rt.config.escalate_chars
    return rt.config.model_large if large else rt.config.model_small


def _judge(
    job: Job, digest: Digest, memory: Memory, shown: CleanText, reply: Reply
) -> MemoryUpdate:
    return guard.judge(
        memory,
        _redacted(reply, job.redactor),
        budgets=job.rt.config.budgets,
        today=job.rt.today,
        session_date=digest.latest or job.rt.today,
        shown=shown,
    )


def _redacted(reply: Reply, redactor: Redactor) -> Reply:
    return Reply(
        summary=redactor.clean(reply.summary),
        bodies={name: redactor.clean(body) for name, body in reply.bodies.items()},
        mistakes=tuple(redactor.clean(entry) for entry in reply.mistakes),
        archive=tuple(
            ArchiveEntry(redactor.clean(e.source), redactor.clean(e.content)) for e in reply.archive
        ),
    )


def _with_long_notes(job: Job, digest: Digest, update: MemoryUpdate) -> MemoryUpdate:
    whole = tuple(
        ArchiveEntry("inbox note, whole", job.redactor.clean(note.text))
        for note in digest.notes
        if len(note.text) > NOTE_CHARS
    )
    return replace(update, archive=(*update.archive, *whole))


def _spans(job: Job, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
    return job.rt.sources[ref.source].read(ref, after)


def _made_in(job: Job, ref: SourceRef, span: Span) -> str | None:
    """Empty for this project, the root of another one, or None for what nobody may read."""
    if span.cwd is not None and job.owners.excludes(span.cwd):
        return None
    home = job.owners.owner(ref.cwd) if ref.cwd else ""
    maker = (job.owners.owner(span.cwd) if span.cwd else "") or home or job.project.root
    if maker == job.project.root:
        return ""
    return maker if home == job.project.root else None


def _count(job: Job, usage: Usage) -> None:
    today = job.rt.today
    ledgers.edit(job.rt.paths, job.project.root, lambda old: old.with_usage(usage, today))
