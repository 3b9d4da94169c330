from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import pytest
from unit.services.conftest import Desk

from memd import health, inbox, onboard
from memd.config.sections import DeclaredProject
from memd.errors import BackendError
from memd.model import Usage
from memd.paths import Paths, store_of
from memd.state import backend, ledger, registry
from memd.state.ledger import Health, LastRun, SetAside, Strikes


def report(desk: Desk) -> health.Status:
    return health.report(desk.rt, version="1.0")


def test_a_row_tells_what_waits_and_what_was_done(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "READ")
    desk.sync(app)
    log = desk.session(app.root, "WAITS")
    inbox.publish(store_of(app.root), "note", now=1.0)
    (row,) = report(desk).projects
    assert (row.root, row.name, row.how, row.problems) == (app.root, "app", "init", ())
    assert (row.sessions, row.backlog_bytes, row.notes) == (2, log.stat().st_size, 1)
    assert row.last_distill == desk.ledger(app).journal[0].at
    assert row.last_summary == "nothing to add"
    assert (row.calls_today, row.usage_today) == (1, Usage(10, 5, 0.01))


def test_a_report_is_about_today_and_names_the_limit(desk: Desk) -> None:
    desk.set(max_distills_per_day=7, exclude=("/shut",))
    registry.exclude(desk.rt.paths, "/other", undo=False)
    backend.reserve_call(desk.rt.paths, limit=0, today=desk.rt.today)
    status = report(desk)
    assert (status.version, status.curator) == ("1.0", "scripted")
    assert (status.calls_today, status.calls_limit) == (1, 7)
    assert status.excluded == ("/shut", "/other")
    desk.at(time.time() + 86400)
    assert report(desk).calls_today == 0


def test_bytes_of_which_nothing_was_understood_are_told_in_the_agreed_form() -> None:
    barren = Health(barren_bytes=9720, barren_since="2026-07-30T06:11:27Z")
    first, second = health.ingestion_problems("claude-code", barren)
    assert first == (
        "ingestion  : 9720 bytes read since 2026-07-30T06:11:27, nothing usable extracted."
    )
    assert "claude-code" in second


@pytest.mark.parametrize(("unknown", "problems"), [(20, 0), (21, 1)])
def test_unknown_records_are_a_problem_above_a_fifth(unknown: int, problems: int) -> None:
    mixed = Health(events=50, noise=100 - 50 - unknown, unknown=unknown, unknown_types=("new",))
    assert len(list(health.ingestion_problems("claude-code", mixed))) == problems


def test_ingestion_is_summed_over_projects(desk: Desk) -> None:
    apps = [desk.project(name) for name in ("one", "two", "three")]
    for app, since in zip(apps, ("2026-02", "2026-01", ""), strict=True):
        one = Health(1, 2, 3, 4, 5 if since else 0, (app.name,), since)
        ledger.edit(desk.rt.paths, app.root, lambda old, one=one: replaced(old, one))
    ((name, total),) = report(desk).ingestion
    assert name == "s"
    assert total == Health(3, 6, 9, 12, 10, ("one", "three", "two"), "2026-01")


def replaced(old: ledger.Ledger, one: Health) -> ledger.Ledger:
    return dataclasses.replace(old, health={"s": one})


def test_every_trouble_of_a_project_is_named(desk: Desk) -> None:
    app = desk.project()
    troubles = ledger.Ledger(
        last=LastRun("t1", "failed", "why"),
        commit_error="no git",
        strikes=Strikes(2, 0, "odd"),
        aside=(SetAside("claude-code/x", None, ledger.Cursor("1"), "t2", "bad"),),
        unreadable=("claude-code/y: Permission denied",),
        lost="damaged",
    )
    ledger.edit(desk.rt.paths, app.root, lambda _: troubles)
    problems = report(desk).problems
    assert all(problem.startswith(f"{app.root}: ") for problem in problems)
    for words in (
        "last sync failed at t1: why",
        "not committed: no git",
        "2 calls led to no usable reply: odd",
        "claude-code/x was set aside at t2 (bad); memd sync --retry",
        "cannot be read: claude-code/y: Permission denied",
        "read markers are damaged",
    ):
        assert sum(words in problem for problem in problems) == 1, words


