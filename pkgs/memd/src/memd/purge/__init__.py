"""Take a text out of all that memd keeps: memories, their history, notes, state and log."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memd import apply, locks, onboard
from memd.config import snapshot
from memd.errors import MemdError, StoreError, UsageFault
from memd.model import MEMORY_FILES, Project
from memd.paths import INBOX_DIR
from memd.purge import files
from memd.purge.wanted import Wanted
from memd.runtime import Runtime
from memd.state import ledger
from memd.store import layout
from memd.store.memory import is_memory
from memd.store.rewrite import WritableHistory, is_trace

_OWN_NAMES: Final = (*MEMORY_FILES, layout.ARCHIVE_DIR, INBOX_DIR)


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    """With what is to be purged left out of it."""
    count: int
    what: str = ""
    """What is counted, "" for occurrences."""


@dataclass(frozen=True, slots=True)
class Found:
    places: tuple[Place, ...]
    notices: tuple[str, ...] = ()
    """One line about each thing that memd leaves alone."""


def look(rt: Runtime, wanted: Wanted) -> Found:
    """Where it stands; changes nothing. Raises UsageFault where memd could not work without."""
    stores, notices = _stores(rt)
    _check_names(rt, wanted)
    places: list[Place] = []
    for _, store in stores:
        files.check_memory(store, wanted)
        places += _in_store(store, wanted, write=False)
    places += _in_state(rt, wanted, write=False)
    shown = (dataclasses.replace(p, path=wanted.in_text(p.path)[0]) for p in places)
    return Found(tuple(shown), (*notices, *_configured(rt, wanted)))


def purge(rt: Runtime, wanted: Wanted) -> None:
    """Replace it everywhere. Raises StoreError that names what still holds it.

    May be cut off anywhere: the same call again does what is left.
    """
    for project, store in _stores(rt)[0]:
        rt.progress(f"{project.name}: once no sync holds it")
        with locks.held(store, wait=True):
            layout.clear_leftovers(store, now=rt.clock())
            apply.recover(rt, project, store)
            tuple(_in_store(store, wanted, write=True))
            files.in_json(ledger.pending_path(rt.paths, project.root), wanted, write=True)
    tuple(_in_state(rt, wanted, write=True))
    if left := look(rt, wanted).places:
        raise StoreError(
            f"{', '.join(place.path for place in left)}: still holds it; run memd purge again, "
            "and where that does not help, change it by hand"
        )


def _stores(rt: Runtime) -> tuple[list[tuple[Project, str]], tuple[str, ...]]:
    """Every store that memd made and can get at, also of excluded projects; notices on others."""
    known = rt.registry()
    projects = [rt.project(root) for root in known.entries]
    if known.global_store_id:
        projects.append(rt.global_project)
    opened = [(project, _store(rt, project)) for project in projects]
    stores = [(project, store) for project, store in opened if isinstance(store, str)]
    refused = [store for _, store in opened if not isinstance(store, str)]
    return stores, tuple(f"not looked at: {error}" for error in refused)


def _store(rt: Runtime, project: Project) -> str | MemdError:
    try:
        return onboard.store_to_read(rt.registry(), project)
    except MemdError as error:
        return error


def _check_names(rt: Runtime, wanted: Wanted) -> None:
    """What a project and memd's own files go by is not taken from them."""
    known = rt.registry()
    for path in (*known.entries, *known.excluded, rt.config.global_root, rt.paths.state):
        if wanted.in_text(path)[1]:
            raise UsageFault(
                "purge: what is to be purged is part of the path of a directory that memd "
                "manages or leaves alone (memd status lists them): rename that directory first"
            )
    if any(wanted.in_text(name)[1] for name in _OWN_NAMES):
        raise UsageFault("purge: it is part of a name that memd's own files have")


def _in_store(store: str, wanted: Wanted, *, write: bool) -> Iterator[Place]:
    git_dir = os.path.join(store, layout.GIT_DIR)
    for path in files.regular(store, without=layout.GIT_DIR):
        if path != layout.id_path(store):
            yield from _in_file(path, wanted, is_json=False, write=write)
    yield from _in_names(store, wanted, without=layout.GIT_DIR, write=write)
    history = WritableHistory(store)
    if not history.exists:
        return
    if held := history.holding(wanted.in_text):
        yield Place(git_dir, len(held), "objects of its history")
    traces = list(_in_git_dir(git_dir, wanted))
    yield from traces
    if write and (held or traces):
        history.rewrite(wanted.in_text)


def _in_git_dir(git_dir: str, wanted: Wanted) -> Iterator[Place]:
    """What git keeps beside the objects. Raises UsageFault for what it cannot do without."""
    for path in files.regular(git_dir, without="objects"):
        name = os.path.relpath(path, git_dir)
        found = files.in_text(path, wanted, write=False) + wanted.in_text(name)[1]
        if found and not is_trace(name.partition(os.sep)[0]):
            raise UsageFault(
                f"{wanted.in_text(path)[0]}: holds what is to be purged, and git works with it: "
                "change that by hand first (git config, git branch -m)"
            )
        if found:
            yield Place(path, found)


def _in_state(rt: Runtime, wanted: Wanted, *, write: bool) -> Iterator[Place]:
    for path in files.regular(rt.paths.state):
        if os.path.dirname(path) == rt.paths.snapshots:
            yield from _in_snapshot(path, wanted, write=write)
        else:
            is_json = ".json" in os.path.basename(path)
            yield from _in_file(path, wanted, is_json=is_json, write=write)
    yield from _in_names(rt.paths.curator_cwd, wanted, write=write)


def _in_snapshot(path: str, wanted: Wanted, *, write: bool) -> Iterator[Place]:
    """A snapshot that was changed is none: it is made again where it is needed."""
    if found := files.in_json(path, wanted, write=False):
        yield Place(path, found)
        if write:
            os.unlink(path)


def _in_file(path: str, wanted: Wanted, *, is_json: bool, write: bool) -> Iterator[Place]:
    find = files.in_json if is_json else files.in_text
    if found := find(path, wanted, write=write):
        yield Place(path, found)


def _in_names(top: str, wanted: Wanted, *, without: str = "", write: bool) -> Iterator[Place]:
    for path in files.below(top, without=without):
        found = files.in_name(path, wanted, write=False)
        if found and is_memory(os.path.relpath(path, top)):
            raise UsageFault("purge: it is part of a name that memd's own files have")
        if found:
            files.in_name(path, wanted, write=write)
            yield Place(path, found, "in its name")


def _configured(rt: Runtime, wanted: Wanted) -> Iterator[str]:
    for path in (rt.paths.config_file, *rt.paths.system_config_files):
        if wanted.in_json((snapshot.contents(path) or b"").decode("utf-8", "replace"))[1]:
            yield f"{path}: holds it too, and memd does not change the configuration"
