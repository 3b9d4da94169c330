from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.hooks import entry
from memd.paths import Paths
from memd.state.private import PrivateSessions

SAMPLES = Path(__file__).parents[2] / "data" / "hooks" / "claude-code.jsonl"


def call(env: dict[str, str], *argv: str, **payload: Any) -> str:
    """What the hook prints; it has to end well."""
    return raw(env, argv, json.dumps(payload).encode())


def raw(env: dict[str, str], argv: tuple[str, ...], data: bytes) -> str:
    stdout = io.StringIO()
    assert entry.main(argv, io.BytesIO(data), stdout, env) == 0
    return stdout.getvalue()


def log(env: dict[str, str]) -> str:
    path = Path(Paths(env).log)
    return path.read_text() if path.exists() else ""


def test_the_brief_is_answered_as_the_client_wants_it(env: dict[str, str], project: str) -> None:
    said = call(env, "session-start", cwd=project, session_id="s1")
    assert said.endswith("}\n")
    output = json.loads(said)["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    assert "STATE-FACT" in output["additionalContext"]


def test_with_nothing_to_tell_nothing_is_printed(env: dict[str, str], tmp_path: Path) -> None:
    assert call(env, "session-start", cwd=str(tmp_path), session_id="s1") == ""
    assert log(env) == ""


def test_an_answer_is_the_same_through_a_text_file(env: dict[str, str], project: str) -> None:
    data = json.dumps({"cwd": project}).encode()
    stdout = io.StringIO()
    assert entry.main(["session-start"], io.TextIOWrapper(io.BytesIO(data)), stdout, env) == 0
    assert stdout.getvalue() == raw(env, ("session-start",), data)


def test_inside_a_curator_call_every_hook_is_silent(env: dict[str, str], project: str) -> None:
    inside = {**env, "MEMD_CURATOR": "1"}
    for event in ("session-start", "session-end", "pre-compact", "nonsense"):
        assert call(inside, event, cwd=project, session_id="s1") == ""
    assert log(env) == ""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b'{"cwd": 3, "session_id": []}',
        b'{"cwd": "relative"}',
        b'{"cwd": "/nul\\u0000"}',
        b'{"cwd": "/\\ud800"}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"cwd": "/"}' + b" " * entry.PAYLOAD_LIMIT,
    ],
)
def test_what_no_client_sends_is_passed_in_silence(env: dict[str, str], data: bytes) -> None:
    for event in ("session-start", "session-end", "pre-compact"):
        assert raw(env, (event,), data) == ""
    assert log(env) == ""


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.binary(max_size=200), event=st.text(max_size=20))
def test_no_input_makes_a_hook_fail(env: dict[str, str], data: bytes, event: str) -> None:
    assert raw(env, (event,), data) == ""


def test_an_unknown_event_is_logged_and_nothing_else(env: dict[str, str]) -> None:
    assert call(env, "stop", cwd="/") == ""
    assert call(env, cwd="/") == ""
    assert "hook stop: no such event" in log(env)


def test_a_known_failure_is_one_line_in_the_log(env: dict[str, str], project: str) -> None:
    Path(Paths(env).registry).write_text('{"format": 99}')
    assert call(env, "session-start", cwd=project) == ""
    assert "upgrade memd" in log(env)
    assert "Traceback" not in log(env)


def test_a_bug_goes_to_the_log_and_not_to_the_session(env: dict[str, str], project: str) -> None:
    class Broken(io.StringIO):
        def write(self, _text: str) -> int:
            raise ZeroDivisionError

    data = io.BytesIO(json.dumps({"cwd": project}).encode())
    assert entry.main(["session-start"], data, Broken(), env) == 0
    assert "ZeroDivisionError" in log(env)


def test_closed_files_are_no_failure(env: dict[str, str], project: str) -> None:
    assert entry.main(["session-start"], None, io.StringIO(), env) == 0
    data = io.BytesIO(json.dumps({"cwd": project}).encode())
    assert entry.main(["session-start"], data, None, env) == 0
    assert log(env) == ""


