"""What --help says is so."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer

from memd.cli.commands import app

Run = Callable[..., Any]
ROOT = typer.main.get_command(app)


def commands(command: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, below in command.commands.items():
        if hasattr(below, "commands"):
            yield from commands(below, (*path, name))
        else:
            yield (*path, name)


def at(path: tuple[str, ...]) -> Any:
    command: Any = ROOT
    for name in path:
        command = command.commands[name]
    return command


def examples(path: tuple[str, ...]) -> list[list[str]]:
    """Words after `memd` of each example; a comment is what stands behind two spaces."""
    shown = re.findall(r"^ {2,}(?:[^\n]*?[|] |\w+=\w+ )?memd (.*)$", at(path).help or "", re.M)
    return [shlex.split(re.split(r" {2,}| [|>] ", line)[0]) for line in shown]


@pytest.mark.parametrize("path", [*commands()], ids=" ".join)
def test_every_example_is_understood(path: tuple[str, ...]) -> None:
    if path == ("curate",):  # shows a setting
        return
    found = examples(path)
    assert found
    for words in found:
        assert tuple(words[: len(path)]) == path
        at(path).make_context(path[-1], words[len(path) :])


def test_the_list_of_commands_fits_a_terminal(memd: Run) -> None:
    for line in ("--help", "config --help"):
        text = memd(*line.split()).out
        assert "..." not in text.replace("[ARGS]...", "")
        assert max(map(len, text.splitlines())) <= 80


def test_help_does_not_depend_on_a_home(memd: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    assert memd("sync", "--help").code == 0
