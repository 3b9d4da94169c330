"""The steps of an Antigravity conversation in its database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from memd.fsio import sha256
from memd.model import Cursor, Span
from memd.sources.antigravity_steps import (
    IN_FLIGHT,
    USER_INPUT,
    Said,
    Step,
    directory,
    said,
    status_of,
    words,
)
from memd.sources.protowire import text, texts
from memd.sources.sqlite import LONGEST, columns

_MOST_OPEN: Final = 64
_NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a conversation: after a step that is known again by what it says."""

    step: int = -1
    mark: str = ""
    """Fingerprint of that step and of the trajectory it belongs to."""
    open: tuple[int, ...] = ()
    """Steps up to there that were passed in flight: they are read again when they end."""

    @property
    def cursor(self) -> Cursor:
        return Cursor(json.dumps({"step": self.step, "mark": self.mark, "open": self.open}))


def place(cursor: Cursor | None) -> Place:
    """The place that a cursor names, the start for any other text."""
    try:
        match json.loads(cursor or ""):
            case {"step": int(step), "mark": str(mark), "open": [*passed]}:
                known = (i for i in passed if isinstance(i, int) and 0 <= i < _NEVER)
                return Place(step, mark, tuple(known)) if 0 <= step < _NEVER else Place()
    except (ValueError, RecursionError):
        pass
    return Place()


class Conversation:
    """One view of a database, of the client's own tables:

    `steps(idx, step_type, status, step_payload, ...)`, `trajectory_meta(trajectory_id, ...)`
    and `trajectory_metadata_blob(data, ...)`, a `CortexTrajectoryMetadata`. Databases without
    the status, or without all but the steps, are read as well.

    A step in flight is waited for, unless the person went on after it: then its client has
    died, or it runs in the background. It is read as it stands, and again when it ends.
    Going back in a conversation removes steps and reuses their numbers; what is left is
    then read from the start.
    """

    def __init__(self, db: sqlite3.Connection, session: str) -> None:
        self._db = db
        self._session = session
        self._has_status = "status" in columns(db, "steps")
        self._trajectory = self._trajectory_ids()
        turn = self._turn()
        in_flight = sorted(self._in_flight())
        self._limit = next((i for i in in_flight if i > turn), _NEVER)
        """Number of the step that is waited for."""
        self._open = tuple(i for i in in_flight if i < self._limit)[-_MOST_OPEN:]

    def end(self) -> Cursor:
        last = next(self._steps("idx < ? ORDER BY idx DESC LIMIT 1", self._limit), None)
        return (self._after(last, self._said(last)) if last else Place()).cursor

    def last(self) -> int:
        """Number of the step at the end, -1 when there is none."""
        return self._number("SELECT max(idx) FROM steps WHERE idx < ?", self._limit, default=-1)

    def size(self) -> int:
        """Bytes of the steps up to the end."""
        return self._number(
            "SELECT sum(length(step_payload)) FROM steps WHERE idx < ?", self._limit
        )

    def spans(self, after: Cursor | None) -> Iterator[Span]:
        """One span for each step after a cursor."""
        start = self._resume(place(after))
        yield from self._ended(start)
        for step in self._steps("idx > ? AND idx < ? ORDER BY idx", start.step, self._limit):
            words = self._said(step)
            yield _span(step, words, self._after(step, words))

    def words(self) -> Iterator[str]:
        """All texts of all steps, in flight or not."""
        for step in self._steps("1 ORDER BY idx"):
            yield from words(step)

    def workspaces(self) -> list[str]:
        """Absolute paths of the directories that the conversation was opened for."""
        found = (directory(uri) for uri in self._uris())
        return list(dict.fromkeys(path for path in found if path))

    def is_subagent(self) -> bool:
        return any(text(blob, 5) not in ("", self._session) for blob in self._metadata())

    def _uris(self) -> Iterator[str]:
        for blob in self._metadata():
            yield from texts(blob, 7)
            yield from texts(blob, 1, 1)

    def _metadata(self) -> Iterator[bytes]:
        if columns(self._db, "trajectory_metadata_blob"):
            rows = self._db.execute("SELECT data FROM trajectory_metadata_blob")
            yield from (data for (data,) in rows if isinstance(data, bytes))

    def _resume(self, start: Place) -> Place:
        """The place where it is still the same; else the start."""
        if start.step < 0:
            return Place()
        step = next(self._steps("idx = ?", start.step), None)
        now = self._after(step, self._said(step)) if step else Place()
        return replace(now, open=start.open) if now.mark == start.mark else Place()

    def _ended(self, start: Place) -> Iterator[Span]:
        """What steps that were passed in flight say now that they ended."""
        now = tuple(i for i in self._open if i <= start.step)
        ended = sorted(set(start.open) - set(now))
        for count, idx in enumerate(ended, 1):
            there = replace(start, open=tuple(sorted({*now, *ended[count:]})))
            step = next(self._steps("idx = ?", idx), None)
            yield _span(step, self._said(step), there) if step else _moved(there)
        if not ended and start.open != now:
            yield _moved(replace(start, open=now))

    def _said(self, step: Step) -> Said:
        return said(step, self._session)

    def _after(self, step: Step, words: Said) -> Place:
        mark = sha256(f"{self._trajectory}/{words.id}".encode("utf-8", "replace"))[:16]
        return Place(step.idx, mark, tuple(i for i in self._open if i <= step.idx))

    def _trajectory_ids(self) -> str:
        if "trajectory_id" not in columns(self._db, "trajectory_meta"):
            return ""
        rows = self._db.execute("SELECT trajectory_id FROM trajectory_meta ORDER BY 1")
        return ",".join(str(name) for (name,) in rows)

    def _turn(self) -> int:
        """Number of the last thing that the person said, -1 when there is none."""
        settled = f"AND status NOT IN {IN_FLIGHT}" if self._has_status else ""
        which = f"step_type = {USER_INPUT} {settled} ORDER BY idx DESC LIMIT 1"
        return self._number(f"SELECT idx FROM steps WHERE {which}", default=-1)  # noqa: S608

    def _in_flight(self) -> Iterator[int]:
        if self._has_status:
            query = f"SELECT idx FROM steps WHERE status IN {IN_FLIGHT}"  # noqa: S608
            yield from (idx for (idx,) in self._db.execute(query) if isinstance(idx, int))
        else:
            for step in self._steps("1"):
                if status_of(step.payload or b"") in IN_FLIGHT:
                    yield step.idx

    def _steps(self, which: str, *parameters: int) -> Iterator[Step]:
        query = (
            "SELECT idx, step_type, length(step_payload),"  # noqa: S608
            f" CASE WHEN length(step_payload) <= {LONGEST} THEN step_payload END"
            f" FROM steps WHERE {which}"
        )
        for idx, kind, size, payload in self._db.execute(query, parameters):
            if isinstance(idx, int):
                known = kind if isinstance(kind, int) else -1
                yield Step(idx, known, size or 0, payload if isinstance(payload, bytes) else None)

    def _number(self, query: str, *parameters: int, default: int = 0) -> int:
        row = self._db.execute(query, parameters).fetchone()
        return row[0] if row and isinstance(row[0], int) else default


def _span(step: Step, words: Said, after: Place) -> Span:
    return Span(
        cursor=after.cursor,
        size=step.size,
        outcome=words.outcome,
        events=words.events,
        record_id=words.id if words.events else None,
        cwd=words.cwd,
        at=words.at,
        detail=words.detail,
    )


def _moved(there: Place) -> Span:
    """No record, only another place."""
    return Span(there.cursor, 0, "noise", records=0)
