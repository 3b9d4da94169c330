"""One program run within bounds, in a group that ends with the call or with memd."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memd
from memd.curator import process
from memd.curator.process import Finished, run
from memd.errors import BackendError, UnusableReply

if TYPE_CHECKING:
    from collections.abc import Callable

FAKE = Path(__file__).parents[2] / "fakes" / "curator.py"
ENV = {"PATH": os.environ["PATH"]}
LONG = 60.0
"""Seconds that no call here comes near unless it hangs."""


def python(
    code: str, *, stdin: bytes = b"", timeout: float = LONG, limit: int = 1 << 22
) -> Finished:
    argv = [sys.executable, "-c", textwrap.dedent(code)]
    return run(argv, stdin=stdin, timeout=timeout, cwd="/", env=ENV, output_limit=limit)


def is_running(pid: int) -> bool:
    """A process that nobody has waited for yet has ended all the same."""
    if not os.path.isdir("/proc/self"):
        shown = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False
        )
        return shown.stdout.strip()[:1] not in (b"", b"Z")
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(holds: Callable[[], bool], what: str) -> None:
    for _ in range(400):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail(f"not within 20 s: {what}")


def recorded(directory: Path) -> list[int]:
    pids = directory / "pids"
    return [int(line) for line in pids.read_text().split()] if pids.exists() else []


def assert_gone(pids: list[int]) -> None:
    wait_until(lambda: not any(map(is_running, pids)), "all processes ended")


# --- what goes in and comes out ---------------------------------------------------


def test_returns_what_the_program_said() -> None:
    done = python("import sys; print(sys.stdin.read()); sys.exit('bad luck')", stdin=b"hello")
    assert (done.returncode, done.stdout, done.stderr_tail) == (1, b"hello\n", b"bad luck\n")


def test_runs_in_the_given_directory_and_environment(tmp_path: Path) -> None:
    code = "import os, json; print(json.dumps([os.getcwd(), os.getenv('A'), os.getenv('HOME')]))"
    done = run(
        [sys.executable, "-c", code], stdin=b"", timeout=LONG, cwd=str(tmp_path), env={"A": "ä"}
    )
    assert json.loads(done.stdout) == [os.path.realpath(tmp_path), "ä", None]


def test_large_input_and_output_do_not_block_each_other() -> None:
    prompt = os.urandom(3_000_000)
    code = """
        import sys
        while chunk := sys.stdin.buffer.read(5000):
            sys.stdout.buffer.write(chunk)
            sys.stderr.buffer.write(chunk)
    """
    done = python(code, stdin=prompt)
    assert done.stdout == prompt
    assert done.stderr_tail == prompt[-process.STDERR_TAIL :]


@pytest.mark.parametrize(
    "reading", ["", "import os; os.close(0)", "import sys; sys.stdin.buffer.read(10)"]
)
def test_a_program_need_not_read_its_input(reading: str) -> None:
    assert python(f"{reading}\nprint('ok')", stdin=b"x" * 2_000_000).stdout == b"ok\n"


def test_a_program_that_closes_its_output_is_waited_for() -> None:
    done = python("import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(7)")
    assert (done.returncode, done.stdout) == (7, b"")


def test_a_program_that_died_by_a_signal_is_told_by_its_exit_code() -> None:
    assert python("import os; os.kill(os.getpid(), 11)").returncode == 128 + 11


def test_a_broken_pipe_ends_the_program_as_it_would_in_a_shell() -> None:
    done = run(["sh", "-c", "yes | head -n 1"], stdin=b"", timeout=LONG, cwd="/", env=ENV)
    assert (done.stdout, done.stderr_tail) == (b"y\n", b"")


def test_an_argument_is_never_read_by_a_shell(tmp_path: Path) -> None:
    done = run(
        ["printf", "%s", f"$(touch {tmp_path}/x); *"], stdin=b"", timeout=LONG, cwd="/", env=ENV
    )
    assert done.stdout == f"$(touch {tmp_path}/x); *".encode()
    assert list(tmp_path.iterdir()) == []


def test_many_calls_at_once_keep_apart() -> None:
    def call(n: int) -> bytes:
        return python("import sys; print(sys.stdin.read() * 2)", stdin=b"%d," % n).stdout

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(call, range(12))) == [b"%d,%d,\n" % (n, n) for n in range(12)]


# --- bounds -----------------------------------------------------------------------


def test_output_beyond_the_limit_ends_the_program() -> None:
    with pytest.raises(UnusableReply, match="more than 100000 bytes"):
        python("while True: print('x' * 1000)", limit=100_000)


def test_output_up_to_the_limit_is_taken() -> None:
    assert len(python("print('x' * 99_999)", limit=100_000).stdout) == 100_000


def test_a_hanging_program_ends_with_all_its_children(tmp_path: Path) -> None:
    argv = [sys.executable, str(FAKE), "--mode", "child", "--record", str(tmp_path)]
    with pytest.raises(
        BackendError, match=r"no answer within 4 s.*curator_timeout_seconds"
    ) as hung:
        run(argv, stdin=b"prompt", timeout=4, cwd="/", env=ENV)
    assert hung.value.passing
    assert len(recorded(tmp_path)) == 2
    assert_gone(recorded(tmp_path))


def test_endless_output_on_stderr_is_bounded_by_time() -> None:
    with pytest.raises(BackendError, match="no answer within"):
        python("import sys\nwhile True: sys.stderr.write('x' * 1000)", timeout=1)


def test_a_child_left_behind_does_not_hold_up_the_answer() -> None:
    code = """
        import os, sys, time
        child = os.fork()
        if child == 0:
            time.sleep(3600)
        print(child)
    """
    done = python(code)
    assert done.returncode == 0
    assert_gone([int(done.stdout)])


# --- what cannot be started -------------------------------------------------------


def refusal(*argv: str, cwd: str = "/") -> str:
    with pytest.raises(BackendError) as refused:
        run(argv, stdin=b"", timeout=LONG, cwd=cwd, env=ENV)
    assert not refused.value.passing
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_missing_program_is_named_with_the_remedy(tmp_path: Path) -> None:
    remedy = "install it, or set claude_bin or curator_cmd"
    assert refusal("no-such-curator") == f"no-such-curator not found on PATH: {remedy}"
    assert refusal(f"{tmp_path}/claude") == f"{tmp_path}/claude not found: {remedy}"


def test_a_program_of_the_project_memd_happens_to_stand_in_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o700)
    monkeypatch.chdir(tmp_path)
    assert "./claude not found" in refusal("./claude", cwd="/")


def test_a_file_that_may_not_be_executed_is_named(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    assert refusal(f"{tmp_path}/claude") == f"{tmp_path}/claude is not executable: chmod +x it"


def test_a_script_whose_interpreter_is_missing_cannot_be_started(tmp_path: Path) -> None:
    script = tmp_path / "claude"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o700)
    assert refusal(str(script)) == f"{script} cannot be started: No such file or directory"


def test_an_argument_that_no_program_can_be_given_is_a_known_failure() -> None:
    assert "cannot be started" in refusal("true", "a\0b")


def test_a_missing_working_directory_is_a_known_failure(tmp_path: Path) -> None:
    assert "cannot be started" in refusal("true", cwd=str(tmp_path / "none"))


# --- memd dies first --------------------------------------------------------------

# Whoever runs the tests in the background may have interrupts ignored; a person does not.
CALLER = """
import signal, sys
from memd.curator.process import run
signal.signal(signal.SIGINT, signal.default_int_handler)
run(sys.argv[1:], stdin=b"prompt", timeout=3600, cwd="/", env={"PATH": "/usr/bin:/bin"})
"""


def calling(record: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A process in the middle of a call, and the ids of the curator and of its child."""
    argv = [sys.executable, str(FAKE), "--mode", "child", "--record", str(record)]
    source = os.path.dirname(os.path.dirname(os.path.abspath(memd.__file__)))
    caller = subprocess.Popen(
        [sys.executable, "-c", CALLER, *argv],
        env={**os.environ, "PYTHONPATH": source},
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(recorded(record)) == 2, "curator started")
    return caller, recorded(record)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_group_ends_when_memd_is_killed(tmp_path: Path, sent: signal.Signals) -> None:
    caller, curator = calling(tmp_path)
    assert all(map(is_running, curator))
    caller.send_signal(sent)
    caller.wait(30)
    assert_gone(curator)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can end a child with its parent")
def test_the_curator_ends_when_its_supervisor_is_killed_along_with_memd(tmp_path: Path) -> None:
    caller, (curator, child) = calling(tmp_path)
    os.kill(caller.pid, signal.SIGSTOP)
    os.kill(os.getpgid(curator), signal.SIGKILL)
    assert_gone([curator])
    caller.kill()
    caller.wait()
    os.kill(child, signal.SIGKILL)
