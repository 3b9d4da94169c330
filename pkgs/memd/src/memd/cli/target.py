"""From what a person or a hook names to the project that is meant."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.errors import MemdError, Untrusted, UsageFault
from memd.paths import store_of
from memd.projects import ancestors, repository_root, worktree_root

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.config.sections import Config
    from memd.config.snapshot import Snapshot
    from memd.marks import Request
    from memd.model import Project, SourceRef
    from memd.runtime import Runtime

HOOK_TRIGGERS = ("session-start", "session-end", "pre-compact")


@dataclass(frozen=True, slots=True)
class Target:
    project: Project
    request: Request


def directory_of(path: str | None) -> str:
    """Real path of a directory that exists. Raises UsageFault naming the path."""
    real = real_path(path)
    if not os.path.isdir(real):
        what = "is not a directory" if os.path.lexists(real) else "no such directory"
        raise UsageFault(f"{path}: {what}")
    return real


def real_path(path: str | None) -> str:
    """Where a path leads, None being the working directory; nothing need be there.

    A shell leaves the `~` of `--project=~/shop` as it is. Raises UsageFault.
    """
    if path == "":
        raise UsageFault("the path is empty: name a directory")
    try:
        return os.path.realpath(os.path.expanduser(path or os.curdir))
    except FileNotFoundError:
        raise UsageFault("the working directory is gone: change to one that is there") from None


def root_named(name: str, names: Mapping[str, str]) -> str:
    """Root of the one project with a name; `names` are those of all projects, by root.

    Raises UsageFault.
    """
    roots = [root for root, its_name in names.items() if its_name == name]
    if len(roots) > 1:
        raise UsageFault(f"{name}: {len(roots)} projects have that name; give the path")
    if not roots:
        raise UsageFault(
            f"{name}: no such directory and no project of that name; memd status lists all"
        )
    return roots[0]


def nobodys(
    directory: str,
    *,
    excluded: bool,
    settings: Snapshot | Config,
    else_: str = "",
) -> MemdError:
    """Why a directory that belongs to no project cannot be worked on; `else_`: what helps too."""
    if excluded:
        declared = [top for top in settings.exclude if _is_below(directory, top)]
        way = "take it out there" if declared else "memd exclude --undo takes that back"
        return UsageFault(
            f"{directory}: is excluded{' by the configuration' if declared else ''}; {way}"
        )
    if directory == os.path.realpath(settings.global_root):
        return UsageFault(
            f"{directory}: is in no project; memd init --global gives it a memory, "
            "memd note --global writes to that"
        )
    root = repository_root(directory) or directory
    if os.path.isdir(store_of(root)):
        return Untrusted(store_of(root), root)
    return UsageFault(f"{directory}: is in no project memd knows; memd init makes it one{else_}")


def _is_below(directory: str, top: str) -> bool:
    return directory == top or directory.startswith(f"{top}{os.sep}")


def place_to_begin(rt: Runtime, path: str | None) -> str:
    """What `memd init` is to look at: the path, or the nearest project or repository here."""
    here = directory_of(path)
    if path is not None:
        return here
    tops = (worktree_root(here), rt.owners().owner(here))
    return next((place for place in ancestors(here) if place in tops), here)


def project_of(rt: Runtime, path: str | None) -> Project:
    """The project that a path lies in (default: the working directory), or that has the name.

    Raises UsageFault when there is none.
    """
    projects = {project.root: project for project in rt.projects()}
    if rt.registry().global_store_id:
        projects[rt.config.global_root] = rt.global_project
    if path and not os.path.isdir(real_path(path)):
        return projects[root_named(path, {root: p.name for root, p in projects.items()})]
    directory = directory_of(path)
    owners = rt.owners()
    found = projects.get(owners.owner(directory) or directory)
    if found is None:
        raise nobodys(directory, excluded=owners.excludes(directory), settings=rt.config)
    return found


def sync_target(
    rt: Runtime, path: str | None, transcript: str | None, trigger: str, *, retry: bool = False
) -> Target | None:
    """What a sync is to do; None when a hook asks for what memd does not manage."""
    from memd import onboard
    from memd.marks import Request

    from_hook = trigger in HOOK_TRIGGERS
    ref = _session(rt, transcript, from_hook=from_hook)
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


def _session(rt: Runtime, transcript: str | None, *, from_hook: bool) -> SourceRef | None:
    """The session in a file; a hook may name one that is not there, or none of ours."""
    from memd import survey

    if transcript is None:
        return None
    ref = survey.locate(rt, transcript) if os.path.isfile(transcript) else None
    if ref is None and not from_hook:
        what = "no session that memd may read" if os.path.isfile(transcript) else "no such file"
        raise UsageFault(f"{transcript}: {what}; name a transcript of a client that memd knows")
    return ref
