"""Draw from the new parts of all sources what one curator call is to see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memd.digest_text import day_of, event_block, note_block, one_line, session_line
from memd.model import CleanText, Cursor, Digest, Note, SourceCounts, SourceRef, Span
from memd.redact import join

if TYPE_CHECKING:
    from memd.redact import Redactor

Streams = Iterable[tuple[SourceRef, Iterator[Span]]]
_MOST_TYPES = 10
_TYPE_CHARS = 60


def build(
    streams: Streams,
    *,
    redactor: Redactor,
    cap: int,
    accepts: Callable[[SourceRef, Span], str | None],
    seen: Callable[[str], bool],
    notes: Sequence[Note] = (),
) -> Digest:
    """What fits into `cap` characters: streams one after the other, notes beside them.

    Notes get half of the room while streams have content, then what is left. The first
    span with something to show is taken whatever its size, and so is the first note where
    no stream shows anything: every pass gets on. The first span that does not fit ends it.

    `accepts` is asked about each span with events: "" takes it, the root of another project
    passes it over and notes the visit, None drops it. `seen` tells the ids of records that
    were shown before; those, and ids met twice here, are passed over.

    Cursors move over all that was taken or passed. In a stretch without a single record
    that the source recognised, the cursor stays and the bytes are counted as barren. A
    stream that raises OSError stops where it stands and is named in `unreadable`.
    """
    draft = _Draft(redactor, cap, accepts, seen)
    draft.take_notes(notes, room=cap // 2)
    for ref, spans in streams:
        draft.read(ref, spans)
        if draft.is_full:
            break
    draft.take_notes(notes, room=cap, at_least_one=not draft.spans)
    return draft.finished(complete=not draft.is_full and len(draft.notes) == len(notes))


@dataclass(slots=True)
class _Stretch:
    """What of one stream was gone over in this pass."""

    tally: Counter[str] = field(default_factory=Counter)
    """Records by outcome."""
    types: dict[str, None] = field(default_factory=dict)
    size: int = 0
    cursor: Cursor | None = None
    recognised: bool = False

    def meet(self, span: Span) -> None:
        self.recognised = bool(self.recognised or span.events or span.outcome == "noise")

    def take(self, span: Span) -> None:
        self.tally[span.outcome] += span.records
        self.size += span.size
        self.cursor = span.cursor
        if span.outcome == "unknown" and len(self.types) < _MOST_TYPES:
            self.types[span.detail] = None


@dataclass(slots=True)
class _Draft:
    """A digest in the making."""

    redactor: Redactor
    cap: int
    accepts: Callable[[SourceRef, Span], str | None]
    seen: Callable[[str], bool]
    spans: int = 0
    is_full: bool = False
    notes: list[Note] = field(default_factory=list)
    _chars: int = 0
    _blocks: list[CleanText] = field(default_factory=list)
    _note_blocks: list[CleanText] = field(default_factory=list)
    _heading: tuple[str, str] = ("", "")
    """Session and day that the newest heading names."""
    _latest: str = ""
    _ids: dict[str, None] = field(default_factory=dict)
    _sessions: dict[str, None] = field(default_factory=dict)
    _cursors: dict[str, Cursor] = field(default_factory=dict)
    _counts: dict[str, SourceCounts] = field(default_factory=dict)
    _visited: dict[str, dict[str, None]] = field(default_factory=dict)
    _unreadable: list[str] = field(default_factory=list)

    def take_notes(self, notes: Sequence[Note], *, room: int, at_least_one: bool = False) -> None:
        """Further notes in their order, as long as the whole stays within `room`."""
        for note in notes[len(self.notes) :]:
            block = note_block(self.redactor, note)
            needed = at_least_one and not self.notes
            if self._chars + _size([block]) > room and not needed:
                return
            self._chars += _size([block])
            self._note_blocks.append(block)
            self.notes.append(note)

    def read(self, ref: SourceRef, spans: Iterator[Span]) -> None:
        """Take what fits from one stream."""
        stretch = _Stretch()
        try:
            for span in spans:
                stretch.meet(span)
                if span.events:
                    self._show(ref, span)
                if self.is_full:
                    break
                stretch.take(span)
        except OSError as error:
            self._unreadable.append(f"{ref.key}: {error.strerror or type(error).__name__}")
        self._close(ref, stretch)

    def finished(self, *, complete: bool) -> Digest:
        return Digest(
            text=join("\n", self._blocks),
            notes=tuple(self.notes),
            notes_text=join("\n", self._note_blocks),
            cursors=self._cursors,
            seen=tuple(self._ids),
            sessions=tuple(self._sessions),
            latest=self._latest or None,
            complete=complete,
            counts=self._counts,
            visited={root: tuple(keys) for root, keys in self._visited.items()},
            spans=self.spans,
            unreadable=tuple(self._unreadable),
        )

    def _show(self, ref: SourceRef, span: Span) -> None:
        """Add the words of a span unless they are another's, a copy, or too many."""
        owner = self.accepts(ref, span)
        if owner:
            self._visited.setdefault(owner, {})[ref.key] = None
        elif owner is not None and not self._is_copy(span):
            self._add(ref, span)

    def _add(self, ref: SourceRef, span: Span) -> None:
        key, day = ref.key, day_of(span.at) or self._day_so_far(ref)
        blocks = [event_block(self.redactor, event) for event in span.events]
        blocks = [block for block in blocks if block]
        if blocks and self._heading != (key, day):
            blocks.insert(0, session_line(self.redactor, ref, day))
        if self.spans and self._chars + _size(blocks) > self.cap:
            self.is_full = True
            return
        if span.record_id is not None:
            self._ids[span.record_id] = None
        if blocks:
            self.spans += 1
            self._chars += _size(blocks)
            self._blocks += blocks
            self._heading = (key, day)
            self._latest = max(self._latest, day)
            self._sessions[key] = None

    def _is_copy(self, span: Span) -> bool:
        """Whether the record was shown before; its id stays fresh then."""
        if span.record_id is None or span.record_id in self._ids:
            return span.record_id is not None
        if self.seen(span.record_id):
            self._ids[span.record_id] = None
            return True
        return False

    def _day_so_far(self, ref: SourceRef) -> str:
        key, day = self._heading
        return day if key == ref.key else ""

    def _close(self, ref: SourceRef, stretch: _Stretch) -> None:
        if stretch.cursor is None:
            return
        if stretch.recognised:
            self._cursors[ref.key] = stretch.cursor
        types = tuple(one_line(self.redactor, name, _TYPE_CHARS) for name in stretch.types)
        # What is not recognised is read again by every pass: it would be counted each time.
        counts = stretch.tally if stretch.recognised else {"barren_bytes": stretch.size}
        old = self._counts.get(ref.source, SourceCounts())
        total = old + SourceCounts(**counts, unknown_types=types)
        shown = total.unknown_types[:_MOST_TYPES]
        self._counts[ref.source] = replace(total, unknown_types=shown)


def _size(blocks: Sequence[str]) -> int:
    """Characters with a line end after each block."""
    return sum(map(len, blocks)) + len(blocks)
