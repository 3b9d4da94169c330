"""What is only for eyes, and what is only for pipes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e.machine import Machine

Eventually = Callable[[Callable[[], object]], None]


def on_a_terminal(machine: Machine, *args: str, cwd: Path, **env: str) -> tuple[str, str]:
    """stdout, a pipe, and stderr, a terminal, of a command that succeeds."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["memd", *args],
        cwd=cwd,
        env={**machine.env, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as child:
        os.close(theirs)
        seen = b""
        try:
            while some := os.read(ours, 4096):
                seen += some
        except OSError:  # how Linux says that the other end is closed
            pass
        finally:
            os.close(ours)
        assert child.stdout
        out = child.stdout.read()
    assert child.returncode == 0
    return out.decode(), seen.decode()


def test_progress_is_shown_on_a_terminal_only(machine: Machine) -> None:
    shop = machine.project("shop")
    machine.configure(digest_cap_chars=2000)
    machine.session(shop, "FACT-1 " * 250, "FACT-2 " * 250)
    out, seen = on_a_terminal(machine, "sync", cwd=shop)
    assert out == "shop: fake distill\n" * 2
    assert [line.split(",")[0] for line in seen.splitlines()] == [
        "  shop: pass 1",
        "  shop: pass 2",
    ]
    machine.session(shop, "FACT-3")
    assert machine.ok("sync", cwd=shop) == "shop: fake distill\n"
    out, seen = on_a_terminal(machine, "sweep", cwd=shop)
    assert (out, seen.splitlines()) == ("", ["  1/1 shop"])


def test_a_terminal_hears_why_a_brief_is_empty(machine: Machine) -> None:
    assert machine.ok("brief") == ""
    out, seen = on_a_terminal(machine, "brief", cwd=machine.top)
    assert out == ""
    assert "memd status" in seen


@pytest.mark.parametrize("command", ["status", "config schema", "demo", "--help"])
def test_a_reader_that_has_gone_is_no_trouble(machine: Machine, command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        ["memd", *command.split()],
        env=machine.env,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_closed_streams_are_no_trouble(machine: Machine) -> None:
    shop = machine.project("shop")
    script = "memd note -m x <&- && memd status >&- && memd status --bad 2>&- >out; echo $?"
    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=shop, env=machine.env, capture_output=True, check=False
    )
    assert (done.stdout.splitlines()[1:], done.stderr) == ([b"2"], b"")
    assert (shop / "out").read_bytes() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux only")
def test_a_full_disk_is_told_in_one_line(machine: Machine) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            ["memd", "status"], env=machine.env, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert b"No space left" in line


@pytest.mark.parametrize("locale", [{"LANG": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_any_locale_will_do(machine: Machine, locale: dict[str, str]) -> None:
    assert "sends session content" in machine.ok("status", **locale)


@pytest.mark.parametrize("command", ["sync", "sweep"])
def test_an_interrupt_ends_the_work_and_loses_nothing(
    machine: Machine, eventually: Eventually, command: str
) -> None:
    shop = machine.project("shop")
    machine.ok("note", "-m", "FACT-kept", cwd=shop)
    # What started the tests may have had them ignore the signal.
    heed = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    child = subprocess.Popen(
        [sys.executable, "-IS", "-c", f"{heed}os.execvp('memd', ['memd', sys.argv[1]])", command],
        cwd=shop,
        env={**machine.env, "FAKE_MODE": "hang"},
        stderr=subprocess.PIPE,
    )
    eventually(machine.prompts)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=60)
    assert (child.returncode, stderr) == (
        130,
        b"memd: interrupted; what was not finished stays pending\n",
    )
    pids = [int(pid) for pid in (machine.top / "prompts" / "pids").read_text().split()]
    eventually(lambda: not any(map(_runs, pids)))
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    assert "FACT-kept" in (shop / ".memory" / "state.md").read_text()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_completion_prints_a_script_and_offers_words(machine: Machine) -> None:
    script = machine.ok("--show-completion", SHELL="/bin/bash", _MEMD_COMPLETE="source_bash")
    assert "_memd_completion" in script

    def offered(words: str) -> list[str]:
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
        return machine.ok(_MEMD_COMPLETE="complete_bash", **asked).split()

    assert offered("memd s") == ["sync", "sweep", "status", "sources"]
    assert offered("memd note --kind ") == ["state", "decision", "todo", "mistake"]
    assert offered("memd hook session-") == ["session-start", "session-end"]
