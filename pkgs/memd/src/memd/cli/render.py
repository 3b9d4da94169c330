"""Results as text for people or JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from memd.cli.terminal import readable
from memd.model import Applied, Busy, Failed, NothingNew, Waiting
from memd.oneline import spelled_out

if TYPE_CHECKING:
    from memd.curator.base import Curator
    from memd.doctor.base import Finding
    from memd.forget import Forgotten
    from memd.health import ProjectStatus, Status
    from memd.model import CuratorRequest, Project, SyncOutcome
    from memd.onboard import Initialised
    from memd.sightings import Sighting
    from memd.sweep import Swept

JSON_FORMAT = 1
HEAD = ("  project", "last distill, UTC", "waiting", "today", "directory")


def lines(texts: Iterable[str]) -> None:
    for text in texts:
        print(spelled_out(text))


def warnings(texts: Iterable[str]) -> None:
    for text in texts:
        print(f"memd: {spelled_out(text)}", file=sys.stderr)


def initialised(done: Initialised) -> None:
    known = "already" if done.was_known else "now"
    lines([f"{known} remembered: {done.root} ({done.name})"])
    lines([f"  wrote {path}" for path in done.written])
    if done.skipped and not done.was_known:
        lines(
            [f"  sessions from before: {done.skipped}, taken as read; --backfill learns from them"]
        )
    warnings(done.notices)


def preview(request: CuratorRequest | None, curator: Curator) -> None:
    if request is None:
        print("nothing new: nothing would be sent")
        return
    model = curator.answers_as(request.model)
    print(readable(f"# model: {model}\n\n{request.system}\n\n{request.prompt}"))


def outcome(project: Project, result: SyncOutcome) -> None:
    """Say how a sync went: results on stdout, troubles on stderr."""
    if isinstance(result, Failed):
        place = "" if project.root in result.error else f"{project.root}: "
        warnings([f"{place}{result.error}"])
        return
    lines([f"{project.name}: {text}" for text in _said(result)])
    if isinstance(result, (Applied, NothingNew)):
        warnings([f"{project.root}: {text}" for text in result.warnings])


def _said(result: Applied | NothingNew | Busy | Waiting) -> Iterator[str]:
    if isinstance(result, Applied):
        yield from result.summaries
        if result.pending:
            yield "more is waiting; the next sync or sweep goes on"
    elif isinstance(result, NothingNew):
        yield "nothing new"
    elif isinstance(result, Busy):
        yield "another sync is at work; it was told to look again"
    else:
        yield f"waiting: {result.reason}"


def exit_code(result: SyncOutcome) -> int:
    return result.exit_code if isinstance(result, Failed) else 0


def forgotten(done: Iterable[Forgotten], troubles: Iterable[str]) -> None:
    """What was taken back on stdout, what was not on stderr."""
    done = tuple(done)
    for one in done:
        changed = ", ".join(one.files) or "nothing of it was left"
        lines([f"{one.project.name}: taken back: {changed} (commits: {len(one.commits)})"])
        shared = [commit for commit in one.commits if len(commit.sessions) > 1]
        lines(f"  {c.oid[:12]} was of several sessions: {', '.join(c.sessions)}" for c in shared)
        warnings((*one.warnings, *(f"{one.project.name}: not taken back: {k}" for k in one.kept)))
    if not done:
        print("nothing was learned from it")
    warnings(troubles)
    print("it will not be read again")


def swept(result: Swept) -> None:
    lines([f"{project.name}: taken in ({project.root})" for project in result.adopted])
    lines([f"{root}: gone, left alone" for root in result.gone])
    for project, one in result.outcomes:
        if not isinstance(one, NothingNew) or one.warnings:
            outcome(project, one)


def table(rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they have to be; the first row is the head."""
    texts = [[spelled_out(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        print("  ".join(map(str.ljust, row, widths)).rstrip())


def status_without_config(problems: Sequence[str], roots: Sequence[str], *, as_json: bool) -> None:
    """The part of a status that needs no valid configuration."""
    if as_json:
        projects = [{"root": root} for root in roots]
        document = {"format": JSON_FORMAT, "problems": list(problems), "projects": projects}
        print(json.dumps(document, indent=2))
        return
    lines([f"! config     : {problem}" for problem in problems])
    lines([f"  registered : {root}" for root in roots])


def status(report: Status, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(status_document(report), indent=2))
        return
    lines([f"! {problem}" for problem in report.problems])
    if report.problems:
        print()
    lines(_facts(report))
    if report.projects:
        print()
        rows = sorted(report.projects, key=lambda row: not row.problems)
        table([HEAD, *map(_row, rows)])


def _facts(report: Status) -> Iterator[str]:
    limit = f" of {report.calls_limit}" if report.calls_limit else ""
    yield f"memd {report.version}"
    yield f"curator      : {report.curator}"
    yield f"calls today  : {report.calls_today}{limit}"
    for source, health in report.ingestion:
        yield (
            f"source       : {source}: {health.events:,} records used, {health.noise:,} passed "
            f"as noise, {health.unknown:,} unknown, {health.broken:,} broken"
        )
    for path in report.excluded:
        yield f"excluded     : {path}"
    yield f"projects     : {len(report.projects) or 'none; memd init makes one'}"


def _row(row: ProjectStatus) -> tuple[str, ...]:
    how = "" if row.how == "init" else f" ({row.how})"
    return (
        f"{'!' if row.problems else ' '} {row.name}",
        row.last_distill[:16].replace("T", " ") or "never",
        _waiting(row) or "-",
        _today(row) or "-",
        f"{row.root}{how}",
    )


def _waiting(row: ProjectStatus) -> str:
    read = f"{row.backlog_bytes:,} bytes" if row.backlog_bytes else ""
    notes = f"{row.notes} note{'s' * (row.notes != 1)}" if row.notes else ""
    return ", ".join(filter(None, (read, notes)))


def _today(row: ProjectStatus) -> str:
    usage = row.usage_today
    tokens = usage.input_tokens + usage.output_tokens
    parts = (
        f"{row.calls_today} call{'s' * (row.calls_today != 1)}" if row.calls_today else "",
        f"{tokens:,} tokens" if tokens else "",
        f"{usage.cost_usd:.2f} USD" if usage.cost_usd else "",
    )
    return ", ".join(filter(None, parts))


def sightings(found: Sequence[Sighting]) -> None:
    if not found:
        print("no session of this project is there")
        return
    rows = [
        (one.ref.source, one.ref.session, f"{one.ref.size:,}", f"{one.read:,}", one.why)
        for one in found
    ]
    table([("client", "session", "bytes", "read", "why it is here"), *rows])


def examined(findings: Iterable[Finding]) -> int:
    """Print them as they come; how many are wrong."""
    wrong = 0
    for finding in findings:
        wrong += finding.is_wrong
        lines([f"{'!' if finding.is_wrong else ' '} {finding.area:<9}: {finding.text}"])
    return wrong


def status_document(report: Status) -> dict[str, object]:
    """What `--json` prints; a contract test pins its keys."""
    return {
        "format": JSON_FORMAT,
        "version": report.version,
        "curator": report.curator,
        "calls_today": report.calls_today,
        "calls_limit": report.calls_limit,
        "backend_error": report.backend_error,
        "problems": list(report.problems),
        "ingestion": {name: asdict(health) for name, health in report.ingestion},
        "projects": [asdict(row) for row in report.projects],
        "excluded": list(report.excluded),
    }
