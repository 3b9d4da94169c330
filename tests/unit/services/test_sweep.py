from __future__ import annotations

import dataclasses
import os
import threading
import time
from pathlib import Path

from unit.services.conftest import Desk, git, state

from memd import health, inbox, locks, onboard
from memd.config.sections import DeclaredProject
from memd.errors import BackendError
from memd.model import Applied, Failed, NothingNew, Waiting
from memd.paths import store_of
from memd.state import backend
from memd.sweep import sweep


def by_name(swept: object) -> dict[str, object]:
    return {project.name: outcome for project, outcome in swept.outcomes}  # type: ignore[attr-defined]


def test_a_sweep_serves_every_project(desk: Desk) -> None:
    apps = [desk.project(name) for name in ("one", "two", "three")]
    for app in apps[:2]:
        desk.session(app.root, f"IN-{app.name}")
    swept = sweep(desk.rt, jobs=2)
    assert not swept.failed
    outcomes = by_name(swept)
    assert isinstance(outcomes["one"], Applied)
    assert isinstance(outcomes["two"], Applied)
    assert outcomes["three"] == NothingNew()


def test_a_sweep_takes_in_new_repositories_from_their_newest_session(desk: Desk) -> None:
    root = desk.repository("new")
    old = desk.session(root, "OLD")
    os.utime(old, (1, 1))
    desk.session(root, "NEWEST")
    desk.session(str(desk.top / "plain"), "PLAIN")
    swept = sweep(desk.rt)
    assert [project.root for project in swept.adopted] == [root]
    assert [desk.curator.saw(t) for t in ("OLD", "NEWEST", "PLAIN")] == [0, 1, 0]
    assert sweep(desk.rt).adopted == ()


def test_a_repository_that_cannot_be_taken_in_stops_nothing(desk: Desk) -> None:
    app, bad = desk.project("good"), desk.repository("bad")
    os.symlink(desk.top, store_of(bad))
    desk.session(bad, "x")
    desk.session(app.root, "GOOD")
    assert not sweep(desk.rt).failed
    assert desk.curator.saw("GOOD") == 1


def test_a_failing_project_does_not_stop_the_others(desk: Desk) -> None:
    bad, good = desk.project("bad"), desk.project("good")
    desk.session(good.root, "GOOD")
    Path(store_of(bad.root), ".id").write_text("exchanged\n")
    swept = sweep(desk.rt)
    assert swept.failed
    assert isinstance(by_name(swept)["bad"], Failed)
    assert desk.curator.saw("GOOD") == 1


def test_a_bug_in_one_project_does_not_stop_the_others(desk: Desk) -> None:
    bad, good = desk.project("bad"), desk.project("good")
    desk.session(bad.root, "BAD")
    desk.session(good.root, "GOOD")

    def explode() -> None:
        if "BAD" in desk.curator.asked[-1]:
            raise ZeroDivisionError

    desk.curator.meanwhile = explode
    outcomes = by_name(sweep(desk.rt, jobs=1))
    assert isinstance(outcomes["bad"], Failed)
    assert outcomes["bad"].exit_code == 70
    assert isinstance(outcomes["good"], Applied)


def test_no_more_projects_than_jobs_are_served_at_a_time(desk: Desk) -> None:
    for number in range(5):
        desk.session(desk.project(f"app{number}").root, "x")
    now, most, lock = 0, 0, threading.Lock()

    def think() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1

    desk.curator.meanwhile = think
    sweep(desk.rt, jobs=2)
    assert most <= 2
    assert len(desk.curator.asked) == 5


def test_a_dead_backend_costs_one_call_per_sweep_and_is_left_alone_for_longer(desk: Desk) -> None:
    for number in range(4):
        desk.session(desk.project(f"app{number}").root, f"TEXT-{number}")
    desk.curator.answers = [BackendError("down")]
    sweep(desk.rt, jobs=1)
    assert len(desk.curator.asked) == 3
    now = time.time()
    calls = []
    for _ in range(4):
        desk.curator.asked.clear()
        desk.at(max(now, backend.read(desk.rt.paths, desk.rt.backend).next_probe))
        swept = sweep(desk.rt, jobs=4)
        calls.append(len(desk.curator.asked))
        desk.curator.asked.clear()
    assert calls == [1, 1, 1, 1]
    desk.at(now)
    assert all(isinstance(o, Waiting) for o in by_name(sweep(desk.rt)).values())
    assert desk.curator.asked == []
    assert swept.failed
    desk.curator.answers = [state("up")]
    desk.at(backend.read(desk.rt.paths, desk.rt.backend).next_probe)
    assert all(isinstance(o, Applied) for o in by_name(sweep(desk.rt, jobs=4)).values())
    assert not backend.read(desk.rt.paths, desk.rt.backend).is_dead


