"""The real command line on a machine of its own, where each process can be found and killed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from e2e.machine import FAKE, Machine, program

_POLL = 0.003


@dataclass
class Victim:
    machine: Machine
    chance: random.Random
    usual: dict[str, float] = field(default_factory=dict)
    """Seconds that each command takes when nobody disturbs it."""
    kills: int = 0

    def prepare(self) -> None:
        """Every memd tells its process id; the curator takes its time and tells its own."""
        top = self.machine.top
        (top / "pids").mkdir()
        inside = (top / "bin" / "memd").read_text().partition("\n")[2]
        tell = f"import os; open(f'{top}/pids/{{os.getpid()}}', 'w').close()\n"
        program(top / "bin" / "memd", sys.executable, tell + inside)
        fake = [sys.executable, "-IS", str(FAKE), "--mode", "kept"]
        fake += ["--record", str(top / "prompts"), "--latency", "0.03"]
        self.machine.configure(curator_cmd=fake, sweep_jobs=1, max_distills_per_day=0)

    def run_and_kill(self, *args: str, stdin: str = "") -> int:
        """Exit code of the command, or minus a signal; what it started is dead after that."""
        kind, started = args[0], time.monotonic()
        run = self._start(args, stdin)
        if kind == "hook":
            run.wait(60)
            self._end_what_it_left(self.chance.uniform(0.2, 1) * self.usual.get("sync", 0.5))
        elif kind == "sync" and self.chance.random() < 0.2:
            self._kill_curator_of(run)
        else:
            self._wait(run, self.chance.uniform(0.25, 1.0) * self.usual.get(kind, 1.0))
            self._kill(run)
        code = run.wait(60)
        if code == 0 and kind != "hook":
            self.usual[kind] = time.monotonic() - started
        self._end_what_it_left(0)
        return code

    def _start(self, args: tuple[str, ...], stdin: str) -> subprocess.Popen[bytes]:
        run = subprocess.Popen(
            ["memd", *args],
            cwd=self.machine.top,
            env=self.machine.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert run.stdin
        run.stdin.write(stdin.encode())
        run.stdin.close()
        return run

    def _wait(self, run: subprocess.Popen[bytes], seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(seconds)

    def _kill(self, run: subprocess.Popen[bytes]) -> None:
        """It alone, or with the git it has started."""
        if run.poll() is None:
            self.kills += 1
            if self.chance.random() < 0.5:
                run.kill()
            else:
                os.killpg(run.pid, signal.SIGKILL)

    def _kill_curator_of(self, run: subprocess.Popen[bytes]) -> None:
        before = len(self._curators())
        while run.poll() is None and len(self._curators()) == before:
            time.sleep(_POLL)
        self._wait(run, self.chance.uniform(0, 0.04))
        if run.poll() is None and len(self._curators()) > before:
            self.kills += _killed(self._curators()[-1])
            self._wait(run, self.chance.uniform(0, 0.1))
            self._kill(run)

    def _curators(self) -> list[int]:
        file = self.machine.top / "prompts" / "pids"
        text = file.read_text() if file.exists() else ""
        return [int(line) for line in text.split("\n")[:-1]]

    def _end_what_it_left(self, seconds: float) -> None:
        """Kill the syncs that a hook has started behind its back."""
        time.sleep(seconds)
        for told in list((self.machine.top / "pids").iterdir()):
            if _is_memd(told.name):
                self.kills += _killed(int(told.name))
            told.unlink(missing_ok=True)


def hook_call(log: Path, cwd: Path) -> str:
    return json.dumps({"session_id": log.stem, "transcript_path": str(log), "cwd": str(cwd)})


def _is_memd(pid: str) -> bool:
    """Whether the process that told this number still has it."""
    try:
        return b"memd" in Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return False


def _killed(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