def test_a_store_that_cannot_be_used_is_a_problem(desk: Desk) -> None:
    app = desk.project()
    Path(store_of(app.root), ".id").write_text("another")
    (problem,) = report(desk).problems
    assert problem.startswith(f"{app.root}: {store_of(app.root)}")
    assert "memd trust" in problem


def test_a_declared_project_before_its_first_sync_has_no_problem(desk: Desk) -> None:
    root = desk.repository("app")
    desk.set(projects={root: DeclaredProject()})
    status = report(desk)
    assert status.problems == ()
    assert status.projects[0].how == "declared"
    assert not os.path.exists(store_of(root))


def test_the_global_memory_has_a_row_and_no_sessions(desk: Desk) -> None:
    onboard.init_global(desk.rt)
    desk.session(desk.rt.config.global_root, "x")
    (row,) = report(desk).projects
    assert (row.how, row.sessions) == ("global", 0)


def test_damaged_state_is_named_before_anybody_repairs_it(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "x")
    desk.sync(app)
    for path in (desk.rt.paths.registry, ledger.path(desk.rt.paths, app.root)):
        Path(path).write_text("{")
        assert any(f"{path} is damaged" in problem for problem in report(desk).problems)
    desk.sync(app)
    assert any(".corrupt-" in problem for problem in report(desk).problems)


def test_unknown_settings_come_first(desk: Desk) -> None:
    desk.at(1.0)
    backend.note_failure(desk.rt.paths, desk.rt.backend, "down", now=1.0, stamp="t")
    rt = dataclasses.replace(desk.rt, unknown_keys=("odd",))
    status = health.report(rt, version="1")
    assert status.problems == ("config     : odd", "curator    : does not answer since t: down")
    assert status.backend_error == "down"


def test_looking_makes_nothing(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "x")
    desk.settle()
    before = {path: path.lstat().st_mtime_ns for path in desk.top.rglob("*")}
    report(desk)
    assert {path: path.lstat().st_mtime_ns for path in desk.top.rglob("*")} == before


def test_the_registered_are_known_without_a_configuration(desk: Desk) -> None:
    app = desk.project()
    assert health.registered(desk.rt.paths) == (app.root,)


def test_a_failure_of_the_curator_is_told_once(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "x")
    desk.curator.answers = [BackendError("claude not found", passing=False)]
    desk.sync(app)
    (problem,) = report(desk).problems
    assert problem.endswith(": claude not found")
    desk.set(claude_bin="another")
    (problem,) = report(desk).problems
    assert problem.startswith(f"{app.root}: last sync failed")


def test_a_memory_from_elsewhere_where_sessions_work_is_named(desk: Desk) -> None:
    root = desk.repository("cloned")
    os.makedirs(store_of(root))
    Path(store_of(root), "state.md").write_text("from elsewhere")
    desk.session(root, "x")
    (problem,) = report(desk).problems
    assert problem.startswith(f"{store_of(root)}: was not made by memd here; ")


def test_a_declared_project_that_is_not_there_is_named(desk: Desk) -> None:
    desk.set(projects={str(desk.top / "typo"): DeclaredProject()})
    (problem,) = report(desk).problems
    assert problem == f"{desk.top}/typo: no such directory; see `projects` in the configuration"


def test_a_missing_git_is_named(desk: Desk) -> None:
    desk.rt = dataclasses.replace(desk.rt, paths=Paths({**desk.rt.paths.env, "PATH": "/none"}))
    assert [p.split(":")[1] for p in report(desk).problems] == [" not found on PATH"]
    desk.set(git_commit=False)
    assert report(desk).problems == ()


def test_a_state_file_that_cannot_be_used_hides_no_other_project(desk: Desk) -> None:
    one, two = desk.project("one"), desk.project("two")
    for path in (ledger.path(desk.rt.paths, one.root), backend.path(desk.rt.paths)):
        Path(path).unlink(missing_ok=True)
        os.mkfifo(path)
    status = report(desk)
    assert [row.root for row in status.projects] == [one.root, two.root]
    assert sum("not a regular file" in problem for problem in status.problems) == 2
