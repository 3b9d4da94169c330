"""Reading one opencode session, wherever its messages are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from memd.model import Cursor, Span
from memd.sources.jsonl import Json, RecordError, parse, text
from memd.sources.opencode_records import is_complete, judge

_SETTLED: Final = 60.0
"""Seconds after which a prompt that nobody answered is taken to be whole."""
_FAR: Final = 1 << 62

Place = tuple[int, str]
"""Time of creation (milliseconds since the epoch) and id of a message: their order.

Not the id alone: it begins with 36 bits of the time, which start over every two years.
"""
START: Final[Place] = (-1, "")
END: Final[Place] = (_FAR, "")


@dataclass(frozen=True, slots=True)
class Message:
    time: int
    id: str
    data: bytes
    """JSON; empty when there is too much of it."""

    @property
    def place(self) -> Place:
        return self.time, self.id


class Store(Protocol):
    """Where the messages of a session are kept. Everything may raise OSError."""

    def newest(self) -> Iterable[Message]:
        """All messages, newest first."""
        ...

    def between(self, after: Place, limit: Place) -> Iterable[Message]:
        """Messages after a place and before another, oldest first."""
        ...

    def parts(self, message: str) -> Iterable[bytes]:
        """JSON of the parts of a message, in order, without those that are too long."""
        ...

    def count(self, until: Place) -> int:
        """How many messages there are up to a place."""
        ...

    def size(self) -> int:
        """Bytes of all messages and their parts."""
        ...


class Session:
    """Reads the messages that are whole.

    That is an assistant's message when it was completed or another assistant's follows it, a
    person's when any follows it or it was left alone for a minute. Messages that turn up
    among those that were read (a clock stepped back) make reading start over.
    """

    def __init__(self, store: Store, now: float) -> None:
        self._store = store
        self._now = now
        self._limit = self._first_unfinished()

    def end(self) -> Cursor:
        for message in self._store.newest():
            if message.place < self._limit:
                return _cursor(message.place, self._store.count(message.place))
        return _cursor(START, 0)

    def spans(self, after: Cursor | None) -> Iterator[Span]:
        """One span for each message after a cursor."""
        place, passed = place_of(after)
        count = self._store.count(place)
        if count > passed:
            place, count = START, 0
        elif count < passed:
            # Messages were taken back.
            yield Span(_cursor(place, count), 0, "noise", records=0)
        for message in self._store.between(place, self._limit):
            count += 1
            yield self._span(message, _cursor(message.place, count))

    def _span(self, message: Message, cursor: Cursor) -> Span:
        parts = list(self._store.parts(message.id))
        said = judge(message.data, parts)
        return Span(
            cursor=cursor,
            size=len(message.data) + sum(map(len, parts)),
            outcome=said.outcome,
            events=said.events,
            record_id=said.record_id,
            at=said.at,
            detail=said.detail,
        )

    def _first_unfinished(self) -> Place:
        """Place of the message that is waited for; one beyond all when there is none."""
        limit = END
        for age, message in enumerate(self._store.newest()):
            said = info(message.data)
            if text(said, "role") == "user":
                if age == 0 and not self._is_settled(message):
                    limit = message.place
                continue
            is_underway = text(said, "role") == "assistant" and not is_complete(said)
            return message.place if is_underway else limit
        return limit

    def _is_settled(self, prompt: Message) -> bool:
        """Whether a prompt that nothing follows is there with all its parts."""
        waited = self._now - prompt.time / 1000
        # A time in the future says nothing about now.
        return not 0 <= waited < _SETTLED and any(True for _ in self._store.parts(prompt.id))


def place_of(cursor: Cursor | None) -> tuple[Place, int]:
    """The place that a cursor names, and how many messages were read up to there."""
    try:
        match json.loads(cursor or ""):
            case {"time": int(time), "id": str(name), "count": int(count)} if abs(time) < _FAR:
                return (time, name), count
    except (ValueError, RecursionError):
        pass
    return START, 0


def _cursor(place: Place, count: int) -> Cursor:
    return Cursor(json.dumps({"time": place[0], "id": place[1], "count": count}))


def info(data: bytes) -> Json:
    """The object in the JSON of a message, empty when there is none."""
    try:
        return parse(data)
    except RecordError:
        return {}
