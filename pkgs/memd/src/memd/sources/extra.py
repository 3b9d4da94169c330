"""Files that a project names as sources of its own: text, or JSON lines."""

from __future__ import annotations

import errno
import io
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from glob import has_magic, iglob
from itertools import takewhile
from typing import BinaryIO, ClassVar, Final

from memd.model import Cursor, Event, Project, SourceRef, Span
from memd.paths import MEMORY_DIR
from memd.sources.claude_records import is_claude, judge
from memd.sources.injected import without_brief
from memd.sources.jsonl import printable, spans
from memd.sources.lines import Line, Place, behind, last_end, lines, open_regular, place_at, resume

_SNIFFED: Final = 8192
_FIRST_LINE: Final = 1 << 20
_UNREADABLE: Final = 0.3
"""Share of characters that are not UTF-8 or control something, above which a file is binary."""
_BLOCK: Final = 3500
"""Characters of one event: what the digest keeps whole."""
_LONGEST_KEY: Final = 16 << 10
_QUIET: Final = 60.0


class ExtraSource:
    """Reads what the globs in `projects.<path>.extra_sources` name.

    A relative glob looks below the project's root, and only there. Lines of Claude Code's
    shape are read as such, all others as text, a last one without a line end once the
    file was left alone for a minute.
    """

    name: ClassVar[str] = "extra"

    def __init__(self, home: str, clock: Callable[[], float] = time.time) -> None:
        self._home = home
        self._clock = clock

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:
        """The files of one project; nothing without one."""
        if project is None:
            return
        matches = (self._matches(project.root, g) for g in project.extra_sources)
        for path in dict.fromkeys(path for found in matches for path in found):
            try:
                status = os.stat(path)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                session = printable(path.removeprefix(f"{os.path.realpath(project.root)}/"))
                yield SourceRef(
                    self.name, session, path, project.root, status.st_mtime, status.st_size
                )

    def locate(self, path: str) -> SourceRef | None:  # noqa: ARG002 - see below
        """None: that a file belongs to a project is said in the configuration only."""
        return None

    def end(self, ref: SourceRef) -> Cursor:
        with open_regular(ref.path) as file:
            whole = self._is_left_alone(file) and not _is_claude(file)
            return place_at(file, _size(file) if whole else last_end(file)).cursor

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        return behind(after, ref.size)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with open_regular(ref.path) as file:
            start = resume(file, after)
            if _is_binary(file):
                raise OSError(errno.EINVAL, "is binary, not text: take it out of extra_sources")
            if _is_claude(file):
                yield from spans(lines(file, start), judge)
            else:
                yield from _blocks(lines(file, start, closed=self._is_left_alone(file)))

    def _is_left_alone(self, file: BinaryIO) -> bool:
        # A time in the future says nothing about now, and counts as long ago.
        return not 0 <= self._clock() - os.fstat(file.fileno()).st_mtime < _QUIET

    def _matches(self, root: str, pattern: str) -> Iterator[str]:
        """Real paths of what a glob names, except where a link leads out of where it looks."""
        top, rest = self._anchor(root, pattern)
        literal = (
            [] if top == root else takewhile(lambda part: not has_magic(part), rest.split("/"))
        )
        bound = os.path.realpath(os.path.join(top, *literal))
        for name in iglob(rest, root_dir=top, recursive=True):
            path = os.path.realpath(os.path.join(top, name))
            inside = path == bound or path.startswith(f"{bound.rstrip('/')}/")
            if inside and f"/{MEMORY_DIR}/" not in path:
                yield path

    def _anchor(self, root: str, pattern: str) -> tuple[str, str]:
        """A directory, and the glob relative to it: root and home may hold brackets."""
        if pattern.startswith("~/"):
            return self._home, pattern[2:]
        if os.path.isabs(pattern):
            return "/", pattern.lstrip("/")
        return root, pattern


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _is_binary(file: BinaryIO) -> bool:
    data = os.pread(file.fileno(), _SNIFFED, 0)
    text = data.decode("utf-8", "replace")
    odd = sum(1 for c in text if c == "\ufffd" or (c < " " and not c.isspace() and c != "\x1b"))
    return b"\0" in data or odd > _UNREADABLE * len(text)


def _is_claude(file: BinaryIO) -> bool:
    head = io.BytesIO(os.pread(file.fileno(), _FIRST_LINE, 0))
    first = next((line for line in lines(head, Place()) if line.content.strip()), None)
    return first is not None and is_claude(first)


def _blocks(found: Iterable[Line]) -> Iterator[Span]:
    """Lines that follow one another, as many as one event keeps whole.

    A private key is not parted: the redactor would not know its second half.
    """
    block = _Block()
    for line in found:
        if line.too_long:
            yield from block.take()
            yield Span(line.after.cursor, line.size, "broken", detail="line over 16 MiB")
            continue
        text = line.content.decode("utf-8", "replace")
        if not block.has_room(text):
            yield from block.take()
        block.add(line, text)
    yield from block.take()


class _Block:
    __slots__ = ("_after", "_chars", "_in_key", "_size", "_texts")

    def __init__(self) -> None:
        self._after = Place()
        self._clear()

    def _clear(self) -> None:
        self._texts: list[str] = []
        self._chars = self._size = 0
        self._in_key = False

    def has_room(self, text: str) -> bool:
        limit = _LONGEST_KEY if self._in_key else _BLOCK
        return self._chars + len(text) < limit

    def add(self, line: Line, text: str) -> None:
        self._after = line.after
        self._texts.append(text)
        self._chars += len(text) + 1
        self._size += line.size
        if "-----BEGIN " in text or "-----END " in text:
            self._in_key = text.rfind("-----BEGIN ") > text.rfind("-----END ")

    def take(self) -> Iterator[Span]:
        text = without_brief("\n".join(self._texts))
        if text.strip():
            yield Span(self._after.cursor, self._size, "events", (Event("text", text),))
        elif self._size:
            yield Span(self._after.cursor, self._size, "noise", records=0)
        self._clear()
