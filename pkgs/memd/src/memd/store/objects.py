"""The objects of a store's repository, read many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from memd.store.repository import MemoryRepository

_BATCH: Final = 16 << 20
"""Bytes of objects that are held at once, but for a single larger one."""


class Object(NamedTuple):
    oid: str
    kind: str
    data: bytes


class ReadableHistory(MemoryRepository):
    """All that was ever committed. Every method raises StoreError."""

    def objects(self) -> Iterator[Object]:
        """Every object, whether a branch leads to it or not."""
        self._branch()
        listing = self._git(
            *("cat-file", "--batch-all-objects", "--unordered"),
            "--batch-check=%(objectname) %(objectsize)",
        )
        batch: list[str] = []
        room = _BATCH
        for line in listing.stdout.decode("ascii").splitlines():
            oid, _, size = line.partition(" ")
            if batch and int(size) > room:
                yield from self.read(batch)
                batch, room = [], _BATCH
            batch.append(oid)
            room -= int(size)
        yield from self.read(batch)

    def commits(self) -> Iterator[Object]:
        """Those of the branch, newest first; none where it has none."""
        self._branch()
        listing = self._git("rev-list", "HEAD", check=False).stdout.decode("ascii")
        yield from self.read(listing.split())

    def changed(self, commit: str, parent: str) -> tuple[str, ...]:
        """Paths of the files that differ between two commits."""
        names = self._git("diff-tree", "-r", "-z", "--name-only", parent, commit).stdout
        return tuple(name.decode("utf-8", "replace") for name in names.split(b"\0") if name)

    def blob(self, commit: str, path: str) -> bytes:
        """A file as it was in a commit; empty when it was missing."""
        return self._git("cat-file", "blob", f"{commit}:{path}", check=False).stdout

    def read(self, oids: Iterable[str]) -> Iterator[Object]:
        names = "".join(f"{oid}\n" for oid in oids)
        out = self._git("cat-file", "--batch", stdin=names.encode()).stdout
        position = 0
        while position < len(out):
            end = out.index(b"\n", position)
            oid, kind, *size = out[position:end].decode("ascii").split(" ")
            if not size:
                raise self._unusable(f"{oid}: {kind}")
            start, position = end + 1, end + 1 + int(size[0])
            yield Object(oid, kind, out[start:position])
            position += 1
