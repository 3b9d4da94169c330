from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from unit.services.conftest import Desk, git

from memd import onboard
from memd.config.sections import DeclaredProject
from memd.errors import StoreError, Untrusted, UsageFault
from memd.model import Applied, Failed
from memd.paths import store_of
from memd.state import registry


def test_init_is_idempotent_and_keeps_the_backlog(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "BETWEEN")
    again = onboard.init(desk.rt, app.root)
    assert again.was_known
    desk.sync(app)
    assert desk.curator.saw("BETWEEN") == 1


def test_init_writes_the_ignore_line_and_the_contract(desk: Desk) -> None:
    root = desk.repository("app")
    (Path(root) / ".gitignore").write_text("*.pyc")
    done = onboard.init(desk.rt, root)
    assert done.written == (".gitignore", "AGENTS.md")
    assert (Path(root) / ".gitignore").read_text() == "*.pyc\n/.memory\n"
    assert "memd note" in (Path(root) / "AGENTS.md").read_text()
    assert git(root, "status", "--porcelain").split() == ["??", ".gitignore", "??", "AGENTS.md"]


def test_contracts_follow_the_clients_in_use(desk: Desk) -> None:
    root = desk.repository("app")
    (Path(root) / ".gemini").mkdir()
    (Path(desk.rt.paths.home) / ".claude").mkdir()
    done = onboard.init(desk.rt, root)
    assert {"AGENTS.md", "CLAUDE.md", "GEMINI.md"} < set(done.written)


def test_a_tracked_memory_is_untracked_and_kept(desk: Desk) -> None:
    root = desk.repository("app")
    (Path(root) / ".memory").mkdir()
    (Path(root) / ".memory" / "state.md").write_text("KEPT\n")
    git(root, "add", ".memory")
    git(root, "commit", "-qm", "oops")
    done = onboard.init(desk.rt, root)
    assert "was tracked" in "".join(done.notices)
    assert git(root, "ls-files", ".memory") == ""
    assert desk.file(desk.rt.project(root)) == "KEPT\n"


def test_a_plain_directory_can_be_a_project(desk: Desk) -> None:
    plain = desk.top / "plain"
    plain.mkdir()
    onboard.init(desk.rt, str(plain))
    assert (plain / ".memory" / "state.md").exists()
    assert not (plain / ".gitignore").exists()


def test_backfill_brings_what_was_taken_as_read(desk: Desk) -> None:
    root = desk.repository("app")
    desk.session(root, "FIRST")
    log = desk.session(root, "SECOND")
    app = desk.rt.project(onboard.init(desk.rt, root).root)
    desk.session(root, "NEW", name=log.stem)
    desk.sync(app)
    assert [desk.curator.saw(t) for t in ("FIRST", "SECOND", "NEW")] == [0, 0, 1]
    onboard.init(desk.rt, root, backfill=True)
    desk.sync(app)
    assert [desk.curator.saw(t) for t in ("FIRST", "SECOND", "NEW")] == [1, 1, 1]


def test_backfill_at_once_reads_everything(desk: Desk) -> None:
    root = desk.repository("app")
    desk.session(root, "HISTORY")
    onboard.init(desk.rt, root, backfill=True)
    desk.sync(desk.rt.project(root))
    assert desk.curator.saw("HISTORY") == 1


@pytest.mark.parametrize("name", ["a\nb", " a", "x" * 101, "a\x1b"])
def test_a_name_is_one_printable_line(desk: Desk, name: str) -> None:
    root = desk.repository("app")
    with pytest.raises(UsageFault, match="--name"):
        onboard.init(desk.rt, root, name=name)
    assert not os.path.exists(store_of(root))


def test_what_cannot_be_a_project_is_refused(desk: Desk) -> None:
    shut = desk.repository("shut")
    registry.exclude(desk.rt.paths, shut, undo=False)
    for place, word in (
        (desk.rt.config.global_root, "global root"),
        (shut, "excluded"),
        (str(desk.top / "missing"), "no such directory"),
    ):
        with pytest.raises(UsageFault, match=word):
            onboard.init(desk.rt, place)
        assert not os.path.exists(store_of(place))


def test_a_store_behind_a_link_is_refused(desk: Desk) -> None:
    root = desk.repository("app")
    victim = desk.top / "victim"
    victim.mkdir()
    os.symlink(victim, store_of(root))
    with pytest.raises(StoreError, match="link"):
        onboard.init(desk.rt, root)
    assert list(victim.iterdir()) == []


