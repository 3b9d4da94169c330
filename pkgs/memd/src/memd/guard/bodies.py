"""What a reply proposes for the files whose whole body it may replace."""

from __future__ import annotations

import re

from memd.errors import Rejected
from memd.guard.dates import date_entries
from memd.model import BODY_FILES, DECISIONS, Memory, Reply
from memd.templates import is_template

_FRONTMATTER = re.compile(
    r"\s*---[ \t]*\n[A-Za-z_][\w-]*[ \t]*:[^\n]*\n"
    r"(?:(?:[A-Za-z_][\w-]*[ \t]*:|[ \t]|-[ \t])[^\n]*\n)*---[ \t]*(?:\n|\Z)"
)


def proposed(memory: Memory, reply: Reply, day: str) -> dict[str, str]:
    """New bodies by file name, of the files that would change.

    Frontmatter that the model wrote is dropped. White space at the ends is no change, and
    neither is a copy of the empty template (guard 7). Raises Rejected for a blank body
    where there is content.
    """
    changed = {}
    for name in filter(reply.bodies.__contains__, BODY_FILES):
        old = memory[name].body
        told = reply.bodies[name].strip()
        body = told if told == old.strip() else without_frontmatter(told).strip()
        if name == DECISIONS:
            body = date_entries(body, old, day)
        if body == old.strip() or is_template(name, body):
            continue
        if body:
            changed[name] = f"{body}\n"
        elif not is_template(name, old):
            raise Rejected(
                f"reply rejected (guard 3): {name} would be left blank; it stays as it is"
            )
    return changed


def without_frontmatter(body: str) -> str:
    """`body` below every block of YAML keys that stands at its top."""
    start = 0
    while block := _FRONTMATTER.match(body, start):
        start = block.end()
    return body[start:]
