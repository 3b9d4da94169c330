"""The record of an update that is to be carried out."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from memd.model import Cursor, Digest, SourceCounts
from memd.state import statefile
from memd.state.decoding import decode
from memd.state.ledger import Health, JournalEntry, Ledger
from memd.store.memory import FileChange


@dataclass(frozen=True, slots=True)
class Record:
    """All that follows from one digest and the reply to it."""

    id: str
    changes: tuple[FileChange, ...] = ()
    message: str = ""
    """Commit message."""
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    seen: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    """Name and fingerprint of each note that was read."""
    visited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: Mapping[str, SourceCounts] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    weight: int = 0
    """Of what was shown, see `strikes.weight`."""
    journal: JournalEntry | None = None
    """None when the curator was not asked."""

    @property
    def is_news(self) -> bool:
        """Whether more follows from it than an entry in the ledger."""
        return bool(self.changes or self.notes)

    def adds_to(self, ledger: Ledger) -> bool:
        """Whether the ledger does not hold all of it yet."""
        return bool(
            self.visited
            or self.unreadable != ledger.unreadable
            or not self.cursors.items() <= ledger.cursors.items()
            or any(c.barren_bytes != _barren(ledger, name) for name, c in self.counts.items())
        )


def gone_over(digest: Digest, ledger: Ledger, *, whole: bool) -> Record:
    """What has to be remembered of the sessions in a digest.

    Unless it is about the `whole` of what is new, troubles that earlier ones met stay noted.
    """
    counts, unreadable = digest.counts, digest.unreadable
    if not whole:
        unreadable = tuple(dict.fromkeys((*ledger.unreadable, *unreadable)))
        counts = {
            name: dataclasses.replace(c, barren_bytes=max(c.barren_bytes, _barren(ledger, name)))
            for name, c in counts.items()
        }
    return Record(
        id=secrets.token_hex(8),
        cursors=digest.cursors,
        seen=digest.seen,
        visited=digest.visited,
        counts=counts,
        unreadable=unreadable,
    )


def to_bytes(record: Record) -> bytes:
    document = {"format": statefile.FORMAT, **dataclasses.asdict(record)}
    return json.dumps(document, ensure_ascii=True).encode()


def from_document(document: Mapping[str, object]) -> Record:
    """Raises ValueError for what is no record."""
    return decode(Record, document)


def _barren(ledger: Ledger, source: str) -> int:
    return ledger.health.get(source, Health()).barren_bytes
