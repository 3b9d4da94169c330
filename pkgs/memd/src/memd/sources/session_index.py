"""What was found out about sessions, so that unchanged ones are not opened again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Final

from memd import fsio

_FORMAT: Final = 1
_LARGEST: Final = 64 << 20
_TICK: Final = 100_000_000
"""Nanoseconds; kernels count time in coarser steps than they tell it."""

Json = dict[str, Any]
"""JSON values by name; their meaning is the source's own."""


class SessionIndex:
    """A file in the state directory that may vanish at any time.

    Facts about a session hold as long as its stamp, any JSON value, stays the same.
    Nothing here raises: an index that cannot be read is empty, and one that cannot be
    written is made again next time.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._entries = _load(path)
        self._changed = False
        self._written = _time_of(path)

    def is_older_than(self, changed: int) -> bool:
        """Whether a file changed, at that time in nanoseconds, after the index was written.

        Just before counts as after: a clock stands still while a file is changed twice.
        """
        return changed > self._written - _TICK

    def facts(self, key: str, stamp: object) -> Json | None:
        """What is known of a session that still has this stamp."""
        return self.last_known(key) if self._entries.get(key, {}).get("stamp") == stamp else None

    def last_known(self, key: str) -> Json | None:
        """What was known of a session when it was last looked at."""
        facts = self._entries.get(key, {}).get("facts")
        return facts if isinstance(facts, dict) else None

    def learn(self, key: str, stamp: object, facts: Json) -> None:
        entry = {"stamp": stamp, "facts": facts}
        self._changed = self._changed or self._entries.get(key) != entry
        self._entries[key] = entry

    def renew(self) -> None:
        """Be written even with nothing new in it, so as to be younger than what it tells of."""
        self._changed = True

    def save(self, keys: Iterable[str]) -> None:
        """Keep what is known of the sessions `keys`, and of no other."""
        kept = {key: self._entries[key] for key in keys if key in self._entries}
        if not self._changed and len(kept) == len(self._entries):
            return
        document = json.dumps({"format": _FORMAT, "entries": kept})
        try:
            fsio.make_private_dir(os.path.dirname(self._path))
            fsio.write_atomic(self._path, document.encode(), durable=False)
        except OSError:
            return


def _time_of(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _load(path: str) -> dict[str, Json]:
    try:
        document = json.loads(fsio.read_regular(path, limit=_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        return {}
    entries = document.get("entries")
    found = entries.items() if isinstance(entries, dict) else ()
    return {key: entry for key, entry in found if isinstance(entry, dict)}
