"""memd purge shows what it would do, asks, and never prints the text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd.cli.commands import _rules

Run = Callable[..., Any]
SECRET = "hunter2-the-leak"


@pytest.fixture
def leak(shop: Path, memd: Run) -> Path:
    """A note that holds it."""
    return Path(memd("note", "-m", f"it is {SECRET}").out.strip())


def test_without_a_terminal_it_shows_where_and_changes_nothing(memd: Run, leak: Path) -> None:
    done = memd("purge", SECRET)
    assert done.code == 2
    assert f"{leak}: 1\n" in done.out
    assert "--yes" in done.err
    assert SECRET not in done.out + done.err
    assert SECRET in leak.read_text()


def test_with_yes_it_does_it(memd: Run, leak: Path) -> None:
    done = memd("purge", "--yes", SECRET)
    assert (done.code, done.err) == (0, "")
    assert "purged: " in done.out
    assert "REDACT_EXTRA_PATTERNS" in done.out
    assert leak.read_text().endswith("it is [REDACTED:purged]")


def test_the_text_can_come_from_standard_input(memd: Run, leak: Path) -> None:
    assert memd("purge", "--yes", "-", stdin=f"{SECRET}\n".encode()).code == 0
    assert SECRET not in leak.read_text()


def test_a_rule_can_be_named_instead(memd: Run, shop: Path) -> None:
    token = "ghp_ExampleExampleExampleExample00000000"
    leak = Path(memd("note", "-m", token).out.strip())
    assert memd("purge", "--yes", "--rule", "github_pat").code == 0
    assert token not in leak.read_text()
    assert "github_pat" in _rules("git")


def test_what_is_nowhere_is_said_to_be_nowhere(memd: Run, leak: Path) -> None:
    done = memd("purge", "never said")
    assert (done.code, done.err) == (0, "")
    assert "nowhere" in done.out


@pytest.mark.parametrize(
    "words", [(), (SECRET, "--rule", "jwt"), ("--rule", "none_such"), ("abc",), ("",)]
)
def test_what_names_no_one_thing_is_refused(memd: Run, leak: Path, words: tuple[str]) -> None:
    assert memd("purge", "--yes", *words).code == 2
    assert SECRET in leak.read_text()
