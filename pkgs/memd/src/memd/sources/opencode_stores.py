"""Where opencode keeps the messages of a session."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from memd import fsio
from memd.sources.jsonl import mapping
from memd.sources.opencode_log import Message, Place, info
from memd.sources.opencode_records import number
from memd.sources.sqlite import LONGEST

_JSON: Final = f"CASE WHEN length(data) <= {LONGEST} THEN CAST(data AS BLOB) END"
_MESSAGES: Final = f"SELECT time_created, id, {_JSON} FROM message"  # noqa: S608 - constants
_PARTS: Final = f"SELECT {_JSON} FROM part"  # noqa: S608 - constants


class Rows:
    """A session in the tables `message` and `part` of opencode 1.18."""

    def __init__(self, db: sqlite3.Connection, session: str) -> None:
        self._db = db
        self._session = session

    def newest(self) -> Iterator[Message]:
        return self._messages("1 ORDER BY time_created DESC, id DESC")

    def between(self, after: Place, limit: Place) -> Iterator[Message]:
        which = (
            "(time_created, id) > (?, ?) AND (time_created, id) < (?, ?) ORDER BY time_created, id"
        )
        return self._messages(which, *after, *limit)

    def parts(self, message: str) -> Iterator[bytes]:
        rows = self._db.execute(f"{_PARTS} WHERE message_id = ? ORDER BY id", (message,))
        yield from (data for (data,) in rows if isinstance(data, bytes))

    def count(self, until: Place) -> int:
        query = (
            "SELECT count(*) FROM message"
            " WHERE session_id = ? AND (time_created, id) <= (?, ?)"
            " AND typeof(time_created) = 'integer' AND typeof(id) = 'text'"
        )
        return int(self._db.execute(query, (self._session, *until)).fetchone()[0])

    def size(self) -> int:
        query = (
            "SELECT sum(length(CAST(data AS BLOB))) FROM"
            " (SELECT data FROM message WHERE session_id = ?1"
            " UNION ALL SELECT data FROM part WHERE session_id = ?1)"
        )
        return int(self._db.execute(query, (self._session,)).fetchone()[0] or 0)

    def _messages(self, which: str, *parameters: int | str) -> Iterator[Message]:
        query = f"{_MESSAGES} WHERE session_id = ? AND {which}"
        for time, name, data in self._db.execute(query, (self._session, *parameters)):
            if isinstance(time, int) and isinstance(name, str):
                yield Message(time, name, data if isinstance(data, bytes) else b"")


class Files:
    """A session in the files of opencode 1.0, `message/<session>/<id>.json` and
    `part/<message>/<id>.json` below `storage/`."""

    def __init__(self, storage: str, session: str) -> None:
        self._storage = storage
        self._session = session

    def newest(self) -> Iterator[Message]:
        return (self._message(name) for _, name in reversed(self._places))

    def between(self, after: Place, limit: Place) -> Iterator[Message]:
        within = (place for place in self._places if after < place < limit)
        return (self._message(name) for _, name in within)

    def parts(self, message: str) -> Iterator[bytes]:
        for path in _json_files(self._storage, "part", message):
            if data := _read(path):
                yield data

    def count(self, until: Place) -> int:
        return sum(1 for place in self._places if place <= until)

    def size(self) -> int:
        folders = [("message", self._session), *(("part", name) for _, name in self._places)]
        found = (path for folder in folders for path in _json_files(self._storage, *folder))
        return sum(os.stat(path).st_size for path in found)

    @cached_property
    def _places(self) -> list[Place]:
        names = _json_files(self._storage, "message", self._session)
        stems = (os.path.basename(path).removesuffix(".json") for path in names)
        return sorted(self._message(stem).place for stem in stems)

    def _message(self, name: str) -> Message:
        data = _read(os.path.join(self._storage, "message", self._session, f"{name}.json"))
        created = number(mapping(info(data), "time").get("created"))
        return Message(int(created), name, data)


def _json_files(*folders: str) -> list[str]:
    folder = os.path.join(*folders)
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".json")]


def _read(path: str) -> bytes:
    """The whole file, nothing of one that is too long."""
    try:
        return fsio.read_regular(path, limit=LONGEST)
    except fsio.TooLarge:
        return b""
