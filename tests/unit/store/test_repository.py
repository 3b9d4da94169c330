from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from memd.errors import StoreError
from memd.store import repository as repositories
from memd.store.repository import MemoryRepository, NewCommit, Tip


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store"
    path.mkdir()
    return path


@pytest.fixture
def repository(store: Path) -> MemoryRepository:
    run(store, "init", "-q", "--template=", ".")
    run(store, "symbolic-ref", "HEAD", "refs/heads/main")
    (store / ".git" / "info").mkdir()
    return MemoryRepository(str(store))


def run(directory: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    done = subprocess.run(
        ["git", "-C", str(directory), *identity, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def add(repository: MemoryRepository, message: str, files: Mapping[str, bytes | None]) -> None:
    repository.append([NewCommit(message, files)], tip=repository.tip())


def calls_of_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Put a `git` first on PATH that notes its arguments; the file it notes them in."""
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True)
    notes = tmp_path / "calls"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >>{notes}\nexec {real.stdout.strip()} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    return notes


def test_commits_hold_the_very_bytes(store: Path, repository: MemoryRepository) -> None:
    content = b"a\r\nb\n\x00\xff$Id$ no newline at the end"
    add(repository, "First\n", {"state.md": content, "archive/2026-01.md": b""})
    shown = subprocess.run(
        ["git", "-C", str(store), "show", "HEAD:state.md"], capture_output=True, check=True
    )
    assert shown.stdout == content
    assert repository.tip().holds("state.md", content)
    assert not repository.tip().holds("state.md", content + b"\n")
    assert not repository.tip().holds("todo.md", b"")


def test_the_author_is_memd(store: Path, repository: MemoryRepository) -> None:
    add(repository, "Subject\n\nMemd-Trigger: sweep\n", {"state.md": b"1"})
    assert run(store, "log", "--format=%an <%ae> %cn <%ce>|%s|%(trailers)").strip() == (
        "memd <memd@localhost> memd <memd@localhost>|Subject|Memd-Trigger: sweep"
    )


def test_several_commits_are_added_in_order_with_removals(
    store: Path, repository: MemoryRepository
) -> None:
    add(repository, "First\n", {"state.md": b"1", "other.txt": b"kept"})
    repository.append(
        [NewCommit("Second\n", {"todo.md": b"2"}), NewCommit("Third\n", {"state.md": None})],
        tip=repository.tip(),
    )
    assert run(store, "log", "--format=%s").split() == ["Third", "Second", "First"]
    assert sorted(repository.tip().blobs) == ["other.txt", "todo.md"]


def test_the_index_follows_so_that_status_is_clean(
    store: Path, repository: MemoryRepository
) -> None:
    (store / "state.md").write_bytes(b"1")
    add(repository, "First\n", {"state.md": b"1"})
    assert run(store, "status", "--porcelain") == ""


def test_one_commit_costs_three_calls_of_git(
    repository: MemoryRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    notes = calls_of_git(monkeypatch, tmp_path)
    add(repository, "Second\n", {"state.md": b"2"})
    assert len(notes.read_text().splitlines()) == 3


def test_packs_are_put_together_when_there_are_many(
    store: Path, repository: MemoryRepository
) -> None:
    for number in range(repositories.MANY_PACKS + 2):
        repository.append([NewCommit(f"{number}\n", {"state.md": b"%d" % number})],
                          tip=Tip(number > 0, {}))  # fmt: skip
    packs = list((store / ".git" / "objects" / "pack").glob("*.pack"))
    assert len(packs) <= 2
    assert run(store, "rev-list", "--count", "HEAD").strip() == str(repositories.MANY_PACKS + 2)
    run(store, "fsck", "--strict")


def test_a_branch_of_any_name_is_followed(store: Path, repository: MemoryRepository) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    run(store, "checkout", "-q", "-b", "feature/x")
    add(repository, "Second\n", {"state.md": b"2"})
    assert run(store, "log", "--format=%s", "feature/x").split() == ["Second", "First"]
    assert run(store, "symbolic-ref", "HEAD").strip() == "refs/heads/feature/x"


def test_packed_refs_are_followed(store: Path, repository: MemoryRepository) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    run(store, "pack-refs", "--all")
    run(store, "gc", "-q")
    add(repository, "Second\n", {"state.md": b"2"})
    assert run(store, "log", "--format=%s").split() == ["Second", "First"]


def test_repositories_with_sha_256_work(store: Path) -> None:
    try:
        run(store, "init", "-q", "--object-format=sha256")
    except subprocess.CalledProcessError:
        pytest.skip("this git knows SHA-1 only")
    repository = MemoryRepository(str(store))
    add(repository, "First\n", {"state.md": b"1"})
    assert len(run(store, "rev-parse", "HEAD").strip()) == 64
    assert repository.tip().holds("state.md", b"1")
    assert not repository.tip().holds("state.md", b"2")


def test_a_head_on_no_branch_is_refused_with_the_way_out(
    store: Path, repository: MemoryRepository
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    run(store, "checkout", "-q", "--detach")
    with pytest.raises(StoreError, match=r"on no branch: run git -C .* switch"):
        repository.tip()


def test_a_history_that_moved_meanwhile_is_not_overwritten(
    store: Path, repository: MemoryRepository
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    with pytest.raises(StoreError, match="git fast-import failed"):
        repository.append([NewCommit("Root\n", {"state.md": b"2"})], tip=Tip(False, {}))
    assert run(store, "log", "--format=%s").split() == ["First"]


def test_an_import_that_was_cut_off_can_be_done_again(
    store: Path, repository: MemoryRepository
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    (pack,) = (store / ".git" / "objects" / "pack").glob("*.pack")
    pack.with_suffix(".keep").write_text("fast-import\n")
    (store / ".git" / "objects" / "pack" / "own.keep").write_text("by hand\n")
    (store / ".git" / "refs" / "heads" / "main").unlink()
    add(repository, "First\n", {"state.md": b"1"})
    kept = (store / ".git" / "objects" / "pack").glob("*.keep")
    assert [path.name for path in kept] == ["own.keep"]


def test_a_repository_without_a_place_for_packs_is_an_error(
    store: Path, repository: MemoryRepository
) -> None:
    (store / ".git" / "objects" / "pack").rmdir()
    with pytest.raises(StoreError, match=r"no usable repository .objects/pack: No such file"):
        add(repository, "First\n", {"state.md": b"1"})


def test_a_stale_index_lock_does_not_stop_a_commit(
    store: Path, repository: MemoryRepository
) -> None:
    (store / ".git" / "index.lock").write_bytes(b"")
    add(repository, "First\n", {"state.md": b"1"})
    assert run(store, "log", "--format=%s").split() == ["First"]


def test_an_index_lock_of_a_day_ago_is_removed(store: Path, repository: MemoryRepository) -> None:
    lock = store / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    add(repository, "two", {"state.md": b"2\n"})
    assert not lock.exists()


def test_a_lock_that_a_killed_git_left_is_removed_and_one_in_use_is_not(
    store: Path, repository: MemoryRepository
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    lock = store / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    with pytest.raises(StoreError, match="main"):
        add(repository, "Second\n", {"state.md": b"2"})
    assert lock.exists()
    os.utime(lock, (1, 1))
    add(repository, "Second\n", {"state.md": b"2"})
    assert not lock.exists()
    assert run(store, "log", "--format=%s").split() == ["Second", "First"]


def test_a_missing_repository_is_named_with_the_remedy(store: Path) -> None:
    assert not MemoryRepository(str(store)).exists
    with pytest.raises(StoreError, match=rf"{store}/.git: no usable .*HEAD.*: move it away"):
        MemoryRepository(str(store)).tip()


@pytest.mark.parametrize(
    "damage", ["no objects", "no HEAD", "HEAD is a directory", "wrong ref", "no config"]
)
def test_a_broken_repository_is_named_with_the_remedy(
    store: Path, repository: MemoryRepository, damage: str
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    place = store / ".git"
    if damage == "no objects":
        for path in (place / "objects" / "pack").iterdir():
            path.unlink()
    elif damage == "no HEAD":
        (place / "HEAD").unlink()
    elif damage == "HEAD is a directory":
        (place / "HEAD").unlink()
        (place / "HEAD").mkdir()
    elif damage == "wrong ref":
        (place / "refs" / "heads" / "main").write_text("nonsense\n")
    else:
        (place / "config").write_text("[core\n")
    with pytest.raises(StoreError, match=r"\.git: no usable repository .*: move it away") as error:
        repository.tip()
    assert len(str(error.value).splitlines()) == 1


def test_git_that_is_not_installed_is_named_with_the_remedy(
    store: Path, repository: MemoryRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(store))
    with pytest.raises(StoreError, match=r"git not found .*: install git, or set git_commit"):
        repository.tip()


def test_git_that_hangs_is_given_up(
    store: Path, repository: MemoryRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(*_args: object, **_kwargs: object) -> None:
        raise subprocess.TimeoutExpired("git", 1)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(StoreError, match="git ls-tree did not end"):
        repository.tip()


FIRST = NewCommit("Begin\n", {"state.md": b"1"})


def test_a_repository_is_made_with_its_first_commit(store: Path) -> None:
    made = MemoryRepository(str(store))
    made.create(FIRST, exclude="/*\n")
    assert run(store, "log", "--format=%s").split() == ["Begin"]
    assert made.tip().holds("state.md", b"1")
    assert (store / ".git" / "info" / "exclude").read_text() == "/*\n"
    assert run(store, "config", "--list", "--local").split() == [
        *("core.repositoryformatversion=0", "core.filemode=true"),
        *("core.bare=false", "core.logallrefupdates=true"),
    ]


def test_making_a_repository_beside_another_maker_keeps_the_first(
    store: Path, repository: MemoryRepository
) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    repository.create(FIRST, exclude="other\n")
    assert run(store, "log", "--format=%s").split() == ["First"]
    assert os.listdir(store) == [".git"]


def test_a_repository_that_cannot_be_made_is_an_error_and_leaves_nothing(store: Path) -> None:
    (store / ".git").write_text("a file")
    with pytest.raises(StoreError, match="cannot be made"):
        MemoryRepository(str(store)).create(FIRST, exclude="")
    assert os.listdir(store) == [".git"]


HOSTILE = {
    "hooks": "",
    "hooksPath": "[core]\n\thooksPath = {hooks}\n",
    "fsmonitor": "[core]\n\tfsmonitor = {program}\n",
    "filter": '[filter "x"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n',
    "diff": '[diff "x"]\n\tcommand = {program}\n\ttextconv = {program}\n',
    "signing": "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {program}\n",
    "editor": "[core]\n\teditor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n",
    "promisor": (
        '[remote "o"]\n\turl = /nowhere\n\tuploadpack = {program}\n\tpromisor = true\n'
        "[protocol]\n\tallow = always\n"
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = o\n"
    ),
}
"""Ways a repository can name a program, each as text of its configuration."""


@pytest.mark.parametrize("way", HOSTILE)
def test_no_program_that_the_repository_names_is_run(
    tmp_path: Path, store: Path, repository: MemoryRepository, way: str
) -> None:
    ran = tmp_path / "ran"
    hooks = store / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    program = hooks / "post-index-change"
    program.write_text(f"#!/bin/sh\necho ran >>{ran}\nexit 1\n")
    program.chmod(0o755)
    for name in ("reference-transaction", "pre-commit", "commit-msg", "pre-auto-gc"):
        (hooks / name).symlink_to(program)
    (store / ".gitattributes").write_text("* filter=x diff=x ident\n")
    (store / ".git" / "info" / "attributes").write_text("* filter=x diff=x ident\n")
    with (store / ".git" / "config").open("a") as config:
        config.write(HOSTILE[way].format(hooks=hooks, program=program))
    (store / "state.md").write_bytes(b"1")
    add(repository, "First\n", {"state.md": b"1"})
    add(repository, "Second\n", {"state.md": b"2"})
    if way == "promisor":
        for path in (store / ".git" / "objects" / "pack").iterdir():
            path.unlink()
        with pytest.raises(StoreError):
            repository.tip()
    assert not ran.exists()


@pytest.mark.parametrize(
    "section", ['[hook "x"]\n\tevent = reference-transaction\n', "[INCLUDE]\n\tpath = /x\n",
                '[core] [includeIf "gitdir:/"]\n\tpath = /x\n']
)  # fmt: skip
@pytest.mark.parametrize("name", ["config", "config.worktree"])
def test_configuration_that_no_switch_turns_off_is_refused(
    store: Path, repository: MemoryRepository, name: str, section: str
) -> None:
    with (store / ".git" / name).open("a") as config:
        config.write(section)
    with pytest.raises(StoreError, match=f"its {name} has hook or include sections"):
        repository.tip()


def test_a_common_directory_elsewhere_is_not_followed(
    tmp_path: Path, store: Path, repository: MemoryRepository
) -> None:
    run(tmp_path, "init", "-q", "elsewhere")
    (store / ".git" / "commondir").write_text(str(tmp_path / "elsewhere" / ".git"))
    add(repository, "First\n", {"state.md": b"1"})
    assert not list((tmp_path / "elsewhere" / ".git" / "objects" / "pack").iterdir())


def test_the_environment_of_an_outer_git_leads_nowhere(
    tmp_path: Path, store: Path, repository: MemoryRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = tmp_path / "outer"
    run(tmp_path, "init", "-q", "outer")
    (outer / "f").write_text("x")
    run(outer, "add", "f")
    run(outer, "commit", "-qm", "outer")
    index = (outer / ".git" / "index").read_bytes()
    for name, value in {
        "GIT_DIR": outer / ".git",
        "GIT_WORK_TREE": outer,
        "GIT_INDEX_FILE": outer / ".git" / "index",
        "GIT_OBJECT_DIRECTORY": outer / ".git" / "objects",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_TRACE": str(tmp_path / "trace"),
    }.items():
        monkeypatch.setenv(name, str(value))
    add(repository, "First\n", {"state.md": b"1"})
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    assert (outer / ".git" / "index").read_bytes() == index
    assert run(outer, "log", "--format=%s").split() == ["outer"]
    assert run(store, "log", "--format=%s").split() == ["First"]
    assert not (tmp_path / "trace").exists()


def test_the_users_configuration_has_no_say(
    tmp_path: Path, store: Path, repository: MemoryRepository
) -> None:
    (tmp_path / "home" / ".gitconfig").write_text(
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n"
        "[user]\n\tuseConfigOnly = true\n[core]\n\tautocrlf = true\n"
        "\thooksPath = /nowhere\n[init]\n\ttemplateDir = /nowhere\n"
        "[this is broken\n"
    )
    add(repository, "First\n", {"state.md": b"1\r\n"})
    assert repository.tip().holds("state.md", b"1\r\n")


def test_a_store_of_another_user_is_served(store: Path, repository: MemoryRepository) -> None:
    add(repository, "First\n", {"state.md": b"1"})
    try:
        for path in [store, *store.rglob("*")]:
            os.chown(path, 4321, 4321)
    except PermissionError:
        pytest.skip("only root can give files away")
    add(repository, "Second\n", {"state.md": b"2"})
    assert repository.tip().holds("state.md", b"2")
