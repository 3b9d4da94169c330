from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memd.sources.session_index import SessionIndex

if TYPE_CHECKING:
    from pathlib import Path


def kept(path: Path) -> str:
    index = SessionIndex(str(path))
    index.learn("a", [1, 2], {"size": 3})
    index.learn("b", [1, 2], {"size": 4})
    index.save(["a"])
    return str(path)


def test_facts_hold_while_the_stamp_is_the_same(tmp_path: Path) -> None:
    index = SessionIndex(kept(tmp_path / "state" / "index.json"))
    assert index.facts("a", [1, 2]) == {"size": 3}
    assert index.facts("a", [1, 3]) is None
    assert index.last_known("a") == {"size": 3}


def test_sessions_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    index = SessionIndex(kept(tmp_path / "index.json"))
    assert index.last_known("b") is None
    index.save([])
    assert SessionIndex(str(tmp_path / "index.json")).last_known("a") is None


def test_an_index_without_news_is_not_written(tmp_path: Path) -> None:
    path = kept(tmp_path / "index.json")
    before = (tmp_path / "index.json").stat().st_ino
    index = SessionIndex(path)
    index.learn("a", [1, 2], {"size": 3})
    index.save(["a"])
    assert (tmp_path / "index.json").stat().st_ino == before


def test_an_index_is_older_than_what_changed_around_its_writing(tmp_path: Path) -> None:
    index = SessionIndex(kept(tmp_path / "index.json"))
    written = (tmp_path / "index.json").stat().st_mtime_ns
    assert index.is_older_than(written)
    assert not index.is_older_than(written - 1_000_000_000)
    assert SessionIndex(str(tmp_path / "none")).is_older_than(0)


def test_an_index_can_be_made_young_again(tmp_path: Path) -> None:
    path = kept(tmp_path / "index.json")
    before = (tmp_path / "index.json").stat().st_ino
    index = SessionIndex(path)
    index.renew()
    index.save(["a"])
    assert (tmp_path / "index.json").stat().st_ino != before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "[" * 100_000,
        '{"format": 2, "entries": {"a": {}}}',
        '{"format": 1, "entries": [1]}',
        '{"format": 1, "entries": {"a": 1}}',
        '{"format": 1, "entries": {"a": {"stamp": [1, 2], "facts": 7}}}',
    ],
)
def test_a_damaged_or_foreign_index_is_an_empty_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "index.json").write_text(text)
    assert SessionIndex(str(tmp_path / "index.json")).facts("a", [1, 2]) is None


def test_an_index_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    index = SessionIndex(str(tmp_path / "file" / "index.json"))
    index.learn("a", [1], {})
    index.save(["a"])
    assert (tmp_path / "file").read_bytes() == b""
