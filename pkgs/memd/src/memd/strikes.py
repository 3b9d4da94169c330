"""What is done with a span whose replies are no use: tried in halves, then set aside."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memd.model import Cursor, Digest
from memd.state.ledger import Ledger, SetAside, Strikes

STRIKES: Final = 3
"""Useless replies after which a span is tried in halves."""
MOST_CALLS: Final = 12
"""Curator calls after which it is set aside."""
_HEADINGS: Final = 500
"""Characters that the headings of the last part may take."""


def cap(strikes: Strikes, usual: int) -> int:
    """Characters to show in the next pass: half of the suspect part, all of it at last."""
    if not strikes.suspect:
        return usual
    if strikes.calls == MOST_CALLS - 1:
        return strikes.suspect + _HEADINGS
    return max(1, strikes.suspect // 2)


def attempts(strikes: Strikes, allowed: int) -> int:
    """Calls that the next pass may make."""
    return 1 if strikes.suspect else min(allowed, STRIKES - strikes.calls)


def struck(old: Ledger, digest: Digest, reason: str, now: str) -> Ledger:
    """After one more useless reply to `digest`."""
    calls = old.strikes.calls + 1
    is_single = digest.spans + len(digest.notes) == 1
    if calls >= MOST_CALLS or (is_single and calls > STRIKES):
        return _set_aside(old, digest, reason, now)
    suspect = weight(digest) if calls >= STRIKES else 0
    return replace(old, strikes=Strikes(calls, suspect, reason))


def eased(old: Ledger, shown: int) -> Ledger:
    """After a good reply to a digest of this weight: the trouble lies in what is left."""
    strikes = old.strikes
    left = strikes.suspect - shown
    if left > 0:
        return replace(old, strikes=replace(strikes, calls=strikes.calls + 1, suspect=left))
    return replace(old, strikes=Strikes())


def weight(digest: Digest) -> int:
    """Characters of what was shown, without the headings: those of its parts add up to it."""
    lines = [line for text in (digest.text, digest.notes_text) if text for line in text.split("\n")]
    return sum(len(line) + 1 for line in lines if not line.startswith("[session "))


def taken_up(old: Ledger) -> Ledger:
    """With all that was set aside waiting to be read again."""
    cursors = dict(old.cursors)
    for entry in reversed(old.aside):
        cursors.pop(entry.key, None)
        if entry.after is not None:
            cursors[entry.key] = entry.after
    return replace(old, aside=(), strikes=Strikes(), cursors=cursors)


def _set_aside(old: Ledger, digest: Digest, reason: str, now: str) -> Ledger:
    """Past all that the digest showed, with the way back kept."""
    sessions = [
        SetAside(key, old.cursors.get(key), digest.cursors[key], now, reason)
        for key in digest.sessions
    ]
    notes = [SetAside(f"inbox/{note.name}", None, Cursor(""), now, reason) for note in digest.notes]
    return replace(
        old,
        strikes=Strikes(),
        aside=(*old.aside, *sessions, *notes),
        cursors={**old.cursors, **digest.cursors},
    )
