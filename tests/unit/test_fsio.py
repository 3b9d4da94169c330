from __future__ import annotations

import errno
import os
import resource
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memd import fsio

EFFECTS = ("open", "write", "fchmod", "fsync", "replace", "link", "unlink", "close")


class Effects:
    """Records calls of `os` functions that change the disk; fails the one numbered `fail_at`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[str] = []
        self.fail_at = -1
        for name in EFFECTS:
            monkeypatch.setattr(os, name, self._recorded(name, getattr(os, name)))

    def _recorded(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.seen.append(name)
            if len(self.seen) == self.fail_at and name not in ("unlink", "close"):
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*args, **kwargs)

        return call


@pytest.fixture
def effects(monkeypatch: pytest.MonkeyPatch) -> Effects:
    return Effects(monkeypatch)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow past 4,096 bytes: the kernel refuses to write more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_synced_before_it_gets_its_name_and_the_name_after(
    tmp_path: Path, effects: Effects
) -> None:
    fsio.write_atomic(str(tmp_path / "f"), b"new")
    assert effects.seen == [
        *("open", "fchmod", "write", "fsync", "close", "replace"),
        *("open", "fsync", "close"),
    ]


def test_without_durability_nothing_is_synced(tmp_path: Path, effects: Effects) -> None:
    fsio.write_atomic(str(tmp_path / "f"), b"new", durable=False)
    assert "fsync" not in effects.seen
    assert (tmp_path / "f").read_bytes() == b"new"


@pytest.mark.parametrize("step", [1, 2, 3, 4, 6])
def test_a_failure_at_any_step_leaves_the_old_file_and_no_other(
    tmp_path: Path, effects: Effects, step: int
) -> None:
    (tmp_path / "f").write_bytes(b"old")
    effects.seen.clear()
    effects.fail_at = step
    with pytest.raises(OSError, match="No space"):
        fsio.write_atomic(str(tmp_path / "f"), b"new")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"old"}


def test_an_interrupted_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_old: str, _new: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fsio.write_atomic(str(tmp_path / "f"), b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    with full_disk(), pytest.raises(OSError, match="too large"):
        fsio.write_atomic(str(tmp_path / "f"), b"x" * 10_000)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"old"}


def test_a_full_disk_publishes_no_half_note(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    with full_disk(), pytest.raises(OSError, match="too large"):
        fsio.publish(str(tmp_path / "box" / "f"), b"x" * 10_000, staging_dir=str(tmp_path))
    assert [p.name for p in tmp_path.rglob("*")] == ["box"]


def test_a_temporary_file_that_cannot_be_removed_does_not_hide_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: str) -> None:
        raise PermissionError(errno.EPERM, "refused")

    monkeypatch.setattr(os, "unlink", refuse)
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError, match="refused"):
        fsio.write_atomic(str(tmp_path / "f"), b"new")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        fsio.make_private_dir(str(tmp_path / "a" / "b"))
        fsio.write_atomic(str(tmp_path / "a" / "f"), b"")
        fsio.write_atomic(str(tmp_path / "a" / "g"), b"", mode=0o644)
        fsio.publish(str(tmp_path / "a" / "h"), b"", staging_dir=str(tmp_path))
    assert [mode(tmp_path / "a" / name) for name in ("", "b", "f", "g", "h")] == [
        *(0o700, 0o700, 0o600, 0o644, 0o600)
    ]


def test_a_directory_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    (tmp_path / "a").chmod(0o755)
    fsio.make_private_dir(str(tmp_path / "a"))
    assert mode(tmp_path / "a") == 0o755


def test_a_directory_that_another_process_makes_first_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.mkdir

    def beaten(path: str, permissions: int) -> None:
        real(path, permissions)
        raise FileExistsError(errno.EEXIST, "exists", path)

    monkeypatch.setattr(os, "mkdir", beaten)
    fsio.make_private_dir(str(tmp_path / "a"))
    assert (tmp_path / "a").is_dir()


def test_a_file_where_a_directory_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(FileExistsError):
        fsio.make_private_dir(str(tmp_path / "a"))


def test_relative_paths_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fsio.make_private_dir("d")
    fsio.write_atomic("f", b"1")
    fsio.publish("g", b"2", staging_dir="d")
    fsio.remove("f")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d", "g"]


def test_publishing_never_replaces(tmp_path: Path) -> None:
    target = tmp_path / "f"
    target.write_bytes(b"first")
    with pytest.raises(FileExistsError):
        fsio.publish(str(target), b"second", staging_dir=str(tmp_path))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"first"}


def test_a_published_file_is_synced_first_and_has_one_name(
    tmp_path: Path, effects: Effects
) -> None:
    fsio.publish(str(tmp_path / "f"), b"note", staging_dir=str(tmp_path))
    assert effects.seen == [
        *("open", "fchmod", "write", "fsync", "close", "link", "unlink"),
        *("open", "fsync", "close"),
    ]
    assert (tmp_path / "f").stat().st_nlink == 1


def test_writing_replaces_a_link_and_not_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / "f").symlink_to(tmp_path / "target")
    fsio.write_atomic(str(tmp_path / "f"), b"new")
    assert (tmp_path / "target").read_bytes() == b"mine"
    assert not (tmp_path / "f").is_symlink()


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
    fsio.write_atomic(str(tmp_path / "f"), b"0123456789")
    assert (tmp_path / "f").read_bytes() == b"0123456789"


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "dir").mkdir()
    (tmp_path / "real").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    for name in ("fifo", "dir", "link", "socket"):
        with pytest.raises(fsio.NotRegular, match=name):
            fsio.read_regular(str(tmp_path / name), limit=10)
    with pytest.raises(fsio.NotRegular):
        fsio.read_regular(os.devnull, limit=10)


def test_a_missing_file_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fsio.read_regular(str(tmp_path / "none"), limit=10)


@pytest.mark.parametrize("size", [0, 9, 10])
def test_a_file_up_to_the_limit_is_read_whole(tmp_path: Path, size: int) -> None:
    (tmp_path / "f").write_bytes(b"x" * size)
    assert fsio.read_regular(str(tmp_path / "f"), limit=10) == b"x" * size


def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 11)
    with pytest.raises(fsio.TooLarge, match="larger than 10 bytes"):
        fsio.read_regular(str(tmp_path / "f"), limit=10)


def test_removing_is_repeatable(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    fsio.remove(str(tmp_path / "f"))
    fsio.remove(str(tmp_path / "f"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reason", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_sync_directories_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    def cannot(_fd: int) -> None:
        raise OSError(reason, "cannot")

    monkeypatch.setattr(os, "fsync", cannot)
    fsio.sync_directory(str(tmp_path))
    assert os.listdir(tmp_path) == []


def test_a_directory_that_fails_to_sync_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_fd: int) -> None:
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="I/O error"):
        fsio.sync_directory(str(tmp_path))


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = os.dup(0)
    os.close(before)
    (tmp_path / "f").write_bytes(b"x" * 11)
    fsio.write_atomic(str(tmp_path / "g"), b"1")
    for path in (tmp_path, tmp_path / "f"):
        with pytest.raises(OSError, match=r"regular|larger"):
            fsio.read_regular(str(path), limit=10)
    after = os.dup(0)
    os.close(after)
    assert after == before


def test_the_digest_is_sha_256() -> None:
    assert fsio.sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_importing_it_costs_no_further_module() -> None:
    code = (
        "import sys, errno, os, stat; before = set(sys.modules)\n"
        "import memd.fsio\n"
        "print(sorted(set(sys.modules) - before))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert done.stdout.strip() in (
        "['__future__', 'memd', 'memd.fsio']",
        "['memd', 'memd.fsio']",
    )
