"""Complete lines of a file that grows, each with the place where reading goes on."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final
from zlib import crc32

from memd.model import Cursor

LONGEST: Final = 16 << 20
"""Bytes of a line; a longer one is passed without being held."""
_CHUNK: Final = 1 << 20
_HEAD: Final = 1024
_TAIL: Final = 256
_MARKS: Final = b"\xef\xbb\xbf"
_CURSOR: Final = re.compile(r'\{"offset": (\d{1,18}),')


@dataclass(frozen=True, slots=True)
class Place:
    """An offset in a file, known again by what stands before it.

    Never by inode or time of change: clients move, copy and rewrite their files.
    """

    offset: int = 0
    head: bytes = b""
    """The first bytes of the file, up to 1,024 and not past the offset."""
    tail: bytes = b""
    """The last bytes before the offset, up to 256."""

    def past(self, data: bytes) -> Place:
        """The place after `data`, which follows here."""
        head = self.head if len(self.head) == _HEAD else (self.head + data[:_HEAD])[:_HEAD]
        return Place(self.offset + len(data), head, (self.tail + data[-_TAIL:])[-_TAIL:])

    @property
    def cursor(self) -> Cursor:
        head, tail = crc32(self.head), crc32(self.tail)
        return Cursor(f'{{"offset": {self.offset}, "head": {head}, "tail": {tail}}}')


@dataclass(frozen=True, slots=True)
class Line:
    """One complete line."""

    data: bytes
    """Its bytes with the line end, none when it is too long."""
    size: int
    after: Place

    @property
    def too_long(self) -> bool:
        return self.size > LONGEST

    @property
    def content(self) -> bytes:
        """The line without its end, and without a byte order mark or NULs around it."""
        return self.data.strip(b"\r\n\0").removeprefix(_MARKS)


def open_regular(path: str) -> BinaryIO:
    """A file for reading, unbuffered. Raises OSError, also for what is no regular file."""
    # O_NONBLOCK: a FIFO without a writer would block here for ever.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return os.fdopen(fd, "rb", buffering=0)


def lines(file: BinaryIO, start: Place, *, closed: bool = False) -> Iterator[Line]:
    """Lines after `start`, oldest first.

    What follows the last line end is left for later, except in a file that is `closed`.
    """
    file.seek(start.offset)
    pending = _Pending(start)
    while chunk := file.read(_CHUNK):
        begin = 0
        while end := chunk.find(b"\n", begin) + 1:
            pending.add(chunk[begin:end])
            yield pending.take()
            begin = end
        pending.add(chunk[begin:])
    if closed and pending.size:
        yield pending.take()


class _Pending:
    """A line that is being collected, at most LONGEST bytes of it."""

    __slots__ = ("_pieces", "_place", "size")

    def __init__(self, place: Place) -> None:
        self._place = place
        self._pieces: list[bytes] = []
        self.size = 0

    def add(self, piece: bytes) -> None:
        self._place = self._place.past(piece)
        self.size += len(piece)
        self._pieces.append(piece)
        if self.size > LONGEST:
            self._pieces.clear()

    def take(self) -> Line:
        line = Line(b"".join(self._pieces), self.size, self._place)
        self._pieces.clear()
        self.size = 0
        return line


def resume(file: BinaryIO, after: Cursor | None) -> Place:
    """The place a cursor names; the start where the file no longer is the one that was read."""
    match = _CURSOR.match(after or "")
    place = place_at(file, int(match[1])) if match else Place()
    return place if place.cursor == after else Place()


def place_at(file: BinaryIO, offset: int) -> Place:
    """The place at an offset; the start of the file when it is shorter."""
    fd = file.fileno()
    if offset > os.fstat(fd).st_size:
        return Place()
    head = os.pread(fd, min(offset, _HEAD), 0)
    tail = os.pread(fd, min(offset, _TAIL), max(0, offset - _TAIL))
    return Place(offset, head, tail)


def end(file: BinaryIO) -> Cursor:
    """The place after the last complete line."""
    return place_at(file, last_end(file)).cursor


def last_end(file: BinaryIO) -> int:
    """Offset after the last line end, 0 when there is none. Reads backwards from the end."""
    position = os.fstat(file.fileno()).st_size
    step = 4096
    while position > 0:
        start = max(0, position - step)
        newline = os.pread(file.fileno(), position - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        position, step = start, _CHUNK
    return 0


def behind(cursor: Cursor | None, size: int) -> int:
    """Bytes of a file of `size` that lie behind a cursor; all of it when it is shorter."""
    match = _CURSOR.match(cursor or "")
    offset = int(match[1]) if match else 0
    return size - offset if offset <= size else size
