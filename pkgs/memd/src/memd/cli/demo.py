"""The whole pipeline on a bundled session, in a home that is thrown away afterwards."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time

from memd import demo as bundled
from memd import onboard, runtime
from memd.cli import render
from memd.errors import MemdError
from memd.git import run_readonly
from memd.marks import Request
from memd.model import MEMORY_FILES, Failed
from memd.paths import store_of
from memd.sync import sync

SESSION = "6f1c2a3e-5b7d-4c8e-9f10-2a3b4c5d6e7f"


def run() -> None:
    """Show it. Touches nothing outside a temporary directory."""
    home = os.path.realpath(tempfile.mkdtemp(prefix="memd-demo-"))
    try:
        _show(home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _show(home: str) -> None:
    root = os.path.join(home, "shop")
    os.mkdir(root)
    env = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath)}
    env["MEMD_CURATOR_CMD"] = '["memd", "curate"]'
    rt = runtime.build(env)
    _say(1, "A project is given a memory: memd init")
    onboard.init(rt, root, name="shop")
    _say(2, "A session of Claude Code ends and leaves its log behind")
    log = _leave_session(home, root)
    print(f"    {os.path.relpath(log, home)}: {os.path.getsize(log):,} bytes")
    _say(3, f"memd sync reads it. Curator: {rt.curator.describe()}")
    project = rt.project(root)
    outcome = sync(rt, project, Request("session-end", (log,)))
    render.outcome(project, outcome)
    if isinstance(outcome, Failed):
        raise MemdError("the demo failed; please report it")
    _say(4, "What is remembered now")
    for name in MEMORY_FILES:
        _show_file(os.path.join(store_of(root), name))
    _say(5, "Every change is a commit that names the session it came from")
    print(_indented(run_readonly(store_of(root), "log", "--reverse", "--format=%h %s%n%b")))
    _say(6, "What the next session is told: memd brief")
    _show_brief(env, root)
    print("\nNo model was used: the built-in curator sorts explicit statements by rule.")


def _leave_session(home: str, root: str) -> str:
    folder = os.path.join(home, ".claude", "projects", "shop")
    os.makedirs(folder)
    log = os.path.join(folder, f"{SESSION}.jsonl")
    with open(log, "w", encoding="utf-8") as file:
        file.write(bundled.transcript(root, SESSION, time.strftime("%Y-%m-%d", time.gmtime())))
    return log


def _show_file(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    print(f"\n  -- {os.path.basename(path)}\n{_indented(text)}")


def _show_brief(env: dict[str, str], root: str) -> None:
    from memd.hooks import session_start
    from memd.paths import Paths

    print(_indented(session_start.brief_for(Paths(env), root, max_chars=None, topic="")))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip().splitlines())


def _say(number: int, text: str) -> None:
    print(f"\n{number}. {text}", flush=True)
    sys.stdout.flush()
