"""Publish a note: light, and possible even while the configuration is invalid."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from memd import inbox
from memd.cli import target
from memd.cli.terminal import reporter
from memd.config import snapshot
from memd.errors import UsageFault
from memd.model import NOTE_CHARS, NOTE_KINDS
from memd.paths import Paths
from memd.state import registry
from memd.store import layout


@dataclass(frozen=True, slots=True)
class Published:
    path: str
    warnings: tuple[str, ...] = ()


def publish(
    paths: Paths, text: str, *, project: str | None, to_global: bool, source: str, kind: str
) -> Published:
    """Leave one note in the inbox of the project around `project` (default: here).

    Raises UsageFault for an empty note, an unknown kind or a place outside any project.
    """
    _check(text, project, to_global, kind)
    settings, warnings = snapshot.in_force(paths)
    known = registry.read(paths)
    if to_global:
        root, store_id = settings.global_root, known.global_store_id
        store = _checked(root, store_id, "memd init --global")
    else:
        root = _root(paths, settings, known, project)
        store = _checked(root, known.store_id(root), f"memd init {root}")
    if len(text) > NOTE_CHARS:
        long = (
            f"the note has {len(text)} characters: the curator is shown {NOTE_CHARS} "
            "of them, the whole goes to the archive; one fact per note is best"
        )
        warnings = (*warnings, long)
    path = inbox.publish(store, text, source=source or None, kind=kind or None, now=time.time())
    return Published(path, warnings)


def typed() -> str:
    """Standard input, as far as it takes to see that it is too long for a note."""
    if sys.stdin.isatty():
        reporter()("type the note, then Control-D on a line of its own")
    return sys.stdin.buffer.read(inbox.MAX_NOTE_BYTES + 1).decode("utf-8", "replace")


def _check(text: str, project: str | None, to_global: bool, kind: str) -> None:
    if not text.strip():
        raise UsageFault("note: is empty; give the fact with -m or on standard input")
    if len(text.encode("utf-8", "replace")) > inbox.MAX_NOTE_BYTES:
        raise UsageFault(f"note: is larger than {inbox.MAX_NOTE_BYTES} bytes; one fact is enough")
    if kind and kind not in NOTE_KINDS:
        raise UsageFault(f"--kind: {kind!r} is none of {', '.join(NOTE_KINDS)}")
    if to_global and project is not None:
        raise UsageFault("--global: is for facts of no single project; leave out --project")


def _root(
    paths: Paths, settings: snapshot.Snapshot, known: registry.Registry, project: str | None
) -> str:
    if project and not os.path.isdir(target.real_path(project)):
        return target.root_named(project, _names(settings, known))
    directory = target.directory_of(project)
    owners = known.owners(settings.projects, settings.exclude, paths.state)
    if root := owners.owner(directory):
        return root
    raise target.nobodys(
        directory,
        excluded=owners.excludes(directory),
        settings=settings,
        else_=", memd note --global is for facts of no single project",
    )


def _names(settings: snapshot.Snapshot, known: registry.Registry) -> dict[str, str]:
    roots = {**known.entries, **settings.projects}
    return {root: known.name(root, settings.projects.get(root)) for root in roots}


def _checked(root: str, store_id: str, remedy: str) -> str:
    if not os.path.isdir(root):
        raise UsageFault(f"{root}: no such directory")
    if not store_id:
        raise UsageFault(f"{root}: has no memory yet; {remedy} makes one")
    return layout.trusted_store(root, store_id)
