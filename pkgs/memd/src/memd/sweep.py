"""Serve all projects: new sessions, notes, budgets, newly seen repositories, the global index."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from memd import fsio, locks, onboard
from memd import survey as surveys
from memd.errors import MemdError, in_words
from memd.gate import Gate
from memd.log import logger
from memd.marks import Request
from memd.model import Failed, Project, SourceRef, SyncOutcome
from memd.oneline import one_line
from memd.projects import repository_root
from memd.runtime import Runtime
from memd.state import ledger, registry
from memd.store import layout
from memd.survey import Survey
from memd.sync import sync

GONE_DAYS = 30
INDEX = "projects.md"
_LONGEST_CELL = 500


@dataclass(frozen=True, slots=True)
class Swept:
    """Outcome per project, in the order in which they were begun."""

    outcomes: tuple[tuple[Project, SyncOutcome], ...]
    adopted: tuple[Project, ...] = ()
    gone: tuple[str, ...] = ()
    """Roots that are missing and left alone."""

    @property
    def failed(self) -> bool:
        return any(isinstance(outcome, Failed) for _, outcome in self.outcomes)


def sweep(rt: Runtime, *, jobs: int = 0) -> Swept:
    """One sweep with `jobs` projects at a time (0: as configured)."""
    for folder in ("", "projects", "pending", "marks", "snapshots"):
        layout.clear_abandoned(rt.paths.in_state(folder), now=rt.clock())
    survey = surveys.take(rt, rt.projects())
    adopted = tuple(_adopt_new(rt, survey))
    if adopted:
        survey = surveys.take(rt, rt.projects())
    gone = tuple(_note_gone(rt))
    projects = [p for p in rt.projects() if p.root not in gone and os.path.isdir(p.root)]
    if rt.registry().global_store_id:
        projects.append(rt.global_project)
    outcomes = tuple(_serve_all(rt, projects, survey, jobs or rt.config.sweep_jobs))
    _write_index(rt)
    return Swept(outcomes, adopted, gone)


def _serve_all(
    rt: Runtime, projects: list[Project], survey: Survey, jobs: int
) -> Iterator[tuple[Project, SyncOutcome]]:
    gate = Gate(rt, patient=True)

    def serve(project: Project) -> SyncOutcome:
        try:
            request = Request("sweep", rest="quiet")
            return sync(rt, project, request, gate=gate, survey=survey)
        except Exception as error:  # noqa: BLE001 - a bug in one project must not stop the others
            logger(rt.paths).exception("%s: sweep failed", project.root)
            return Failed(f"{type(error).__name__}: a bug; see {rt.paths.log}", 70)

    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="memd") as pool:
        results = pool.map(serve, projects)
        for number, (project, outcome) in enumerate(zip(projects, results, strict=True), 1):
            rt.progress(f"{number}/{len(projects)} {project.name}")
            yield project, outcome


def _adopt_new(rt: Runtime, survey: Survey) -> Iterator[Project]:
    """Take in each repository that a session outside all known projects worked in."""
    newest: dict[str, tuple[str, SourceRef]] = {}
    for ref in sorted(survey.unowned, key=lambda ref: ref.modified):
        place = ref.cwd or ""
        if os.path.isdir(place) and (root := repository_root(place)):
            newest[root] = (place, ref)
    for place, ref in newest.values():
        try:
            project = onboard.adopt(rt, place, session=ref.key, transcript=ref.path)
        except (MemdError, OSError) as error:
            logger(rt.paths).warning("%s: not taken in: %s", place, in_words(error))
            continue
        if project is not None:
            yield project


def _note_gone(rt: Runtime) -> Iterator[str]:
    owners = rt.owners()
    for entry in rt.registry().entries.values():
        if os.path.isdir(entry.root):
            if entry.gone_since:
                registry.update(rt.paths, entry.root, gone_since="")
            continue
        if not owners.excludes(entry.root):
            yield entry.root
        if not entry.gone_since:
            registry.update(rt.paths, entry.root, gone_since=rt.today)
        elif entry.gone_since <= _day(rt.clock() - GONE_DAYS * 86400):
            registry.drop(rt.paths, entry.root)


def _write_index(rt: Runtime) -> None:
    """Keep `projects.md` of the global memory true; leave it alone when it already is."""
    project = rt.global_project
    known = rt.registry()
    if not known.global_store_id:
        return
    try:
        store = onboard.store_to_read(known, project)
        path = os.path.join(store, INDEX)
        text = _index(rt).encode("utf-8", "replace")
        if _current(path) != text:
            # Its holder clears away what looks like the leftovers of a crash.
            with locks.held(store, wait=False):
                fsio.write_atomic(path, text)
    except locks.Locked:
        return
    except (MemdError, OSError) as error:
        logger(rt.paths).error("%s: %s", INDEX, in_words(error))


def _current(path: str) -> bytes:
    try:
        return fsio.read_regular(path, limit=1 << 22)
    except FileNotFoundError:
        return b""


def _index(rt: Runtime) -> str:
    rows = [
        f"| {_cell(project.name)} | {_cell(project.root)} | {_last_distill(rt, project)} |"
        for project in rt.projects()
    ]
    head = ["# Projects", "", "| project | directory | last distill |", "|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _last_distill(rt: Runtime, project: Project) -> str:
    journal = ledger.read(rt.paths, project.root).journal
    return journal[-1].at if journal else "never"


def _cell(text: str) -> str:
    return one_line(text, _LONGEST_CELL).replace("|", "\\|")


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