def test_a_worktree_gets_a_link_to_the_one_store(desk: Desk) -> None:
    app = desk.project()
    tree = str(desk.top / "tree")
    git(app.root, "worktree", "add", "-q", tree, "-b", "b")
    done = onboard.init(desk.rt, tree)
    assert done.root == app.root
    assert os.path.realpath(store_of(tree)) == store_of(app.root)
    assert git(tree, "status", "--porcelain") == ""
    assert onboard.init(desk.rt, tree).was_known


def test_a_worktree_with_a_memory_of_its_own_is_not_touched(desk: Desk) -> None:
    app = desk.project()
    tree = str(desk.top / "tree")
    git(app.root, "worktree", "add", "-q", tree, "-b", "b")
    os.mkdir(store_of(tree))
    with pytest.raises(StoreError, match="memory of its own"):
        onboard.init(desk.rt, tree)
    assert not os.path.islink(store_of(tree))


def test_adoption_begins_with_the_session_that_made_it_known(desk: Desk) -> None:
    root = desk.repository("app")
    desk.session(root, "OLDER")
    log = desk.session(root, "THIS-ONE")
    project = onboard.adopt(desk.rt, root, session=log.stem)
    assert project is not None
    assert git(root, "status", "--porcelain") == ""
    desk.sync(project)
    assert (desk.curator.saw("OLDER"), desk.curator.saw("THIS-ONE")) == (0, 1)
    assert desk.rt.registry().entries[root].greet
    assert root in onboard.first_notice(desk.rt, root)
    onboard.greeted(desk.rt.paths, root)
    assert not desk.rt.registry().entries[root].greet


def test_adoption_keeps_off_where_it_must(desk: Desk) -> None:
    root = desk.repository("app")
    assert onboard.adopt(desk.rt, str(desk.top)) is None
    os.mkdir(store_of(root))
    assert onboard.adopt(desk.rt, root) is None
    os.rmdir(store_of(root))
    registry.exclude(desk.rt.paths, root, undo=False)
    assert onboard.adopt(desk.rt, root) is None
    registry.exclude(desk.rt.paths, root, undo=True)
    desk.set(auto_scaffold=False)
    assert onboard.adopt(desk.rt, root) is None
    desk.set(auto_scaffold=True, global_root=root)
    assert onboard.adopt(desk.rt, root) is None
    assert not os.path.exists(store_of(root))


def test_adopting_what_is_known_changes_nothing(desk: Desk) -> None:
    app = desk.project()
    assert onboard.adopt(desk.rt, os.path.join(app.root, ".git")) == app
    assert desk.rt.registry().entries[app.root].how == "init"


def test_two_inits_at_once_make_one_store(desk: Desk) -> None:
    root = desk.repository("app")
    runs = [threading.Thread(target=onboard.init, args=(desk.rt, root)) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    (entry,) = desk.rt.registry().entries.values()
    assert Path(store_of(root), ".id").read_text().strip() == entry.store_id


def test_a_store_from_elsewhere_is_used_only_after_a_persons_word(desk: Desk) -> None:
    app, clone = desk.project(), desk.repository("clone")
    os.rename(store_of(app.root), store_of(clone))
    desk.session(clone, "hello")
    other = desk.rt.project(clone)
    with pytest.raises(Untrusted, match="memd trust"):
        onboard.usable_store(desk.rt, other)
    onboard.trust(desk.rt, clone)
    desk.session(clone, "AFTER")
    assert isinstance(desk.sync(other), Applied)


def test_there_must_be_something_to_trust(desk: Desk) -> None:
    with pytest.raises(UsageFault, match="no memory to trust"):
        onboard.trust(desk.rt, desk.repository("app"))


def test_a_store_that_was_exchanged_is_not_used(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    Path(store_of(app.root), ".id").write_text("another\n")
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert "memd trust" in outcome.error
    assert desk.curator.asked == []


def test_a_memory_that_was_removed_is_begun_anew(desk: Desk) -> None:
    app = desk.project()
    os.rename(store_of(app.root), desk.top / "removed")
    desk.session(app.root, "hello")
    assert isinstance(desk.sync(app), Applied)


def test_a_declared_project_gets_its_store_with_the_first_sync(desk: Desk) -> None:
    root = desk.repository("app")
    desk.session(root, "HISTORY")
    desk.set(projects={root: DeclaredProject("shop")})
    app = desk.rt.project(root)
    desk.sync(app)
    desk.session(root, "NEW")
    desk.sync(app)
    assert (desk.curator.saw("HISTORY"), desk.curator.saw("NEW")) == (0, 1)
    assert "project: shop" in desk.file(app)
    assert git(root, "status", "--porcelain") == ""


def test_a_project_that_is_gone_is_never_made_again(desk: Desk) -> None:
    app = desk.project()
    os.rename(app.root, desk.top / "elsewhere")
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert not os.path.exists(app.root)
