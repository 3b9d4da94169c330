from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd import frontmatter
from memd.errors import StoreError
from memd.frontmatter_split import split
from memd.fsio import sha256
from memd.model import MEMORY_FILES, MemoryUpdate
from memd.store import layout, memory
from memd.store.memory import EditedMeanwhile, FileChange

HEAD = "---\ntype: state\nproject: app\nlast_updated: 2026-01-01\nstatus: active\nowner: me\n---\n"
TODAY = "2026-02-02"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for name in MEMORY_FILES:
        (tmp_path / name).write_text(HEAD + "\n# Body\n")
    return tmp_path


def plan(store: Path, bodies: Mapping[str, str]) -> tuple[FileChange, ...]:
    update = MemoryUpdate("summary", bodies)
    return memory.planned(str(store), memory.read(str(store)), update, today=TODAY)


def test_all_four_files_are_read_with_their_keys(store: Path) -> None:
    read = memory.read(str(store))
    assert tuple(read) == MEMORY_FILES
    file = read["state.md"]
    assert list(file.frontmatter) == ["type", "project", "last_updated", "status", "owner"]
    assert (file.body, file.text) == ("# Body\n", HEAD + "\n# Body\n")
    assert file.digest == sha256((store / "state.md").read_bytes())


def test_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    file = memory.read(str(tmp_path))["todo.md"]
    assert (file.frontmatter, file.body, file.text, file.digest) == ({}, "", "", sha256(b""))


def test_line_ends_of_another_system_do_not_show_in_the_body(store: Path) -> None:
    (store / "state.md").write_bytes(
        b"\xef\xbb\xbf" + (HEAD + "a\nb\n").replace("\n", "\r\n").encode()
    )
    file = memory.read(str(store))["state.md"]
    assert file.body == "a\nb\n"
    assert file.frontmatter["owner"] == "me"
    assert file.digest == sha256((store / "state.md").read_bytes())


@pytest.mark.parametrize("head", ["", "---\n[broken\n---\n", "---\ntype: state\n---\n"])
def test_broken_frontmatter_has_no_keys_and_is_never_written_again(store: Path, head: str) -> None:
    (store / "state.md").write_text(head + "# Body\n")
    assert memory.read(str(store))["state.md"].frontmatter == {}
    with pytest.raises(
        StoreError, match=r"state\.md: has no valid frontmatter .*: repair its first"
    ):
        plan(store, {"state.md": "# New\n"})
    assert plan(store, {"todo.md": "# New\n"})[0].path == "todo.md"


def test_what_is_not_text_is_named(store: Path) -> None:
    (store / "todo.md").write_bytes(b"caf\xe9")
    with pytest.raises(StoreError, match=r"todo\.md: is not UTF-8 text \(byte 3\): convert it"):
        memory.read(str(store))


def test_links_and_huge_files_are_not_read(store: Path, tmp_path: Path) -> None:
    with (store / "todo.md").open("ab") as file:
        file.truncate(layout.FILE_LIMIT + 1)
    with pytest.raises(StoreError, match=r"todo\.md: is larger than"):
        memory.read(str(store))
    (store / "todo.md").unlink()
    (store / "todo.md").symlink_to(store / "state.md")
    with pytest.raises(StoreError, match=r"todo\.md: cannot be read: not a regular file"):
        memory.read(str(store))


KEYS = st.dictionaries(st.text(min_size=1), st.text() | st.integers(-9, 9), max_size=3)


@settings(max_examples=60, deadline=None)
@given(KEYS, st.text(), st.text(st.characters(codec=None, exclude_characters="\r")))
def test_a_written_file_always_has_valid_frontmatter_with_the_persons_keys(
    extra: dict[str, object], project: str, body: str
) -> None:
    keys = {
        "type": "state",
        "project": project + ".",
        "last_updated": "2026-01-01",
        "status": "x",
        **{k: v for k, v in extra.items() if k not in frontmatter.REQUIRED},
    }
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "state.md")
        path.write_bytes(frontmatter.compose(keys, "old").encode())
        (change,) = plan(Path(directory), {"state.md": body})
        memory.write_change(directory, change)
        file = memory.read(directory)["state.md"]
    assert list(file.frontmatter.items()) == list({**keys, "last_updated": TODAY}.items())
    expected = memory.writable(body).lstrip("\n")
    assert file.body.rstrip("\n") == expected.rstrip("\n")


