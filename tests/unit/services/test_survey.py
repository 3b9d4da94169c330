from __future__ import annotations

import os
from pathlib import Path

import pytest
from unit.services.conftest import Desk

from memd import health, survey
from memd.config.sections import DeclaredProject
from memd.model import Applied
from memd.sweep import sweep


def unlistable(desk: Desk) -> None:
    """The directory of the client's sessions is one that nobody may list."""

    class Shut:
        name = "claude-code"

        def discover(self, project: object = None) -> list[object]:
            raise PermissionError(13, "Permission denied", "/shut")

        def locate(self, path: str) -> object:
            raise PermissionError(13, "Permission denied", path)

    desk.rt.sources["claude-code"] = Shut()  # type: ignore[index,assignment]


def test_a_source_that_cannot_be_listed_is_named_and_stops_no_other(desk: Desk) -> None:
    app = desk.project()
    log = Path(app.root, "notes.txt")
    unlistable(desk)
    desk.set(projects={app.root: DeclaredProject("app", ("notes.txt",))})
    log.write_text("EXTRA-FACT\n")
    os.utime(log, (1, 1))
    app = desk.rt.project(app.root)
    outcome = desk.sync(app)
    assert isinstance(outcome, Applied)
    assert "/shut" in "".join(outcome.warnings)
    assert desk.curator.saw("EXTRA-FACT") == 1
    assert "/shut" in "".join(health.report(desk.rt, version="1").problems)
    assert not sweep(desk.rt).failed


def test_a_path_that_cannot_be_read_is_no_session(desk: Desk) -> None:
    unlistable(desk)
    assert survey.locate(desk.rt, "/shut/s.jsonl") is None


def test_extra_sources_belong_to_the_project_that_names_them(desk: Desk) -> None:
    app, other = desk.project("app"), desk.project("other")
    desk.set(projects={app.root: DeclaredProject("app", ("*.txt",))})
    Path(app.root, "a.txt").write_text("x\n")
    Path(other.root, "b.txt").write_text("x\n")
    found = survey.take(desk.rt, desk.rt.projects())
    assert [ref.session for ref in found.by_root[app.root]] == ["a.txt"]
    assert other.root not in found.by_root
    assert found.unowned == []


@pytest.mark.parametrize("directory", ["elsewhere", "app/deep"])
def test_a_session_outside_every_project_is_nobodys(desk: Desk, directory: str) -> None:
    app = desk.project()
    desk.session(str(desk.top / directory), "x")
    found = survey.take(desk.rt, desk.rt.projects())
    assert (app.root in found.by_root) == directory.startswith("app")
    assert bool(found.unowned) != directory.startswith("app")
