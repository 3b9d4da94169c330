"""Runs a command; prints its seconds, its processor time and its peak memory in MiB.

A process of its own for each run: the peak of a process begins with what its parent had.
"""

import os
import sys
import time


def main(argv: list[str]) -> int:
    nothing = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    begun = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=[nothing])
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - begun
    print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
    return os.waitstatus_to_exitcode(status)


sys.exit(main(sys.argv[1:]))
