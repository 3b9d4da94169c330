from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memd.hooks import detach

START = "import sys; from memd.hooks.detach import start; import os"


def executable(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_a_wrapper_is_started_as_it_is(tmp_path: Path) -> None:
    wrapper = executable(tmp_path / "memd", "#!/bin/sh\nexec something\n")
    assert detach.own_command(wrapper) == (wrapper,)


def test_a_python_script_is_given_to_this_very_interpreter(tmp_path: Path) -> None:
    script = executable(tmp_path / "memd", "#!/usr/bin/env python3\n")
    assert detach.own_command(script) == (sys.executable, script)


def test_an_archive_that_is_no_program_is_given_to_the_interpreter(tmp_path: Path) -> None:
    archive = tmp_path / "memd.pyz"
    archive.write_bytes(b"PK")
    assert detach.own_command(str(archive)) == (sys.executable, str(archive))


def test_a_relative_path_does_not_stay_one() -> None:
    assert detach.own_command("memd.pyz")[1] == os.path.abspath("memd.pyz")


def test_a_package_is_started_as_one() -> None:
    assert detach.own_command("/x/memd/__main__.py") == (sys.executable, "-m", "memd")


def test_the_first_child_is_waited_for() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    detach.start(["/none"], {}, log="/none", fork=lambda: child.pid)
    with pytest.raises(ChildProcessError):
        os.waitpid(child.pid, 0)
    child.wait()


def run_detached(argv: list[str], log: Path) -> subprocess.CompletedProcess[bytes]:
    """`start` in a process of its own, as a hook does it."""
    code = f"{START}; start({argv!r}, dict(os.environ, MARK='mark'), log={str(log)!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)


def wait_for(path: Path) -> str:
    for _ in range(1000):
        if path.exists() and path.read_text().endswith("end\n"):
            return path.read_text()
        time.sleep(0.02)
    raise AssertionError(f"{path} was not written")


def test_what_is_started_outlives_the_hook_in_a_session_of_its_own(tmp_path: Path) -> None:
    out, go = tmp_path / "out", tmp_path / "go"
    code = f"""
import os, sys, time
while not os.path.exists({str(go)!r}):
    time.sleep(0.02)
print(os.environ["MARK"], sys.argv[1:], os.getsid(0), "end", file=open({str(out)!r}, "w"))
"""
    argument = "--transcript=/a b; rm -rf *"
    finished = run_detached([sys.executable, "-c", code, argument], tmp_path / "log")
    assert finished.stdout == b""
    go.touch()
    mark, said = wait_for(out).split(" ", 1)
    assert mark == "mark"
    assert said.startswith(f"{[argument]!r} ")
    assert int(said.split()[-2]) != os.getsid(0)


def test_its_output_goes_nowhere_and_its_errors_into_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = executable(tmp_path / "child", "#!/bin/sh\ncat\necho out\necho end >&2\n")
    finished = run_detached([script], log)
    assert wait_for(log) == "end\n"
    assert (finished.stdout, finished.stderr) == (b"", b"")


def test_without_a_log_it_runs_all_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out"
    script = executable(tmp_path / "child", f"#!/bin/sh\necho lost >&2\necho end >{out}\n")
    run_detached([script], tmp_path / "missing" / "log")
    assert wait_for(out) == "end\n"


def test_a_program_that_is_missing_is_named_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    run_detached([str(tmp_path / "none")], log)
    for _ in range(1000):
        if log.exists() and log.read_text().endswith("\n"):
            break
        time.sleep(0.02)
    assert log.read_text() == f"memd: {tmp_path / 'none'}: No such file or directory\n"
