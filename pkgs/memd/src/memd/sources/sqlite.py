"""Looking into a client's SQLite database while the client writes to it."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final
from urllib.parse import quote

LONGEST: Final = 16 << 20
"""Bytes of a value; a longer one is not to be loaded."""

Stamp = list[int]
"""Size and time of change of a database and of its write-ahead log."""


@contextmanager
def reading(path: str, *, patience: float = 2.0) -> Iterator[sqlite3.Connection]:
    """One consistent view of a database, for as long as the block lasts.

    A client that has locked the database is waited for, `patience` seconds at most. All that
    goes wrong with the database raises OSError, inside the block too.

    The database is opened read-only, and never as immutable: only that shows what still
    stands in the write-ahead log (https://www.sqlite.org/wal.html, "Read-Only Databases").
    SQLite then makes the `-shm` and an empty `-wal` beside a database in WAL mode where they
    are missing and the directory can be written to, as the client itself does; in any other
    directory such a database cannot be read.
    """
    # SQLite would wait for ever at a FIFO without a writer.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    uri = f"file:{quote(os.fsencode(path))}?mode=ro"
    try:
        # A generator that is not used up may be closed by another thread.
        with closing(
            sqlite3.connect(uri, uri=True, timeout=patience, check_same_thread=False)
        ) as db:
            db.text_factory = lambda data: data.decode("utf-8", "replace")
            db.execute("BEGIN")
            yield db
    # The names in a damaged schema pass no text_factory: sqlite3 itself decodes them.
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise OSError(errno.EIO, f"not readable as a database: {error}", path) from error


def stamp(path: str) -> Stamp:
    """Changes with whatever a client writes. Raises OSError. An empty log counts as none."""
    main = os.stat(path)
    try:
        log = os.stat(f"{path}-wal")
    except FileNotFoundError:
        return [main.st_size, main.st_mtime_ns, 0, 0]
    written = log.st_mtime_ns if log.st_size else 0
    return [main.st_size, main.st_mtime_ns, log.st_size, written]


def columns(db: sqlite3.Connection, table: str) -> frozenset[str]:
    """Names of the columns of a table, none when there is no such table."""
    rows = db.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return frozenset(name for (name,) in rows)
