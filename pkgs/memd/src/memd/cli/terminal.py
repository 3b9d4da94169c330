"""Text that does no harm to a terminal, and text that only a terminal gets."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from memd.oneline import spelled_out

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def readable(text: str) -> str:
    """Several lines with control characters spelled out, not the invisible letters of a script."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def reporter() -> Callable[[str], None]:
    """A function for lines about what is going on; they are lost where nobody looks on."""
    if not sys.stderr.isatty():
        return lambda _line: None
    return lambda line: print(f"  {spelled_out(line)}", file=sys.stderr, flush=True)
