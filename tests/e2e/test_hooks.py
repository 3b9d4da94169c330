"""From the hooks of a client to committed memory and the next session's brief."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e.machine import Machine

Eventually = Callable[[Callable[[], object]], None]


def subjects(machine: Machine, root: Path) -> list[str]:
    return machine.git(root / ".memory", "log", "--format=%s").splitlines()


@pytest.mark.parametrize("event", ["session-end", "pre-compact"])
def test_the_end_of_a_session_leaves_committed_memory(
    machine: Machine, eventually: Eventually, event: str
) -> None:
    shop = machine.project("shop")
    log = machine.session(shop, "FACT-heard")
    assert machine.hook(event, shop, log, FAKE_MODE="echo") == ""
    eventually(lambda: "fake distill" in subjects(machine, shop))
    assert "FACT-heard" in machine.git(shop / ".memory", "show", "HEAD:state.md")
    trailers = machine.git(shop / ".memory", "log", "-1", "--format=%(trailers)")
    assert f"Memd-Trigger: {event}\n" in trailers
    assert f"Memd-Session: claude-code/{log.stem}\n" in trailers
    assert "FACT-heard" in machine.brief_at_start(shop)


def test_the_hooks_that_were_installed_do_the_whole_job(
    machine: Machine, eventually: Eventually
) -> None:
    machine.ok("install-hooks")
    shop = machine.repository("shop")
    settings = json.loads((machine.home / ".claude" / "settings.json").read_text())

    def client(event: str, log: Path) -> str:
        """Runs what the settings say, as the client does."""
        command = settings["hooks"][event][0]["hooks"][0]["command"]
        call = {"session_id": log.stem, "transcript_path": str(log), "cwd": str(shop)}
        env = {**machine.env, "FAKE_MODE": "echo"}
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps(call),
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    log = machine.session(shop, "FACT-first")
    assert "memd now remembers this project" in client("SessionStart", log)
    assert client("SessionEnd", log) == ""
    eventually(lambda: "fake distill" in subjects(machine, shop))
    again = client("SessionStart", shop / "another.jsonl")
    assert again.count("FACT-first") == 1
    assert "now remembers" not in again
    assert machine.git(shop, "status", "--porcelain") == ""


def test_a_private_session_is_never_read(machine: Machine) -> None:
    shop = machine.project("shop")
    private = machine.session(shop, "FACT-private")
    for event in ("session-start", "session-end"):
        assert machine.hook(event, shop, private, MEMD_DISABLE="1") == ""
    machine.session(shop, "FACT-public")
    machine.ok("sync", cwd=shop)
    (prompt,) = machine.prompts()
    assert "FACT-public" in prompt
    assert "FACT-private" not in prompt


def test_nothing_happens_inside_the_curators_own_call(machine: Machine) -> None:
    shop = machine.project("shop")
    log = machine.session(shop, "FACT-own")
    for event in ("session-start", "session-end", "pre-compact"):
        assert machine.hook(event, shop, log, MEMD_CURATOR="1") == ""
    machine.ok("note", "-m", "one", cwd=shop)
    machine.ok("sync", cwd=shop)
    (seen,) = (machine.top / "prompts").glob("*.env")
    assert json.loads(seen.read_text())["MEMD_CURATOR"] == "1"


def test_an_invalid_configuration_does_not_silence_the_brief(machine: Machine) -> None:
    shop = machine.project("shop")
    machine.configure(brief_chars=2400)
    machine.ok("note", "-m", "FACT-told", cwd=shop)
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    machine.config_file.write_text('{"brief_chars": "many"}')
    text = machine.brief_at_start(shop)
    assert "FACT-told" in text
    assert f"{machine.config_file}: brief_chars" in text
    noted = machine.memd("note", "-m", "still", cwd=shop)
    assert noted.returncode == 0
    assert "brief_chars" in noted.stderr
    assert Path(noted.stdout.strip()).read_text() == "still"


@pytest.mark.parametrize(
    "stdin", ["", "no json", "[]", '{"cwd": 5}', '{"cwd": "/no/such/place", "session_id": "x"}']
)
def test_a_hook_is_silent_about_what_it_cannot_use(machine: Machine, stdin: str) -> None:
    assert machine.ok("hook", "session-start", stdin=stdin) == ""


def test_a_hook_never_ends_with_a_code_that_blocks(machine: Machine) -> None:
    assert machine.ok("hook") == ""
    assert machine.ok("hook", "no-such-event", "--no-such-option") == ""
    log = (machine.state / "memd.log").read_text()
    assert log.count("no such event") == 2
