"""Every object of a memory's repository is read, however large."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memd.errors import StoreError
from memd.store.objects import ReadableHistory
from memd.store.past import Undone, undo
from memd.store.rewrite import WritableHistory


def git(store: Path, *args: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-C", str(store), *args]
    return subprocess.run(command, input=stdin, check=True, capture_output=True).stdout


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A repository without a commit."""
    git(tmp_path, "init", "-q")
    return tmp_path


def test_objects_that_are_too_large_together_are_read_apart(store: Path) -> None:
    sizes = [9 << 20, 10 << 20, 3]
    for size in sizes:
        git(store, "hash-object", "-w", "--stdin", stdin=bytes(size))
    found = {len(one.data) for one in ReadableHistory(str(store)).objects()}
    assert found == set(sizes)


def test_an_object_that_is_missing_is_named(store: Path) -> None:
    with pytest.raises(StoreError, match=r"0{40}: missing"):
        list(ReadableHistory(str(store)).read(["0" * 40]))


def test_a_repository_without_a_commit_has_none_and_can_be_rewritten(store: Path) -> None:
    oid = git(store, "hash-object", "-w", "--stdin", stdin=b"a leak").decode().strip()
    history = WritableHistory(str(store))
    assert list(history.commits()) == []
    assert history.holding(leak) == {oid: "blob"}
    history.rewrite(leak)
    assert list(history.objects()) == []


def leak(text: str) -> tuple[str, int]:
    return text.replace("leak", "mark"), text.count("leak")


def test_lines_of_a_very_large_file_are_left_to_the_merge(tmp_path: Path) -> None:
    before = "a line of it\n" * 100_000
    after = f"{before}new\n"
    assert undo(after, after=after, before=before, folder=str(tmp_path)) == Undone(before, True)
