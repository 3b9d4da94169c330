"""A long-lived process that sweeps without end and tells how large it has become."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from e2e.machine import Machine

from memd import runtime
from memd.log import logger
from memd.paths import Paths
from memd.sweep import sweep

MOST_GROWTH_KIB = 8 * 1024


class Sweeper:
    """One in a process of its own."""

    def __init__(self, machine: Machine) -> None:
        self._told = machine.top / "sizes"
        self._stop = machine.top / "stop"
        self._run = subprocess.Popen(
            [sys.executable, "-m", "soak.sweeper", self._told, self._stop],
            env={**machine.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def end(self) -> None:
        self._stop.touch()
        self._code = self._run.wait(300)
        lines = self._told.read_text().splitlines()
        self._sizes = [(int(line.split()[0]), int(line.split()[1])) for line in lines]

    def figures(self) -> Iterator[str]:
        memory, files = zip(*self._sizes, strict=True)
        yield f"sweeps in one process: {len(memory)}"
        for at in sorted({0, len(memory) // 4, len(memory) // 2, len(memory) - 1}):
            yield f"  after sweep {at + 1}: {memory[at]} KiB resident, {files[at]} descriptors"

    def wrongs(self) -> Iterator[str]:
        if self._code:
            yield f"the sweeper ended with {self._code}"
        memory, files = zip(*self._sizes, strict=True)
        settled = len(memory) // 4
        if memory[-1] > max(memory[: settled + 1]) + MOST_GROWTH_KIB:
            yield f"memory grew from {memory[settled]} to {memory[-1]} KiB"
        if files[-1] > files[0]:
            yield f"descriptors grew from {files[0]} to {files[-1]}"


def main(told: str, stop: str) -> None:
    # The log is opened with its first line, which is to be before the first count.
    logger(Paths(os.environ)).info("soak")
    while not os.path.exists(stop):
        sweep(runtime.build(os.environ))
        with open(told, "a") as file:
            file.write(f"{_resident_kib()} {len(os.listdir('/dev/fd'))}\n")


def _resident_kib() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        line = next(li for li in status.read_text().splitlines() if li.startswith("VmRSS"))
        return int(line.split()[1])
    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(os.getpid())]))


if __name__ == "__main__":
    main(*sys.argv[1:])
