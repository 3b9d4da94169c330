from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memd import fsio
from memd.errors import StoreError, Untrusted
from memd.paths import STORE_ID_FILE
from memd.store import layout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "project").resolve()
    store = root / ".memory"
    for name in ("archive", "inbox", ".git"):
        (store / name).mkdir(parents=True)
    (store / "state.md").write_text("state")
    (store / "archive" / "2026-01.md").write_text("old")
    (store / ".id").write_text("abc\n")
    return root


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("HOME-SECRET")
    return path


def test_a_store_of_files_and_directories_is_safe(root: Path) -> None:
    assert layout.safe_store(str(root)) == str(root / ".memory")


def test_a_store_may_lack_all_its_parts(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    assert layout.safe_store(str(tmp_path)) == str(tmp_path / ".memory")


def test_a_missing_store_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"\.memory: there is no memory here: run memd init"):
        layout.safe_store(str(tmp_path))


def test_a_link_to_anywhere_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / ".memory").symlink_to(root / ".memory")
    with pytest.raises(StoreError, match=f"is a link to {root}.*: remove the link"):
        layout.safe_store(str(tmp_path / "clone"))


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".memory").symlink_to(tmp_path / "gone")
    with pytest.raises(StoreError, match="is a link to"):
        layout.safe_store(str(tmp_path))


@pytest.mark.parametrize("expected", ["", "other"])
def test_a_store_with_another_id_is_not_trusted(root: Path, expected: str) -> None:
    (root / ".memory" / STORE_ID_FILE).write_text("own\n")
    assert layout.trusted_store(str(root), "own") == str(root / ".memory")
    with pytest.raises(Untrusted):
        layout.trusted_store(str(root), expected)


def test_a_store_without_an_id_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    with pytest.raises(Untrusted):
        layout.trusted_store(str(tmp_path), "")


