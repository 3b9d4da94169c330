"""Bring a directory under memd's care: store, ignore lines, registration, baseline."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from memd import contract, fsio, ignoring, locks
from memd.config import values
from memd.errors import StoreError, Untrusted, UsageFault
from memd.model import Cursor, Project
from memd.paths import MEMORY_DIR, Paths, store_of
from memd.projects import repository_root, worktree_root
from memd.runtime import Runtime
from memd.state import ledger, registry
from memd.state.ledger import Ledger
from memd.state.registry import Entry, Registry
from memd.store import history, layout, scaffold


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `memd init` did."""

    root: str
    name: str
    was_known: bool
    written: tuple[str, ...] = ()
    """Files made or changed, relative to the root."""
    notices: tuple[str, ...] = ()
    skipped: int = 0
    """Sessions that exist and are taken as read."""


def init(rt: Runtime, directory: str, *, name: str = "", backfill: bool = False) -> Initialised:
    """A person asks for this directory. Idempotent; never changes an existing contract file.

    Raises UsageFault for directories that cannot be a project, StoreError for a store
    that cannot be used.
    """
    _check_name(name)
    here = os.path.realpath(directory)
    root = repository_root(here) if worktree_root(here) == here else here
    _check_root(rt, root)
    with _onboarding(rt.paths):
        accepted = _accepted(rt, root)
        entry, known = _register(rt, root, name, how="init", backfill=backfill)
        notices = [*accepted, *ignoring.untrack(root)]
        layout.clear_staged(root)
        written = [*ignoring.add_line(root, notices), *contract.write_missing(root, rt.paths.home)]
        if here != root and _link(here, root):
            written.append(store_of(here))
        skipped = len(ledger.read(rt.paths, root).baseline)
        return Initialised(root, entry.name, known, tuple(written), tuple(notices), skipped)


def init_global(rt: Runtime) -> Initialised:
    """Make the memory that is no single project's, below `global_root`."""
    project = rt.global_project
    with _onboarding(rt.paths):
        known = _store_exists(project.root)
        ignoring.keep_out(project.root)
        store_id = _id_for(project.root, rt.registry().global_store_id)
        registry.set_global_store(rt.paths, store_id)
        _make_store(rt, project, store_id)
    return Initialised(project.root, project.name, known)


def adopt(
    rt: Runtime, directory: str, *, session: str = "", transcript: str = ""
) -> Project | None:
    """A session works here: take its git repository in without touching a tracked file.

    Returns the project, or None where memd must not begin on its own (switched off,
    excluded, no repository, the global root, a store that memd did not make).
    `session` (its id or key) and `transcript` (its path) name what is not old yet.
    """
    root = repository_root(directory)
    if not root or not rt.config.auto_scaffold or _is_off_limits(rt, root, directory):
        return None
    with _onboarding(rt.paths):
        if owner := rt.owners().owner(directory):
            return rt.project(owner)
        if _store_exists(root) and not _moved_from(rt, root):
            return None
        _register(rt, root, "", how="auto", backfill=False, fresh=(session, transcript))
        link_worktree(worktree_root(directory), root)
    return rt.project(root)


def trust(rt: Runtime, directory: str) -> Initialised:
    """A person accepts a store that memd did not make."""
    root = rt.owners().owner(directory) or repository_root(directory)
    root = root or os.path.realpath(directory)
    if not _store_exists(root):
        raise UsageFault(f"{store_of(root)}: there is no memory to trust; memd init makes one")
    _check_root(rt, root)
    with _onboarding(rt.paths):
        entry, known = _register(rt, root, "", how="init", backfill=False)
    return Initialised(root, entry.name, known)


def link_worktree(worktree: str, main: str) -> None:
    """Let a linked worktree share the store of its main one. Never replaces anything."""
    if worktree and worktree != main and not os.path.lexists(store_of(worktree)):
        os.symlink(store_of(main), store_of(worktree))


def first_notice(rt: Runtime, root: str) -> str:
    """What the first brief of a project says that memd took in on its own."""
    return (
        f"memd now remembers this project ({root}). What matters in its sessions goes to "
        f"{MEMORY_DIR}/ by way of the curator: {rt.curator.describe()}. "
        f"To stop that: memd exclude {root}"
    )


def usable_store(rt: Runtime, project: Project) -> str:
    """Directory of the project's store, with what is missing of it made.

    Raises UsageFault when the project's directory is gone, Untrusted when the store
    there is not the one that memd made, StoreError when it is not safe to use.
    """
    if not os.path.isdir(project.root):
        raise UsageFault(f"{project.root}: no such directory; memd leaves it alone")
    known = rt.registry()
    entry = known.entries.get(project.root)
    store = store_of(project.root)
    if not project.is_global and (entry is None or layout.is_blank(store)):
        if entry is None and os.path.lexists(store):
            raise Untrusted(store, project.root)
        with _onboarding(rt.paths):
            how = entry.how if entry else "declared"
            _register(rt, project.root, project.name, how=how, backfill=False)
        known = rt.registry()
    store = store_to_read(known, project)
    if not scaffold.is_whole(store):
        _make_store(rt, project, layout.read_id(store))
    elif rt.config.git_commit:
        # What stands in the way of a commit is told when the next one fails.
        with suppress(StoreError):
            history.begin(store)
    return store


def store_to_read(known: Registry, project: Project) -> str:
    """The same for those who only look: nothing is made."""
    own = known.global_store_id if project.is_global else known.store_id(project.root)
    return layout.trusted_store(project.root, own)


