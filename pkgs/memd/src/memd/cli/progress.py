"""What long work says on a terminal, and nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable


def reporter() -> Callable[[str], None]:
    """A function for lines about what is going on."""
    if not sys.stderr.isatty():
        return lambda _line: None
    return lambda line: print(f"  {line}", file=sys.stderr, flush=True)
