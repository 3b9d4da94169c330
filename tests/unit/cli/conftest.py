from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memd.cli.app import main

FAKE = Path(__file__).parents[2] / "fakes" / "curator.py"


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own with a curator that answers at once; the working directory is beside it."""
    top = Path(os.path.realpath(tmp_path))
    path = top / "home"
    path.mkdir()
    for name in [n for n in os.environ if n.startswith(("MEMD_", "XDG_", "CLAUDE"))]:
        monkeypatch.delenv(name)
    curator = [sys.executable, "-IS", str(FAKE), "--mode", "echo"]
    for name, value in {
        "HOME": str(path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "XDG_CONFIG_DIRS": str(top / "none"),
        "MEMD_CURATOR_CMD": json.dumps(curator),
        "MEMD_QUIET_SECONDS": "0",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(top)
    return path


@pytest.fixture
def memd(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line within this process."""

    def run(*args: object, stdin: Any = b"") -> Result:
        source = io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin
        monkeypatch.setattr(sys, "argv", ["memd", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(source))
        capsys.readouterr()
        code = main()
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def shop(memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a memory; the working directory."""
    path = home.parent / "shop"
    subprocess.run(["git", "init", "-q", path], check=True)
    assert memd("init", path).code == 0
    monkeypatch.chdir(path)
    return path
