"""How memd is doing: one report for `memd status`, changing nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from memd import apply, inbox, onboard
from memd import survey as surveys
from memd.errors import MemdError, StateError, Untrusted, in_words
from memd.model import Project, Usage
from memd.paths import Paths, store_of
from memd.projects import repository_root
from memd.runtime import Runtime
from memd.state import backend, ledger, registry, statefile
from memd.state.ledger import Health, Ledger
from memd.state.registry import Registry
from memd.survey import Survey

Decode = Callable[["statefile.Document"], object]

UNKNOWN_SHARE = 0.2
"""Share of records of unknown type above which a source is reported."""


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    root: str
    name: str
    how: str
    """`init`, `auto`, `declared` or `global`."""
    sessions: int
    backlog_bytes: int
    notes: int
    last_distill: str
    last_summary: str
    calls_today: int
    usage_today: Usage
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Status:
    version: str
    curator: str
    calls_today: int
    calls_limit: int
    """0: none."""
    backend_error: str
    projects: tuple[ProjectStatus, ...]
    excluded: tuple[str, ...]
    ingestion: tuple[tuple[str, Health], ...]
    """By source, summed over all projects."""
    problems: tuple[str, ...]
    """Everything that wants a person, most general first, projects' own included."""


def report(rt: Runtime, *, version: str) -> Status:
    """The state of everything memd manages."""
    known = rt.registry()
    projects = list(rt.projects())
    if known.global_store_id:
        projects.append(rt.global_project)
    survey = surveys.take(rt, projects)
    ledgers = {p.root: _ledger(rt.paths, p.root) for p in projects}
    state = _backend(rt)
    trouble = _backend_trouble(rt, state)
    rows = tuple(
        _project(rt, p, known, ledgers[p.root], survey, told=state.error) for p in projects
    )
    ingestion = tuple(_ingestion(ledgers.values()))
    problems = [
        *(f"config     : {line}" for line in rt.unknown_keys),
        *_state_problems(rt.paths),
        *((f"curator    : {trouble}",) if trouble else ()),
        *_missing_git(rt),
        *(f"source     : {line}" for line in survey.unreadable),
        *(text for name, health in ingestion for text in ingestion_problems(name, health)),
        *(f"{row.root}: {problem}" for row in rows for problem in row.problems),
        *(str(Untrusted(store_of(root), root)) for root in _untrusted(survey)),
    ]
    return Status(
        version=version,
        curator=rt.curator.describe(),
        calls_today=state.calls if state.day == rt.today else 0,
        calls_limit=rt.config.max_distills_per_day,
        backend_error=state.error,
        projects=rows,
        excluded=tuple(dict.fromkeys((*rt.config.exclude, *known.excluded))),
        ingestion=ingestion,
        problems=tuple(problems),
    )


def _ledger(paths: Paths, root: str) -> Ledger:
    """An empty one where the file cannot be used, which `_state_problems` names."""
    try:
        return ledger.read(paths, root)
    except StateError:
        return Ledger(root=root)


def _backend(rt: Runtime) -> backend.Backend:
    """The same."""
    try:
        return backend.read(rt.paths, rt.backend)
    except StateError:
        return backend.Backend()


def _missing_git(rt: Runtime) -> Iterator[str]:
    if rt.config.git_commit and not shutil.which("git", path=rt.paths.env.get("PATH", os.defpath)):
        yield "git        : not found on PATH: what is learned is kept and not committed"


def _untrusted(survey: Survey) -> Iterator[str]:
    """Repositories where sessions work whose memory memd did not make."""
    places = {ref.cwd for ref in survey.unowned if ref.cwd and os.path.isdir(ref.cwd)}
    roots = {root for root in map(repository_root, sorted(places)) if root}
    yield from (root for root in sorted(roots) if os.path.lexists(store_of(root)))


def ingestion_problems(source: str, health: Health) -> Iterator[str]:
    """What people have to know of one source."""
    if health.barren_bytes:
        yield (
            f"ingestion  : {health.barren_bytes} bytes read since {health.barren_since[:19]}, "
            f"nothing usable extracted."
        )
        yield (
            f"ingestion  : that is from {source}; nothing is lost, it waits for a memd that "
            f"knows the format"
        )
    records = health.events + health.noise + health.unknown
    if records and health.unknown > UNKNOWN_SHARE * records:
        kinds = ", ".join(health.unknown_types[:5])
        yield (
            f"ingestion  : {health.unknown} of {records} records of {source} are of unknown "
            f"type ({kinds})"
        )


