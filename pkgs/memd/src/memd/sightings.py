"""What memd sees for one project, how far it has read, and why it counts it there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from memd import survey as surveys
from memd.model import Project, SourceRef
from memd.projects import repository_root, worktree_root
from memd.runtime import Runtime
from memd.sources import PER_PROJECT
from memd.state import ledger
from memd.state.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Sighting:
    """One session or file."""

    ref: SourceRef
    read: int
    """Bytes behind the read marker."""
    why: str


def of(rt: Runtime, project: Project) -> Iterator[Sighting]:
    """Everything that may hold records of the project, least recently written first."""
    known = ledger.read(rt.paths, project.root)
    for ref in surveys.take(rt, [project]).of(project, known):
        waiting = rt.sources[ref.source].backlog(ref, known.cursors.get(ref.key))
        yield Sighting(ref, max(0, ref.size - waiting), _why(rt, project, known, ref))


def _why(rt: Runtime, project: Project, known: Ledger, ref: SourceRef) -> str:
    cwd = ref.cwd or ""
    if ref.source in PER_PROJECT:
        return "named by extra_sources"
    if ref.key in known.visits and rt.owners().owner(cwd) != project.root:
        return f"holds records made here; began in {cwd}"
    entry = rt.registry().entries.get(project.root)
    if any(_is_below(cwd, former) for former in (entry.former if entry else ())):
        return f"began in {cwd}, where the project was"
    if repository_root(cwd) == project.root != worktree_root(cwd):
        return f"began in the linked worktree {worktree_root(cwd)}"
    return f"began in {cwd}"


def _is_below(place: str, top: str) -> bool:
    return place == top or place.startswith(top + os.sep)
