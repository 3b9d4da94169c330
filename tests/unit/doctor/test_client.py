from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest
from unit.services.conftest import Desk

from memd import survey
from memd.doctor import client
from memd.hooks import install


@pytest.fixture
def memd(desk: Desk) -> Path:
    """A program of that name."""
    program = desk.top / "bin" / "memd"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def settings(desk: Desk) -> Path:
    return Path(desk.rt.config.claude_dir, "settings.json")


def hooks(desk: Desk) -> list[tuple[str, bool]]:
    return [(f.text, f.is_wrong) for f in client.hooks(desk.rt, str(desk.top / "managed"))]


def test_hooks_that_are_missing_are_named(desk: Desk) -> None:
    ((text, is_wrong),) = hooks(desk)
    assert is_wrong
    assert "memd install-hooks" in text


def test_hooks_in_place_are_fine_and_say_when_one_last_led_to_something(
    desk: Desk, memd: Path
) -> None:
    install.install(str(settings(desk)), str(memd))
    assert hooks(desk) == [(f"in {settings(desk)}; last learned from one: never so far", False)]
    app = desk.project()
    desk.session(app.root, "x")
    desk.sync(app, "session-end")
    ((text, _),) = hooks(desk)
    assert text.endswith(desk.ledger(app).journal[-1].at)


def test_a_second_set_of_hooks_is_named(desk: Desk, memd: Path) -> None:
    install.install(str(settings(desk)), str(memd))
    managed = desk.top / "managed" / "managed-settings.d" / "memd.json"
    managed.parent.mkdir(parents=True)
    managed.write_text(settings(desk).read_text())
    (wrong,) = [text for text, is_wrong in hooks(desk) if is_wrong]
    assert wrong.startswith(f"they are in {settings(desk)} and in {managed}: ")
    assert "memd install-hooks --remove" in wrong


@pytest.mark.parametrize("gone", ["/opt/gone/memd", "'/opt/a b/memd'"])
def test_a_hook_that_runs_a_program_which_is_gone_is_named(desk: Desk, gone: str) -> None:
    settings(desk).parent.mkdir(parents=True)
    settings(desk).write_text(json.dumps({"hooks": install.hooks(gone)}))
    (wrong,) = [text for text, is_wrong in hooks(desk) if is_wrong]
    assert wrong == (
        f"{settings(desk)}: runs {gone.strip(chr(39))}, which is not there: run memd install-hooks"
    )


def test_a_hook_no_shell_can_read_is_named(desk: Desk) -> None:
    settings(desk).parent.mkdir(parents=True)
    settings(desk).write_text(json.dumps({"hooks": install.hooks("'/opt/memd")}))
    (wrong,) = [text for text, is_wrong in hooks(desk) if is_wrong]
    assert "which is not there" in wrong


def test_hooks_that_are_switched_off_are_named(desk: Desk, memd: Path) -> None:
    install.install(str(settings(desk)), str(memd))
    document = {"disableAllHooks": True, **json.loads(settings(desk).read_text())}
    settings(desk).write_text(json.dumps(document))
    (wrong,) = [text for text, is_wrong in hooks(desk) if is_wrong]
    assert "disableAllHooks" in wrong


@pytest.mark.parametrize(
    ("kept", "age_days", "is_wrong"),
    [(None, 10, False), (None, 26, True), (90, 26, False), (7, 3, True), ("odd", 26, True)],
)
def test_sessions_about_to_be_deleted_unread_are_counted(
    desk: Desk, kept: object, age_days: int, is_wrong: bool
) -> None:
    app = desk.project()
    if kept is not None:
        settings(desk).parent.mkdir(parents=True)
        settings(desk).write_text(json.dumps({"cleanupPeriodDays": kept}))
    log = desk.session(app.root, "x")
    now = desk.rt.clock()
    os.utime(log, (now - age_days * 86400,) * 2)
    found = client.expiring(desk.rt, survey.take(desk.rt, [app]))
    assert (found.is_wrong, "memd sweep" in found.text) == (is_wrong, is_wrong)
    desk.sync(app)
    assert not client.expiring(desk.rt, survey.take(desk.rt, [app])).is_wrong


def test_the_curator_tells_what_keeps_it_from_answering(desk: Desk) -> None:
    assert client.curator(desk.rt).text == "scripted"
    silent = dataclasses.replace(desk.curator)
    silent.check = lambda: "not logged in"  # type: ignore[method-assign]
    desk.rt = dataclasses.replace(desk.rt, curator=silent)
    found = client.curator(desk.rt)
    assert (found.text, found.is_wrong) == ("not logged in", True)
