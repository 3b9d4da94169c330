"""Which project a directory belongs to.

On the session-start path: imports nothing but `os`. Reads the file system only to
resolve links and to follow the `.git` file of a linked worktree; runs no git.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_GIT_FILE_LIMIT = 4096


class Owners:
    """Answers who owns a directory: the deepest registered or excluded one above it wins."""

    __slots__ = ("_excluded", "_former", "_found", "_roots")

    def __init__(
        self, roots: Iterable[str], former: Mapping[str, str], excluded: Iterable[str]
    ) -> None:
        """`former` maps a path that a project had before it moved to its root of today."""
        self._roots = frozenset(roots)
        self._former = former
        self._excluded = frozenset(excluded)
        self._found: dict[str, tuple[str, bool]] = {}

    def owner(self, cwd: str) -> str:
        """Root of the project that `cwd` belongs to, or "" when nobody owns it."""
        return self._find(cwd)[0]

    def excludes(self, cwd: str) -> bool:
        """Whether `cwd` lies in a directory that is never to be managed."""
        return self._find(cwd)[1]

    def _find(self, cwd: str) -> tuple[str, bool]:
        found = self._found.get(cwd)
        if found is None:
            found = self._search(os.path.realpath(cwd))
            if found == ("", False):
                # A directory that is gone keeps the path it was recorded under.
                found = self._search(os.path.normpath(cwd))
            self._found[cwd] = found
        return found

    def _search(self, path: str) -> tuple[str, bool]:
        for place in ancestors(path):
            for candidate in (place, _main_of_worktree(place)):
                if candidate in self._excluded:
                    return "", True
                if candidate in self._roots:
                    return candidate, False
                if candidate in self._former:
                    return self._former[candidate], False
        return "", False


def ancestors(path: str) -> Iterator[str]:
    """`path` itself, then each directory above it."""
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def repository_root(path: str) -> str:
    """Main worktree of the git repository that holds `path`, "" when there is none.

    A submodule counts as part of the repository around it.
    """
    place = worktree_root(path)
    return (_main_of_worktree(place) or place) if place else ""


def worktree_root(path: str) -> str:
    """Top directory of the working tree (main or linked) that holds `path`, or ""."""
    for place in ancestors(os.path.realpath(path)):
        git = os.path.join(place, ".git")
        if os.path.isfile(os.path.join(git, "HEAD")) or _main_of_worktree(place):
            return place
    return ""


def _main_of_worktree(place: str) -> str:
    """Main worktree when `place` is a linked one, else ""."""
    own, common = git_dir(place), common_git_dir(place)
    if common == own:
        return ""
    main, name = os.path.split(os.path.realpath(common))
    return main if name == ".git" else ""


def git_dir(place: str) -> str:
    """Where the git directory of a working tree is, if there is one: gitrepository-layout(5)."""
    path = os.path.join(place, ".git")
    pointer = _first_line(path)
    return os.path.join(place, pointer[8:]) if pointer.startswith("gitdir: ") else path


def common_git_dir(place: str) -> str:
    """What all linked worktrees of a repository share: the git directory of the main one."""
    own = git_dir(place)
    common = _first_line(os.path.join(own, "commondir"))
    return os.path.join(own, common) if common else own


def _first_line(path: str) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        data = os.read(fd, _GIT_FILE_LIMIT)
    except OSError:
        return ""
    finally:
        os.close(fd)
    return os.fsdecode(data).partition("\n")[0].rstrip("\r")
