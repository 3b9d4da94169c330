"""Guard 9: no runaway reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memd.errors import Rejected
from memd.model import MISTAKES


def check(
    old: Mapping[str, str],
    new: Mapping[str, str],
    archive: Iterable[str],
    budgets: Mapping[str, int],
) -> None:
    """Raises Rejected when a reply makes a body grow past twice its budget.

    Both mappings hold bodies by file name. Of the old mistakes, which no reply can make
    shorter, no more than one budget counts. The archive entries may hold what all files
    together could, and the old bodies once more.
    """
    for name, body in new.items():
        before = len(old[name])
        spared = max(0, before - budgets[name]) if name == MISTAKES else 0
        if len(body) > before and len(body) - spared > 2 * budgets[name]:
            raise _rejected(name, 2 * budgets[name])
    room = 2 * sum(budgets.values()) + sum(map(len, old.values()))
    if sum(map(len, archive)) > room:
        raise _rejected("archive_entries", room)


def _rejected(name: str, limit: int) -> Rejected:
    return Rejected(
        f"reply rejected (guard 9): {name} would grow past {limit} characters; nothing was changed"
    )
