"""The nouns of memd, each a frozen value.

Sizes are characters of text or bytes of file as the field says; times are UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NewType, TypeVar

STATE: Final = "state.md"
DECISIONS: Final = "decisions.md"
TODO: Final = "todo.md"
MISTAKES: Final = "mistakes.md"
MEMORY_FILES: Final = (STATE, DECISIONS, TODO, MISTAKES)
BODY_FILES: Final = (STATE, DECISIONS, TODO)
"""The files whose whole body a reply may replace; mistakes only grow."""

CleanText = NewType("CleanText", str)
"""Text the redactor has seen whole. Only `memd.redact` makes it."""

Cursor = NewType("Cursor", str)
"""A place in a source; opaque outside the source that made it. Equal means same place."""


@dataclass(frozen=True, slots=True)
class Project:
    """One registered directory and its store."""

    root: str
    """Real path of the main worktree; the identity of the project."""
    name: str
    extra_sources: tuple[str, ...] = ()
    is_global: bool = False


# --- sources --------------------------------------------------------------------


QUALIFIER: Final = "~"


@dataclass(frozen=True, slots=True)
class SourceRef:
    """One session (or file) that a source can read."""

    source: str
    """Registry name of the source, e.g. `claude-code`."""
    session: str
    """The client's own id of the session, behind `<folder>~` where that may not be unique."""
    path: str
    cwd: str | None
    """Directory the session began in; None when it recorded none."""
    modified: float
    """Seconds since the epoch of the last write."""
    size: int
    """Bytes."""

    @property
    def client_id(self) -> str:
        """The client's own id, without what tells apart files of one name."""
        return self.session.rpartition(QUALIFIER)[2]

    @property
    def key(self) -> str:
        """Identity of the session across moves of its file, as in `Memd-Session:` trailers."""
        return f"{self.source}/{self.session}"


EventKind = Literal["user", "assistant", "tool", "result", "error", "text"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing said or done in a session: whole and raw, neither cut nor redacted."""

    kind: EventKind
    text: str


SpanOutcome = Literal["events", "noise", "unknown", "broken"]


@dataclass(frozen=True, slots=True)
class Span:
    """The smallest part of a source that is taken or left as a whole."""

    cursor: Cursor
    """Where reading stands once this span is taken."""
    size: int
    """Bytes of the source it covers."""
    outcome: SpanOutcome
    events: tuple[Event, ...] = ()
    record_id: str | None = None
    """The client's id of the record; a copy of the record carries the same one."""
    cwd: str | None = None
    at: str | None = None
    """ISO 8601 time of the record."""
    detail: str = ""
    """For unknown and broken: the type's name, or what is wrong. Never the content."""
    records: int = 1
    """How many records are folded into this span (runs of noise may be)."""


NOTE_KINDS: Final = ("state", "decision", "todo", "mistake")
NOTE_CHARS: Final = 4000
"""Characters of a note that a curator is shown; of a longer one, beginning and end."""


@dataclass(frozen=True, slots=True)
class Note:
    """One inbox note as found, raw."""

    name: str
    text: str
    """The text without its frontmatter, whole."""
    fingerprint: str
    """Identifies the very file that was read; only that one may be deleted."""
    kind: str | None = None
    """One of NOTE_KINDS."""
    source: str | None = None
    date: str | None = None
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Digest:
    """What one pass shows to the curator, and what it may mark as read afterwards."""

    text: CleanText
    notes: tuple[Note, ...] = ()
    notes_text: CleanText = CleanText("")
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    """New cursor by `SourceRef.key`, for each session that was read in this pass."""
    seen: tuple[str, ...] = ()
    """Record ids shown or passed in this pass."""
    sessions: tuple[str, ...] = ()
    """Keys of the sessions whose words are in `text`."""
    latest: str | None = None
    """ISO date of the newest record shown."""
    complete: bool = True
    """False when more was waiting than the cap allowed."""
    counts: Mapping[str, SourceCounts] = field(default_factory=dict)
    """Ingestion counts by source name."""
    visited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other projects' roots -> keys of sessions that hold records made there."""
    spans: int = 0
    """Spans whose words are in `text`."""
    unreadable: tuple[str, ...] = ()
    """Sessions that could not be opened, as `<key>: reason`; their cursors stay."""

    @property
    def chars(self) -> int:
        return len(self.text) + len(self.notes_text)

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.notes


_Counts = TypeVar("_Counts", bound="SourceCounts")


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """How many records of a source were understood, and bytes of stretches where none was."""

    events: int = 0
    noise: int = 0
    unknown: int = 0
    broken: int = 0
    barren_bytes: int = 0
    unknown_types: tuple[str, ...] = ()

    def __add__(self: _Counts, other: SourceCounts) -> _Counts:
        types = dict.fromkeys((*self.unknown_types, *other.unknown_types))
        return replace(
            self,
            events=self.events + other.events,
            noise=self.noise + other.noise,
            unknown=self.unknown + other.unknown,
            broken=self.broken + other.broken,
            barren_bytes=self.barren_bytes + other.barren_bytes,
            unknown_types=tuple(types),
        )


# --- memory ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One memory file as it is on disk."""

    name: str
    frontmatter: Mapping[str, object]
    """Parsed keys in file order; empty when the file has no valid frontmatter."""
    body: str
    text: str
    """The whole file."""
    digest: str
    """SHA-256 hex of the bytes on disk; of nothing when the file is missing."""


Memory = Mapping[str, MemoryFile]
"""By file name; always all of MEMORY_FILES."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    source: str
    """What the curator or memd calls its origin; never a path."""
    content: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A curator's answer that has the agreed shape; not yet judged."""

    summary: str
    bodies: Mapping[str, str]
    """New body by file name (BODY_FILES only); a missing name means unchanged."""
    mistakes: tuple[str, ...] = ()
    archive: tuple[ArchiveEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryUpdate:
    """What the guards let through."""

    summary: str
    bodies: Mapping[str, str]
    """New body by file name, of changed files only, within budget."""
    archive: tuple[ArchiveEntry, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.bodies and not self.archive


# --- curator --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CuratorRequest:
    system: str
    """The charter."""
    prompt: CleanText
    model: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call reported; zero where the backend says nothing."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class CuratorReply:
    text: str
    """What the model said, envelope removed; untrusted."""
    usage: Usage = Usage()


# --- outcomes -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Applied:
    summaries: tuple[str, ...]
    """One for each pass."""
    pending: bool
    """More was waiting than the run was allowed to take."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NothingNew:
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Busy:
    """Another sync holds the store; it was told to look again."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something is new and was left for later on purpose (daily limit, backend pause)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    error: str
    exit_code: int


SyncOutcome = Applied | NothingNew | Busy | Waiting | Failed
