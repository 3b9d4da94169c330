from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memd.errors import StateError
from memd.state import statefile

Json = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "doc.json")


def write(path: str, **fields: object) -> None:
    edit(path, lambda old: {**old, **fields})


def edit(path: str, change: Callable[[Json], Json | None]) -> None:
    statefile.edit(path, dict, change, when_lost="damaged")


def read(path: str) -> Json:
    return statefile.read(path, dict)


def test_what_was_written_is_read_again(path: str) -> None:
    write(path, a=1)
    write(path, b="é")
    assert read(path) == {"format": 1, "a": 1, "b": "é"}
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700


def test_nothing_is_missing_not_empty(path: str) -> None:
    with pytest.raises(statefile.Missing):
        read(path)


@pytest.mark.parametrize("damage", [b'{"trunc', b"", b"[]", b"{}", b"\xff", b"[" * 200_000])
def test_a_damaged_document_gives_way_to_its_predecessor(path: str, damage: bytes) -> None:
    write(path, a=1)
    write(path, a=2)
    Path(path).write_bytes(damage)
    assert statefile.is_damaged(path, dict)
    assert read(path)["a"] == 1
    assert Path(path).read_bytes() == damage  # looking changes nothing
    write(path, b=3)
    assert read(path) == {"format": 1, "a": 1, "b": 3}
    (aside,) = statefile.corrupt_files(os.path.dirname(path))
    assert aside.startswith("doc.json.corrupt-")


def test_a_loss_of_both_versions_is_told_to_the_writer(path: str) -> None:
    write(path, a=1)
    write(path, a=2)
    Path(path).write_text("{")
    Path(path + statefile.BACKUP).write_text("{")
    with pytest.raises(statefile.Damaged):
        read(path)
    found = []
    edit(path, lambda old: (found.append(old), {})[1])
    assert found == [{"lost": "damaged"}]


def test_a_damaged_first_version_is_not_taken_for_a_new_start(path: str) -> None:
    write(path, a=1)
    Path(path).write_text("{")
    found = []
    edit(path, lambda old: (found.append(old), None)[1])
    assert found == [{"lost": "damaged"}]


def test_a_missing_document_with_a_predecessor_is_restored(path: str) -> None:
    write(path, a=1)
    write(path, a=2)
    os.unlink(path)
    assert read(path)["a"] == 1
    write(path, b=1)
    assert read(path) == {"format": 1, "a": 1, "b": 1}


def test_a_newer_format_is_refused_and_never_called_damaged(path: str) -> None:
    write(path, a=1)
    Path(path).write_text(json.dumps({"format": 99}))
    with pytest.raises(StateError, match="upgrade memd"):
        read(path)
    with pytest.raises(StateError, match="upgrade memd"):
        write(path, a=2)
    assert json.loads(Path(path).read_text()) == {"format": 99}


def test_an_unreadable_document_is_reported(path: str) -> None:
    os.makedirs(path)
    with pytest.raises(StateError, match="cannot be read"):
        read(path)


def test_none_leaves_the_document_alone(path: str) -> None:
    write(path, a=1)
    before = os.stat(path).st_ino
    edit(path, lambda _: None)
    assert os.stat(path).st_ino == before


def test_writers_at_the_same_time_lose_nothing(path: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: write(path, **{f"k{n}": n}), range(24)))
    assert len(read(path)) == 25


def test_a_folder_that_is_not_there_holds_no_damaged_documents(tmp_path: Path) -> None:
    assert list(statefile.corrupt_files(str(tmp_path / "none"))) == []


def test_a_document_its_owner_cannot_use_is_damaged(path: str) -> None:
    def whole(document: Json) -> int:
        return int(document.get("n", 0))

    write(path, n=1)
    write(path, n="many")
    assert statefile.is_damaged(path, whole)
    assert statefile.read(path, whole) == 1
    statefile.edit(path, whole, lambda old: {"n": old + 1})
    assert read(path)["n"] == 2
    assert len(list(statefile.corrupt_files(os.path.dirname(path)))) == 1


def test_a_pipe_in_the_place_of_a_document_is_refused_and_not_waited_for(path: str) -> None:
    os.makedirs(os.path.dirname(path))
    os.mkfifo(path)
    with pytest.raises(StateError, match="not a regular file"):
        read(path)
    with pytest.raises(StateError, match="not a regular file"):
        write(path, a=1)
