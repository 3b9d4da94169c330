from __future__ import annotations

import dataclasses
import os
import shutil
import threading
from pathlib import Path

import pytest
from unit.services.conftest import Desk, git, state
from unit.services.crash import die_at

from memd import health, onboard
from memd.config.sections import DeclaredProject
from memd.errors import StoreError, Untrusted, UsageFault
from memd.model import Applied, Failed, NothingNew
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
    registry.update(desk.rt.paths, root, greet=False)
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


def test_nothing_is_taken_in_while_exclusions_may_be_lost(desk: Desk) -> None:
    shut = desk.repository("shut")
    registry.exclude(desk.rt.paths, shut, undo=False)
    file = Path(desk.rt.paths.registry)
    file.write_text("damaged")
    Path(f"{file}.bak").write_text("damaged")
    assert onboard.adopt(desk.rt, shut) is None
    other = desk.project("other")
    assert onboard.adopt(desk.rt, shut) is None
    assert not os.path.exists(store_of(shut))
    assert any("exclusions may be lost" in p for p in health.report(desk.rt, version="1").problems)
    desk.sync(other)
    for aside in file.parent.glob("registry.json*.corrupt-*"):
        aside.unlink()
    assert onboard.adopt(desk.rt, shut) is not None


def test_a_crash_at_any_effect_of_an_adoption_is_made_good(desk: Desk) -> None:
    for number in range(1, 200):
        root = desk.repository(f"try{number}")
        log = desk.session(root, f"hello {number}")

        def take_in(root: str = root, log: Path = log) -> object:
            return onboard.adopt(desk.rt, root, transcript=str(log))

        if not die_at(number, take_in):
            break
        take_in()
        app = desk.rt.project(root)
        desk.curator.answers = [state(f"learned {number}")]
        assert isinstance(desk.sync(app), Applied), number
        assert desk.curator.saw(f"hello {number}") == 1, number
        assert desk.commits(app).count("learned") == 1, number
        assert git(root, "status", "--porcelain") == "", number
        assert desk.rt.registry().entries[root].greet, number
    assert number > 15


def test_a_crash_in_an_init_leaves_no_staged_file_in_the_repository(desk: Desk) -> None:
    root = desk.repository("app")
    for name in (".memd-0123456789abcdef.tmp", ".memd-0123456789abcdef.new"):
        Path(root, name).write_text("half")
    onboard.init(desk.rt, root)
    assert sorted(p.name for p in Path(root).glob(".memd-*")) == []


def test_a_history_that_a_crash_left_out_is_begun_before_the_first_distill(desk: Desk) -> None:
    app = desk.project()
    shutil.rmtree(Path(store_of(app.root), ".git"))
    desk.session(app.root, "hello")
    desk.curator.answers = [state("a")]
    desk.sync(app)
    assert git(store_of(app.root), "log", "--format=%s").split("\n")[:2] == [
        "learned",
        "Begin the memory",
    ]


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


def test_a_memory_of_memds_own_is_nothing_to_accept(desk: Desk) -> None:
    app = desk.project()
    assert onboard.init(desk.rt, app.root).notices == ()
    shutil.rmtree(store_of(app.root))
    (notice,) = onboard.init(desk.rt, app.root).notices
    assert notice == f"{store_of(app.root)}: was gone; an empty memory begins"


