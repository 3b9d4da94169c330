"""The empty body of each memory file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memd.model import DECISIONS, MISTAKES, STATE, TODO

EMPTY_BODIES: Mapping[str, str] = MappingProxyType(
    {
        STATE: """\
# State

How things stand today: ports, layout, services, workarounds.
A line that stopped being true is rewritten or removed.
""",
        DECISIONS: """\
# Decisions

Choices that later work has to respect, each with its reason.
One dated entry per choice, the latest at the end.
""",
        TODO: """\
# Todo

Work that is still open, plans, claims nobody has checked yet.
What is done or given up leaves this file.
""",
        MISTAKES: """\
# Mistakes

What went wrong, why, and the rule that keeps it from happening again.
Entries are added at the end and never rewritten.
""",
    }
)
"""By file name. What `memd init` writes below the frontmatter."""


def is_template(name: str, body: str) -> bool:
    """Whether `body` is the empty body of that file, however its white space stands."""
    return body.split() == EMPTY_BODIES[name].split()