# --- private sessions ------------------------------------------------------------------


def test_a_private_session_is_told_nothing_and_remembered(
    env: dict[str, str], project: str
) -> None:
    private = {**env, "MEMD_DISABLE": "1"}
    for event in ("session-start", "session-end", "pre-compact"):
        assert call(private, event, cwd=project, session_id="a1-b2") == ""
    folder = Path(Paths(env).private_sessions)
    assert [path.name for path in folder.iterdir()] == ["a1-b2"]
    assert stat.S_IMODE((folder / "a1-b2").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_private_session_without_an_id_leaves_nothing(env: dict[str, str]) -> None:
    assert call({**env, "MEMD_DISABLE": "yes"}, "session-start", cwd="/") == ""
    assert not os.path.exists(Paths(env).private_sessions)


@pytest.mark.parametrize(
    ("payload", "more"),
    [
        ({"session_id": "an id with ünusual characters" * 9}, {}),
        ({"transcript_path": "/x/an id with ünusual characters.jsonl"}, {}),
        ({}, {"CLAUDE_CODE_SESSION_ID": "an id with ünusual characters"}),
    ],
)
def test_whatever_names_a_private_session_is_remembered(
    env: dict[str, str], payload: dict[str, Any], more: dict[str, str]
) -> None:
    private = {**env, **more, "MEMD_DISABLE": "1"}
    assert call(private, "session-start", cwd="/", **payload) == ""
    known = PrivateSessions(Paths(env))
    times = 9 if "session_id" in payload else 1
    assert "an id with ünusual characters" * times in known
    assert "another" not in known


def test_privacy_can_be_switched_off(env: dict[str, str], project: str) -> None:
    for value in ("", "0"):
        said = call({**env, "MEMD_DISABLE": value}, "session-start", cwd=project, session_id="x")
        assert "STATE-FACT" in said


def test_a_session_id_is_never_a_path(env: dict[str, str], tmp_path: Path) -> None:
    private = {**env, "MEMD_DISABLE": "1"}
    ids = ("../../../escaped", "/etc/x", "..", ".", "a\0b", "x" * 500)
    for session in ids:
        assert call(private, "session-start", cwd="/", session_id=session) == ""
    assert all(len(name) <= 100 for name in os.listdir(Paths(env).private_sessions))
    assert not list(tmp_path.rglob("escaped*"))


# --- which session is meant --------------------------------------------------------------


def test_every_recorded_call_is_understood() -> None:
    lines = SAMPLES.read_text().splitlines()
    assert len(lines) == 15
    for line in lines:
        sample = json.loads(line)
        found = entry.call_from(sample["stdin"], sample["env"])
        assert found.directory == "/home/dev/work/shop" or found.directory == "/home/dev/cur"
        assert found.session == sample["stdin"]["session_id"]
        assert found.transcript == sample["stdin"]["transcript_path"]


def test_a_session_belongs_where_it_was_launched(tmp_path: Path) -> None:
    launched = str(tmp_path)
    payload = {"cwd": "/elsewhere", "session_id": "s"}
    env = {"CLAUDE_PROJECT_DIR": launched}
    assert entry.call_from(payload, env).directory == launched
    assert entry.call_from({**payload, "cwd": None}, env).directory == launched
    own = {**env, "CLAUDE_CODE_SESSION_ID": "s"}
    assert entry.call_from(payload, own).directory == launched


def test_what_an_outer_session_left_in_the_environment_does_not_count(tmp_path: Path) -> None:
    env = {"CLAUDE_PROJECT_DIR": str(tmp_path), "CLAUDE_CODE_SESSION_ID": "outer"}
    assert entry.call_from({"cwd": "/here", "session_id": "s"}, env).directory == "/here"
    gone = {"CLAUDE_PROJECT_DIR": str(tmp_path / "gone")}
    assert entry.call_from({"cwd": "/here", "session_id": "s"}, gone).directory == "/here"