def baseline(rt: Runtime, project: Project, *, fresh: Iterable[str] = ()) -> dict[str, Cursor]:
    """Where every session of the project ends now, but for the `fresh` ones."""
    if project.is_global:
        return {}
    owners = rt.owners()
    skip = {name for name in fresh if name}
    ends: dict[str, Cursor] = {}
    for source in rt.sources.values():
        for ref in source.discover(project):
            if ref.cwd is None or not _belongs(ref.cwd, project.root, owners.owner(ref.cwd)):
                continue
            if skip.isdisjoint((ref.session, ref.key, ref.path)):
                try:
                    ends[ref.key] = source.end(ref)
                except OSError:
                    continue
    return ends


def _belongs(cwd: str, root: str, owner: str) -> bool:
    # Before its registration a project owns nothing yet.
    return owner == root or (
        repository_root(cwd) == root or os.path.realpath(cwd).startswith(root + os.sep)
    )


def _register(
    rt: Runtime,
    root: str,
    name: str,
    *,
    how: str,
    backfill: bool,
    fresh: tuple[str, ...] = (),
) -> tuple[Entry, bool]:
    """Ledger, registry, then the store: whatever a crash in between leaves is finished later,
    and a store that is there is known."""
    if old_root := _moved_from(rt, root):
        ledger.move(rt.paths, old_root, root)
        registry.move(rt.paths, old_root, root)
        ledger.forget(rt.paths, old_root)
    registered = rt.registry()
    known = registered.entries.get(root)
    project = rt.project(root)
    project = dataclasses.replace(project, name=name or project.name)
    store_id = _id_for(root, registered.store_id(root))
    ignoring.keep_out(root)
    started = {} if known or backfill else baseline(rt, project, fresh=fresh)
    if backfill:
        ledger.edit(rt.paths, root, Ledger.without_baseline)
    elif known is None:
        ledger.edit(rt.paths, root, lambda old: old.started_at(started))
    entry = known or Entry(root, project.name, how=how, greet=how == "auto")
    entry = entry.with_(name=project.name, store_id=store_id, gone_since="")
    if how == "init":
        entry = entry.with_(how=how, greet=False)
    registry.put(rt.paths, entry)
    try:
        _make_store(rt, project, store_id)
    except (StoreError, OSError):
        if known is None and layout.is_blank(store_of(root)):
            registry.drop(rt.paths, root)
        raise
    return entry, known is not None


def _accepted(rt: Runtime, root: str) -> list[str]:
    """What to say of a memory that memd did not make, or that it made and that is gone."""
    store, entry = store_of(root), rt.registry().entries.get(root)
    if layout.is_blank(store):
        return [f"{store}: was gone; an empty memory begins"] if entry else []
    if entry and layout.read_id(store) == entry.store_id:
        return []
    return [f"{store}: was there before and is accepted: look at it, every session is told it"]


def _id_for(root: str, known: str) -> str:
    """Id of the store at `root`: its own, else the `known` one, else a new one.

    Raises StoreError for a store that is not safe to use.
    """
    own = layout.read_id(layout.safe_store(root)) if os.path.lexists(store_of(root)) else ""
    return own or known or scaffold.new_id()


def _make_store(rt: Runtime, project: Project, store_id: str) -> None:
    git = rt.config.git_commit
    scaffold.create(project.root, project.name, store_id=store_id, today=rt.today, git=git)


def _moved_from(rt: Runtime, root: str) -> str:
    """Root under which the store at `root` is registered, when that place is gone."""
    entries = rt.registry().entries
    if root in entries or not _store_exists(root):
        return ""
    store_id = layout.read_id(store_of(root))
    roots = (e.root for e in entries.values() if store_id and e.store_id == store_id)
    return next((old for old in roots if not os.path.isdir(old)), "")


def _store_exists(root: str) -> bool:
    store = store_of(root)
    if os.path.islink(store):
        raise StoreError(f"{store}: is a link, and memd follows none it did not make: remove it")
    return os.path.isdir(store)


def _link(worktree: str, main: str) -> bool:
    """Whether a link had to be made."""
    store = store_of(worktree)
    if os.path.realpath(store) == os.path.realpath(store_of(main)):
        return False
    if os.path.lexists(store):
        raise StoreError(
            f"{store}: is a memory of its own, not that of {main}; move what you need to "
            f"{store_of(main)}, then remove it and run memd init again"
        )
    link_worktree(worktree, main)
    return True


def _check_name(name: str) -> None:
    try:
        values.name(name)
    except ValueError as fault:
        raise UsageFault(f"--name: has to be {fault}") from None


def _check_root(rt: Runtime, root: str) -> None:
    if not os.path.isdir(root):
        raise UsageFault(f"{root}: no such directory")
    if root == os.path.sep:
        raise UsageFault("/: holds everything and is no project; name a directory in it")
    if root == os.path.realpath(rt.config.global_root):
        raise UsageFault(f"{root}: is the global root; use memd init --global")
    if rt.owners().excludes(root):
        raise UsageFault(f"{root}: is excluded; memd exclude --undo {root} takes that back")


def _is_off_limits(rt: Runtime, root: str, directory: str) -> bool:
    """Whether nothing may begin at `root` for a session in `directory` without a person."""
    if registry.is_doubtful(rt.paths):
        return True
    owners = rt.owners()
    holds_home = os.path.commonpath([root, os.path.realpath(rt.paths.home)]) == root
    is_global = root == os.path.realpath(rt.config.global_root)
    return holds_home or is_global or owners.excludes(root) or owners.excludes(directory)


@contextmanager
def _onboarding(paths: Paths) -> Iterator[None]:
    """One at a time: what is not registered yet must not be taken in twice."""
    fsio.make_private_dir(paths.state)
    with locks.held(paths.in_state("onboard.lock"), wait=True):
        yield
