"""Text that does no harm to a terminal, and text that only a terminal gets."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """One line with control characters spelled out, so that no text can move the cursor."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def readable(text: str) -> str:
    """The same for text of several lines, which may need invisible letters of its script."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def reporter() -> Callable[[str], None]:
    """A function for lines about what is going on; they are lost where nobody looks on."""
    if not sys.stderr.isatty():
        return lambda _line: None
    return lambda line: print(f"  {printable(line)}", file=sys.stderr, flush=True)