def _project(
    rt: Runtime, project: Project, known: Registry, led: Ledger, survey: Survey, *, told: str
) -> ProjectStatus:
    """`told` is a failure that the report names already."""
    entry = known.entries.get(project.root)
    how = "global" if project.is_global else entry.how if entry else "declared"
    refs = () if project.is_global else survey.of(project, led)
    problems = list(_project_problems(led, told))
    notes = 0
    try:
        store = onboard.store_to_read(known, project)
        notes = len(inbox.waiting(store))
        problems += (
            f"{path}: is larger than {inbox.MAX_NOTE_BYTES} bytes and not read as a note: "
            "shorten or remove it"
            for path in inbox.too_large(store)
        )
    except (MemdError, OSError) as error:
        if entry or project.is_global:
            problems.insert(0, _short(error, project))
        elif not os.path.isdir(project.root):
            problems.append("no such directory; see `projects` in the configuration")
    if apply.has_pending(rt, project):
        problems.append("an update was interrupted; the next sync finishes it")
    newest = led.journal[-1] if led.journal else None
    return ProjectStatus(
        root=project.root,
        name=project.name,
        how=how,
        sessions=len(refs),
        backlog_bytes=sum(
            rt.sources[ref.source].backlog(ref, led.cursors.get(ref.key)) for ref in refs
        ),
        notes=notes,
        last_distill=newest.at if newest else "",
        last_summary=newest.summary if newest else "",
        calls_today=led.calls.get(rt.today, 0),
        usage_today=led.usage.get(rt.today, Usage()),
        problems=tuple(problems),
    )


def _short(error: Exception, project: Project) -> str:
    if not os.path.isdir(project.root):
        return "the directory is gone; it is left alone and forgotten after 30 days"
    return in_words(error).removeprefix(f"{project.root}: ")


def _project_problems(led: Ledger, told: str) -> Iterator[str]:
    if led.last.outcome == "failed" and not (told and led.last.detail == told):
        yield f"last sync failed at {led.last.at}: {led.last.detail}"
    if led.commit_error:
        yield f"not committed: {led.commit_error}"
    if led.strikes.calls:
        yield f"{led.strikes.calls} calls led to no usable reply: {led.strikes.reason}"
    for entry in led.aside:
        yield (
            f"{entry.key} was set aside at {entry.at} ({entry.reason}); "
            f"memd sync --retry takes it up again"
        )
    yield from (f"cannot be read: {line}" for line in led.unreadable)
    if led.lost:
        yield "its read markers are damaged"


def _backend_trouble(rt: Runtime, state: backend.Backend) -> str:
    if state.is_dead:
        return f"does not answer since {state.dead_since}: {state.error}"
    return rt.curator.trouble()


def _state_problems(paths: Paths) -> Iterator[str]:
    for folder in (paths.state, paths.in_state("projects"), paths.in_state("pending")):
        for name in statefile.corrupt_files(folder):
            yield f"state      : {name} in {folder} was damaged and moved aside"
    if registry.is_doubtful(paths):
        yield (
            "state      : exclusions may be lost, so nothing is taken in on its own: look at "
            "`excluded` below, repeat memd exclude where one is missing, delete the damaged file"
        )
    for path, decode in _documents(paths):
        yield from _document_problems(path, decode)


def _document_problems(path: str, decode: Decode) -> Iterator[str]:
    try:
        if statefile.is_damaged(path, decode):
            yield f"state      : {path} is damaged; the version before it is used"
    except StateError as error:
        yield f"state      : {error}"


def _documents(paths: Paths) -> Iterator[tuple[str, Decode]]:
    yield paths.registry, registry.from_document
    yield backend.path(paths), backend.from_document
    try:
        names = sorted(os.listdir(paths.in_state("projects")))
    except OSError:
        return
    for name in names:
        if name.endswith(".json"):
            yield paths.in_state("projects", name), ledger.from_document


def _ingestion(ledgers: Iterable[Ledger]) -> Iterator[tuple[str, Health]]:
    totals: dict[str, Health] = {}
    for led in ledgers:
        for name, new in led.health.items():
            old = totals.get(name, Health())
            since = sorted(s for s in (old.barren_since, new.barren_since) if s)
            totals[name] = replace(old + new, barren_since=since[0] if since else "")
    yield from sorted(totals.items())


def registered(paths: Paths) -> tuple[str, ...]:
    """Roots in the registry, for a report when the configuration cannot be used."""
    return tuple(registry.read(paths).entries)
