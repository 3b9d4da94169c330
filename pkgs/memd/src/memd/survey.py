"""Which sessions there are, and whose they are: one look at all sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memd.marks import Request
from memd.model import Project, SourceRef
from memd.projects import Owners
from memd.runtime import Runtime
from memd.sources import PER_PROJECT
from memd.sources.base import TranscriptSource
from memd.state.ledger import Ledger
from memd.state.private import PrivateSessions


@dataclass(frozen=True, slots=True)
class Survey:
    """Sessions by the project they began in. Excluded and private ones are in none."""

    by_root: dict[str, list[SourceRef]] = field(default_factory=dict)
    by_key: dict[str, SourceRef] = field(default_factory=dict)
    unowned: list[SourceRef] = field(default_factory=list)
    """Sessions that began outside every known project."""
    unreadable: list[str] = field(default_factory=list)
    """Sources that could not be looked at, as `<source>: reason`."""

    def of(self, project: Project, ledger: Ledger) -> tuple[SourceRef, ...]:
        """The sessions that may hold records of a project, least recently written first."""
        own = self.by_root.get(project.root, [])
        visiting = [self.by_key[key] for key in ledger.visits if key in self.by_key]
        unique = {ref.key: ref for ref in [*own, *visiting]}
        return tuple(sorted(unique.values(), key=_age))


def take(rt: Runtime, projects: Iterable[Project]) -> Survey:
    """Look at every source once; at per-project ones for each of `projects`."""
    survey = Survey()
    owners = rt.owners()
    private = PrivateSessions(rt.paths)
    for name, source in rt.sources.items():
        hints = [p for p in projects if p.extra_sources] if name in PER_PROJECT else [None]
        for hint in hints:
            for ref in _found(survey, name, source, hint):
                if ref.client_id in private or ref.cwd is None or owners.excludes(ref.cwd):
                    continue
                survey.by_key[ref.key] = ref
                root = hint.root if hint else owners.owner(ref.cwd)
                if root:
                    survey.by_root.setdefault(root, []).append(ref)
                else:
                    survey.unowned.append(ref)
    return survey


def _found(
    survey: Survey, name: str, source: TranscriptSource, hint: Project | None
) -> Iterator[SourceRef]:
    """What one source sees; that it cannot look stops no other."""
    try:
        yield from source.discover(hint)
    except OSError as error:
        survey.unreadable.append(f"{name}: {error.filename or ''} {error.strerror or error}")


def locate(rt: Runtime, path: str) -> SourceRef | None:
    """The session stored at a path that a hook or a person names, None when it is none."""
    for name, source in rt.sources.items():
        if name in PER_PROJECT:
            continue
        try:
            ref = source.locate(path)
        except OSError:
            continue
        if ref is not None:
            return None if ref.client_id in PrivateSessions(rt.paths) else ref
    return None


def due(
    rt: Runtime,
    project: Project,
    owners: Owners,
    ledger: Ledger,
    request: Request,
    survey: Survey,
) -> tuple[SourceRef, ...]:
    """Sessions that the request is to read and that go on behind their read marker."""
    located = [locate(rt, path) for path in request.transcripts]
    named = {r.key: r for r in located if r and r.cwd and owners.owner(r.cwd) == project.root}
    rest = {r.key: r for r in survey.of(project, ledger) if _is_due(rt, request, r)}
    refs = sorted({**named, **rest}.values(), key=_age)
    return tuple(ref for ref in refs if _has_more(rt, ref, ledger))


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


def _age(ref: SourceRef) -> tuple[float, str]:
    return ref.modified, ref.key
