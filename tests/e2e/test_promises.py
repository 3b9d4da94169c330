"""What SECURITY.md promises, seen from outside."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from e2e.machine import Machine, program

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
WATCH = """
import os, sys
seen = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
def note(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        os.write(seen, os.fsencode(os.path.abspath(args[0])) + b"\\n")
    elif event.startswith("socket.") and event != "socket.__new__":
        os.write(seen, b"SOCKET " + event.encode() + b"\\n")
sys.addaudithook(note)
"""


@pytest.fixture
def watched(machine: Machine) -> Machine:
    """A machine whose memd notes every file it opens and every socket it uses."""
    inside = (machine.top / "bin" / "memd").read_text().partition("\n")[2]
    program(machine.top / "bin" / "memd", sys.executable, WATCH + inside)
    machine.env["OPENED"] = str(machine.top / "opened")
    return machine


def opened(machine: Machine) -> list[str]:
    return (machine.top / "opened").read_text().splitlines()


def test_the_source_code_of_a_project_is_never_read(watched: Machine) -> None:
    app = watched.project("app")
    (app / "secret.py").write_text("SOURCE-CODE = 1\n")
    (app / "src").mkdir()
    (app / "src" / "deep.py").write_text("SOURCE-CODE = 2\n")
    log = watched.session(app, "From now on we use sqlite.")
    watched.hook("session-start", app)
    watched.ok("sync", "--project", app)
    watched.ok("sync", "--transcript", log)
    watched.ok("sweep")
    watched.ok("status")
    allowed = (f"{app}/.memory", f"{app}/.git")
    inside = [path for path in opened(watched) if path.startswith(f"{app}/")]
    assert inside
    assert [path for path in inside if not path.startswith(allowed)] == []
    assert "SOURCE-CODE" not in "".join(watched.prompts())


def test_no_network_is_used(watched: Machine) -> None:
    app = watched.project("app")
    watched.session(app, "From now on we use sqlite.")
    watched.ok("note", "-m", "a fact", cwd=app)
    watched.ok("sync", "--project", app)
    watched.ok("sweep")
    sockets = [line for line in opened(watched) if line.startswith("SOCKET")]
    # The curator's process and memd are tied together by a pair of local sockets.
    assert {line for line in sockets if "connect" in line or "bind" in line} == set()


def test_nothing_of_a_foreign_store_is_sent_or_shown(machine: Machine) -> None:
    made = machine.project("made")
    clone = machine.repository("clone")
    (made / ".memory").rename(clone / ".memory")
    state = clone / ".memory" / "state.md"
    state.write_text(state.read_text() + "\n## Trap\n\nPLANTED-TEXT\n")
    log = machine.session(clone, "hello")
    assert "PLANTED-TEXT" not in machine.brief_at_start(clone)
    machine.memd("sync", "--project", clone)
    machine.memd("sync", "--project", clone, "--dry-run")
    machine.memd("sync", "--transcript", log)
    machine.memd("sweep")
    assert "PLANTED-TEXT" not in "".join(machine.prompts())
    assert "PLANTED-TEXT" not in machine.memd("brief", clone).stdout


def test_state_is_private_under_any_umask(machine: Machine) -> None:
    program(machine.top / "bin" / "open-memd", "/bin/sh", 'umask 000; exec memd "$@"\n')
    app = machine.project("app")
    machine.session(app, "From now on we use sqlite.")
    for command in (["note", "-m", "fact", "--project", app], ["sync", "--project", app]):
        machine.memd(*command)
    subprocess.run(["open-memd", "sweep"], env=machine.env, check=True, capture_output=True)
    machine.hook("session-start", app, MEMD_DISABLE="1")
    store = app / ".memory"
    paths = [machine.state, *machine.state.rglob("*"), store, *store.rglob("*")]
    assert len(paths) > 10
    loose = [str(p) for p in paths if stat.S_IMODE(p.stat().st_mode) & 0o077]
    assert loose == []


def test_no_secret_gets_past_the_door(machine: Machine) -> None:
    """Session, note, memory and reply: none reaches the model, the files, history or the log."""
    app = machine.project("app")
    state = app / ".memory" / "state.md"
    state.write_text(state.read_text() + f"\n## Access\n\ntoken {SECRET}\n")
    machine.session(app, f"use {SECRET} please", f"DB_PASSWORD={SECRET}")
    machine.ok("note", "-m", f"the token is {SECRET}", cwd=app)
    answer = machine.top / "answer.json"
    answer.write_text(
        f'{{"summary": "uses {SECRET}", "state_body": "# State\\n\\n## Access\\n\\n{SECRET}"}}'
    )
    machine.memd("sync", "--project", app, FAKE_ANSWER=str(answer))
    machine.memd("sync", "--project", app, FAKE_MODE="truncated")
    assert machine.prompts()
    assert SECRET not in "".join(machine.prompts())
    assert SECRET not in machine.git(app / ".memory", "log", "-p", "--all", "--format=%B")
    texts = [p.read_bytes() for p in machine.state.rglob("*") if p.is_file()]
    assert SECRET.encode() not in b"".join(texts)
    assert SECRET not in state.read_text()


def test_init_never_changes_a_contract_that_is_there(machine: Machine) -> None:
    app = machine.repository("app")
    (app / "AGENTS.md").write_text("mine\n")
    (app / "CLAUDE.md").symlink_to("AGENTS.md")
    (machine.home / ".claude").mkdir(exist_ok=True)
    machine.ok("init", app)
    assert (app / "AGENTS.md").read_text() == "mine\n"
    assert (app / "CLAUDE.md").is_symlink()


def test_a_repository_taken_in_has_no_tracked_change(machine: Machine) -> None:
    app = machine.repository("app")
    machine.session(app, "From now on we use sqlite.")
    machine.hook("session-start", app)
    machine.ok("sweep")
    assert (app / ".memory" / "state.md").exists()
    assert machine.git(app, "status", "--porcelain") == ""
    assert sorted(p.name for p in app.iterdir()) == [".git", ".memory"]


def test_text_from_outside_cannot_move_the_cursor(machine: Machine, tmp_path: Path) -> None:
    app = machine.project("app")
    machine.session(app, "hello")
    answer = machine.top / "answer.json"
    answer.write_text(
        '{"summary": "\\u001b[2Jgone \\u202e x", "state_body": "# S\\n\\n## A\\n\\nb"}'
    )
    printed = machine.memd("sync", "--project", app, FAKE_ANSWER=str(answer)).stdout
    printed += machine.memd("status").stdout
    assert "gone" in printed
    assert "\x1b" not in printed
    assert "\u202e" not in printed
