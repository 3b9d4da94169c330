from __future__ import annotations

import logging
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd import log
from memd.paths import Paths


@pytest.fixture(autouse=True)
def _closed_afterwards() -> Iterator[None]:
    yield
    for handler in tuple(logging.getLogger(log.NAME).handlers):
        logging.getLogger(log.NAME).removeHandler(handler)
        handler.close()


def paths(home: Path) -> Paths:
    return Paths({"HOME": str(home)})


def test_a_line_has_its_time_in_utc_and_its_level(tmp_path: Path) -> None:
    log.logger(paths(tmp_path)).warning("project %s", "x")
    line = Path(paths(tmp_path).log).read_text()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ WARNING project x\n", line)


def test_a_message_cannot_forge_a_line(tmp_path: Path) -> None:
    log.logger(paths(tmp_path)).info("a\n2026-01-01T00:00:00Z ERROR forged\r\x1b[31m\ud800 é")
    text = Path(paths(tmp_path).log).read_text()
    assert len(text.splitlines()) == 1
    assert text.endswith(r"\r\x1b[31m\ud800 é" + "\n")


def test_a_traceback_is_kept_readable(tmp_path: Path) -> None:
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        log.logger(paths(tmp_path)).exception("bug")
    text = Path(paths(tmp_path).log).read_text()
    assert "ERROR bug\nTraceback" in text
    assert "ZeroDivisionError" in text


def test_file_and_folder_are_private_under_any_umask(tmp_path: Path) -> None:
    old = os.umask(0o777)
    try:
        log.logger(paths(tmp_path)).info("x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(paths(tmp_path).log).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(paths(tmp_path).state).st_mode) == 0o700


def test_asking_again_writes_no_line_twice(tmp_path: Path) -> None:
    for _ in range(3):
        log.logger(paths(tmp_path)).info("x")
    assert len(Path(paths(tmp_path).log).read_text().splitlines()) == 3


def test_another_home_gets_its_own_log(tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        log.logger(paths(tmp_path / name)).info(name)
    assert len(Path(paths(tmp_path / "a").log).read_text().splitlines()) == 2
    assert len(Path(paths(tmp_path / "b").log).read_text().splitlines()) == 1


def test_nothing_reaches_the_screen_or_other_loggers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    log.logger(paths(tmp_path)).error("x")
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_the_log_stays_small_and_private_when_it_rotates(tmp_path: Path) -> None:
    for _ in range(60):
        log.logger(paths(tmp_path)).info("x" * 100_000)
    files = sorted(Path(paths(tmp_path).state).glob("memd.log*"))
    assert [f.name for f in files] == ["memd.log", "memd.log.1", "memd.log.2", "memd.log.3"]
    assert all(f.stat().st_size <= log.MAX_BYTES + 200_000 for f in files)
    assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}


def test_a_folder_that_cannot_be_made_is_no_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".local").write_bytes(b"")
    log.logger(paths(tmp_path)).error("x")
    assert capfd.readouterr() == ("", "")


def test_a_full_disk_is_no_error_and_leaves_the_screen_clean(tmp_path: Path) -> None:
    code = (
        "import resource, sys\n"
        "from memd.log import logger\n"
        "from memd.paths import Paths\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "for _ in range(3): logger(Paths({'HOME': sys.argv[1]})).error('x' * 100)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, env=env, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_pipe_in_the_place_of_the_log_is_no_error_and_not_waited_for(tmp_path: Path) -> None:
    where = paths(tmp_path)
    os.makedirs(where.state)
    os.mkfifo(where.log)
    log.logger(where).error("lost")
    assert stat.S_ISFIFO(os.stat(where.log).st_mode)
