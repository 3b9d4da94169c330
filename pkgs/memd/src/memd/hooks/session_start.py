"""What a session is told at its start.

On the session-start path: imports nothing but `os`, `stat`, `time` and light memd modules.
"""

from __future__ import annotations

import os
import stat
import time

from memd import brief, fsio
from memd.config import snapshot
from memd.errors import ConfigError
from memd.frontmatter_split import split
from memd.paths import store_of
from memd.projects import repository_root, worktree_root
from memd.state import registry
from memd.store.layout import is_blank, read_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memd.config.snapshot import Snapshot
    from memd.hooks.entry import Call
    from memd.paths import Paths

HOOK_LIMIT = 9500
"""UTF-16 units. Claude Code shows a 2 KB preview instead of more than 10,000 characters."""
_FILE_LIMIT = 1 << 20
"""Bytes of a memory file. Larger ones would delay the session."""
_DAY = 86400
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+=:,@%")


def context(paths: Paths, call: Call) -> str:
    """The brief for a session that begins, "" for none. Raises StateError.

    Takes in a repository that is new to memd, where that is allowed.
    """
    try:
        settings, notices = snapshot.in_force(paths)
    except ConfigError as error:
        return brief.build({}, name="", place="", chars=0, since="", notices=[error.in_short])
    scope = _Scope(paths, settings, call.directory)
    if not scope.is_excluded and scope.is_due:
        from memd.hooks import session_slow

        notices += session_slow.take_in(paths, call)
        scope = _Scope(paths, settings, call.directory)
    return _text(scope, notices, chars=settings.brief_chars, hard_cap=HOOK_LIMIT)


def brief_for(paths: Paths, directory: str, *, max_chars: int | None, topic: str) -> str:
    """The same for a person who asks: nothing is taken in.

    `max_chars` bounds the whole with the line end of the last line; None: as configured,
    0: no limit. Raises ConfigError where there is no valid configuration to go by, StateError.
    """
    settings, notices = snapshot.in_force(paths)
    scope = _Scope(paths, settings, directory)
    chars = settings.brief_chars if max_chars is None else max_chars or brief.UNLIMITED
    hard_cap = max_chars - 1 if max_chars else 0
    return _text(scope, notices, chars=chars, hard_cap=hard_cap, topic=topic)


class _Scope:
    """Where a session is, by the settings and the registry of this moment."""

    __slots__ = ("directory", "is_excluded", "known", "repository", "root", "settings")

    def __init__(self, paths: Paths, settings: Snapshot, directory: str) -> None:
        self.settings = settings
        self.directory = directory
        self.known = registry.read(paths)
        owners = self.known.owners(settings.projects, settings.exclude, paths.state)
        self.is_excluded = owners.excludes(directory)
        self.root = owners.owner(directory)
        """Of the project, "" outside of all."""
        found = repository_root(directory)
        self.repository = "" if found == os.path.realpath(settings.global_root) else found
        """Main worktree of the repository, "" outside of all."""

    @property
    def is_due(self) -> bool:
        """Whether there is more to do for this session than to read."""
        if not self.root:
            return self._is_new()
        entry = self.known.entries.get(self.root)
        return (entry is not None and entry.greet) or self._lacks_link()

    def _lacks_link(self) -> bool:
        """Whether this is a linked worktree that cannot see the store yet."""
        worktree = worktree_root(self.directory)
        elsewhere = self.repository == self.root and worktree != self.root
        return elsewhere and not os.path.lexists(store_of(worktree))

    def _is_new(self) -> bool:
        """Whether memd may begin here on its own, or knows the store from another place."""
        if not self.repository or not self.settings.auto_scaffold:
            return False
        store = store_of(self.repository)
        if not os.path.lexists(store):
            return True
        store_id = "" if os.path.islink(store) else read_id(store)
        return bool(store_id) and any(
            store_id == entry.store_id and not os.path.isdir(entry.root)
            for entry in self.known.entries.values()
        )


class _Memory:
    """What can be shown of a store, and what has to be said of the rest."""

    __slots__ = ("files", "notices")

    def __init__(self, files: dict[str, str], notices: tuple[str, ...] = ()) -> None:
        self.files = files
        """Body by file name."""
        self.notices = notices


def _text(
    scope: _Scope, notices: tuple[str, ...], *, chars: int, hard_cap: int, topic: str = ""
) -> str:
    if scope.is_excluded:
        return ""
    settings = scope.settings
    general = _general(scope)
    if scope.root:
        place, known = scope.root, scope.known
        name = known.name(place, settings.projects.get(place))
        own = _memory(place, known.store_id(place))
    else:
        foreign = _memory(scope.repository, "").notices if scope.repository else ()
        place, name, own = settings.global_root, "no single project", general
        general = _Memory({}, foreign)
    return brief.build(
        own.files,
        name=name,
        place=store_of(place),
        chars=chars,
        since=_days_ago(settings.brief_decisions_days),
        topic=topic,
        notices=(*notices, *own.notices, *general.notices),
        global_files=general.files,
        global_place=store_of(settings.global_root),
        global_chars=settings.global_brief_chars,
        hard_cap=hard_cap,
    )


def _general(scope: _Scope) -> _Memory:
    """The memory of no single project."""
    if not scope.known.global_store_id or scope.settings.global_brief_chars < 0:
        return _Memory({})
    return _memory(scope.settings.global_root, scope.known.global_store_id)


def _memory(root: str, expected_id: str) -> _Memory:
    """The files of the store at `root`, if it is the one with this id."""
    store = store_of(root)
    try:
        is_directory = stat.S_ISDIR(os.lstat(store).st_mode)
    except OSError:
        return _Memory({})
    if not is_directory:
        return _Memory({}, (f"{store} is a link or a file that memd did not make: not followed",))
    if not os.access(store, os.R_OK | os.X_OK):
        return _Memory({}, (f"{store} cannot be read: see who may use it",))
    if is_blank(store):
        return _Memory({})
    if not expected_id or read_id(store) != expected_id:
        said = f"{store} was not made by memd here: nothing of it is shown. Look at it, then accept"
        return _Memory({}, (f"{said} it with: memd trust {_quoted(root)}",))
    return _read(store)


def _read(store: str) -> _Memory:
    files = {}
    notices = []
    for name in brief.FILES:
        path = os.path.join(store, name)
        try:
            data = fsio.read_regular(path, limit=_FILE_LIMIT)
        except FileNotFoundError:
            continue
        except OSError as error:
            notices.append(f"{path} is left out: {error.strerror}")
            continue
        files[name] = split(data.decode("utf-8", "replace"))[1]
    return _Memory(files, tuple(notices))


def _days_ago(days: int) -> str:
    """ISO date, UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(max(0, time.time() - days * _DAY)))


def _quoted(path: str) -> str:
    """For a shell: the name of a cloned directory is not to be trusted."""
    return path if _PLAIN.issuperset(path) else "'" + path.replace("'", "'\\''") + "'"
