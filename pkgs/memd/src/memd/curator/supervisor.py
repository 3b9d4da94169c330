"""Run one program in this process group, which ends with the process that asked for it.

A script of its own: `python -I -S supervisor.py LIFELINE PROGRAM [ARGUMENT...]`, started as
the leader of a new group. LIFELINE is the number of an inherited socket whose other end only
the caller holds; the kernel closes it when the caller dies, however that happens. Why a
program could not be started is written to it. Exit status: the program's, or 128 + N when
signal N ended it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress


def main() -> None:  # pragma: no cover - runs in a process of its own
    lifeline, argv = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(lifeline, False)
    program = os.fork()
    if program == 0:
        become(argv, lifeline)
    for stream in (0, 1, 2):
        os.close(stream)
    threading.Thread(target=end_group_after, args=(lifeline,), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def become(argv: list[str], lifeline: int) -> None:  # pragma: no cover - as above
    # Python ignores SIGPIPE, and a program started from it would do so too.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    end_with_parent()
    try:
        os.execv(argv[0], argv)  # noqa: S606 - starting the one program it was given
    except OSError as error:
        os.write(lifeline, (error.strerror or "unknown reason").encode())
    os._exit(127)


def end_with_parent() -> None:  # pragma: no cover - as above
    """On Linux: the program also ends when this process is killed beside the caller."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            pr_set_pdeathsig = 1  # linux/prctl.h
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def end_group_after(lifeline: int) -> None:  # pragma: no cover - as above
    os.read(lifeline, 1)
    os.kill(0, signal.SIGKILL)


if __name__ == "__main__":  # pragma: no cover - as above
    main()
