"""bin/memd in a plain clone, whatever Python finds beside it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from e2e.machine import Done, Machine, program

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    not os.path.exists("/usr/bin/env"), reason="its first line asks for /usr/bin/env"
)


@pytest.fixture
def bare(machine: Machine) -> Path:
    """Directory of a PATH with a link to bin/memd, and a python3 that has no packages."""
    path = machine.top / "bare"
    path.mkdir()
    (path / "memd").symlink_to(ROOT / "bin" / "memd")
    program(path / "python3", "/bin/sh", f'exec {sys.executable} -S "$@"\n')
    return path


def run(machine: Machine, bare: Path, *args: str, stdin: str = "", **env: str) -> Done:
    return subprocess.run(
        ["memd", *args],
        cwd=machine.top,
        env={**machine.env, "PATH": f"{bare}:/usr/bin:/bin", **env},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_at_once_where_the_dependencies_are(machine: Machine, bare: Path) -> None:
    (bare / "python3").unlink()
    (bare / "python3").symlink_to(sys.executable)
    done = run(machine, bare, "--version", PYTHONPATH=os.pathsep.join(sys.path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("memd ")


def test_it_says_how_to_get_what_is_missing(machine: Machine, bare: Path) -> None:
    done = run(machine, bare, "status")
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("memd: ")
    assert line.endswith(f"pipx install {ROOT}")


def test_it_goes_through_uv_where_that_is(machine: Machine, bare: Path) -> None:
    program(bare / "uv", "/bin/sh", 'printf "%s\\n" "$@"; exit 7\n')
    done = run(machine, bare, "note", "-m", "two words")
    assert done.returncode == 7
    script = str(ROOT / "bin" / "memd")
    assert done.stdout.splitlines() == [
        *("run", "--quiet", "--script", script),
        *("note", "-m", "two words"),
    ]
    assert run(machine, bare, "hook", "session-start").returncode == 0


def test_it_does_not_go_round_in_circles(machine: Machine, bare: Path) -> None:
    script = ROOT / "bin" / "memd"
    program(bare / "uv", "/bin/sh", f'shift 4; exec python3 {script} "$@"\n')
    done = run(machine, bare, "status")
    assert done.returncode == 1
    assert "pipx install" in done.stderr


def test_a_brief_needs_no_dependencies(machine: Machine, bare: Path) -> None:
    shop = machine.project("shop")
    with open(shop / ".memory" / "state.md", "a", encoding="utf-8") as file:
        file.write("\n## Ports\n\nFACT-told\n")
    call = json.dumps({"cwd": str(shop), "session_id": "s"})
    done = run(machine, bare, "hook", "session-start", stdin=call)
    assert (done.returncode, done.stderr) == (0, "")
    assert "FACT-told" in done.stdout


def test_it_asks_uv_for_what_the_package_needs() -> None:
    listed = re.compile(r"^(?:# )?dependencies = (\[.*\])$", re.M)
    script, package = (
        listed.findall((ROOT / name).read_text("utf-8"))[0]
        for name in ("bin/memd", "pyproject.toml")
    )
    assert json.loads(script) == json.loads(package)
