from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from unit.services.conftest import Desk, git, record

from memd import onboard, sightings
from memd.config.sections import DeclaredProject
from memd.model import Project


def seen(desk: Desk, project: Project) -> dict[str, tuple[str, bool]]:
    """Why, and whether it was read to its end, by the name of the file."""
    return {
        Path(one.ref.path).stem: (one.why, one.read == one.ref.size)
        for one in sightings.of(desk.rt, project)
    }


def test_a_session_says_where_it_began_and_how_far_it_was_read(desk: Desk) -> None:
    app = desk.project()
    below = os.path.join(app.root, "src")
    old = desk.session(below, "x").stem
    desk.sync(app)
    new = desk.session(app.root, "y").stem
    desk.session(desk.repository("other"), "z")
    assert seen(desk, app) == {
        old: (f"began in {below}", True),
        new: (f"began in {app.root}", False),
    }


def test_a_session_in_a_linked_worktree_says_so(desk: Desk) -> None:
    app = desk.project()
    tree = str(desk.top / "tree")
    git(app.root, "worktree", "add", "-q", tree)
    name = desk.session(tree, "x").stem
    assert seen(desk, app)[name][0] == f"began in the linked worktree {tree}"


def test_a_session_from_before_a_move_says_so(desk: Desk) -> None:
    old = desk.project("old")
    name = desk.session(old.root, "x").stem
    new = str(desk.top / "new")
    shutil.move(old.root, new)
    moved = onboard.adopt(desk.rt, new)
    assert moved is not None
    assert seen(desk, moved)[name][0] == f"began in {old.root}, where the project was"


def test_a_session_that_only_came_by_says_so(desk: Desk) -> None:
    here, there = desk.project("here"), desk.project("there")
    log = desk.session(there.root, "x")
    with log.open("a") as file:
        file.write(json.dumps(record(here.root, log.stem, "made here")) + "\n")
    desk.sync(there)
    assert seen(desk, here)[log.stem][0] == f"holds records made here; began in {there.root}"


def test_an_extra_source_says_so(desk: Desk) -> None:
    app = desk.project()
    (Path(app.root) / "agent.log").write_text("line\n")
    desk.set(projects={app.root: DeclaredProject(extra_sources=("*.log",))})
    app = desk.rt.project(app.root)
    assert seen(desk, app)["agent"][0] == "named by extra_sources"
