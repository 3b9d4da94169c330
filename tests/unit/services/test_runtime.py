from __future__ import annotations

from pathlib import Path

from unit.services.conftest import Desk

from memd import runtime
from memd.config import snapshot
from memd.config.sections import DeclaredProject
from memd.state import registry


def test_a_runtime_follows_from_an_environment(tmp_path: Path) -> None:
    said: list[str] = []
    env = {"HOME": str(tmp_path), "MEMD_MODEL_SMALL": "haiku", "MEMD_NOVEL": "x"}
    rt = runtime.build(env, progress=said.append)
    assert rt.config.model_small == "haiku"
    assert "claude-code" in rt.sources
    assert len(rt.unknown_keys) == 1
    assert snapshot.read(rt.paths).projects == {}
    rt.progress("line")
    assert said == ["line"]


def test_times_are_utc_in_whole_seconds(desk: Desk) -> None:
    desk.at(86399.9)
    assert (desk.rt.now, desk.rt.today) == ("1970-01-01T23:59:59Z", "1970-01-01")


def test_declared_projects_come_first_and_win(desk: Desk) -> None:
    app, other = desk.project("app"), desk.project("other")
    desk.set(
        projects={other.root: DeclaredProject("shop", ("logs/*",)), "/gone": DeclaredProject()}
    )
    names = [(project.name, project.extra_sources) for project in desk.rt.projects()]
    assert names == [("shop", ("logs/*",)), ("gone", ()), ("app", ())]
    assert desk.rt.project(app.root) == app


def test_an_excluded_project_is_not_managed(desk: Desk) -> None:
    app = desk.project()
    registry.exclude(desk.rt.paths, app.root, undo=False)
    assert desk.rt.projects() == ()


def test_a_person_adds_patterns_to_the_redactor(desk: Desk) -> None:
    desk.set(redact_extra_patterns=("hunter[0-9]",))
    assert "hunter2" not in desk.rt.redactor().clean("it is hunter2")
