"""The repository inside a store, written to without running any code of its own.

Plumbing only: it knows no filters and no signatures, and its hooks are switched off.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memd import fsio, git
from memd.errors import StoreError
from memd.store.layout import GIT_DIR

if TYPE_CHECKING:
    import subprocess

IDENTITY: Final = "memd <memd@localhost>"
MANY_PACKS: Final = 50
_PRIVATE: Final = 0o077
_STALE: Final = 600
"""Seconds: no git holds a lock on a branch for as long, the time-out of each call is shorter."""
_ABANDONED: Final = 86400
"""Seconds: a person's git holds the lock on the index for as long as its editor is open."""

# Sections of git-config(1) that name programs which plumbing runs too, or hide such sections.
_RUNS_PROGRAMS: Final = re.compile(rb"\[\s*(hook|include)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tip:
    """The newest commit of a repository, or its absence."""

    exists: bool
    blobs: Mapping[str, str]
    """Object id by path, of every file in it."""

    def holds(self, path: str, data: bytes) -> bool:
        """Whether the file `path` has exactly this content there."""
        known = self.blobs.get(path, "")
        algorithm = "sha256" if len(known) == 64 else "sha1"
        content = b"blob %d\0" % len(data) + data
        return known == hashlib.new(algorithm, content, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class NewCommit:
    message: str
    files: Mapping[str, bytes | None]
    """New content by path, in plain ASCII without quotes; None for a file that is gone."""


class MemoryRepository:
    """The repository that stands inside a store. Every method raises StoreError."""

    def __init__(self, store: str, git_dir: str = "") -> None:
        self._store = store
        self._dir = git_dir or os.path.join(store, GIT_DIR)

    @property
    def exists(self) -> bool:
        return os.path.lexists(self._dir)

    def create(self, first: NewCommit, *, exclude: str) -> None:
        """Make it with its first commit; whole or not at all, also beside another creator.

        `exclude` is the text of its `info/exclude`.
        """
        workshop = os.path.join(self._store, f"{fsio.PREFIX}{os.urandom(8).hex()}{GIT_DIR}")
        made = os.path.join(workshop, GIT_DIR)
        try:
            git.run({}, "init", "--quiet", "--template=", workshop, umask=_PRIVATE)
            fsio.make_private_dir(os.path.join(made, "info"))
            fsio.write_atomic(os.path.join(made, "info", "exclude"), exclude.encode())
            MemoryRepository(self._store, made).append([first], tip=Tip(False, {}))
            os.rename(made, self._dir)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise StoreError(f"{self._dir}: cannot be made: {error.strerror}") from error
        finally:
            shutil.rmtree(workshop, ignore_errors=True)

    def tip(self) -> Tip:
        branch = self._branch()
        listing = self._git("ls-tree", "-r", "-z", "--full-tree", "HEAD", check=False)
        if listing.returncode:
            resolved = self._git("rev-parse", "--quiet", "--verify", "HEAD", check=False)
            # A branch that is there and leads nowhere was damaged: nothing may cover that up.
            if resolved.returncode != 1 or os.path.lexists(os.path.join(self._dir, branch)):
                raise self._unusable(git.reason(listing))
            return Tip(False, {})
        entries = (entry.partition("\t") for entry in os.fsdecode(listing.stdout).split("\0"))
        return Tip(True, {path: about.split(" ")[2] for about, _, path in entries if path})

    def append(self, commits: Sequence[NewCommit], *, tip: Tip) -> None:
        """Put commits on top of `tip`, all or none.

        Nobody else may be doing so: the store's lock is held, or nobody knows the store yet.
        """
        packs = self._packs()
        self._drop_stale_locks()
        self._git("fast-import", "--quiet", "--date-format=now", stdin=_stream(commits, tip))
        # A locked index costs a clean `git status`, not the commit.
        self._git("read-tree", "HEAD", check=False)
        # Each import leaves one pack behind.
        if len(packs) > MANY_PACKS:
            self._git("repack", "-a", "-d", "-l", "-q", check=False)

    def _drop_stale_locks(self) -> None:
        """Remove the locks that a git left which was killed or lost its power."""
        locks = {"HEAD.lock": _STALE, f"{self._branch()}.lock": _STALE, "index.lock": _ABANDONED}
        for name, age in locks.items():
            path = os.path.join(self._dir, name)
            try:
                if os.lstat(path).st_mtime < time.time() - age:
                    os.unlink(path)
            except FileNotFoundError:
                continue

    def _packs(self) -> list[str]:
        """Names of the packs, none of them still marked by an import that was cut off: the
        mark makes the same import fail when it is done again."""
        place = os.path.join(self._dir, "objects", "pack")
        try:
            names = os.listdir(place)
            for name in names:
                path = os.path.join("objects", "pack", name)
                if name.endswith(".keep") and self._read(path).startswith(b"fast-import"):
                    os.unlink(os.path.join(self._dir, path))
        except OSError as error:
            raise self._unusable(f"objects/pack: {error.strerror}") from error
        return [name for name in names if name.endswith(".pack")]

    def _branch(self) -> str:
        """The ref that commits go to, in a repository that is safe to use."""
        head = os.fsdecode(self._read("HEAD"))
        if not head:
            raise self._unusable("it has no HEAD")
        if not head.startswith("ref: "):
            raise StoreError(
                f"{self._store}: its git HEAD is on no branch: "
                f"run git -C {self._store} switch BRANCH"
            )
        for name in ("config", "config.worktree"):
            if _RUNS_PROGRAMS.search(self._read(name)):
                raise self._unusable(f"its {name} has hook or include sections")
        return head[5:].strip()

    def _read(self, name: str) -> bytes:
        try:
            return fsio.read_regular(os.path.join(self._dir, name), limit=1 << 20)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise self._unusable(f"{name}: {error.strerror}") from error

    def _unusable(self, reason: str) -> StoreError:
        return StoreError(
            f"{self._dir}: no usable repository ({reason}): move it away and the next commit "
            "begins a new one"
        )

    def _git(
        self, *arguments: str, stdin: bytes = b"", check: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        where = {"GIT_DIR": self._dir, "GIT_COMMON_DIR": self._dir, "GIT_WORK_TREE": self._store}
        return git.run(where, *arguments, stdin=stdin, check=check, umask=_PRIVATE)


def _stream(commits: Sequence[NewCommit], tip: Tip) -> bytes:
    """The commits in the format of git-fast-import(1)."""
    parts = [b"feature done\n"]
    for number, commit in enumerate(commits, 1):
        parts.append(b"commit HEAD\ncommitter %s now\n" % IDENTITY.encode())
        parts.append(_data(commit.message.encode()))
        if number == 1 and tip.exists:
            parts.append(b"from HEAD^0\n")
        for path, data in commit.files.items():
            name = path.encode()
            parts.append(
                b"D %s\n" % name if data is None else b"M 100644 inline %s\n" % name + _data(data)
            )
    parts.append(b"done\n")
    return b"".join(parts)


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
