from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memd import git
from memd.errors import StoreError


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def run(directory: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    done = subprocess.run(
        ["git", "-C", str(directory), *identity, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    run(tmp_path, "init", "-q", "project")
    root = tmp_path / "project"
    (root / ".memory").mkdir()
    (root / ".memory" / "state.md").write_text("mine")
    (root / "f").write_text("x")
    run(root, "add", "f")
    run(root, "commit", "-qm", "init")
    return root


def test_it_says_whether_a_memory_is_tracked(root: Path) -> None:
    assert not git.is_tracked(str(root), ".memory")
    run(root, "add", ".memory")
    assert git.is_tracked(str(root), ".memory")


def test_a_tracked_link_counts_too(root: Path) -> None:
    (root / "link").symlink_to("f")
    run(root, "add", "link")
    assert git.is_tracked(str(root), "link")
    git.untrack(str(root), "link")
    assert not git.is_tracked(str(root), "link")


def test_untracking_keeps_the_files_and_the_rest_of_the_index(root: Path) -> None:
    run(root, "add", ".memory")
    run(root, "commit", "-qm", "tracked")
    (root / ".memory" / "state.md").write_text("edited, then staged")
    run(root, "add", ".memory")
    (root / ".memory" / "state.md").write_text("edited again")
    git.untrack(str(root), ".memory")
    assert not git.is_tracked(str(root), ".memory")
    assert run(root, "ls-files").split() == ["f"]
    assert (root / ".memory" / "state.md").read_text() == "edited again"


def test_untracking_what_is_not_tracked_changes_nothing(root: Path) -> None:
    git.untrack(str(root), ".memory")
    assert run(root, "ls-files").split() == ["f"]


def test_a_failure_is_named(root: Path) -> None:
    run(root, "add", ".memory")
    (root / ".git" / "index.lock").write_bytes(b"")
    with pytest.raises(StoreError, match=r"git rm failed: .*index\.lock"):
        git.untrack(str(root), ".memory")


def test_it_works_in_a_linked_worktree(root: Path, tmp_path: Path) -> None:
    run(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = tmp_path / "linked"
    (linked / ".memory").mkdir()
    (linked / ".memory" / "x").write_text("x")
    run(linked, "add", ".memory")
    assert git.is_tracked(str(linked), ".memory")
    assert not git.is_tracked(str(root), ".memory")
    git.untrack(str(linked), ".memory")
    assert not git.is_tracked(str(linked), ".memory")


@pytest.mark.parametrize("before", [None, "", "# note\n", "no newline"])
def test_an_ignore_line_is_added_once(root: Path, before: str | None) -> None:
    exclude = root / ".git" / "info" / "exclude"
    if before is None:
        exclude.unlink(missing_ok=True)
        exclude.parent.rmdir()
    else:
        exclude.write_text(before)
    for _ in range(2):
        git.exclude_line(str(root), "/.memory")
    kept = [before.rstrip("\n")] if before else []
    assert exclude.read_text().splitlines() == [*kept, "/.memory"]
    assert run(root, "status", "--porcelain") == ""


def test_a_linked_worktree_is_served_by_the_one_file_of_the_main_one(
    root: Path, tmp_path: Path
) -> None:
    run(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / ".memory").symlink_to(root / ".memory")
    git.exclude_line(str(tmp_path / "linked"), "/.memory")
    assert run(root, "status", "--porcelain") == ""
    assert run(tmp_path / "linked", "status", "--porcelain") == ""


def test_a_submodule_or_separate_git_directory_is_served(root: Path, tmp_path: Path) -> None:
    run(root, "init", "-q", f"--separate-git-dir={tmp_path / 'apart'}")
    git.exclude_line(str(root), "/.memory")
    assert (tmp_path / "apart" / "info" / "exclude").read_text().endswith("/.memory\n")


def test_outside_a_repository_nothing_is_made(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / ".git").write_text("gitdir: /nowhere")
    git.exclude_line(str(tmp_path / "plain"), "/.memory")
    assert os.listdir(tmp_path / "plain") == [".git"]


def test_a_file_that_cannot_be_written_is_an_error_with_the_line(root: Path) -> None:
    (root / ".git" / "info" / "exclude").unlink(missing_ok=True)
    (root / ".git" / "info" / "exclude").mkdir()
    with pytest.raises(StoreError, match=r"exclude: cannot be written: .*add the line /\.m"):
        git.exclude_line(str(root), "/.memory")


def test_what_git_says_is_shown(root: Path) -> None:
    assert git.run_readonly(str(root), "log", "--format=%s") == "init\n"
