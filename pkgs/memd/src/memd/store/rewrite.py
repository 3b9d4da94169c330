"""The history of a store written anew without some text, and the old objects gone."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from memd import fsio
from memd.store.objects import ReadableHistory

Edit = Callable[[str], tuple[str, int]]

_STATES: Final = re.compile(
    r"[A-Z_]+_(?:HEAD|MSG|MODE|RR|EDITMSG|LOG)|AUTO_MERGE|sequencer|rebase-(?:merge|apply)|logs"
    r"|rr-cache|BISECT_\w+|gc\.log|index"
)
"""What git keeps beside the objects: positions, drafts of messages and things half done."""
_CACHES: Final = ("commit-graph", "commit-graphs")
_PERSON: Final = re.compile(rb"((?:author|committer|tagger) )(.*)( [0-9]+ [+-][0-9]+)", re.DOTALL)
_FILE: Final = re.compile(rb"(M [0-7]+ )(\S+)( .*)", re.DOTALL)
_TREE_ENTRY: Final = re.compile(rb"[0-7]{5,6} ([^\0]+)\0")


def is_trace(name: str) -> bool:
    """Whether a file or directory of this name in a git directory goes when it is rewritten."""
    return _STATES.fullmatch(name) is not None


class WritableHistory(ReadableHistory):
    """All of a memory's repository, not only what its branch leads to. Raises StoreError."""

    def holding(self, edit: Edit) -> Mapping[str, str]:
        """Kind by id of each object that `edit` finds something in, reachable or not."""
        return {
            oid: kind
            for oid, kind, data in self.objects()
            if any(edit(text)[1] for text in _texts(oid, kind, data))
        }

    def rewrite(self, edit: Edit) -> None:
        """Put in the place of every object what `edit` makes of it, on every branch and tag.

        The index is made anew, and reflogs, stashes' logs and half-done merges are dropped. May
        be cut off anywhere: the same call again does what is left.
        """
        self._drop_stale_locks()
        self._packs()
        found = self.holding(edit)
        blobs = self._new_blobs(edit, [oid for oid, kind in found.items() if kind == "blob"])
        exported = self._git(
            *("-c", "core.quotePath=false", "fast-export", "--all", "--no-data"),
            *("--reencode=yes", "--signed-tags=strip", "--tag-of-filtered-object=rewrite"),
        ).stdout
        if exported:
            stream = b"".join(_rewritten(exported, edit, blobs))
            self._git("fast-import", "--quiet", "--force", stdin=stream)
        self._drop_traces()
        self._git("read-tree", "HEAD", check=False)
        self._git("repack", "-a", "-d", "-l", "-q")
        self._git("prune", "--expire=now")

    def _drop_traces(self) -> None:
        names = [name for name in os.listdir(self._dir) if is_trace(name)]
        places = [os.path.join(self._dir, name) for name in names]
        places += [os.path.join(self._dir, "objects", "info", name) for name in _CACHES]
        for path in places:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                fsio.remove(path)

    def _new_blobs(self, edit: Edit, oids: list[str]) -> dict[bytes, bytes]:
        """The object in the place of each of these blobs."""
        new = {}
        for oid in oids:
            data = self._git("cat-file", "blob", oid).stdout
            changed = edit(data.decode("utf-8", "surrogateescape"))[0]
            written = self._git(
                *("hash-object", "-w", "--no-filters", "--stdin"),
                stdin=changed.encode("utf-8", "surrogateescape"),
            )
            new[oid.encode()] = written.stdout.strip()
        return new


def _texts(oid: str, kind: str, data: bytes) -> Iterator[str]:
    """What people and memd wrote in an object, without ids and other words of git."""
    if kind == "blob":
        yield _text(data)
    elif kind == "tree":
        yield from _names(data, len(oid) // 2)
    else:
        head, _, message = data.partition(b"\n\n")
        yield _text(message)
        for line in head.split(b"\n"):
            if person := _PERSON.fullmatch(line):
                yield _text(person[2])


def _names(tree: bytes, id_size: int) -> Iterator[str]:
    position = 0
    while entry := _TREE_ENTRY.match(tree, position):
        yield _text(entry[1])
        position = entry.end() + id_size


def _rewritten(stream: bytes, edit: Edit, blobs: Mapping[bytes, bytes]) -> Iterator[bytes]:
    """A stream of git-fast-export(1), edited."""
    position = 0
    while position < len(stream):
        end = stream.index(b"\n", position)
        line = stream[position:end]
        position = end + 1
        if line.startswith(b"data "):
            size = int(line[5:])
            message = _edited(stream[position : position + size], edit)
            yield b"data %d\n%s" % (len(message), message)
            position += size
        else:
            yield _edited_line(line, edit, blobs) + b"\n"


def _edited_line(line: bytes, edit: Edit, blobs: Mapping[bytes, bytes]) -> bytes:
    if person := _PERSON.fullmatch(line):
        return person[1] + _edited(person[2], edit) + person[3]
    if file := _FILE.fullmatch(line):
        return file[1] + blobs.get(file[2], file[2]) + _edited(file[3], edit)
    return b"D" + _edited(line[1:], edit) if line.startswith(b"D ") else line


def _edited(data: bytes, edit: Edit) -> bytes:
    return edit(_text(data))[0].encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