def test_a_person_is_not_made_to_wait_for_a_dead_backend(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "x")
    for _ in range(4):
        backend.note_failure(desk.rt.paths, desk.rt.backend, "down", now=time.time(), stamp="t")
    assert "does not answer since t: down" in "".join(health.report(desk.rt, version="1").problems)
    assert isinstance(desk.sync(app, "session-end"), Waiting)
    assert isinstance(desk.sync(app), Applied)


def test_the_global_memory_is_served_and_indexes_all_projects(desk: Desk) -> None:
    app = desk.project()
    onboard.init_global(desk.rt)
    inbox.publish(store_of(desk.rt.config.global_root), "GLOBAL-NOTE", now=1.0)
    desk.session(app.root, "x")
    sweep(desk.rt)
    assert desk.curator.saw("GLOBAL-NOTE") == 1
    index = Path(store_of(desk.rt.config.global_root), "projects.md")
    assert f"| app | {app.root} | 20" in index.read_text()
    stamp = index.stat().st_mtime_ns
    sweep(desk.rt)
    assert index.stat().st_mtime_ns == stamp
    rows = health.report(desk.rt, version="1").projects
    assert [row.how for row in rows] == ["init", "global"]


def test_a_global_memory_inside_a_repository_is_ignored_by_it(desk: Desk) -> None:
    home = desk.rt.config.global_root
    git(home, "init", "-q")
    assert not onboard.init_global(desk.rt).was_known
    assert onboard.init_global(desk.rt).was_known
    assert git(home, "status", "--porcelain", ".memory") == ""


def test_a_project_that_is_gone_is_forgotten_after_thirty_days(desk: Desk) -> None:
    app = desk.project()
    away = desk.top / "away"
    os.rename(app.root, away)
    start = time.time()
    assert sweep(desk.rt).gone == (app.root,)
    assert "is gone" in "".join(health.report(desk.rt, version="1").problems)
    desk.at(start + 29 * 86400)
    sweep(desk.rt)
    os.rename(away, app.root)
    assert sweep(desk.rt).gone == ()
    os.rename(app.root, away)
    sweep(desk.rt)
    desk.at(start + 61 * 86400)
    sweep(desk.rt)
    assert desk.rt.registry().entries == {}
    assert not os.path.exists(app.root)


def test_an_idle_sweep_asks_and_writes_nothing(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "x")
    sweep(desk.rt)
    desk.settle()
    sweep(desk.rt)
    state_files = list(Path(desk.rt.paths.state).rglob("*.json"))
    before = {p: p.stat().st_mtime_ns for p in state_files}
    desk.curator.asked.clear()
    sweep(desk.rt)
    assert {p: p.stat().st_mtime_ns for p in state_files} == before
    assert desk.curator.asked == []


def test_a_repository_is_taken_in_from_a_linked_worktree(desk: Desk) -> None:
    root, tree = desk.repository("app"), str(desk.top / "tree")
    git(root, "worktree", "add", "-q", tree, "-b", "b")
    desk.session(tree, "IN-TREE")
    (adopted,) = sweep(desk.rt).adopted
    assert adopted.root == root
    assert os.path.realpath(store_of(tree)) == store_of(root)
    assert git(tree, "status", "--porcelain") == ""
    assert desk.curator.saw("IN-TREE") == 1


def indexed(desk: Desk) -> Path:
    onboard.init_global(desk.rt)
    return Path(store_of(desk.rt.config.global_root), "projects.md")


def test_no_name_breaks_the_table_of_projects(desk: Desk) -> None:
    index = indexed(desk)
    odd = desk.repository("a|b\nc")
    onboard.init(desk.rt, odd, name="pipe | in it")
    sweep(desk.rt)
    row = index.read_text().splitlines()[-1]
    assert row == f"| pipe \\| in it | {odd}".replace("a|b\nc", "a\\|b c") + " | never |"


def test_the_index_waits_while_somebody_works_on_the_global_memory(desk: Desk) -> None:
    index = indexed(desk)
    desk.project()
    with locks.held(str(index.parent), wait=False):
        sweep(desk.rt)
    assert not index.exists()
    sweep(desk.rt)
    assert index.exists()


def test_an_index_that_cannot_be_written_stops_nothing(desk: Desk) -> None:
    index = indexed(desk)
    index.symlink_to("state.md")
    app = desk.project()
    desk.session(app.root, "hello")
    swept = sweep(desk.rt)
    assert isinstance(by_name(swept)["app"], Applied)
    assert "Projects" not in (index.parent / "state.md").read_text()


def test_progress_is_told_project_by_project(desk: Desk) -> None:
    said: list[str] = []
    for name in ("one", "two"):
        desk.project(name)
    desk.rt = dataclasses.replace(desk.rt, progress=said.append)
    sweep(desk.rt)
    assert said == ["1/2 one", "2/2 two"]


def test_a_declared_directory_that_is_missing_is_left_alone(desk: Desk) -> None:
    root = str(desk.top / "missing")
    desk.set(projects={root: DeclaredProject("later")})
    swept = sweep(desk.rt)
    assert (swept.outcomes, swept.failed) == ((), False)
    assert not os.path.exists(root)
