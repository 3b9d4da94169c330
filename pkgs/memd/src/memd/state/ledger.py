"""What memd remembers of one project: read markers, seen records, journal, troubles."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memd import fsio
from memd.model import Cursor, SourceCounts, Usage
from memd.paths import Paths
from memd.state import statefile
from memd.state.decoding import decode

SEEN_DAYS = 30
JOURNAL_LENGTH = 50
USAGE_DAYS = 90
_HASH_LENGTH = 16

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One distill that was applied."""

    at: str
    trigger: str
    model: str
    summary: str
    sessions: tuple[str, ...] = ()
    notes: int = 0
    chars: int = 0


@dataclass(frozen=True, slots=True)
class Strikes:
    """A span whose replies were unusable or rejected."""

    calls: int = 0
    """Curator calls spent on it."""
    suspect: int = 0
    """Characters from the read markers on that hold what no reply was usable for; 0 while
    that is not certain yet."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SetAside:
    """Something that no curator could digest; `memd sync --retry` takes it up again."""

    key: str
    """Session key, or `inbox/<note>`."""
    after: Cursor | None
    until: Cursor
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Health(SourceCounts):
    """Ingestion of one source since memd knows the project."""

    barren_since: str = ""
    """ISO time since when bytes were read and nothing in them was recognised."""


@dataclass(frozen=True, slots=True)
class LastRun:
    at: str = ""
    outcome: str = ""
    """`applied`, `nothing-new` or `failed`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """All of it. Unknown fields of the file are not kept: only memd writes it."""

    root: str = ""
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    """By session key."""
    baseline: Mapping[str, Cursor] = field(default_factory=dict)
    """Where sessions stood when memd began; what is before was never read."""
    seen: Mapping[str, str] = field(default_factory=dict)
    """ISO day -> short hashes of record ids, run together."""
    visits: tuple[str, ...] = ()
    """Keys of other projects' sessions that hold records made in this one."""
    journal: tuple[JournalEntry, ...] = ()
    """Newest last."""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    """By ISO day."""
    calls: Mapping[str, int] = field(default_factory=dict)
    """Curator calls by ISO day."""
    health: Mapping[str, Health] = field(default_factory=dict)
    """By source name."""
    last: LastRun = LastRun()
    strikes: Strikes = Strikes()
    aside: tuple[SetAside, ...] = ()
    unreadable: tuple[str, ...] = ()
    commit_error: str = ""
    """Why the newest commit of the memory could not be made, "" when it was."""
    uncommitted: str = ""
    """Message of that commit, which is still to be made."""
    applied: str = ""
    """Id of the last apply record that was carried out."""
    lost: str = ""
    """Set when both versions of the file were damaged: the baseline has to be taken anew."""

    def started_at(self, baseline: Mapping[str, Cursor]) -> Ledger:
        """With all of `baseline` taken as read."""
        return dataclasses.replace(
            self, baseline=dict(baseline), cursors={**baseline, **self.cursors}, lost=""
        )

    def without_baseline(self) -> Ledger:
        """With the sessions that were taken as read waiting to be read."""
        cursors = {key: c for key, c in self.cursors.items() if key not in self.baseline}
        return dataclasses.replace(self, baseline={}, cursors=cursors, lost="")

    def wanting(self, key: str) -> Ledger:
        """With a session that was taken as read waiting from its beginning."""
        if self.cursors.get(key) != self.baseline.get(key, ""):
            return self
        baseline = {k: c for k, c in self.baseline.items() if k != key}
        cursors = {k: c for k, c in self.cursors.items() if k != key}
        return dataclasses.replace(self, baseline=baseline, cursors=cursors)

    def has_seen(self) -> Callable[[str], bool]:
        known = {short for run in self.seen.values() for short in _apart(run)}
        return lambda record_id: _short(record_id) in known

    def with_seen(self, ids: Iterable[str], today: str) -> Ledger:
        """Remember ids as of `today` and forget what is older than SEEN_DAYS days."""
        kept = _newest(self.seen, SEEN_DAYS)
        kept[today] = "".join(dict.fromkeys((*_apart(kept.get(today, "")), *map(_short, ids))))
        return dataclasses.replace(self, seen={d: h for d, h in kept.items() if h})

    def with_usage(self, usage: Usage, today: str) -> Ledger:
        old = self.usage.get(today, Usage())
        total = Usage(
            old.input_tokens + usage.input_tokens,
            old.output_tokens + usage.output_tokens,
            old.cost_usd + usage.cost_usd,
        )
        return dataclasses.replace(
            self,
            usage={**_newest(self.usage, USAGE_DAYS), today: total},
            calls={**_newest(self.calls, USAGE_DAYS), today: self.calls.get(today, 0) + 1},
        )

    def with_journal(self, entry: JournalEntry) -> Ledger:
        return dataclasses.replace(self, journal=(*self.journal, entry)[-JOURNAL_LENGTH:])

    def with_counts(self, counts: Mapping[str, SourceCounts], now: str) -> Ledger:
        health = dict(self.health)
        for source, new in counts.items():
            health[source] = _add(health.get(source, Health()), new, now)
        return dataclasses.replace(self, health=health)


def file_name(root: str) -> str:
    """How every file in the state directory is called that belongs to one project."""
    return f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:24]}.json"


def path(paths: Paths, root: str) -> str:
    return paths.in_state("projects", file_name(root))


def pending_path(paths: Paths, root: str) -> str:
    """Where the record of an update stands while it is carried out."""
    return paths.in_state("pending", file_name(root))


def read(paths: Paths, root: str) -> Ledger:
    """The ledger as it stands, changing nothing; an empty one when there is none."""
    try:
        return statefile.read(path(paths, root), from_document)
    except statefile.Missing:
        return Ledger(root=root)
    except statefile.Damaged:
        return Ledger(root=root, lost="damaged")


def edit(paths: Paths, root: str, change: Callable[[Ledger], Ledger]) -> None:
    """Change the ledger under its lock."""

    def changed(old: Ledger) -> Json:
        return to_document(dataclasses.replace(change(old), root=root))

    statefile.edit(path(paths, root), from_document, changed, when_lost="damaged")


def move(paths: Paths, old: str, new: str) -> None:
    """Copy all that is remembered of a project to the root it lives at now."""
    kept = read(paths, old)
    edit(paths, new, lambda _: kept)
    with contextlib.suppress(FileNotFoundError):
        os.replace(pending_path(paths, old), pending_path(paths, new))


def forget(paths: Paths, root: str) -> None:
    """Remove the ledger of a root where no project is any more."""
    for suffix in ("", statefile.BACKUP):
        fsio.remove(path(paths, root) + suffix)


def from_document(document: Json) -> Ledger:
    """Raises ValueError for what is none."""
    return decode(Ledger, document)


def to_document(ledger: Ledger) -> Json:
    return dataclasses.asdict(ledger)


def _add(old: Health, new: SourceCounts, now: str) -> Health:
    recognised = new.events or new.noise
    return dataclasses.replace(
        old + new,
        barren_bytes=new.barren_bytes,
        barren_since=(old.barren_since or now) if new.barren_bytes else "",
        unknown_types=new.unknown_types or (() if recognised else old.unknown_types),
    )


def _short(record_id: str) -> str:
    return hashlib.sha256(record_id.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def _apart(run: str) -> Iterator[str]:
    return (run[i : i + _HASH_LENGTH] for i in range(0, len(run), _HASH_LENGTH))


def _newest(by_day: Mapping[str, Any], days: int) -> dict[str, Any]:
    return dict(sorted(by_day.items())[-days:])