def test_an_init_that_fails_leaves_no_project_behind(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = desk.repository("app")
    real = os.mkdir

    def refuse(path: str, *args: int) -> None:
        if path == store_of(root):
            raise PermissionError(13, "Permission denied", path)
        real(path, *args)

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(PermissionError):
        onboard.init(desk.rt, root)
    assert desk.rt.registry().entries == {}


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


def test_a_folder_of_a_repository_can_be_a_project_of_its_own(desk: Desk) -> None:
    top = desk.repository("mono")
    part = os.path.join(top, "a[b]")
    os.mkdir(part)
    done = onboard.init(desk.rt, part)
    assert (done.root, done.written) == (part, ("AGENTS.md",))
    assert not os.path.lexists(store_of(top))
    assert git(top, "status", "--porcelain", "-uall") == "?? a[b]/AGENTS.md\n"


def test_a_tracked_memory_of_a_folder_is_untracked(desk: Desk) -> None:
    top = desk.repository("mono")
    part = os.path.join(top, "part")
    os.makedirs(store_of(part))
    Path(store_of(part), "state.md").write_text("KEPT\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "oops")
    accepted, notice = onboard.init(desk.rt, part).notices
    assert accepted.startswith(f"{store_of(part)}: was there before and is accepted")
    assert notice.startswith(f"{store_of(part)} was tracked by {top}")
    assert git(top, "ls-files", "part") == ""
    assert Path(store_of(part), "state.md").read_text() == "KEPT\n"


def test_a_word_in_a_comment_is_no_ignore_line(desk: Desk) -> None:
    root = desk.repository("app")
    Path(root, ".gitignore").write_text("# not /.memory yet\r\n")
    onboard.init(desk.rt, root)
    onboard.init(desk.rt, root)
    assert Path(root, ".gitignore").read_bytes() == b"# not /.memory yet\r\n/.memory\n"


def test_an_ignore_file_behind_a_link_is_left_to_the_person(desk: Desk) -> None:
    root = desk.repository("app")
    Path(root, ".gitignore").symlink_to(desk.top / "theirs")
    done = onboard.init(desk.rt, root)
    assert "add the line /.memory yourself" in "".join(done.notices)
    assert done.written == ("AGENTS.md",)
    assert not (desk.top / "theirs").exists()


def test_a_worktree_with_a_link_elsewhere_is_not_touched(desk: Desk) -> None:
    app = desk.project()
    tree = str(desk.top / "tree")
    git(app.root, "worktree", "add", "-q", tree, "-b", "b")
    os.symlink("/nowhere", store_of(tree))
    with pytest.raises(StoreError, match="memory of its own"):
        onboard.init(desk.rt, tree)
    assert os.readlink(store_of(tree)) == "/nowhere"


def test_the_repository_around_the_home_is_never_adopted(desk: Desk) -> None:
    home = desk.rt.paths.home
    work = Path(home, "work")
    work.mkdir()
    desk.set(global_root=str(desk.top / "other"))
    for repository in (home, os.path.dirname(home)):
        git(repository, "init", "-q")
        assert onboard.adopt(desk.rt, str(work)) is None
        assert not os.path.exists(store_of(repository))


def test_a_session_in_an_excluded_folder_makes_no_repository_known(desk: Desk) -> None:
    root = desk.repository("app")
    shut = os.path.join(root, "shut")
    os.mkdir(shut)
    registry.exclude(desk.rt.paths, shut, undo=False)
    assert onboard.adopt(desk.rt, shut) is None
    assert not os.path.exists(store_of(root))


def test_adopting_a_moved_project_keeps_the_persons_word(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "UNREAD")
    moved = str(desk.top / "moved")
    os.rename(app.root, moved)
    project = onboard.adopt(desk.rt, moved)
    assert project is not None
    entry = desk.rt.registry().entries[moved]
    assert (entry.how, entry.greet, entry.former) == ("init", False, (app.root,))
    desk.sync(project)
    assert desk.curator.saw("UNREAD") == 1


def test_a_new_project_in_the_place_of_a_moved_one_begins_anew(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "FIRST")
    desk.sync(app)
    os.rename(app.root, desk.top / "moved")
    onboard.init(desk.rt, str(desk.top / "moved"))
    again = desk.project("app")
    assert desk.ledger(again).journal == ()
    assert len(desk.rt.projects()) == 2


def test_a_copy_of_a_project_keeps_its_own_markers_when_the_first_goes(desk: Desk) -> None:
    app, copy = desk.project(), desk.repository("copy")
    shutil.copytree(store_of(app.root), store_of(copy))
    other = desk.rt.project(onboard.init(desk.rt, copy).root)
    desk.session(copy, "IN-COPY")
    desk.sync(other)
    shutil.rmtree(app.root)
    onboard.init(desk.rt, copy)
    assert desk.sync(other) == NothingNew()
    assert desk.curator.saw("IN-COPY") == 1


def test_backfill_works_on_a_project_that_memd_took_in_itself(desk: Desk) -> None:
    root = desk.repository("app")
    desk.session(root, "OLDER")
    project = onboard.adopt(desk.rt, root)
    assert project is not None
    assert desk.sync(project) == NothingNew()
    assert onboard.init(desk.rt, root, backfill=True).was_known
    entry = desk.rt.registry().entries[root]
    assert (entry.how, entry.greet) == ("init", False)
    desk.sync(project)
    assert desk.curator.saw("OLDER") == 1


def test_a_project_that_was_forgotten_takes_its_markers_up_again(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "READ")
    desk.sync(app)
    registry.drop(desk.rt.paths, app.root)
    onboard.init(desk.rt, app.root)
    assert desk.sync(app) == NothingNew()


def test_a_session_that_cannot_be_read_does_not_stop_an_init(desk: Desk) -> None:
    root = desk.repository("app")
    desk.session(root, "READABLE")
    source = desk.rt.sources["claude-code"]
    (ref,) = source.discover()
    missing = dataclasses.replace(ref, session="missing", path="/missing.jsonl")

    class Stubborn:
        def __getattr__(self, name: str) -> object:
            return getattr(source, name)

        def discover(self, project: object = None) -> list[object]:
            return [missing, ref]

    desk.rt.sources["claude-code"] = Stubborn()  # type: ignore[index,assignment]
    app = desk.rt.project(onboard.init(desk.rt, root).root)
    assert set(desk.ledger(app).baseline) == {ref.key}


def test_a_trusted_store_may_not_lie_where_no_project_can_be(desk: Desk) -> None:
    onboard.init_global(desk.rt)
    with pytest.raises(UsageFault, match="--global"):
        onboard.trust(desk.rt, desk.rt.config.global_root)
