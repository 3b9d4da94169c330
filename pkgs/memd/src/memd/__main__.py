"""The door: hooks go in light, everything else through the command line."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run memd on `sys.argv`; returns the exit code."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"}.intersection(sys.argv):
        from memd.hooks import entry

        return entry.main(sys.argv[2:], sys.stdin, sys.stdout, os.environ)
    from memd.cli.app import main as command_line

    return command_line()


if __name__ == "__main__":  # pragma: no cover - in processes of their own only
    sys.exit(main())
