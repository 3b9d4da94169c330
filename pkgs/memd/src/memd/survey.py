"""Which sessions there are, and whose they are: one look at all sources."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from memd.model import Project, SourceRef
from memd.runtime import Runtime
from memd.sources import PER_PROJECT
from memd.state.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Survey:
    """Sessions by the project they began in. Excluded and private ones are in none."""

    by_root: dict[str, list[SourceRef]] = field(default_factory=dict)
    by_key: dict[str, SourceRef] = field(default_factory=dict)
    unowned: list[SourceRef] = field(default_factory=list)
    """Sessions that began outside every known project."""

    def of(self, project: Project, ledger: Ledger) -> tuple[SourceRef, ...]:
        """The sessions that may hold records of a project, least recently written first."""
        own = self.by_root.get(project.root, [])
        visiting = [self.by_key[key] for key in ledger.visits if key in self.by_key]
        unique = {ref.key: ref for ref in [*own, *visiting]}
        return tuple(sorted(unique.values(), key=lambda ref: (ref.modified, ref.key)))


def take(rt: Runtime, projects: Iterable[Project]) -> Survey:
    """Look at every source once; at per-project ones for each of `projects`."""
    survey = Survey()
    owners = rt.owners()
    private = _private_sessions(rt)
    for name, source in rt.sources.items():
        hints = [p for p in projects if p.extra_sources] if name in PER_PROJECT else [None]
        for hint in hints:
            for ref in source.discover(hint):
                if ref.session in private or ref.cwd is None or owners.excludes(ref.cwd):
                    continue
                survey.by_key[ref.key] = ref
                root = hint.root if hint else owners.owner(ref.cwd)
                if root:
                    survey.by_root.setdefault(root, []).append(ref)
                else:
                    survey.unowned.append(ref)
    return survey


def locate(rt: Runtime, path: str) -> SourceRef | None:
    """The session stored at a path that a hook or a person names, None when it is none."""
    for name, source in rt.sources.items():
        if name not in PER_PROJECT and (ref := source.locate(path)):
            return None if ref.session in _private_sessions(rt) else ref
    return None


def _private_sessions(rt: Runtime) -> frozenset[str]:
    try:
        return frozenset(os.listdir(rt.paths.private_sessions))
    except OSError:
        return frozenset()
