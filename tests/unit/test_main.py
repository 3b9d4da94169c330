from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from memd import __version__, onboard, runtime
from memd.__main__ import main

SOURCE = str(Path(onboard.__file__).parents[1])
DOOR = "import sys; from memd.__main__ import main; sys.exit(main())"
COMMAND_LINE = "import sys; from memd.cli.app import main; sys.exit(main())"

ALLOWED = {
    "__future__",
    "binascii",
    "errno",
    "memd",
    "memd.brief",
    "memd.config",
    "memd.config.snapshot",
    "memd.errors",
    "memd.frontmatter_split",
    "memd.fsio",
    "memd.hooks",
    "memd.hooks.entry",
    "memd.hooks.session_start",
    "memd.paths",
    "memd.projects",
    "memd.sections",
    "memd.state",
    "memd.state.registry",
    "memd.state.statefile",
    "memd.store",
    "memd.store.layout",
}
"""What the start of a session may import beside what `json` and `python -m` need."""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {
        "HOME": os.path.realpath(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": SOURCE,
        "XDG_CONFIG_DIRS": str(tmp_path / "none"),
    }


@pytest.fixture
def project(env: dict[str, str], tmp_path: Path) -> str:
    root = tmp_path / "app"
    root.mkdir()
    onboard.init(runtime.build(env), str(root))
    with open(root / ".memory" / "state.md", "a", encoding="utf-8") as file:
        file.write("\n## Ports\n\nSTATE-FACT é\n")
    return os.path.realpath(root)


def run(env: Mapping[str, str], *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv], env=env, input=stdin, capture_output=True, text=True, check=False
    )


def start_of(project: str) -> str:
    return json.dumps({"cwd": project, "session_id": "s1", "hook_event_name": "SessionStart"})


def imported(stderr: str) -> set[str]:
    """From what `python -X importtime` says."""
    lines = [line for line in stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_the_start_of_a_session_imports_no_more_than_is_allowed(
    env: dict[str, str], project: str
) -> None:
    timed = ("-X", "importtime")
    bare = imported(run(env, *timed, "-c", "import json, runpy, importlib.util").stderr)
    hook = run(env, *timed, "-m", "memd", "hook", "session-start", stdin=start_of(project))
    assert "STATE-FACT" in hook.stdout
    assert "memd.hooks.session_start" in imported(hook.stderr)
    assert imported(hook.stderr) - bare <= ALLOWED


def test_both_ways_to_a_hook_give_the_same(env: dict[str, str], project: str) -> None:
    for event, stdin in (
        ("session-start", start_of(project)),
        ("session-start", "not json"),
        ("nonsense", start_of(project)),
    ):
        light = run(env, "-c", DOOR, "hook", event, stdin=stdin)
        full = run(env, "-c", COMMAND_LINE, "hook", event, stdin=stdin)
        assert (light.returncode, light.stdout) == (full.returncode, full.stdout)
        assert (light.returncode, light.stderr) == (0, "")
        assert ("STATE-FACT" in light.stdout) == (stdin != "not json" and event != "nonsense")


def test_a_hook_never_ends_with_the_code_that_blocks(env: dict[str, str]) -> None:
    for argv in ([], ["stop"], ["--bogus"], ["session-start", "more"]):
        ended = run(env, "-c", DOOR, "hook", *argv)
        assert (ended.returncode, ended.stdout) == (0, "")


def test_the_door_reads_the_arguments_of_the_process(
    env: dict[str, str],
    project: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(os, "environ", env)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(start_of(project).encode())))
    monkeypatch.setattr(sys, "argv", ["memd", "hook", "session-start"])
    assert main() == 0
    assert "STATE-FACT" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["memd", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"memd {__version__}\n"


def test_a_person_can_still_ask_what_a_hook_is(env: dict[str, str]) -> None:
    shown = run(env, "-c", DOOR, "hook", "--help")
    assert shown.returncode == 0
    assert "session-start" in shown.stdout


def test_everything_else_goes_to_the_command_line(env: dict[str, str]) -> None:
    assert run(env, "-m", "memd", "--version").stdout == f"memd {__version__}\n"
    assert run(env, "-c", DOOR, "brief", "/none").returncode == 2


def test_the_end_of_a_session_starts_a_sync_by_the_same_door(
    env: dict[str, str], project: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    wrapper = tmp_path / "memd"
    wrapper.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" end >{out}\n')
    wrapper.chmod(0o755)
    code = f"import sys; sys.argv[0] = {str(wrapper)!r}; {DOOR}"
    payload = {"cwd": project, "session_id": "s", "transcript_path": "/logs/a b.jsonl"}
    ended = run(env, "-c", code, "hook", "session-end", stdin=json.dumps(payload))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    for _ in range(1000):
        if out.exists() and out.read_text().endswith("end\n"):
            break
        time.sleep(0.02)
    assert out.read_text().splitlines() == [
        "sync",
        "--trigger=session-end",
        f"--project={project}",
        "--transcript=/logs/a b.jsonl",
        "end",
    ]
