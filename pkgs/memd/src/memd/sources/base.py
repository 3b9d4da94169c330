"""What every source of sessions answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Protocol

from memd.model import Cursor, Project, SourceRef, Span


class TranscriptSource(Protocol):
    """One client's sessions on disk.

    A source yields what a record says, whole and raw: it never clips, redacts or
    decides which project a record belongs to. It never moves past an incomplete
    record, and its use of memory does not grow with the size of a session.
    Every method raises OSError for what it cannot open; nothing else.
    """

    name: ClassVar[str]

    def discover(self, project: Project | None = None) -> Iterable[SourceRef]:
        """All sessions this source sees, in no order.

        `project` is a hint for sources that are configured per project; the others
        ignore it. Files that cannot be read are left out here and fail in `read`.
        """
        ...

    def locate(self, path: str) -> SourceRef | None:
        """The session stored at `path`, or None when that is not one of this source's."""
        ...

    def end(self, ref: SourceRef) -> Cursor:
        """Where reading would stop now: after the last complete record."""
        ...

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        """Bytes that `read` would have to go over, at a glance: opens nothing."""
        ...

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        """Spans after a cursor, oldest first; from the start when the file before the
        cursor is no longer the one that was read (replaced, truncated) or `after` is None."""
        ...
