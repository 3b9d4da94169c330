"""What memd learned can be taken back, by the real command line."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

from e2e.machine import Machine

SECRET = "FACT-hunter2"


def leaked(machine: Machine) -> Path:
    """A project that learned it, and in whose log and state it stands."""
    shop = machine.project("shop")
    machine.session(shop, f"the password is {SECRET}")
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    machine.ok("note", "-m", f"remember {SECRET}", cwd=shop)
    (machine.state / "memd.log").write_text(f"it was {SECRET}\n")
    assert SECRET in (shop / ".memory" / "state.md").read_text()
    return shop


def everything(machine: Machine, store: Path) -> str:
    """All files, and all objects as git shows them."""
    command = ["git", "-C", store, "cat-file", "--batch-all-objects", "--batch"]
    done = subprocess.run(command, env=machine.env, capture_output=True, check=True)
    parts = [done.stdout.decode("latin-1")]
    for top in (store, machine.state):
        parts += [p.read_bytes().decode("latin-1") for p in top.rglob("*") if p.is_file()]
    return "".join(parts)


def answered(machine: Machine, words: tuple[str, ...], answers: str) -> tuple[int, str]:
    """How a command on a terminal ends to which this is typed, and what it showed."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["memd", *words],
        env=machine.env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as child:
        os.close(theirs)
        shown = b""
        waiting = answers.splitlines(keepends=True)
        try:
            while some := os.read(ours, 4096):
                shown += some
                # The last space of a prompt comes once nothing typed is thrown away any more.
                if waiting and shown.endswith(b": "):
                    os.write(ours, waiting.pop(0).encode())
        except OSError:  # how Linux says that the other end is closed
            pass
        finally:
            os.close(ours)
    return child.returncode, shown.decode()


def test_a_purged_text_is_in_no_file_and_no_object(machine: Machine) -> None:
    shop = leaked(machine)
    out = machine.ok("purge", "--yes", SECRET)
    assert SECRET not in out
    for place in (shop / ".memory" / "state.md", machine.state / "memd.log"):
        assert f"{place}: " in out
    assert SECRET not in everything(machine, shop / ".memory")
    assert machine.ok("purge", SECRET) == "found nowhere: there is nothing to purge\n"
    assert machine.ok("status") != ""


def test_on_a_terminal_it_asks_first_and_a_text_is_not_shown(machine: Machine) -> None:
    shop = leaked(machine)
    code, shown = answered(machine, ("purge", SECRET), "n\n")
    assert code == 1
    assert SECRET in everything(machine, shop / ".memory")
    code, shown = answered(machine, ("purge", "-"), f"{SECRET}\ny\n")
    assert code == 0
    assert SECRET not in shown
    assert SECRET not in everything(machine, shop / ".memory")


def test_a_forgotten_session_is_taken_back_and_not_read_again(machine: Machine) -> None:
    shop = machine.project("shop")
    log = machine.session(shop, SECRET)
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    out = machine.ok("forget", log.stem)
    assert out == "shop: taken back: state.md (commits: 1)\nit will not be read again\n"
    assert SECRET not in (shop / ".memory" / "state.md").read_text()
    with log.open("a") as file:
        file.write(log.read_text().replace('"uuid": "', '"uuid": "again-'))
    asked = len(machine.prompts())
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    assert len(machine.prompts()) == asked
