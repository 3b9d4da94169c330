"""Bring a directory under memd's care: store, ignore lines, registration, baseline."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memd import contract, fsio, git, locks
from memd.errors import StoreError, Untrusted, UsageFault
from memd.model import Cursor, Project
from memd.paths import MEMORY_DIR, Paths, store_of
from memd.projects import repository_root, worktree_root
from memd.runtime import Runtime
from memd.state import ledger, registry
from memd.state.registry import Entry
from memd.store import layout, scaffold

IGNORE_LINE = f"/{MEMORY_DIR}"
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `memd init` did."""

    root: str
    name: str
    was_known: bool
    written: tuple[str, ...] = ()
    """Files made or changed, relative to the root."""
    notices: tuple[str, ...] = ()


def init(rt: Runtime, directory: str, *, name: str = "", backfill: bool = False) -> Initialised:
    """A person asks for this directory. Idempotent; never changes an existing contract file.

    Raises UsageFault for directories that cannot be a project, StoreError for a store
    that cannot be used.
    """
    _check_name(name)
    worktree = worktree_root(directory)
    root = repository_root(directory) if worktree == os.path.realpath(directory) else ""
    root = root or os.path.realpath(directory)
    _check_root(rt, root)
    with _onboarding(rt.paths):
        entry, known = _register(rt, root, name, how="init", backfill=backfill)
        written, notices = _tell_the_repository(rt, root)
        if worktree and worktree != root:
            _link(worktree, root)
            written = (*written, os.path.join(worktree, MEMORY_DIR))
        return Initialised(root, entry.name, known, written, notices)


def init_global(rt: Runtime) -> Initialised:
    """Make the memory that is no single project's, below `global_root`."""
    project = rt.global_project
    with _onboarding(rt.paths):
        known = _store_exists(project.root)
        store_id = scaffold.create(
            project.root, project.name, today=rt.today, git=rt.config.git_commit
        )
        registry.set_global_store(rt.paths, store_id)
        if repository_root(project.root) == project.root:
            git.exclude_line(project.root, IGNORE_LINE)
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
    if not root or not rt.config.auto_scaffold or _is_off_limits(rt, root):
        return None
    with _onboarding(rt.paths):
        if rt.owners().owner(directory):
            return rt.project(rt.owners().owner(directory))
        if _store_exists(root) and not _moved_from(rt, root):
            return None
        _register(rt, root, "", how="auto", backfill=False, fresh=(session, transcript))
        git.exclude_line(root, IGNORE_LINE)
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


def greeted(paths: Paths, root: str) -> None:
    """The first notice was shown."""
    registry.update(paths, root, greet=False)


def usable_store(rt: Runtime, project: Project) -> str:
    """Directory of the project's store, made if there is none yet.

    Raises UsageFault when the project's directory is gone, Untrusted when the store
    there is not the one that memd made, StoreError when it is not safe to use.
    """
    if not os.path.isdir(project.root):
        raise UsageFault(f"{project.root}: no such directory; memd leaves it alone")
    entry = rt.registry().entries.get(project.root)
    if not project.is_global and (entry is None or not os.path.lexists(store_of(project.root))):
        if entry is None and os.path.lexists(store_of(project.root)):
            raise _untrusted(project)
        with _onboarding(rt.paths):
            how = entry.how if entry else "declared"
            _register(rt, project.root, project.name, how=how, backfill=False)
            git.exclude_line(project.root, IGNORE_LINE)
    return store_to_read(rt.paths, project)


def store_to_read(paths: Paths, project: Project) -> str:
    """The same for those who only look: nothing is made."""
    store = layout.safe_store(project.root)
    known = registry.read(paths)
    entry = known.entries.get(project.root)
    expected = known.global_store_id if project.is_global else entry.store_id if entry else ""
    if not expected or layout.read_id(store) != expected:
        raise _untrusted(project)
    return store


def _untrusted(project: Project) -> Untrusted:
    return Untrusted(
        f"{store_of(project.root)}: was not made by memd here; look at it, then accept it with "
        f"memd trust {project.root}"
    )


