from __future__ import annotations

import errno
import io
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd import __version__

Run = Callable[..., Any]

MISTAKES = {
    "no-such-command": "no-such-command",
    "status --jsno": "--json",
    "status more": "memd status --help",
    "sync some/path": "memd sync --help",
    "sweep --jobs many": "--jobs",
    "sweep --jobs -1": "--jobs",
    "brief --max-chars -5": "--max-chars",
    "brief typo": "typo: no such directory",
    "brief file": "file: is not a directory",
    "exclude": "PATH",
    "exclude typo": "typo: no such directory",
    "exclude --undo typo": "memd status",
    "init typo": "typo: no such directory",
    "init ''": "empty",
    "init home": "memd init --global",
    "init plain --name 'a\nb'": "--name",
    "init --global plain": "--global",
    "init --global --name x": "--name",
    "trust": "memd init",
    "trust typo": "typo: no such directory",
    "sync": "memd init",
    "sync -p home": "memd init --global",
    "sync -p ''": "empty",
    "sync -p typo": "memd status",
    "sync --transcript typo": "typo: no such file",
    "note -m x": "--global",
    "note -m x --global": "memd init --global",
    "note -m x --global -p plain": "--project",
    "note -m x -p typo": "memd status",
    "note -m ''": "empty",
    "note": "empty",
    "note -m x --kind fact": "--kind",
    "config": "",
    "config chek": "check",
    "config check typo": "typo: no such file",
    "config check ''": "no such file",
    "config check plain": "plain: cannot be read",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_gets_one_line_that_names_it_and_makes_nothing(
    memd: Run, home: Path, line: str
) -> None:
    top = home.parent
    (top / "plain").mkdir()
    (top / "file").touch()
    before = sorted(top.iterdir())
    result = memd(*shlex.split(line))
    assert (result.code, result.out) == (2, "")
    if line != "config":
        assert len(result.err.splitlines()) == 1
        assert result.err.startswith("memd: ")
    assert MISTAKES[line] in result.err
    assert sorted(top.iterdir()) == before
    assert list((top / "plain").iterdir()) == []
    assert not (home / ".memory").exists()


@pytest.mark.parametrize("line", [(), ("config",)])
def test_a_command_that_was_forgotten_is_an_error_with_a_list(memd: Run, line: Any) -> None:
    result = memd(*line)
    assert (result.code, result.out) == (2, "")
    assert "Commands:" in result.err


def test_help_and_version_are_results(memd: Run) -> None:
    assert memd("--version") == (0, f"memd {__version__}\n", "")
    for option in ("-h", "--help"):
        result = memd("sync", option)
        assert (result.code, result.err) == (0, "")
        assert "memd sync --dry-run" in result.out


def test_a_working_directory_that_is_gone_is_named(memd: Run, home: Path) -> None:
    gone = home / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    result = memd("sync")
    assert result == (2, "", "memd: the working directory is gone: change to one that is there\n")


def test_text_from_outside_cannot_reach_the_terminal(memd: Run) -> None:
    result = memd("brief", "a\x1b[2Jb\nc\u202e")
    assert result.err == "memd: a\\x1b[2Jb\\nc\\u202e: no such directory\n"


class Broken(io.RawIOBase):
    """Standard input with a bug; an interrupt is one that Python raises on its own."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def readable(self) -> bool:
        return True

    def readinto(self, _: object) -> int:
        raise self.error


def test_a_bug_is_logged_not_shown(memd: Run, home: Path) -> None:
    log = home / ".local" / "state" / "memd" / "memd.log"
    result = memd("note", stdin=Broken(ZeroDivisionError("made up")))
    assert result == (70, "", f"memd: a bug in memd; the details are in {log}\n")
    assert "ZeroDivisionError: made up" in log.read_text()


def test_an_interrupt_is_told(memd: Run) -> None:
    result = memd("note", stdin=Broken(KeyboardInterrupt()))
    assert result == (130, "", "memd: interrupted; what was not finished stays pending\n")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.ENOSPC, "No space", "/srv/x"), "/srv/x: No space; make room there"),
        (OSError(errno.EIO, "Broken disk"), "reading or writing: Broken disk"),
        (OSError("odd"), "reading or writing: odd"),
    ],
)
def test_what_the_system_refuses_is_one_line(memd: Run, error: OSError, line: str) -> None:
    assert memd("note", stdin=Broken(error)) == (1, "", f"memd: {line}\n")


def test_a_reader_that_has_gone_is_not_worth_a_word(memd: Run) -> None:
    error = BrokenPipeError(errno.EPIPE, "Broken pipe")
    assert memd("note", stdin=Broken(error)) == (1, "", "")
