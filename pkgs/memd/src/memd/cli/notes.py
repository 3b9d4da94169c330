"""Publish a note: light, and possible even while the configuration is invalid."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from memd import inbox
from memd.config import snapshot
from memd.errors import ConfigError, StoreError, UsageFault
from memd.paths import Paths, store_of
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
    if not text.strip():
        raise UsageFault("note: is empty; give the fact with -m or on standard input")
    if kind and kind not in inbox.KINDS:
        raise UsageFault(f"--kind: {kind!r} is none of {', '.join(inbox.KINDS)}")
    settings, warnings = _settings(paths)
    known = registry.read(paths)
    if to_global:
        store = _checked(settings.global_root, known.global_store_id, "memd init --global")
    else:
        root = _root(paths, settings, known, project)
        entry = known.entries.get(root)
        store = _checked(root, entry.store_id if entry else "", f"memd init {root}")
    if len(text) > inbox.MAX_NOTE_CHARS:
        warnings += (
            f"the note has {len(text)} characters: the curator is shown {inbox.MAX_NOTE_CHARS} "
            f"of them, the whole goes to the archive; one fact per note is best",
        )
    path = inbox.publish(store, text, source=source or None, kind=kind or None, now=time.time())
    return Published(path, warnings)


def _settings(paths: Paths) -> tuple[snapshot.Snapshot, tuple[str, ...]]:
    try:
        return snapshot.read(paths), ()
    except snapshot.NoSnapshot:
        pass
    from memd.config import loader

    try:
        config = loader.load(paths).config
    except ConfigError as error:
        try:
            notice = f"{error.problems[0]}: the last valid configuration is used"
            return snapshot.last_valid(paths), (notice,)
        except snapshot.NoSnapshot:
            raise error from None
    snapshot.save(paths, config)
    return snapshot.of(config), ()


def _root(
    paths: Paths, settings: snapshot.Snapshot, known: registry.Registry, project: str | None
) -> str:
    directory = os.path.realpath(project or os.curdir)
    if not os.path.isdir(directory):
        named = [e.root for e in known.entries.values() if e.name == project]
        if len(named) != 1:
            raise UsageFault(f"{project}: no such directory")
        directory = named[0]
    owners = known.owners(settings.projects, settings.exclude, paths.state)
    root = owners.owner(directory)
    if not root:
        raise UsageFault(
            f"{directory}: is in no project memd knows; memd init makes it one, "
            f"memd note --global is for facts of no single project"
        )
    return root


def _checked(root: str, store_id: str, remedy: str) -> str:
    if not store_id:
        raise UsageFault(f"{root}: has no memory yet; {remedy} makes one")
    store = layout.safe_store(root)
    if layout.read_id(store) != store_id:
        raise StoreError(f"{store_of(root)}: was not made by memd here; see memd trust {root}")
    return store
