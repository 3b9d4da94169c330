"""The wrappers in contrib/curators, each against a fake of the tool it wraps."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

WRAPPERS = Path(__file__).parents[3] / "contrib" / "curators"
TOOLS = ["ollama", "codex", "gemini", "llm"]
FAKE = """#!/bin/sh
[ "$1" != show ] || exit ${SHOW:-0}
printf '%s\\n' "$@" >"$RECORD/arguments"
cat >"$RECORD/input"
echo "on stderr" >&2
printf '%s' "$ANSWER"
exit ${CODE:-0}
"""


class Bench:
    """One wrapper with a fake tool in front of it."""

    def __init__(self, root: Path, tool: str) -> None:
        self.root = root
        self.tool = tool
        (root / "bin").mkdir()
        (root / "bin" / tool).write_text(FAKE)
        (root / "bin" / tool).chmod(0o755)

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(WRAPPERS / f"{self.tool}.sh"), *arguments],
            input="charter\n\nprompt — ä",
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=self.root,
            env={
                "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
                "RECORD": str(self.root),
                "ANSWER": '{"summary": "s"}',
                **env,
            },
        )

    @property
    def arguments(self) -> list[str]:
        return (self.root / "arguments").read_text().split("\n")


@pytest.fixture(params=TOOLS)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(tmp_path, request.param)


def test_every_wrapper_is_tested_and_documented() -> None:
    assert sorted(TOOLS) == sorted(path.stem for path in WRAPPERS.glob("*.sh"))
    readme = (WRAPPERS / "README.md").read_text(encoding="utf-8")
    assert all(f'"/home/me/bin/{tool}.sh", "{{model}}"' in readme for tool in TOOLS)
    assert all(os.access(path, os.X_OK) for path in WRAPPERS.glob("*.sh"))


def test_the_settings_shown_in_the_readme_are_json() -> None:
    readme = (WRAPPERS / "README.md").read_text(encoding="utf-8")
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", readme, re.DOTALL)]
    assert len(shown) == len(TOOLS)
    assert all({"curator_cmd", "model_small", "model_large"} <= set(each) for each in shown)


def test_a_wrapper_passes_prompt_model_and_answer_through(bench: Bench) -> None:
    done = bench.run("some/model:7b")
    assert (done.returncode, done.stdout) == (0, '{"summary": "s"}')
    assert (bench.root / "input").read_text(encoding="utf-8") == "charter\n\nprompt — ä"
    assert "some/model:7b" in bench.arguments


def test_a_failure_of_the_tool_is_a_failure_of_the_wrapper(bench: Bench) -> None:
    done = bench.run("m", CODE="41")
    assert done.returncode == 41
    assert "on stderr" in done.stderr


def test_a_missing_tool_is_told_as_a_shell_tells_it(bench: Bench) -> None:
    (bench.root / "bin" / bench.tool).unlink()
    assert bench.run("m").returncode in (126, 127)  # 126: part of PATH is closed to this user


def test_a_wrapper_without_a_model_fails(bench: Bench) -> None:
    done = bench.run()
    assert done.returncode != 0
    assert "expected" in done.stderr
    assert not (bench.root / "arguments").exists()


def test_no_wrapper_allows_a_model_to_act(bench: Bench) -> None:
    bench.run("m")
    allowing = (
        r"yolo|auto_edit|full-auto|danger|bypass|workspace-write|allowed-tools|approve|--tool"
    )
    assert not re.search(allowing, " ".join(bench.arguments))


def test_codex_is_kept_in_a_sandbox_and_leaves_no_session(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "codex")
    bench.run("m")
    given = " ".join(bench.arguments)
    assert "--sandbox read-only" in given
    assert "--disable shell_tool" in given
    assert "--ephemeral" in given


def test_gemini_is_offered_no_tool(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "gemini")
    bench.run("m")
    policy = bench.arguments[bench.arguments.index("--policy") + 1]
    assert 'toolName = "*"\ndecision = "deny"' in Path(policy).read_text()


def test_gemini_does_not_run_without_its_policy(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "gemini")
    copy = tmp_path / "gemini.sh"
    copy.write_text((WRAPPERS / "gemini.sh").read_text())
    done = subprocess.run(
        ["sh", str(copy), "m"], check=False, input="x", capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 1
    assert "gemini-no-tools.toml is missing" in done.stderr
    assert not (bench.root / "arguments").exists()


def test_ollama_does_not_download_a_model(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "ollama")
    assert bench.run("absent", SHOW="1").returncode == 1
    assert not (bench.root / "arguments").exists()