@pytest.mark.parametrize("name", [".", "archive", "inbox", ".git"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_has_to_be_a_directory_is_one(
    root: Path, tmp_path: Path, name: str, kind: str
) -> None:
    place = root / ".memory" / name
    place.rename(tmp_path / "away")
    if kind == "link":
        place.symlink_to(tmp_path / "away")
    else:
        place.write_text("x")
    with pytest.raises(StoreError, match=f"{place}: .*(link|directory)"):
        layout.safe_store(str(root))


@pytest.mark.parametrize("name", ["state.md", "projects.md", ".id", "archive/2026-01.md"])
@pytest.mark.parametrize("kind", ["link", "hard link", "fifo", "directory"])
def test_what_has_to_be_a_file_is_one_and_has_one_name(
    root: Path, secret: Path, name: str, kind: str
) -> None:
    place = root / ".memory" / name
    place.unlink(missing_ok=True)
    if kind == "link":
        place.symlink_to(secret)
    elif kind == "hard link":
        os.link(secret, place)
    elif kind == "fifo":
        os.mkfifo(place)
    else:
        place.mkdir()
    with pytest.raises(StoreError, match=f"{place}: has"):
        layout.safe_store(str(root))


def test_a_name_left_by_a_writer_that_was_cut_off_is_no_second_one(root: Path) -> None:
    store = root / ".memory"
    os.link(store / "state.md", store / ".memd-1.new")
    assert layout.safe_store(str(root)) == str(store)


def test_a_name_made_to_look_like_that_hides_no_other(root: Path, secret: Path) -> None:
    store = root / ".memory"
    os.link(secret, store / "other.md")
    os.link(secret, store / ".memd-1.new")
    with pytest.raises(StoreError, match=r"other\.md: has a second name"):
        layout.safe_store(str(root))


@pytest.mark.parametrize("name", [".id", "state.md", "archive/2026-01.md"])
def test_a_store_with_an_id_or_a_text_is_not_blank(tmp_path: Path, name: str) -> None:
    store = tmp_path / ".memory"
    assert layout.is_blank(str(store))
    (store / "archive").mkdir(parents=True)
    (store / "notes.txt").touch()
    assert layout.is_blank(str(store))
    (store / name).touch()
    assert not layout.is_blank(str(store))


def test_files_that_memd_never_reads_are_not_its_business(root: Path, secret: Path) -> None:
    (root / ".memory" / "notes.txt").symlink_to(secret)
    (root / ".memory" / ".hidden.md").symlink_to(secret)
    (root / ".memory" / "inbox" / "x.md").symlink_to(secret)
    assert layout.safe_store(str(root)) == str(root / ".memory")


def test_a_store_that_cannot_be_listed_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(StoreError, match=r"\.memory: cannot be read: Permission denied"):
        layout.safe_store(str(root))


def test_a_file_that_vanishes_while_looking_is_no_danger(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "listdir", lambda _path: ["gone.md"])
    assert layout.safe_store(str(root)) == str(root / ".memory")


def test_the_id_is_read_or_empty(root: Path, secret: Path) -> None:
    store = root / ".memory"
    assert layout.read_id(str(store)) == "abc"
    (store / ".id").write_bytes(b"\xff")
    assert layout.read_id(str(store)) == ""
    (store / ".id").unlink()
    assert layout.read_id(str(store)) == ""
    (store / ".id").symlink_to(secret)
    assert layout.read_id(str(store)) == ""


def test_reading_a_file_says_what_is_wrong(root: Path) -> None:
    store = root / ".memory"
    assert layout.read_file(str(store / "state.md"), limit=5) == b"state"
    assert layout.read_file(str(store / "none.md"), limit=5) == b""
    with pytest.raises(StoreError, match=r"state\.md: is larger than 4 bytes: move some"):
        layout.read_file(str(store / "state.md"), limit=4)
    with pytest.raises(StoreError, match="archive: cannot be read: not a regular file"):
        layout.read_file(str(store / "archive"), limit=4)


def test_places_have_the_names_that_others_rely_on() -> None:
    assert layout.archive_path("/s", "2026-01") == "/s/archive/2026-01.md"
    assert layout.inbox_dir("/s") == "/s/inbox"
    assert layout.id_path("/s") == "/s/.id"


def test_the_archive_is_listed_in_order(root: Path) -> None:
    archive = root / ".memory" / "archive"
    for name in ("2025-12.md", ".hidden.md", "readme.txt"):
        (archive / name).write_text("x")
    store = str(root / ".memory")
    assert layout.archived(store) == ("archive/2025-12.md", "archive/2026-01.md")


class TestLeftovers:
    NOW = 1_000_000.0

    def leave(self, path: Path, *, age: float) -> Path:
        if path.suffix == ".git":
            path.mkdir()
        else:
            path.write_text("x")
        os.utime(path, (self.NOW - age, self.NOW - age))
        return path

    @pytest.mark.parametrize(
        ("name", "age", "stays"),
        [
            (".memd-1.tmp", 0, False),
            ("archive/.memd-1.tmp", 0, False),
            (".memd-1.new", 10, True),
            (".memd-1.new", 4000, False),
            (".memd-1.git", 10, True),
            (".memd-1.git", 4000, False),
            (".other.tmp", 4000, True),
            ("state.md", 4000, True),
        ],
    )
    def test_only_what_nobody_still_writes_goes(
        self, root: Path, name: str, age: float, stays: bool
    ) -> None:
        path = self.leave(root / ".memory" / name, age=age)
        layout.clear_leftovers(str(root / ".memory"), now=self.NOW)
        assert path.exists() == stays

    def test_a_published_note_loses_its_staging_name_at_once(self, root: Path) -> None:
        store = root / ".memory"
        staged = self.leave(store / (fsio.PREFIX + "1" + fsio.STAGED), age=0)
        os.link(staged, store / "inbox" / "a.md")
        layout.clear_leftovers(str(store), now=self.NOW)
        assert (store / "inbox" / "a.md").stat().st_nlink == 1

    def test_what_its_writer_takes_away_first_is_no_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "listdir", lambda _path: [".memd-1.tmp"])
        layout.clear_leftovers(str(tmp_path), now=self.NOW)
        assert not (tmp_path / ".memd-1.tmp").exists()


def test_looking_at_a_store_imports_no_heavy_module() -> None:
    code = "import sys, memd.store.layout; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"dataclasses", "typing", "re", "pathlib", "subprocess", "yaml", "hashlib", "shutil"}
    assert heavy.isdisjoint(done.stdout.split())


def test_what_a_writer_left_an_hour_ago_goes_and_what_is_being_written_stays(
    tmp_path: Path,
) -> None:
    for name in (".memd-old.tmp", ".memd-new.tmp", "registry.json"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0) if "new" not in name else (7000, 7000))
    (tmp_path / ".memd-folder.tmp").mkdir()
    os.utime(tmp_path / ".memd-folder.tmp", (0, 0))
    layout.clear_abandoned(str(tmp_path), now=7200.0)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".memd-folder.tmp", ".memd-new.tmp", "registry.json"]
    layout.clear_abandoned(str(tmp_path / "none"), now=7200.0)
