import os
from pathlib import Path

import pytest

from memd.sources.folders import entries, readable_entries, real_place, start_of


def test_what_stands_in_a_folder_is_listed_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "a [b]"
    folder.mkdir()
    for name in ("b", "a"):
        (folder / name).touch()
    assert entries(str(folder)) == [f"{folder}/a", f"{folder}/b"]


def test_a_folder_that_is_missing_or_none_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert entries(str(tmp_path / "gone")) == []
    assert entries(str(tmp_path / "file")) == []


def test_a_folder_that_cannot_be_looked_at_is_told_from_an_empty_one(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(OSError, match="loop"):
        entries(str(loop))
    assert readable_entries(str(loop)) == []


def test_a_place_keeps_its_own_link_and_loses_those_above(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "session").symlink_to("elsewhere")
    top = os.path.realpath(tmp_path)
    assert real_place(f"{tmp_path}/link/session") == f"{top}/real/session"


def test_what_can_be_no_path_is_no_place() -> None:
    assert real_place("/tmp/\0/session.jsonl") == ""


def test_the_start_of_what_cannot_be_read_is_empty(tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"x" * (1 << 20) + b"y")
    os.mkfifo(tmp_path / "fifo")
    assert start_of(str(tmp_path / "note")) == b"x" * (1 << 20)
    assert start_of(str(tmp_path / "fifo")) == start_of(str(tmp_path / "gone")) == b""
