"""The two ways to reach a model: the headless claude CLI, or any command."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memd import fsio
from memd.curator import process
from memd.errors import BackendError, CuratorError
from memd.paths import GUARD_VARIABLE, Paths, expand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memd.curator.process import Finished
    from memd.model import CuratorReply, CuratorRequest
    from memd.redact import Redactor

_CLAUDE_OPTIONS: Final = (
    "--output-format",
    "json",
    "--no-session-persistence",
    "--settings",
    '{"disableAllHooks":true,"verbose":false}',
    "--tools",
    "",
    "--strict-mcp-config",
    "--disable-slash-commands",
)
"""No hooks, no transcript, no tools, no servers, no commands: the first version of Claude
Code that knows them all is 2.0.77."""

_CLAUDE_ENV: Final = {"CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1", "CLAUDE_CODE_MAX_RETRIES": "2"}

_OUTER_SESSION: Final = frozenset(
    {
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_SESSION_KIND",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_CODE_TASK_LIST_ID",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PROJECT_DIR",
    }
)
"""What a Claude Code session tells the processes below it; credentials are not among these."""

_CANNOT_RUN: Final = (126, 127)
"""By a shell's convention: what a script wraps is not executable, or not there."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What both backends need besides their command."""

    paths: Paths
    timeout: float
    """Seconds for one call."""
    redactor: Redactor

    def run(
        self, argv: Sequence[str], stdin: str, env: Mapping[str, str], timeout: float | None = None
    ) -> Finished:
        """Run in the directory whose sessions memd never reads, hooks of memd silenced."""
        cwd = self.paths.curator_cwd
        fsio.make_private_dir(cwd)
        return process.run(
            [expand(argv[0], self.paths.home), *argv[1:]],
            stdin=stdin.encode("utf-8", "replace"),
            timeout=timeout or self.timeout,
            cwd=cwd,
            env={**env, GUARD_VARIABLE: "1"},
        )

    def trouble(self, program: str) -> str:
        """Why the program cannot be run, "" when it is there."""
        try:
            process.locate(expand(program, self.paths.home), self.paths.curator_cwd, self.paths.env)
        except BackendError as error:
            return str(error)
        return ""

    def answer(self, name: str, finished: Finished) -> CuratorReply:
        """Raises BackendError where the program failed, UnusableReply for no answer."""
        from memd.curator import reply

        stdout = finished.stdout.decode("utf-8", "replace")
        if finished.returncode == 0:
            return reply.unwrap(stdout, self.redactor)
        reply.raise_error(stdout, self.redactor)
        said = reply.error_line(_last_lines(finished.stderr_tail, self.redactor), self.redactor)
        raise BackendError(
            f"{name} ended with exit code {finished.returncode}: {said or 'nothing on stderr'}",
            passing=finished.returncode not in _CANNOT_RUN,
        )


@dataclass(frozen=True, slots=True)
class ClaudeBackend:
    """The claude CLI, run once without a terminal."""

    program: str
    models: tuple[str, str]
    """For small and for large digests."""
    around: Surroundings

    def ask(self, request: CuratorRequest) -> CuratorReply:
        argv = [self.program, "-p", "--model", request.model, *_CLAUDE_OPTIONS]
        argv += ["--system-prompt", request.system]
        finished = self.around.run(argv, request.prompt, self._env())
        unknown = re.search(rb"unknown option '?(--[a-z-]+)", finished.stderr_tail)
        if finished.returncode and unknown:
            raise BackendError(
                f"{self.program} {self._version()} does not know {unknown[1].decode()}: "
                "memd needs Claude Code 2.0.77 or newer (or set curator_cmd)",
                passing=False,
            )
        return self.around.answer(self.program, finished)

    def answers_as(self, model: str) -> str:
        return model

    def describe(self) -> str:
        models = "/".join(self.models)
        return (
            f"claude (headless)  [models: {models}]  — sends session content to the Anthropic API"
        )

    def trouble(self) -> str:
        return self.around.trouble(self.program)

    def check(self) -> str:
        return self.trouble() or self._login()

    def _login(self) -> str:
        """What `claude auth status` complains of; versions that lack it have nothing to say."""
        try:
            argv = [self.program, "auth", "status"]
            finished = self.around.run(argv, "", self._env(), timeout=20)
            said = json.loads(finished.stdout)
        except (CuratorError, ValueError):
            return ""
        if isinstance(said, dict) and said.get("loggedIn") is False:
            return f"{self.program} is not logged in: start it once and log in"
        return ""

    def _version(self) -> str:
        finished = self.around.run([self.program, "--version"], "", self._env(), timeout=20)
        number = re.search(rb"\d+(\.\d+)+", finished.stdout)
        return number[0].decode() if number else "(unknown version)"

    def _env(self) -> dict[str, str]:
        inherited = self.around.paths.env.items()
        return {k: v for k, v in inherited if k not in _OUTER_SESSION} | _CLAUDE_ENV


@dataclass(frozen=True, slots=True)
class CommandBackend:
    """A command that reads the charter, an empty line and the prompt, and prints the answer."""

    argv: tuple[str, ...]
    around: Surroundings

    def ask(self, request: CuratorRequest) -> CuratorReply:
        argv = [argument.replace("{model}", request.model) for argument in self.argv]
        env = dict(self.around.paths.env)
        if argv[0] == "memd" and shutil.which("memd", path=env.get("PATH", os.defpath)) is None:
            argv[:1] = [sys.executable, "-m", "memd"]
            env["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        finished = self.around.run(argv, f"{request.system}\n\n{request.prompt}", env)
        return self.around.answer(self.argv[0], finished)

    def answers_as(self, model: str) -> str:
        if any("{model}" in argument for argument in self.argv):
            return model
        return "built-in" if self._is_built_in else os.path.basename(self.argv[0])

    @property
    def _is_built_in(self) -> bool:
        return os.path.basename(self.argv[0]) == "memd" and self.argv[1:2] == ("curate",)

    def describe(self) -> str:
        if self._is_built_in:
            return "built-in (no model)  — nothing leaves this machine"
        name = os.path.basename(self.argv[0])
        return f"command: {name}  — sends session content to that command"

    def trouble(self) -> str:
        return "" if self._is_built_in else self.around.trouble(self.argv[0])

    def check(self) -> str:
        return self.trouble()


def _last_lines(stderr: bytes, redactor: Redactor) -> str:
    """Whole lines only: what stood before them may have been dropped within a secret."""
    text = stderr.decode("utf-8", "replace")
    if len(stderr) >= process.STDERR_TAIL:
        text = text.partition("\n")[2]
    return "\n".join(redactor.clean(text).splitlines()[-12:])
