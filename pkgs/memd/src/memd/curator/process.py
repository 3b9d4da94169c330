"""Run one program as its own process group, with bounds on its time and its output.

The group ends with the call. Should memd die first, however that happens, `supervisor` ends
it at once on every system: no later run has anything to clear up.
"""

from __future__ import annotations

import os
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from memd.curator import supervisor
from memd.errors import BackendError, UnusableReply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OUTPUT_LIMIT = 4 * 1024 * 1024
"""Bytes of standard output."""
STDERR_TAIL = 64 * 1024
"""Bytes of standard error that are kept: far more than any one secret, so that redaction
still sees whole what is shown."""
GRACE = 2.0
"""Seconds that output of left-over children is waited for once the program has ended."""
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Finished:
    returncode: int
    """128 + N when signal N ended the program."""
    stdout: bytes
    stderr_tail: bytes


def run(
    argv: Sequence[str],
    *,
    stdin: bytes,
    timeout: float,
    cwd: str,
    env: Mapping[str, str],
    output_limit: int = OUTPUT_LIMIT,
) -> Finished:
    """Run `argv` in `cwd` to its end; no shell. Safe to call from several threads.

    `timeout` is in seconds. Raises BackendError when the program cannot be started (not
    passing) or does not end in time, UnusableReply when it says more than `output_limit`
    bytes.
    """
    program = locate(argv[0], cwd, env)
    with _group([program, *argv[1:]], cwd, env) as (leader, lifeline):
        exchange = _Exchange(argv[0], leader, lifeline, stdin, output_limit)
        exchange.run_until(time.monotonic() + timeout, f"{timeout:g} s")
    return Finished(leader.returncode, bytes(exchange.stdout), bytes(exchange.stderr))


def locate(program: str, cwd: str, env: Mapping[str, str]) -> str:
    """The file to execute; a relative path with a slash counts from `cwd`.

    Raises BackendError (not passing) when there is none.
    """
    if os.sep not in program:
        found = shutil.which(program, path=env.get("PATH", os.defpath))
        if found is None:
            raise BackendError(
                f"{program} not found on PATH: install it, or set claude_bin or curator_cmd",
                passing=False,
            )
        return os.path.abspath(found)
    path = os.path.join(cwd, program)
    if not os.path.isfile(path):
        raise BackendError(
            f"{program} not found: install it, or set claude_bin or curator_cmd", passing=False
        )
    if not os.access(path, os.X_OK):
        raise BackendError(f"{program} is not executable: chmod +x it", passing=False)
    return path


@contextmanager
def _group(
    argv: list[str], cwd: str, env: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """The supervisor of the program and its lifeline; the whole group is gone afterwards."""
    ours, theirs = socket.socketpair()
    script = os.path.abspath(supervisor.__file__)
    with ours, theirs:
        try:
            leader = subprocess.Popen(
                [sys.executable, "-I", "-S", script, str(theirs.fileno()), *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=env,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise BackendError(f"{argv[0]} cannot be started: {error}", passing=False) from error
        theirs.close()
        with leader:
            try:
                yield leader, ours
            finally:
                # Nobody has waited for the leader yet, so its number is still its own.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(leader.pid, signal.SIGKILL)


class _Exchange:
    """What goes into and comes out of one program."""

    def __init__(
        self,
        name: str,
        leader: subprocess.Popen[bytes],
        lifeline: socket.socket,
        stdin: bytes,
        limit: int,
    ) -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self._name = name
        self._unsent = memoryview(stdin)
        self._limit = limit
        self._ended = False
        self._open = selectors.DefaultSelector()
        self._open.register(cast("IO[bytes]", leader.stdin), selectors.EVENT_WRITE, self._feed)
        self._open.register(cast("IO[bytes]", leader.stdout), selectors.EVENT_READ, self._hear)
        self._open.register(cast("IO[bytes]", leader.stderr), selectors.EVENT_READ, self._overhear)
        self._open.register(lifeline, selectors.EVENT_READ, self._note_end)
        self._deadline = 0.0

    def run_until(self, deadline: float, allowed: str) -> None:
        self._deadline = deadline
        with self._open:
            while self._open.get_map():
                left = self._deadline - time.monotonic()
                if left <= 0:
                    break
                for key, _ in self._open.select(left):
                    key.data(key.fileobj)
        if not self._ended:
            raise BackendError(
                f"{self._name}: no answer within {allowed}: run it by hand to see why, "
                "or raise curator_timeout_seconds"
            )

    def _feed(self, stream: IO[bytes]) -> None:
        try:
            # A pipe that is ready takes this much without blocking.
            sent = os.write(stream.fileno(), self._unsent[: select.PIPE_BUF])
        except BrokenPipeError:
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._open.unregister(stream)
            stream.close()

    def _hear(self, stream: IO[bytes]) -> None:
        self.stdout += self._read(stream)
        if len(self.stdout) > self._limit:
            raise UnusableReply(
                f"{self._name}: answered more than {self._limit} bytes and was ended"
            )

    def _overhear(self, stream: IO[bytes]) -> None:
        self.stderr += self._read(stream)
        del self.stderr[:-STDERR_TAIL]

    def _read(self, stream: IO[bytes]) -> bytes:
        data = os.read(stream.fileno(), _CHUNK)
        if not data:
            self._open.unregister(stream)
        return data

    def _note_end(self, lifeline: socket.socket) -> None:
        reason = lifeline.recv(_CHUNK)
        if reason:
            raise BackendError(f"{self._name} cannot be started: {reason.decode()}", passing=False)
        self._open.unregister(lifeline)
        self._ended = True
        self._deadline = min(self._deadline, time.monotonic() + GRACE)
