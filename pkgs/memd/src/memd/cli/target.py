"""From what a person or a hook names to the project that is meant."""

from __future__ import annotations

import os
from dataclasses import dataclass

from memd import onboard
from memd import survey as surveys
from memd.errors import UsageFault
from memd.marks import Request
from memd.model import Project, SourceRef
from memd.projects import repository_root
from memd.runtime import Runtime

HOOK_TRIGGERS = ("session-start", "session-end", "pre-compact")


@dataclass(frozen=True, slots=True)
class Target:
    project: Project
    request: Request


def directory_of(path: str | None, *, above: bool = False) -> str:
    """Real path of a directory that exists; with `above` the repository around it.

    Raises UsageFault naming the path.
    """
    real = os.path.realpath(path or os.curdir)
    if not os.path.isdir(real):
        raise UsageFault(f"{path}: no such directory")
    return (repository_root(real) if above else "") or real


def project_of(rt: Runtime, path: str | None) -> Project:
    """The project that a path lies in (default: the working directory), or that has the name.

    Raises UsageFault when there is none.
    """
    if path and not os.path.isdir(path):
        return _by_name(rt, path)
    directory = directory_of(path)
    owners = rt.owners()
    if root := owners.owner(directory):
        return rt.project(root)
    if directory == os.path.realpath(rt.config.global_root) and rt.registry().global_store_id:
        return rt.global_project
    if owners.excludes(directory):
        raise UsageFault(f"{directory}: is excluded; memd exclude --undo takes that back")
    raise UsageFault(f"{directory}: is in no project memd knows; memd init makes it one")


def sync_target(
    rt: Runtime, path: str | None, transcript: str | None, trigger: str, *, retry: bool = False
) -> Target | None:
    """What a sync is to do; None when a hook asks for what memd does not manage."""
    from_hook = trigger in HOOK_TRIGGERS
    ref = _session(rt, transcript, must_be_there=not from_hook)
    request = Request(
        trigger,
        (ref.path,) if ref else (),
        "none" if trigger == "pre-compact" else "quiet" if transcript else "all",
        retry,
    )
    owner = rt.owners().owner(ref.cwd) if ref and ref.cwd else ""
    if owner:
        return Target(rt.project(owner), request)
    if not from_hook:
        return Target(project_of(rt, path), request)
    place = (ref.cwd if ref and ref.cwd else path) or os.curdir
    known = rt.owners().owner(place)
    session = ref.key if ref else ""
    project = rt.project(known) if known else onboard.adopt(rt, place, session=session)
    return Target(project, request) if project else None


def _session(rt: Runtime, transcript: str | None, *, must_be_there: bool) -> SourceRef | None:
    if transcript is None:
        return None
    if not os.path.isfile(transcript):
        if must_be_there:
            raise UsageFault(f"{transcript}: no such transcript")
        return None
    return surveys.locate(rt, transcript)


def _by_name(rt: Runtime, name: str) -> Project:
    named = [project for project in rt.projects() if project.name == name]
    if len(named) == 1:
        return named[0]
    if named:
        raise UsageFault(f"{name}: {len(named)} projects have that name; give the path")
    raise UsageFault(f"{name}: no such directory and no project of that name")