def test_a_plan_names_old_and_new_content(store: Path) -> None:
    (change,) = plan(store, {"state.md": "# New\n"})
    assert change.old_sha == sha256((store / "state.md").read_bytes())
    assert change.new_sha == sha256(change.text.encode())
    assert change.text == HEAD.replace("2026-01-01", TODAY) + "\n# New\n"
    assert plan(store, {}) == ()


TEXTS = st.sampled_from(["", "old", "new", "edited"])


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS, st.integers(1, 3))
def test_a_change_is_made_once_and_never_over_an_edit(
    old: str, new: str, found: str, times: int
) -> None:
    with tempfile.TemporaryDirectory() as store:
        path = Path(store, "state.md")
        path.write_text(found)
        change = memory.change("state.md", sha256(old.encode()), new)
        if found in (old, new):
            for _ in range(times):
                memory.check_change(store, change)
                memory.write_change(store, change)
            assert path.read_text() == new
        else:
            for attempt in (memory.check_change, memory.write_change):
                with pytest.raises(EditedMeanwhile, match=r"state\.md$"):
                    attempt(store, change)
            assert path.read_text() == found


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_the_mode_of_a_file_is_kept(store: Path, mode: int) -> None:
    (store / "state.md").chmod(mode)
    memory.write_change(str(store), plan(store, {"state.md": "new"})[0])
    assert stat.S_IMODE((store / "state.md").stat().st_mode) == mode


def test_a_new_file_and_its_directory_are_private(tmp_path: Path) -> None:
    change = memory.change("archive/2026-01.md", sha256(b""), "text")
    memory.write_change(str(tmp_path), change)
    assert (tmp_path / "archive" / "2026-01.md").read_text() == "text"
    assert stat.S_IMODE((tmp_path / "archive" / "2026-01.md").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "archive").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "path",
    ["../x.md", "/etc/passwd", "inbox/x.md", ".id", "archive/x.md", "archive/../state.md",
     "projects.md", "state.md\n", ""],
)  # fmt: skip
def test_no_other_path_is_ever_written(tmp_path: Path, path: str) -> None:
    with pytest.raises(StoreError, match="memd writes no such file"):
        memory.write_change(str(tmp_path), memory.change(path, sha256(b""), "text"))
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_a_file_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "state.md").symlink_to(tmp_path / "target")
    with pytest.raises(StoreError, match="not a regular file"):
        memory.write_change(
            str(tmp_path / "store"), memory.change("state.md", sha256(b"mine"), "new")
        )
    assert (tmp_path / "target").read_text() == "mine"


def test_a_change_found_made_is_brought_to_disk_too(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = memory.change("state.md", sha256(b"before"), (store / "state.md").read_text())
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.fstat(fd).st_ino), real(fd)))
    memory.write_change(str(store), change)
    assert synced == [store.stat().st_ino]


def test_the_body_is_split_from_what_was_composed(store: Path) -> None:
    text = memory.compose(memory.read(str(store))["state.md"], "# New", today=TODAY)
    assert split(text)[1] == "# New\n"


@pytest.mark.parametrize("text", [HEAD + "\n# Body\n", "no keys\n", "---\nbroken", ""])
def test_a_memory_is_within_its_budgets_up_to_the_last_character(store: Path, text: str) -> None:
    (store / "todo.md").write_text(text)
    sizes = {name: len(file.body) for name, file in memory.read(str(store)).items()}
    assert memory.is_within(str(store), sizes)
    for name in (name for name, size in sizes.items() if size):
        assert not memory.is_within(str(store), {**sizes, name: sizes[name] - 1})


def test_a_memory_that_cannot_be_read_is_not_taken_for_a_small_one(store: Path) -> None:
    (store / "todo.md").write_bytes(b"\xff")
    with pytest.raises(StoreError, match=r"todo\.md: is not UTF-8"):
        memory.is_within(str(store), dict.fromkeys(MEMORY_FILES, 1_000))
