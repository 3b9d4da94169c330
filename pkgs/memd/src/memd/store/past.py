"""What a commit brought into a file, taken out of the file as it is now."""

from __future__ import annotations

import difflib
import os
import tempfile
from dataclasses import dataclass
from typing import Final

from memd import fsio, git
from memd.store.objects import Object, ReadableHistory

_TRAILER: Final = "Memd-Session: "
_COMPARABLE: Final = 1 << 20
"""Characters of a file that lines are followed through one by one."""
_FAILED: Final = 128
"""Exit codes of git-merge-file(1) below it count conflicts."""


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    parent: str
    """"" for the first one."""
    sessions: tuple[str, ...]
    """Keys of the sessions that it names."""


@dataclass(frozen=True, slots=True)
class Undone:
    text: str
    is_whole: bool
    """False when later changes stand in the way of some of it."""


def commits(history: ReadableHistory) -> tuple[Commit, ...]:
    """Those that name a session, newest first. Raises StoreError."""
    return tuple(c for c in map(_commit, history.commits()) if c.sessions)


def undo(current: str, *, after: str, before: str, folder: str) -> Undone:
    """Take the step from `before` to `after` back in `current`, which came later.

    `folder` is a private directory where the texts stand for as long as git compares them.

    Lines that it added and that still stand are taken out one by one, for a merge alone
    would keep them wherever a later one was put next to them.
    """
    current, after = _without_added(current, after, before)
    texts = [text.encode("utf-8", "surrogateescape") for text in (current, after, before)]
    merged, conflicts = _merge(*texts, folder=folder)
    return Undone(merged.decode("utf-8", "surrogateescape"), not conflicts)


def _commit(found: Object) -> Commit:
    head, _, message = found.data.decode("utf-8", "replace").partition("\n\n")
    parents = [line[7:] for line in head.split("\n") if line.startswith("parent ")]
    lines = message.split("\n")[1:]
    sessions = [line.removeprefix(_TRAILER) for line in lines if line.startswith(_TRAILER)]
    return Commit(found.oid, parents[0] if parents else "", tuple(sessions))


def _without_added(current: str, after: str, before: str) -> tuple[str, str]:
    """Both without the lines that `after` added to `before` and `current` still has."""
    if max(map(len, (current, after, before))) > _COMPARABLE:
        return current, after
    old, new, now = (text.splitlines(keepends=True) for text in (before, after, current))
    kept = {match.b + i for match in _matches(old, new) for i in range(match.size)}
    there = {m.a + i: m.b + i for m in _matches(new, now) for i in range(m.size)}
    gone = {line: place for line, place in there.items() if line not in kept}
    places = set(gone.values())
    return (
        "".join(line for number, line in enumerate(now) if number not in places),
        "".join(line for number, line in enumerate(new) if number not in gone),
    )


def _matches(a: list[str], b: list[str]) -> list[difflib.Match]:
    return difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()


def _merge(current: bytes, base: bytes, other: bytes, *, folder: str) -> tuple[bytes, int]:
    """The three-way merge, in favour of `current` where the two collide, and how often they do."""
    with tempfile.TemporaryDirectory(prefix=fsio.PREFIX, dir=folder) as place:
        names = []
        for name, data in (("current", current), ("base", base), ("other", other)):
            names.append(os.path.join(place, name))
            with open(names[-1], "wb") as file:
                file.write(data)
        collisions = git.run({}, "merge-file", "-p", "-q", *names, check=False).returncode
        if collisions >= _FAILED:
            return current, collisions
        return git.run({}, "merge-file", "-p", "-q", "--ours", *names).stdout, collisions
