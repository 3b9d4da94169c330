from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.sources.sqlite import columns, reading, stamp

if TYPE_CHECKING:
    from pathlib import Path


def create(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def test_steps_in_the_log_of_a_writer_are_seen_and_uncommitted_ones_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    create(path, "PRAGMA journal_mode = WAL", "CREATE TABLE t (x)")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO t VALUES (1)")
        writer.commit()
        writer.execute("INSERT INTO t VALUES (2)")
        with reading(str(path)) as db:
            assert db.execute("SELECT x FROM t").fetchall() == [(1,)]
            writer.commit()
            assert db.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_nothing_can_be_written(tmp_path: Path) -> None:
    create(tmp_path / "a.db", "CREATE TABLE t (x)")
    before = (tmp_path / "a.db").read_bytes()
    with pytest.raises(OSError, match="readonly"), reading(str(tmp_path / "a.db")) as db:
        db.execute("INSERT INTO t VALUES (1)")
    assert (tmp_path / "a.db").read_bytes() == before


def test_a_path_with_the_signs_of_a_uri_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "100%25 ?mode=rwc#ü"
    folder.mkdir()
    create(folder / "a b.db", "CREATE TABLE t (x)")
    with reading(str(folder / "a b.db")) as db:
        assert columns(db, "t") == {"x"}
        assert columns(db, "missing") == frozenset()


def test_a_locked_database_is_an_error_that_passes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    create(path, "CREATE TABLE t (x)")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OSError, match="locked"), reading(str(path), patience=0) as db:
            db.execute("SELECT x FROM t")
    with reading(str(path)) as db:
        assert db.execute("SELECT x FROM t").fetchall() == []


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.db")
    for path in (tmp_path / "fifo.db", tmp_path, tmp_path / "missing.db"):
        with pytest.raises(OSError, match=r"regular|No such"), reading(str(path)):
            pass
    assert sorted(os.listdir(tmp_path)) == ["fifo.db"]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300) | st.binary(max_size=300).map(b"SQLite format 3\0".__add__))
def test_any_bytes_are_a_database_or_an_oserror(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.db").write_bytes(data)
    found = frozenset[str]()
    with suppress(OSError), reading(str(tmp_path / "a.db")) as db:
        found = columns(db, "steps")
    assert not found


def test_a_text_that_is_not_utf8_is_repaired(tmp_path: Path) -> None:
    create(tmp_path / "a.db", "CREATE TABLE t (x)", "INSERT INTO t VALUES (CAST(x'61FF' AS TEXT))")
    with reading(str(tmp_path / "a.db")) as db:
        assert db.execute("SELECT x FROM t").fetchall() == [("a\ufffd",)]


def test_a_stamp_changes_with_the_log_and_takes_an_empty_one_for_none(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    create(path, "PRAGMA journal_mode = WAL", "CREATE TABLE t (x)")
    alone = stamp(str(path))
    (tmp_path / "a.db-wal").touch()
    assert stamp(str(path)) == alone
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO t VALUES (1)")
        writer.commit()
        assert stamp(str(path)) != alone
