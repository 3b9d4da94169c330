from __future__ import annotations

import os
from pathlib import Path

import pytest
from unit.services.conftest import Desk

from memd.doctor import privacy
from memd.paths import store_of


def test_what_memd_made_is_the_users_own(desk: Desk) -> None:
    desk.project()
    (found,) = privacy.findings(desk.rt)
    assert not found.is_wrong


@pytest.mark.parametrize(
    ("what", "mode", "remedy"),
    [
        ("state", 0o755, "chmod og-rwx"),
        ("config", 0o666, "chmod og-w"),
        ("store", 0o777, "chmod og-w"),
    ],
)
def test_what_is_open_to_others_is_named(desk: Desk, what: str, mode: int, remedy: str) -> None:
    app = desk.project()
    paths = {
        "state": desk.rt.paths.state,
        "config": desk.rt.paths.config_file,
        "store": store_of(app.root),
    }
    Path(paths["config"]).parent.mkdir(parents=True)
    Path(paths["config"]).touch(mode=0o644)
    os.chmod(paths[what], mode)
    (found,) = privacy.findings(desk.rt)
    assert found.is_wrong
    assert found.text == f"{paths[what]}: is open to others: {remedy} {paths[what]}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_is_named(desk: Desk) -> None:
    app = desk.project()
    os.chown(store_of(app.root), 12345, 12345)
    (found,) = privacy.findings(desk.rt)
    assert "belongs to somebody else" in found.text
