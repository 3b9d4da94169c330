from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memd import onboard, runtime
from memd.paths import Paths


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A home of its own, and nothing of the machine's but what git needs."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "HOME": os.path.realpath(home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "XDG_CONFIG_DIRS": str(tmp_path / "no-system-configuration"),
        "MEMD_CURATOR_CMD": '["memd", "curate"]',
    }


@pytest.fixture
def paths(env: dict[str, str]) -> Paths:
    return Paths(env)


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[str], str]:
    """Makes git repositories with one commit; their real paths."""

    def make(name: str) -> str:
        path = tmp_path / name
        git = ("git", "-c", "user.name=T", "-c", "user.email=t@example.invalid")
        subprocess.run([*git, "init", "-q", path], check=True)
        subprocess.run([*git, "-C", path, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
        return os.path.realpath(path)

    return make


@pytest.fixture
def project(env: dict[str, str], repository: Callable[[str], str]) -> str:
    """A project with a memory that holds one fact of each kind."""
    root = repository("app")
    onboard.init(runtime.build(env), root)
    fill(root)
    return root


def fill(root: str) -> None:
    for name, text in {
        "todo.md": "\n- [ ] TODO-FACT\n",
        "decisions.md": "\n### Decided\n\nDECISION-FACT\n",
        "state.md": "\n## Ports\n\nSTATE-FACT\n",
        "mistakes.md": "\n### Lost a day\n\nMISTAKE-FACT\n",
    }.items():
        with open(os.path.join(root, ".memory", name), "a", encoding="utf-8") as file:
            file.write(text)
