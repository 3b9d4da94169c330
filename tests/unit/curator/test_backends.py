"""How a model is reached: the invocation, what surrounds it, and how failures are told."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from memd.curator import from_config
from memd.curator.backends import ClaudeBackend, CommandBackend
from memd.curator.process import STDERR_TAIL
from memd.curator.reply import parse
from memd.errors import BackendError, CuratorError, UnusableReply
from memd.model import CleanText, CuratorReply, CuratorRequest, Usage
from memd.paths import Paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from memd.curator.base import Curator

FAKE = Path(__file__).parents[2] / "fakes" / "curator.py"
REQUEST = CuratorRequest("The charter — ä", CleanText("the prompt"), "opus")
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass
class Desk:
    """A throw-away home with its own PATH."""

    root: Path
    env: dict[str, str]

    @property
    def paths(self) -> Paths:
        return Paths(self.env)

    def curator(self, *command: str, **settings: object) -> Curator:
        """What a configuration with this `curator_cmd` leads to; none: claude."""
        config = SimpleNamespace(
            curator_cmd=command,
            claude_bin=settings.get("claude_bin", "claude"),
            model_small="haiku",
            model_large="opus",
            curator_timeout_seconds=60,
            redact_extra_patterns=(),
        )
        return from_config(cast("Any", config), self.paths)

    def fake(self, *options: str) -> Curator:
        return self.curator(sys.executable, str(FAKE), *options, "{model}")

    def install(self, name: str, script: str) -> None:
        """Put an executable on PATH."""
        target = self.root / "bin" / name
        target.write_text(f"#!/bin/sh\n{script}\n")
        target.chmod(0o755)

    def install_claude(self) -> None:
        (self.root / "bin" / "claude.d").mkdir()
        (self.root / "bin" / "claude.d" / "claude").symlink_to(FAKE)
        self.install(
            "claude", f'exec {shlex.quote(sys.executable)} "${{0%/*}}/claude.d/claude" "$@"'
        )

    def recorded(self, ending: str) -> Any:
        """What the one call of the fake left behind."""
        (found,) = (self.root / "record").glob(f"*{ending}")
        text = found.read_text(encoding="utf-8")
        return text if ending == ".txt" else json.loads(text)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    for name in ("home", "bin", "record"):
        (tmp_path / name).mkdir()
    env = {
        "HOME": str(tmp_path / "home"),
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "FAKE_RECORD": str(tmp_path / "record"),
    }
    return Desk(tmp_path, env)


def failure(curator: Curator) -> CuratorError:
    with pytest.raises(CuratorError) as failed:
        curator.ask(REQUEST)
    assert "\n" not in str(failed.value)
    return failed.value


# --- a command --------------------------------------------------------------------


def test_a_command_gets_charter_prompt_and_model(desk: Desk) -> None:
    answer = desk.curator(
        sys.executable, str(FAKE), "--model={model}", "{model}/{model}", "{other}"
    ).ask(REQUEST)
    assert parse(answer.text).summary == "fake distill"
    assert answer.usage == Usage()
    assert desk.recorded(".txt") == "The charter — ä\n\nthe prompt"
    assert desk.recorded(".argv") == ["--model=opus", "opus/opus", "{other}"]


@pytest.mark.parametrize("backend", ["command", "claude"])
def test_hooks_of_memd_below_a_curator_are_told_to_stay_silent(desk: Desk, backend: str) -> None:
    desk.install_claude()
    curator = desk.fake() if backend == "command" else desk.curator()
    curator.ask(REQUEST)
    assert desk.recorded(".env")["MEMD_CURATOR"] == "1"


def test_a_curator_works_in_a_private_directory_that_memd_never_reads(desk: Desk) -> None:
    curator = desk.curator("sh", "-c", "pwd -P; umask")
    answer = curator.ask(REQUEST).text.split()
    assert answer[0] == os.path.realpath(desk.paths.curator_cwd)
    assert stat.S_IMODE(os.stat(desk.paths.curator_cwd).st_mode) == 0o700


def test_text_that_no_encoding_knows_does_not_stop_the_call(desk: Desk) -> None:
    request = CuratorRequest("charter", CleanText("lone \ud83d surrogate"), "m")
    desk.fake().ask(request)
    assert desk.recorded(".txt") == "charter\n\nlone ? surrogate"


@pytest.mark.parametrize(
    "mode",
    [
        *("ok", "echo", "envelope", "events", "noise", "fenced", "prose_braces", "null_lists"),
        *("badutf8", "nul", "surrogate", "nostdin"),
    ],
)
def test_a_usable_answer_comes_through(desk: Desk, mode: str) -> None:
    reply = parse(desk.fake("--mode", mode).ask(REQUEST).text)
    assert reply.summary == "fake distill"
    assert reply.bodies["state.md"].isprintable() or "\n" in reply.bodies["state.md"]


@pytest.mark.parametrize(
    "mode",
    ["list", "scalar", "empty", "silent", "null_fields", "mistakes_string", "truncated", "huge"],
)
def test_an_unusable_answer_is_refused(desk: Desk, mode: str) -> None:
    curator = desk.fake("--mode", mode)
    with pytest.raises(UnusableReply):
        parse(curator.ask(REQUEST).text)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("error_text", "the curator reports an error: HTTP 429: API Error: 429 slow down"),
        ("error_noresult", "the curator reports an error: overloaded"),
        ("rc1", f"{sys.executable} ended with exit code 1: API Error: overloaded"),
    ],
)
def test_a_failing_backend_is_told_apart_from_a_bad_answer(
    desk: Desk, mode: str, said: str
) -> None:
    error = failure(desk.fake("--mode", mode))
    assert isinstance(error, BackendError)
    assert (str(error), error.passing) == (said, True)


def test_an_answer_that_ends_with_an_error_is_not_used(desk: Desk) -> None:
    desk.install("tool", 'echo \'{"summary": "half done"}\'; exit 3')
    assert str(failure(desk.curator("tool"))) == "tool ended with exit code 3: nothing on stderr"


@pytest.mark.parametrize("code", [126, 127])
def test_a_script_that_finds_nothing_to_run_is_not_retried(desk: Desk, code: int) -> None:
    desk.install("tool", f"exit {code}")
    error = failure(desk.curator("tool"))
    assert isinstance(error, BackendError)
    assert not error.passing


def test_secrets_in_error_output_are_removed_before_it_is_shortened(desk: Desk) -> None:
    desk.install("tool", f"echo begin; seq 100; echo 'denied for {SECRET}' >&2; exit 1")
    assert "denied for [REDACTED:github_pat]" in str(failure(desk.curator("tool")))


def test_a_secret_that_the_kept_end_of_stderr_begins_in_is_not_shown(desk: Desk) -> None:
    kept_of_line = 20
    filler = STDERR_TAIL - kept_of_line - 1
    code = f"import sys; sys.exit('{SECRET}\\n' + 'x' * {filler - 1})"
    error = str(failure(desk.curator(sys.executable, "-c", code)))
    assert "xxx" in error
    assert SECRET[-10:] not in error


def test_a_home_directory_in_the_command_is_expanded(desk: Desk) -> None:
    script = desk.root / "home" / "tool"
    script.write_text("#!/bin/sh\necho said\n")
    script.chmod(0o755)
    assert desk.curator("~/tool").ask(REQUEST) == CuratorReply("said\n")


def test_the_built_in_curator_runs_without_memd_on_the_path(desk: Desk) -> None:
    error = failure(desk.curator("memd", "no-such-command"))
    assert "not found" not in str(error)
    assert "ended with exit code" in str(error)
    desk.install("memd", "echo the one on PATH: $*")
    assert desk.curator("memd", "curate").ask(REQUEST).text == "the one on PATH: curate\n"


# --- the claude CLI ---------------------------------------------------------------


def test_claude_runs_without_tools_hooks_or_a_session_of_its_own(desk: Desk) -> None:
    desk.install_claude()
    answer = desk.curator().ask(REQUEST)
    assert parse(answer.text).summary == "fake distill"
    assert answer.usage == Usage(1200, 80, 0.25)
    assert desk.recorded(".txt") == "the prompt"
    assert desk.recorded(".argv") == [
        "-p",
        *("--model", "opus"),
        *("--output-format", "json"),
        "--no-session-persistence",
        *("--settings", '{"disableAllHooks":true,"verbose":false}'),
        *("--tools", ""),
        "--strict-mcp-config",
        "--disable-slash-commands",
        *("--system-prompt", "The charter — ä"),
    ]


def test_an_outer_session_is_left_behind_and_credentials_are_not(desk: Desk) -> None:
    kept = {
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CLAUDE_CONFIG_DIR": "/c",
    }
    outer = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ID": "s"}
    desk.env |= kept | outer
    desk.install_claude()
    desk.curator().ask(REQUEST)
    own = {
        "MEMD_CURATOR": "1",
        "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
        "CLAUDE_CODE_MAX_RETRIES": "2",
    }
    assert desk.recorded(".env") == kept | own


@pytest.mark.parametrize(
    ("version", "shown"),
    [("echo '1.0.128 (Claude Code)'", "1.0.128"), ("exit 1", "(unknown version)")],
)
def test_a_claude_that_is_too_old_is_named_with_its_version(
    desk: Desk, version: str, shown: str
) -> None:
    complaint = "error: unknown option '--no-session-persistence'"
    desk.install(
        "claude", f'[ "$1" = --version ] && {{ {version}; exit; }}\necho "{complaint}" >&2; exit 1'
    )
    error = failure(desk.curator())
    assert isinstance(error, BackendError)
    assert not error.passing
    assert str(error).startswith(
        f"claude {shown} does not know --no-session-persistence: memd needs"
    )


def test_an_answer_of_claude_that_speaks_of_unknown_options_is_an_answer(desk: Desk) -> None:
    desk.install("claude", "echo \"unknown option '--x'\" | tee /dev/stderr")
    assert desk.curator().ask(REQUEST).text == "unknown option '--x'\n"


def test_a_missing_claude_is_named_at_once(desk: Desk) -> None:
    desk.env["PATH"] = str(desk.root / "bin")
    error = failure(desk.curator(claude_bin="claude-beta"))
    assert isinstance(error, BackendError)
    assert not error.passing
    assert str(error).startswith("claude-beta not found on PATH: install it")


# --- what status says -------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "description"),
    [
        (
            (),
            "claude (headless)  [models: haiku/opus]  — sends session content to the Anthropic API",
        ),
        (
            ("/opt/x/ollama.sh", "{model}"),
            "command: ollama.sh  — sends session content to that command",
        ),
        (("memd", "curate"), "built-in (no model)  — nothing leaves this machine"),
        (("memd", "demo"), "command: memd  — sends session content to that command"),
    ],
)
def test_status_says_where_content_goes(
    desk: Desk, command: tuple[str, ...], description: str
) -> None:
    assert desk.curator(*command).describe() == description


@pytest.mark.parametrize(
    ("command", "trouble"),
    [
        (("no-such-program",), "no-such-program not found on PATH"),
        (("/no/such", "x"), "/no/such not found"),
        (("sh",), ""),
        (("memd", "curate"), ""),
    ],
)
def test_status_can_tell_that_a_backend_is_missing(
    desk: Desk, command: tuple[str, ...], trouble: str
) -> None:
    assert desk.curator(*command).trouble().partition(":")[0] == trouble


def test_the_claude_cli_is_missed_before_it_is_called(desk: Desk) -> None:
    (desk.root / "bin" / "claude").unlink(missing_ok=True)
    desk.env["PATH"] = str(desk.root)
    assert desk.curator().trouble().startswith("claude not found on PATH: ")


@pytest.mark.parametrize(
    ("says", "trouble"),
    [
        ("echo '{\"loggedIn\": false}'; exit 1", "claude is not logged in"),
        ("echo '{\"loggedIn\": true}'", ""),
        ("echo 'unknown command'; exit 1", ""),
        ("echo []", ""),
    ],
)
def test_a_missing_login_is_seen_without_a_call_that_costs(
    desk: Desk, says: str, trouble: str
) -> None:
    desk.install("claude", f'[ "$*" = "auth status" ] || exit 9\n{says}')
    assert desk.curator().check().partition(":")[0] == trouble


def test_the_check_of_a_command_is_whether_it_is_there(desk: Desk) -> None:
    assert desk.curator("sh").check() == ""
    assert "not found" in desk.curator("no-such-program").check()


def test_choosing_a_backend_starts_nothing(desk: Desk) -> None:
    before: Callable[[], list[Path]] = lambda: sorted(desk.root.rglob("*"))  # noqa: E731
    found = before()
    assert isinstance(desk.curator(), ClaudeBackend)
    assert isinstance(desk.curator("no-such-command"), CommandBackend)
    assert before() == found
