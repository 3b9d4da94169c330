"""A crash at every effect of an apply: the next run makes it whole, once."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path

from unit.services.conftest import Desk, git, reply
from unit.services.crash import die_at

from memd import apply, health, inbox, onboard
from memd.model import Applied, Failed, NothingNew, Project
from memd.paths import Paths, store_of

ANSWER = reply(
    state_body="# State\n\n## N\n\nNEW-STATE\n",
    decisions_body="# Decisions\n\n### 2026-01-01 - NEW-DECISION\n\nwhy\n",
    todo_body="# Todo\n\n- [ ] NEW-TODO\n",
    mistakes_new_entries=["### 2026-01-01 - NEW-MISTAKE\n\ncause"],
    archive_entries=[{"source": "todo.md", "content": "NEW-ARCHIVED"}],
)
NEWS = {
    "state.md": "NEW-STATE",
    "decisions.md": "NEW-DECISION",
    "todo.md": "NEW-TODO",
    "mistakes.md": "NEW-MISTAKE",
}


def prepared(desk: Desk) -> Project:
    app = desk.project()
    desk.session(app.root, "SESSION-TEXT")
    inbox.publish(store_of(app.root), "NOTE-TEXT", now=1.0)
    desk.curator.answers = [ANSWER]
    return app


def interrupted(desk: Desk) -> Project:
    """A project whose update was accepted and not carried out."""
    app = prepared(desk)
    number = 1
    while not apply.has_pending(desk.rt, app):
        assert die_at(number, lambda: desk.sync(app))
        number += 1
    return app


def whole(desk: Desk, app: Project, where: str) -> None:
    """Everything of the answer is there, once; the note and the session are read."""
    for name, text in NEWS.items():
        assert desk.file(app, name).count(text) == 1, where
        assert desk.file(app, name).startswith("---\n"), where
    assert desk.archive(app).count("NEW-ARCHIVED") == 1, where
    assert len(inbox.waiting(store_of(app.root))) == 0, where
    assert not apply.has_pending(desk.rt, app), where
    assert len(desk.ledger(app).journal) == 1, where
    assert "NEW-STATE" in git(Path(app.root) / ".memory", "show", "HEAD:./state.md"), where
    leftovers = [p for p in Path(app.root).rglob(".memd-*") if ".git" not in p.parts]
    assert leftovers == [], where
    assert desk.sync(app) == NothingNew(), where
    assert health.report(desk.rt, version="1").problems == (), where


def test_a_crash_at_any_effect_is_made_good_by_the_next_run(tmp_path: Path, desk: Desk) -> None:
    undisturbed = prepared(desk)
    assert isinstance(desk.sync(undisturbed), Applied)
    whole(desk, undisturbed, "undisturbed")
    for number in range(1, 200):
        place = desk.top / f"try{number}"
        place.mkdir()
        app = desk.rt.project(_fresh(desk, place))
        before = len(desk.curator.asked)
        if not die_at(number, lambda app=app: desk.sync(app)):
            break
        accepted = apply.has_pending(desk.rt, app) or bool(desk.ledger(app).journal)
        desk.sync(app)
        whole(desk, app, f"effect {number}")
        # The child's call is not counted here: after its reply was accepted none is made.
        assert len(desk.curator.asked) - before == (0 if accepted else 1), f"effect {number}"
    assert number > 15


def _fresh(desk: Desk, place: Path) -> str:
    root = desk.repository(f"{place.name}/app")
    onboard.init(desk.rt, root)
    desk.session(root, "SESSION-TEXT")
    inbox.publish(store_of(root), "NOTE-TEXT", now=1.0)
    desk.curator.answers = [ANSWER]
    return root


def test_a_record_whose_file_was_edited_since_is_dropped_and_made_again(desk: Desk) -> None:
    app = interrupted(desk)
    path = Path(app.root) / ".memory" / "mistakes.md"
    path.write_text(path.read_text() + "\n### 2026-01-05 - BY-HAND\n\ncause\n")
    outcome = desk.sync(app)
    assert isinstance(outcome, Applied)
    assert "interrupted update was dropped" in "".join(outcome.warnings)
    assert desk.file(app, "mistakes.md").count("BY-HAND") == 1
    assert desk.file(app, "mistakes.md").count("NEW-MISTAKE") == 1


def test_an_edit_after_the_markers_moved_makes_no_pass_anew(desk: Desk) -> None:
    app = prepared(desk)
    number = 1
    while not desk.ledger(app).journal:
        assert die_at(number, lambda: desk.sync(app))
        number += 1
    assert apply.has_pending(desk.rt, app)
    path = Path(app.root) / ".memory" / "state.md"
    path.write_text(path.read_text() + "\nBY-HAND\n")
    asked = len(desk.curator.asked)
    desk.sync(app)
    assert len(desk.curator.asked) == asked
    assert "BY-HAND" in path.read_text()
    assert len(inbox.waiting(store_of(app.root))) == 0
    assert desk.file(app, "mistakes.md").count("NEW-MISTAKE") == 1


def test_a_damaged_record_is_moved_aside_and_the_pass_made_again(desk: Desk) -> None:
    app = interrupted(desk)
    (record,) = Path(desk.rt.paths.in_state("pending")).glob("*.json")
    record.write_text('{"format": 1}')
    assert any("interrupted" in p for p in health.report(desk.rt, version="1").problems)
    assert isinstance(desk.sync(app), Applied)
    problems = "".join(health.report(desk.rt, version="1").problems)
    assert re.search(r"corrupt-\d{4}", problems)
    assert desk.file(app, "mistakes.md").count("NEW-MISTAKE") == 1


def test_a_record_of_a_newer_memd_is_refused_and_left_alone(desk: Desk) -> None:
    app = interrupted(desk)
    (record,) = Path(desk.rt.paths.in_state("pending")).glob("*.json")
    text = record.read_text().replace('"format": 1', '"format": 2')
    record.write_text(text)
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert "upgrade memd" in outcome.error
    assert record.read_text() == text


def test_an_interrupted_update_moves_with_its_project(desk: Desk) -> None:
    app = interrupted(desk)
    moved = str(desk.top / "moved")
    os.rename(app.root, moved)
    asked = len(desk.curator.asked)
    there = desk.rt.project(onboard.init(desk.rt, moved).root)
    desk.sync(there)
    assert desk.file(there, "mistakes.md").count("NEW-MISTAKE") == 1
    assert len(desk.curator.asked) == asked


def test_records_stay_in_the_state_directory_whatever_that_is_called(desk: Desk) -> None:
    env = {**desk.rt.paths.env, "XDG_STATE_HOME": str(desk.top / "projects" / "state")}
    desk.rt = dataclasses.replace(desk.rt, paths=Paths(env))
    interrupted(desk)
    (record,) = desk.top.rglob("pending/*.json")
    assert str(record).startswith(desk.rt.paths.state)
