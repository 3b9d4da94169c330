"""What a power loss may leave of a tree: what fsync promised, and any part of the rest.

A file's bytes are safe once it was fsynced, a name once its directory was. The model holds
the safe ones; at each cut it is put beside what the system shows, and each difference is a
change that may be on the disk or not: a name of a directory, or the bytes of a file.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MOST_CHANGES = 3
"""Of which every combination is tried; of more, each alone, each left out, and some at random."""

Inode = tuple[int, int]
_EFFECTS = ("mkdir", "rmdir", "replace", "unlink", "link", "rename", "symlink", "write", "fsync")


@dataclass(frozen=True)
class Tree:
    """Directories with their names, files with their bytes, links with their targets."""

    names: Mapping[Inode, Mapping[str, Inode]]
    bytes: Mapping[Inode, bytes | str]
    """Of a file its bytes, of a link where it leads."""
    tops: tuple[Inode, ...]


@dataclass
class Cut:
    number: int
    safe: Tree
    live: Tree
    mark: str
    """What `Recorder.mark` gave."""


@dataclass
class Recorder:
    """Watches the effects of this process below some directories."""

    tops: tuple[str, ...]
    mark: Callable[[], str]
    """Kept with each cut, for what is not recorded."""
    cuts: list[Cut] = field(default_factory=list)
    _held: dict[Inode, int] = field(default_factory=dict)
    """A descriptor of every inode met, so that no number is used for a second one."""

    def watch(self, work: Callable[[], object]) -> None:
        """Do `work`, a cut before each of its effects and one after the last."""
        self._safe = self._live()
        kept = {name: getattr(os, name) for name in (*_EFFECTS, "open")}
        for name in _EFFECTS:
            setattr(os, name, self._watched(kept[name], name))
        os.open = self._watched_open(kept["open"])
        try:
            work()
        finally:
            for name, real in kept.items():
                setattr(os, name, real)
        self._cut()
        for fd in self._held.values():
            os.close(fd)

    def _watched(self, real: Callable[..., object], name: str) -> Callable[..., object]:
        def effect(*args, **kwargs):  # type: ignore[no-untyped-def]
            if name != "fsync":
                self._cut()
                return real(*args, **kwargs)
            done = real(*args, **kwargs)
            self._synced(args[0])
            return done

        return effect

    def _watched_open(self, real: Callable[..., int]) -> Callable[..., int]:
        self._open = real

        def effect(path, flags, *args, **kwargs):  # type: ignore[no-untyped-def]
            if flags & (os.O_CREAT | os.O_TRUNC):
                self._cut()
            return real(path, flags, *args, **kwargs)

        return effect

    def _cut(self) -> None:
        live = self._live()
        if not self.cuts or (live, self._safe) != (self.cuts[-1].live, self.cuts[-1].safe):
            self.cuts.append(Cut(len(self.cuts) + 1, self._safe, live, self.mark()))

    def _synced(self, fd: int) -> None:
        about = os.fstat(fd)
        inode, live, safe = (about.st_dev, about.st_ino), self._live(), self._safe
        names, data = dict(safe.names), dict(safe.bytes)
        if inode in live.names:
            names[inode] = live.names[inode]
            # The inode of a new directory or link is on the disk with its name.
            for child in live.names[inode].values():
                if child in live.names:
                    names.setdefault(child, {})
                elif isinstance(live.bytes[child], str):
                    data[child] = live.bytes[child]
        elif inode in live.bytes:
            data[inode] = live.bytes[inode]
        self._safe = Tree(names, data, safe.tops)

    def _live(self) -> Tree:
        names: dict[Inode, dict[str, Inode]] = {}
        data: dict[Inode, bytes | str] = {}
        tops = tuple(self._walk(top, names, data) for top in self.tops)
        return Tree(names, data, tops)

    def _walk(self, path: str, names: dict, data: dict) -> Inode:  # type: ignore[type-arg]
        about = os.lstat(path)
        inode = (about.st_dev, about.st_ino)
        if inode not in self._held:
            opener = getattr(self, "_open", os.open)
            self._held[inode] = opener(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        if stat.S_ISDIR(about.st_mode):
            inside = [name for name in os.listdir(path) if not _is_left_out(name)]
            names[inode] = {n: self._walk(os.path.join(path, n), names, data) for n in inside}
        elif stat.S_ISLNK(about.st_mode):
            data[inode] = os.readlink(path)
        else:
            with open(path, "rb") as file:
                data[inode] = file.read()
        return inode


def _is_left_out(name: str) -> bool:
    """git looks after its own; the log and the empty files that locks are taken on hold nothing."""
    return name.endswith((".git", ".lock")) or name.startswith("memd.log")


def disks(cut: Cut, chance: random.Random) -> Iterator[Tree]:
    """Every disk that this cut may leave; a choice of them where they are too many."""
    changes = _changes(cut)
    for chosen in _choices(len(changes), chance):
        names = {inode: dict(inside) for inode, inside in cut.safe.names.items()}
        data = dict(cut.safe.bytes)
        for inode in cut.live.names:
            names.setdefault(inode, {})
        for index in chosen:
            where, name = changes[index]
            if name is None:
                data[where] = cut.live.bytes[where]
            elif name in cut.live.names[where]:
                names[where][name] = cut.live.names[where][name]
            else:
                names[where].pop(name, None)
        yield Tree(names, data, cut.safe.tops)


def _changes(cut: Cut) -> list[tuple[Inode, str | None]]:
    """What is live and not safe: names by directory, and bytes (no name)."""
    found: list[tuple[Inode, str | None]] = []
    for inode, inside in cut.live.names.items():
        before = cut.safe.names.get(inode, {})
        both = sorted(before.keys() | inside.keys())
        found += [(inode, name) for name in both if before.get(name) != inside.get(name)]
    found += [(i, None) for i, data in cut.live.bytes.items() if cut.safe.bytes.get(i) != data]
    return found


def _choices(count: int, chance: random.Random) -> Iterator[tuple[int, ...]]:
    every = tuple(range(count))
    if count <= MOST_CHANGES:
        for size in range(count + 1):
            yield from itertools.combinations(every, size)
        return
    some = {(), every, *((i,) for i in every), *(every[:i] + every[i + 1 :] for i in every)}
    some |= {tuple(i for i in every if chance.random() < 0.5) for _ in range(8)}
    yield from sorted(some)


def lay_out(tree: Tree, tops: tuple[str, ...]) -> None:
    """Make the directories hold this tree and nothing else, what is skipped left alone."""
    for inode, top in zip(tree.tops, tops, strict=True):
        _fill(tree, inode, top, {})


def _fill(tree: Tree, inode: Inode, path: str, placed: dict[Inode, str]) -> None:
    Path(path).mkdir(mode=0o700, exist_ok=True)
    for name, child in tree.names.get(inode, {}).items():
        place = os.path.join(path, name)
        if child in tree.names:
            _fill(tree, child, place, placed)
        elif child in placed:
            os.link(placed[child], place)
        else:
            _put(tree.bytes.get(child, b""), place)
            placed[child] = place


def _put(data: bytes | str, place: str) -> None:
    if isinstance(data, str):
        os.symlink(data, place)
    else:
        Path(place).write_bytes(data)
        os.chmod(place, 0o600)


def clear(top: str) -> None:
    for name in os.listdir(top):
        path = os.path.join(top, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
