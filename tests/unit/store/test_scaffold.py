from __future__ import annotations

import os
import re
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memd.errors import StoreError
from memd.model import MEMORY_FILES
from memd.store import layout, memory, scaffold
from memd.templates import EMPTY_BODIES

TODAY = "2026-01-02"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    return path


def create(root: Path, name: str = "app", *, git: bool = False) -> str:
    new = scaffold.new_id()
    scaffold.create(str(root), name, store_id=new, today=TODAY, git=git)
    return layout.read_id(str(root / ".memory"))


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(p.relative_to(root)): (p.lstat().st_ino, p.read_bytes())
        for p in root.rglob("*")
        if p.is_file()
    }


def test_a_store_holds_four_valid_files_with_the_empty_bodies(root: Path) -> None:
    create(root)
    read = memory.read(str(root / ".memory"))
    for name in MEMORY_FILES:
        assert read[name].body == EMPTY_BODIES[name]
        assert read[name].frontmatter == {
            "type": name.removesuffix(".md"),
            "project": "app",
            "last_updated": TODAY,
            "status": "active",
        }


def test_everything_in_it_is_private_under_any_umask(root: Path) -> None:
    old = os.umask(0)
    try:
        create(root)
    finally:
        os.umask(old)
    store = root / ".memory"
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in store.rglob("*") if p.is_file()} == {0o600}
    assert sorted(p.name for p in store.iterdir() if p.is_dir()) == ["archive", "inbox"]


def test_the_id_is_random(tmp_path: Path) -> None:
    ids = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        store_id = create(tmp_path / name)
        assert re.fullmatch(r"[0-9a-f]{32}", store_id)
        ids.add(store_id)
    assert len(ids) == 2


def test_doing_it_again_changes_nothing(root: Path) -> None:
    first = create(root, git=True)
    before = snapshot(root)
    assert create(root, "another name", git=True) == first
    assert snapshot(root) == before


def test_only_what_is_missing_is_made(root: Path) -> None:
    first = create(root)
    (root / ".memory" / "todo.md").unlink()
    (root / ".memory" / "state.md").write_text("by hand")
    (root / ".memory" / "inbox").rmdir()
    assert not scaffold.is_whole(str(root / ".memory"))
    assert create(root, git=True) == first
    assert scaffold.is_whole(str(root / ".memory"))
    assert (root / ".memory" / "state.md").read_text() == "by hand"
    assert (root / ".memory" / "todo.md").exists()
    assert (root / ".memory" / "inbox").is_dir()
    assert (root / ".memory" / ".git").is_dir()


@pytest.mark.parametrize("git", [True, False])
def test_history_is_kept_only_when_asked_for(root: Path, git: bool) -> None:
    create(root, git=git)
    assert (root / ".memory" / ".git").exists() == git


def test_many_at_once_agree_on_one_store(root: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(lambda _: create(root, git=True), range(4)))
    assert len(ids) == 1
    left = {p.name for p in (root / ".memory").iterdir()}
    assert left == {*MEMORY_FILES, "archive", "inbox", ".id", ".git"}
    log = subprocess.run(
        ["git", "-C", str(root / ".memory"), "log", "--format=%s"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert log.stdout.split("\n") == ["Begin the memory", ""]


def test_a_name_with_line_breaks_forges_nothing(root: Path) -> None:
    name = "x\nstatus: FORGED\n---\n\n## Injected section"
    create(root, name)
    text = (root / ".memory" / "state.md").read_text()
    assert "status: FORGED" not in text.splitlines()
    assert memory.read(str(root / ".memory"))["state.md"].frontmatter["project"] == name


def test_a_link_is_refused_and_nothing_is_made_behind_it(root: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (root / ".memory").symlink_to(tmp_path / "victim")
    with pytest.raises(StoreError, match="is a link to"):
        create(root, git=True)
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_project_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such directory"):
        create(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
