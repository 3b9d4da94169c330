"""A command imports what it needs, and no more."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memd as package

Run = Callable[..., Any]
SOURCE = str(Path(package.__file__).parents[1])
# What is slow to import: settings and replies are pydantic's, notes have YAML.
SETTINGS, REPLY, YAML = "memd.config.settings", "memd.curator.reply", "yaml"
SERVICES = ("memd.runtime", "memd.health", "memd.sync", "memd.sweep", "memd.onboard")


def imported(*args: str) -> set[str]:
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); from memd.__main__ import main; "
    timed = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"{code}main()", *args],
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in timed.stderr.splitlines()}


@pytest.mark.parametrize(
    ("command", "unused"),
    [
        ("--version", (SETTINGS, REPLY, YAML, *SERVICES)),
        ("note -m x", (SETTINGS, REPLY, *SERVICES)),
        ("brief", (SETTINGS, REPLY, YAML, *SERVICES)),
        ("exclude .", (SETTINGS, REPLY, YAML, *SERVICES)),
        ("config schema", (REPLY, YAML, *SERVICES)),
        ("status", ("memd.sync", "memd.sweep", "memd.hooks")),
        ("sync", ("memd.sweep", "memd.health", "memd.hooks")),
    ],
)
def test_a_command_leaves_alone_what_it_does_not_use(
    shop: Path, memd: Run, command: str, unused: tuple[str, ...]
) -> None:
    modules = imported(*command.split())
    assert "memd.cli.app" in modules
    assert modules & set(unused) == set()
