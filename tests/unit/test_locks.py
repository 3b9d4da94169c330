from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memd.locks import Locked, held

HOLD = (
    "import sys\nfrom memd.locks import held\n"
    "with held(sys.argv[1], wait=False):\n"
    "    print('held', flush=True)\n    sys.stdin.read()\n"
)


def holder(path: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.fixture(params=["file", "directory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "directory":
        (tmp_path / "x").mkdir()
    return tmp_path / "x"


def test_only_one_holds_a_lock(path: Path) -> None:
    with held(str(path), wait=False), pytest.raises(Locked), held(str(path), wait=False):
        pass


def test_it_is_free_again_afterwards(path: Path) -> None:
    for _ in range(2):
        with held(str(path), wait=False):
            assert path.exists()


def test_an_error_inside_lets_go(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), held(str(path), wait=False):
        _ = 1 / 0
    with held(str(path), wait=False):
        assert path.exists()


def test_other_processes_are_kept_out_until_the_holder_is_killed(path: Path) -> None:
    with holder(path) as process:
        with pytest.raises(Locked), held(str(path), wait=False):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        with held(str(path), wait=False):
            assert process.returncode == -signal.SIGKILL


def test_waiting_gets_the_lock_in_the_end(path: Path) -> None:
    order: list[str] = []

    def wait_for_it() -> None:
        with held(str(path), wait=True):
            order.append("second")

    with held(str(path), wait=False):
        thread = threading.Thread(target=wait_for_it)
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_program_started_meanwhile_does_not_keep_the_lock(path: Path) -> None:
    with held(str(path), wait=False):
        child = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False
        )
    try:
        with held(str(path), wait=False):
            assert child.poll() is None
    finally:
        child.communicate()


def test_locking_a_directory_makes_nothing_in_it(tmp_path: Path) -> None:
    with held(str(tmp_path), wait=False):
        assert list(tmp_path.iterdir()) == []


def test_a_lock_file_is_private_under_any_umask(tmp_path: Path) -> None:
    old = os.umask(0o777)
    try:
        with held(str(tmp_path / "x"), wait=False):
            pass
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600


@pytest.mark.parametrize("target", ["file", "directory"])
def test_links_are_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / target)
    with pytest.raises(OSError, match="link"), held(str(tmp_path / "link"), wait=False):
        pass
