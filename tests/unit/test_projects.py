from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memd.projects import Owners, ancestors, repository_root, worktree_root

GIT = ("git", "-c", "user.name=T", "-c", "user.email=t@example.invalid")


def repository(path: Path) -> str:
    path.mkdir(parents=True)
    subprocess.run([*GIT, "init", "-q", path], check=True)
    subprocess.run([*GIT, "-C", path, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    return os.path.realpath(path)


def worktree(main: str, path: Path) -> str:
    add = [*GIT, "-C", main, "worktree", "add", "-q", str(path), "-b", path.name]
    subprocess.run(add, check=True, capture_output=True)
    return os.path.realpath(path)


def owners(*roots: str, excluded: tuple[str, ...] = (), former: dict[str, str] | None = None):
    return Owners(roots, former or {}, excluded)


def test_a_directory_whose_name_only_begins_like_a_root_is_not_owned(tmp_path: Path) -> None:
    assert owners("/p/app").owner("/p/app-web") == ""
    assert owners("/p/app").owner("/p/app/web") == "/p/app"


def test_the_deepest_root_or_exclusion_wins() -> None:
    who = owners("/p", "/p/a/b", excluded=("/p/a",))
    assert who.owner("/p/x") == "/p"
    assert who.owner("/p/a/x") == ""
    assert who.excludes("/p/a/x")
    assert who.owner("/p/a/b/c") == "/p/a/b"
    assert not who.excludes("/p/a/b/c")


def test_a_linked_worktree_belongs_to_its_main_one(tmp_path: Path) -> None:
    main = repository(tmp_path / "app")
    tree = worktree(main, tmp_path / "elsewhere" / "wt")
    assert owners(main).owner(tree) == main
    assert owners(main).owner(os.path.join(tree, "src")) == main
    assert repository_root(tree) == main
    assert worktree_root(tree) == tree


def test_a_worktree_of_an_excluded_project_is_excluded(tmp_path: Path) -> None:
    main = repository(tmp_path / "app")
    tree = worktree(main, tmp_path / "wt")
    assert owners(excluded=(main,)).excludes(tree)


def test_a_path_through_a_link_is_owned_by_what_it_leads_to(tmp_path: Path) -> None:
    root = tmp_path / "app"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    real = os.path.realpath(root)
    assert owners(real).owner(str(tmp_path / "link" / "src")) == real


def test_a_directory_that_is_gone_keeps_its_owner(tmp_path: Path) -> None:
    root = os.path.realpath(tmp_path)
    assert owners(root).owner(os.path.join(root, "removed", "deep")) == root


def test_a_moved_project_is_found_under_its_former_path() -> None:
    assert owners("/new", former={"/old": "/new"}).owner("/old/src") == "/new"


def test_a_link_that_is_gone_is_looked_up_as_recorded(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    name = str(tmp_path / "dangling")
    assert owners("/new", former={name: "/new"}).owner(name) == "/new"


def test_a_submodule_is_part_of_the_repository_around_it(tmp_path: Path) -> None:
    main = repository(tmp_path / "app")
    modules = tmp_path / "app" / ".git" / "modules" / "lib"
    modules.mkdir(parents=True)
    (tmp_path / "app" / "lib").mkdir()
    (tmp_path / "app" / "lib" / ".git").write_text(f"gitdir: {modules}\n")
    assert repository_root(os.path.join(main, "lib")) == main


def test_a_worktree_of_a_bare_repository_stands_for_itself(tmp_path: Path) -> None:
    main = repository(tmp_path / "app")
    bare = tmp_path / "bare.git"
    subprocess.run([*GIT, "clone", "-q", "--bare", main, bare], check=True)
    tree = worktree(str(bare), tmp_path / "wt")
    assert repository_root(tree) == ""


@pytest.mark.parametrize("content", ["", "gitdir: /nowhere", "gitdir: \n", "x" * 5000])
def test_an_odd_git_file_makes_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert repository_root(str(tmp_path)) == ""


def test_a_git_pipe_does_not_hang_the_lookup(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert repository_root(str(tmp_path)) == ""


def test_ancestors_end_at_the_top() -> None:
    assert list(ancestors("/a/b")) == ["/a/b", "/a", "/"]
