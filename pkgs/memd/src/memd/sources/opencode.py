"""Sessions of opencode: `<data_dir>/opencode.db`, and files in `<data_dir>/storage/`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar, Final

from memd import fsio
from memd.model import Cursor, Project, SourceRef, Span
from memd.sources.folders import readable_entries
from memd.sources.jsonl import RecordError, parse, printable, text, usable_directory
from memd.sources.opencode_log import END, Session, Store, place_of
from memd.sources.opencode_stores import Files, Rows
from memd.sources.own_work import OwnWork
from memd.sources.session_index import SessionIndex
from memd.sources.sqlite import LONGEST, reading

INDEX: Final = "opencode_index.json"
_SESSIONS: Final = os.path.join("storage", "session")
_MAIN_SESSIONS: Final = "SELECT id, directory, time_updated FROM session WHERE parent_id IS NULL"


class OpencodeSource:
    """Reads sessions of 1.18 in a database, and of 1.0 in files.

    A session that stands in both is read from the database. Subagents, which have a
    parent, are no sessions. How large a session is is kept in `opencode_index.json` in
    the state directory: it has to be added up.
    """

    name: ClassVar[str] = "opencode"

    def __init__(
        self, data_dir: str, state_dir: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._dir = data_dir
        self._index_path = os.path.join(state_dir, INDEX)
        self._own_work = OwnWork(state_dir)
        self._clock = clock
        self._counts: dict[str, int] = {}
        """Messages by session, as of the last look."""

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        index = SessionIndex(self._index_path)
        found: dict[str, SourceRef] = {}
        for path in self._session_files():
            if ref := self._in_file(path, index):
                found[ref.session] = ref
        for path in self._databases():
            # What was found before the database failed is as good as ever.
            with suppress(OSError):
                for ref in self._in_database(path, index):
                    found[ref.session] = ref
        index.save(found)
        yield from (ref for ref in found.values() if not self._own_work.holds(ref.cwd))

    def locate(self, path: str) -> SourceRef | None:
        """A session in a file; which one of a database is meant, its path does not say."""
        path = os.path.abspath(path)
        is_session = os.path.dirname(os.path.dirname(path)).endswith(_SESSIONS)
        return self._in_file(path, SessionIndex(self._index_path)) if is_session else None

    def end(self, ref: SourceRef) -> Cursor:
        with _opened(ref) as store:
            return Session(store, self._clock()).end()

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        """An estimate, by the number of messages."""
        if ref.session not in self._counts:
            return ref.size
        count = self._counts[ref.session]
        return ref.size * max(0, count - place_of(after)[1]) // max(1, count)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with _opened(ref) as store:
            yield from Session(store, self._clock()).spans(after)

    def _databases(self) -> Iterator[str]:
        """`opencode.db`; builds other than the released one put their channel in the name."""
        for path in readable_entries(self._dir):
            if os.path.basename(path).startswith("opencode") and path.endswith(".db"):
                yield path

    def _in_database(self, path: str, index: SessionIndex) -> Iterator[SourceRef]:
        with reading(path) as db:
            for session, directory, updated in db.execute(_MAIN_SESSIONS):
                if not (isinstance(session, str) and session.isprintable()):
                    continue
                changed = updated if isinstance(updated, int) else 0
                size = self._size(index, session, [path, changed], Rows(db, session))
                yield self._ref(session, path, directory, changed / 1000, size)

    def _session_files(self) -> Iterator[str]:
        """`storage/session/<project>/<session>.json`."""
        for project in readable_entries(os.path.join(self._dir, _SESSIONS)):
            yield from (path for path in readable_entries(project) if path.endswith(".json"))

    def _in_file(self, path: str, index: SessionIndex) -> SourceRef | None:
        try:
            info = parse(fsio.read_regular(path, limit=LONGEST))
            changed = [os.stat(path).st_mtime_ns, _time_of_messages(path)]
            size = self._size(index, _stem(path), [path, *changed], _files(path))
        except (OSError, RecordError):
            return None
        if text(info, "parentID"):
            return None
        return self._ref(_stem(path), path, info.get("directory"), max(changed) / 1e9, size)

    def _ref(
        self, session: str, path: str, directory: object, modified: float, size: int
    ) -> SourceRef:
        cwd = usable_directory(directory) if isinstance(directory, str) else None
        return SourceRef(self.name, session, path, cwd, modified, size)

    def _size(self, index: SessionIndex, session: str, stamp: list[object], store: Store) -> int:
        match index.facts(session, stamp):
            case {"size": int(size), "count": int(count)}:
                pass
            case _:
                size, count = store.size(), store.count(END)
                index.learn(session, stamp, {"size": size, "count": count})
        self._counts[session] = count
        return size


@contextmanager
def _opened(ref: SourceRef) -> Iterator[Store]:
    if ref.path.endswith(".json"):
        os.stat(ref.path)
        yield _files(ref.path)
    else:
        with reading(ref.path) as db:
            yield Rows(db, ref.session)


def _files(path: str) -> Files:
    return Files(_storage(path), _stem(path))


def _storage(path: str) -> str:
    return os.path.dirname(os.path.dirname(os.path.dirname(path)))


def _stem(path: str) -> str:
    return printable(os.path.basename(path).removesuffix(".json"))


def _time_of_messages(path: str) -> int:
    """When a message came last to the session of a file, in nanoseconds since the epoch."""
    try:
        return os.stat(os.path.join(_storage(path), "message", _stem(path))).st_mtime_ns
    except FileNotFoundError:
        return 0
