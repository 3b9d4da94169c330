"""Results as text for people or JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from memd.health import ProjectStatus, Status
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
from memd.onboard import Initialised
from memd.sweep import Swept

JSON_FORMAT = 1


def lines(texts: Sequence[str]) -> None:
    for text in texts:
        print(printable(text))


def warnings(texts: Sequence[str]) -> None:
    for text in texts:
        print(f"memd: {printable(text)}", file=sys.stderr)


def printable(text: str) -> str:
    """One line with control characters shown, so that no text can move the cursor."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def initialised(done: Initialised) -> None:
    print(f"{'already' if done.was_known else 'now'} remembered: {done.root} ({done.name})")
    for path in done.written:
        print(f"  wrote {path}")
    warnings(done.notices)


def preview(request: CuratorRequest | None) -> None:
    if request is None:
        print("nothing new: nothing would be sent")
        return
    print(f"# model: {request.model}\n\n{request.system}\n\n{request.prompt}")


def outcome(project: Project, result: SyncOutcome) -> None:
    """Say how a sync went: results on stdout, troubles on stderr."""
    if isinstance(result, Applied):
        lines([f"{project.name}: {summary}" for summary in result.summaries])
        if result.pending:
            print(f"{project.name}: more is waiting; the next sync or sweep goes on")
        warnings([f"{project.root}: {text}" for text in result.warnings])
    elif isinstance(result, NothingNew):
        print(f"{project.name}: nothing new")
        warnings([f"{project.root}: {text}" for text in result.warnings])
    elif isinstance(result, Busy):
        print(f"{project.name}: another sync is at work; it was told to look again")
    elif isinstance(result, Waiting):
        print(f"{project.name}: waiting: {printable(result.reason)}")
    else:
        place = "" if project.root in result.error else f"{project.root}: "
        warnings([f"{place}{result.error}"])


def exit_code(result: SyncOutcome) -> int:
    return result.exit_code if isinstance(result, Failed) else 0


def swept(result: Swept) -> None:
    for project in result.adopted:
        print(f"{project.name}: taken in ({project.root})")
    for root in result.gone:
        print(f"{root}: gone, left alone")
    for project, one in result.outcomes:
        if not isinstance(one, NothingNew) or one.warnings:
            outcome(project, one)


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def status_without_config(
    problems: tuple[str, ...], roots: tuple[str, ...], *, as_json: bool
) -> None:
    if as_json:
        print(json.dumps({"format": JSON_FORMAT, "problems": problems, "projects": roots}))
        return
    for problem in problems:
        print(f"! config     : {printable(problem)}")
    for root in roots:
        print(f"  registered : {printable(root)}")


def status(report: Status, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(status_document(report), indent=2))
        return
    for problem in report.problems:
        print(f"! {printable(problem)}")
    if report.problems:
        print()
    print(f"memd {report.version}")
    print(f"curator      : {report.curator}")
    limit = f" of {report.calls_limit}" if report.calls_limit else ""
    print(f"calls today  : {report.calls_today}{limit}")
    for source, health in report.ingestion:
        print(
            f"source       : {source}: {health.events} records used, {health.noise} passed as "
            f"noise, {health.unknown} unknown, {health.broken} broken"
        )
    print(f"projects     : {len(report.projects) or 'none; memd init makes one'}")
    for project in report.projects:
        _project(project)
    for path in report.excluded:
        print(f"excluded     : {printable(path)}")


def _project(row: ProjectStatus) -> None:
    mark = "!" if row.problems else " "
    waiting = []
    if row.backlog_bytes:
        waiting.append(f"{row.backlog_bytes:,} bytes to read")
    if row.notes:
        waiting.append(f"{row.notes} note{'s' * (row.notes != 1)}")
    print(f"{mark} {printable(row.name)}  {printable(row.root)}  [{row.how}]")
    print(
        f"    last distill {row.last_distill or 'never'}"
        f"{': ' + printable(row.last_summary) if row.last_summary else ''}"
    )
    if waiting:
        print(f"    waiting {', '.join(waiting)}")
    usage = row.usage_today
    if row.calls_today:
        print(
            f"    today {row.calls_today} calls, {usage.input_tokens:,} + "
            f"{usage.output_tokens:,} tokens, {usage.cost_usd:.2f} USD"
        )


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
