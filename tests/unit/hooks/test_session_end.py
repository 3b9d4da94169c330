from __future__ import annotations

import os
import stat
from typing import Any

from memd.hooks import session_end
from memd.hooks.entry import Call
from memd.paths import Paths


def test_the_sync_is_told_what_the_client_said() -> None:
    call = Call("/p", "s", "/logs/s.jsonl")
    assert session_end.arguments(call, "pre-compact") == (
        "sync",
        "--trigger=pre-compact",
        "--project=/p",
        "--transcript=/logs/s.jsonl",
    )


def test_what_the_client_did_not_say_is_left_to_the_sync() -> None:
    assert session_end.arguments(Call("/p"), "session-end")[2:] == ("--project=/p",)
    call = Call("", transcript="/s.jsonl")
    assert session_end.arguments(call, "session-end")[2:] == ("--transcript=/s.jsonl",)


def test_it_starts_with_the_environment_of_the_hook_and_leaves_errors_in_the_log(
    env: dict[str, str], paths: Paths
) -> None:
    started: list[tuple[Any, ...]] = []

    def record(argv: tuple[str, ...], given: dict[str, str], *, log: str) -> None:
        started.append((argv, given, log))

    session_end.start_sync(paths, Call("/p"), "session-end", start=record)
    ((argv, given, log),) = started
    assert argv[-3:] == ("sync", "--trigger=session-end", "--project=/p")
    assert (given, log) == (env, paths.log)
    assert stat.S_IMODE(os.stat(paths.state).st_mode) == 0o700
