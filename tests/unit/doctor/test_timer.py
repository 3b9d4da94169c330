from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from unit.services.conftest import Desk

from memd.doctor import timer
from memd.paths import Paths


@pytest.fixture
def machine(desk: Desk) -> Path:
    """Where the only programs are."""
    (desk.top / "bin").mkdir()
    path = f"{desk.top / 'bin'}:{os.defpath}"
    desk.rt = dataclasses.replace(desk.rt, paths=Paths({**desk.rt.paths.env, "PATH": path}))
    return desk.top / "bin"


def program(path: Path, script: str = "") -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def manager(machine: Path, active: str, environment: str, result: str = "success") -> None:
    program(
        machine / "systemctl",
        f"""case "$*" in
        *ActiveState*) echo {active};;
        *Environment*) echo '{environment}';;
        *Result*) echo {result};;
        esac""",
    )


def found(desk: Desk) -> list[tuple[str, bool]]:
    return [(f.text, f.is_wrong) for f in timer.findings(desk.rt)]


@pytest.mark.parametrize("script", ["exit 1", "echo 'Failed to connect' >&2; exit 1"])
def test_a_machine_without_a_manager_is_no_fault(desk: Desk, machine: Path, script: str) -> None:
    program(machine / "systemctl", script)
    ((text, is_wrong),) = found(desk)
    assert "memd sweep" in text
    assert not is_wrong


def test_a_machine_without_systemd_is_no_fault(desk: Desk) -> None:
    desk.rt = dataclasses.replace(desk.rt, paths=Paths({**desk.rt.paths.env, "PATH": "/none"}))
    ((_, is_wrong),) = found(desk)
    assert not is_wrong


def test_a_timer_that_rests_is_named_with_what_starts_it(desk: Desk, machine: Path) -> None:
    manager(machine, "inactive", "")
    ((text, is_wrong),) = found(desk)
    assert is_wrong
    assert "systemctl --user enable --now memd-sweep.timer" in text


def test_a_timer_that_finds_all_it_needs_is_fine(desk: Desk, machine: Path) -> None:
    program(machine / "git")
    program(machine / "claude")
    manager(machine, "active", f'"LANG=C" "PATH={machine}:/usr/bin"')
    assert found(desk) == [("memd-sweep.timer is active and finds git and claude", False)]


def test_a_curator_that_only_a_shell_finds_is_named(desk: Desk, machine: Path) -> None:
    elsewhere = desk.top / "elsewhere"
    elsewhere.mkdir()
    program(elsewhere / "git")
    program(machine / "claude")
    manager(machine, "active", f"PATH={elsewhere}")
    ((text, is_wrong),) = found(desk)
    assert is_wrong
    assert "does not find claude:" in text


def test_a_sweep_that_failed_is_named(desk: Desk, machine: Path) -> None:
    program(machine / "git")
    program(machine / "claude")
    manager(machine, "active", f"PATH={machine}", result="exit-code")
    (text, is_wrong), fine = found(desk)
    assert is_wrong
    assert "journalctl --user -u memd-sweep.service" in text
    assert not fine[1]


def test_a_service_without_a_path_of_its_own_has_the_usual_one(desk: Desk, machine: Path) -> None:
    manager(machine, "active", "LANG=C")
    desk.set(curator_cmd=("sh",))
    assert [is_wrong for _, is_wrong in found(desk)] == [not _is_usual("git")]


def _is_usual(name: str) -> bool:
    return any(os.access(f"{place}/{name}", os.X_OK) for place in os.defpath.split(":") if place)