def baseline(rt: Runtime, project: Project, *, fresh: Iterable[str] = ()) -> dict[str, Cursor]:
    """Where every session of the project ends now, but for the `fresh` ones."""
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
    """Store, ledger, then registry: a crash in between leaves nothing half-known."""
    old_root = _moved_from(rt, root)
    if old_root:
        ledger.move(rt.paths, old_root, root)
        registry.move(rt.paths, old_root, root)
    entries = rt.registry().entries
    known = entries.get(root)
    project_name = name or (known.name if known else rt.project(root).name)
    store_id = scaffold.create(root, project_name, today=rt.today, git=rt.config.git_commit)
    if known is None:
        project = Project(root, project_name, rt.project(root).extra_sources)
        started = {} if backfill else baseline(rt, project, fresh=fresh)
        ledger.edit(rt.paths, root, lambda old: old.started_at(started))
    elif backfill:
        ledger.edit(rt.paths, root, lambda old: old.without_baseline())
    entry = (known or Entry(root, project_name, since=rt.now, greet=how == "auto")).with_(
        name=project_name, store_id=store_id, how=how, gone_since=""
    )
    if how == "init":
        entry = entry.with_(greet=False)
    registry.put(rt.paths, entry)
    return entry, known is not None


def _moved_from(rt: Runtime, root: str) -> str:
    """Root under which the store at `root` is registered, when that place is gone."""
    if not _store_exists(root):
        return ""
    store_id = layout.read_id(store_of(root))
    for entry in rt.registry().entries.values():
        if store_id and entry.store_id == store_id and entry.root != root:
            return entry.root if not os.path.isdir(entry.root) else ""
    return ""


def _store_exists(root: str) -> bool:
    store = store_of(root)
    if os.path.islink(store):
        raise StoreError(f"{store}: is a link, and memd follows none it did not make: remove it")
    return os.path.isdir(store)


def _link(worktree: str, main: str) -> None:
    store = store_of(worktree)
    if os.path.realpath(store) == os.path.realpath(store_of(main)):
        return
    if os.path.isdir(store) and not os.path.islink(store):
        raise StoreError(
            f"{store}: holds a memory of its own; move what you need to {store_of(main)}, "
            f"then remove it and run memd init again"
        )
    link_worktree(worktree, main)


def _tell_the_repository(rt: Runtime, root: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    written: list[str] = []
    notices: list[str] = []
    if repository_root(root) == root:
        git.exclude_line(root, IGNORE_LINE)
        if _ignore(os.path.join(root, ".gitignore")):
            written.append(".gitignore")
        if git.is_tracked(root, MEMORY_DIR):
            git.untrack(root, MEMORY_DIR)
            notices.append(
                f"{MEMORY_DIR} was tracked by {root}: it is untracked now, its files are kept; "
                f"commit that change"
            )
    written += contract.write_missing(root, rt.paths.home)
    return tuple(written), tuple(notices)


def _ignore(path: str) -> bool:
    """Whether a line had to be added to the tracked ignore file."""
    try:
        data = fsio.read_regular(path, limit=1 << 20)
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error}; add {IGNORE_LINE} yourself") from error
    if IGNORE_LINE.encode() in data.split():
        return False
    start = data if not data or data.endswith(b"\n") else data + b"\n"
    mode = os.stat(path).st_mode & 0o777 if data else 0o644
    fsio.write_atomic(path, start + IGNORE_LINE.encode() + b"\n", mode=mode)
    return True


def _check_name(name: str) -> None:
    if len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise UsageFault("--name: has to be one printable line of at most 100 characters")


def _check_root(rt: Runtime, root: str) -> None:
    if not os.path.isdir(root):
        raise UsageFault(f"{root}: no such directory")
    if root == os.path.realpath(rt.config.global_root):
        raise UsageFault(f"{root}: is the global root; use memd init --global")
    if rt.owners().excludes(root):
        raise UsageFault(f"{root}: is excluded; memd exclude --undo {root} takes that back")


def _is_off_limits(rt: Runtime, root: str) -> bool:
    return root == os.path.realpath(rt.config.global_root) or rt.owners().excludes(root)


@contextmanager
def _onboarding(paths: Paths) -> Iterator[None]:
    """One at a time: what is not registered yet must not be taken in twice."""
    fsio.make_private_dir(paths.state)
    with locks.held(paths.in_state("onboard.lock"), wait=True):
        yield
