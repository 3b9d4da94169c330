"""What every source promises, over the cases in tests/data/transcripts/<source>/<case>/.

A case is a folder as the client leaves it. Beside its files stands, for each session, a
`<file name>.events` with what is to be read from it, checked by a person: a letter for
the kind of an event and its text on one line, `!` for records that could not be used.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.model import Project
from memd.sources.claude import ClaudeSource
from memd.sources.codex import CodexSource
from memd.sources.copilot import CopilotSource
from memd.sources.extra import ExtraSource
from memd.sources.gemini import GeminiSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memd.model import Cursor, SourceRef, Span
    from memd.sources.base import TranscriptSource

DATA = Path(__file__).parents[2] / "data" / "transcripts"
LETTERS = {"user": "U", "assistant": "A", "tool": "T", "result": "R", "error": "E", "text": "X"}


def _extra(case: str, *, later: bool) -> TranscriptSource:
    return ExtraSource(case, lambda: time.time() + (3600 if later else 0))


SOURCES: dict[str, Callable[..., TranscriptSource]] = {
    "claude-code": lambda case, later: ClaudeSource(case, f"{case}-state"),
    "codex": lambda case, later: CodexSource(case, "/nonexistent"),
    "copilot": lambda case, later: CopilotSource(case, "/nonexistent"),
    "extra": _extra,
    "gemini-cli": lambda case, later: GeminiSource(
        case, "/nonexistent", lambda: ["/home/dev/work/shop"]
    ),
}
"""A source that reads a case folder; `later` is long after its files were written."""


@dataclass(frozen=True)
class Case:
    source: str
    folder: Path

    def open(self, *, later: bool = True) -> TranscriptSource:
        return SOURCES[self.source](str(self.folder), later=later)

    def refs(self) -> list[SourceRef]:
        project = Project(str(self.folder), "case", extra_sources=("files/*",))
        return sorted(self.open().discover(project), key=lambda ref: ref.path)

    def moved_to(self, place: Path) -> Case:
        shutil.copytree(self.folder, place, copy_function=shutil.copyfile)
        return Case(self.source, Path(os.path.realpath(place)))


CASES = [Case(source, folder) for source in SOURCES for folder in sorted((DATA / source).iterdir())]


@pytest.fixture(params=CASES, ids=lambda case: f"{case.source}-{case.folder.name}")
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    found: Case = request.param
    return found.moved_to(tmp_path / "case")


def test_reads_what_was_said_once_and_nothing_else(case: Case) -> None:
    for ref in case.refs():
        golden = (case.folder / f"{os.path.basename(ref.path)}.events").read_text("utf-8")
        assert _shown(case.open().read(ref, None)) == golden, ref.path


def test_every_golden_file_belongs_to_a_session(case: Case) -> None:
    names = {f"{os.path.basename(ref.path)}.events" for ref in case.refs()}
    assert {path.name for path in case.folder.glob("*.events")} == names


def test_spans_cover_all_up_to_the_end(case: Case) -> None:
    for ref in case.refs():
        spans = list(case.open().read(ref, None))
        assert case.open().end(ref) == (spans[-1].cursor if spans else _start(case, ref))
        assert len({span.cursor for span in spans}) == len(spans)
        assert sum(span.size for span in spans) <= ref.size


def test_reading_goes_on_from_any_cursor(case: Case) -> None:
    for ref in case.refs():
        spans = list(case.open().read(ref, None))
        for number, span in enumerate(spans, 1):
            assert list(case.open().read(ref, span.cursor)) == spans[number:]


def test_nothing_is_read_at_the_end(case: Case) -> None:
    for ref in case.refs():
        assert list(case.open().read(ref, case.open().end(ref))) == []


def test_growing_in_mid_record_reads_each_record_once(case: Case) -> None:
    source = case.open(later=False)
    for ref in case.refs():
        whole = list(source.read(ref, None))
        path, data = Path(ref.path), Path(ref.path).read_bytes()
        path.write_bytes(b"")
        parts: list[Span] = []
        cursor: Cursor | None = None
        for size in _sizes(data):
            with path.open("ab") as file:
                file.write(data[path.stat().st_size : size])
            parts += source.read(ref, cursor)
            cursor = parts[-1].cursor if parts else None
            assert cursor is None or cursor == source.end(ref)
        assert _facts(parts) == _facts(whole)
        assert sum(span.size for span in parts) == sum(span.size for span in whole)


def test_a_replaced_file_is_read_from_its_start(case: Case) -> None:
    for ref in case.refs():
        path, old = Path(ref.path), case.open().end(ref)
        lines = path.read_bytes().splitlines(keepends=True)
        other = path.with_name("other")
        other.write_bytes(b'{"type":"mode","sessionId":"other"}\n' + b"".join(lines))
        other.replace(path)
        assert list(case.open().read(ref, old)) == list(case.open().read(ref, None)) != []
        assert case.open().end(ref) != old


def test_a_truncated_file_is_read_from_its_start(case: Case) -> None:
    for ref in case.refs():
        path, old = Path(ref.path), case.open().end(ref)
        data = path.read_bytes()
        path.write_bytes(data[: data.find(b"\n") + 1])
        left = list(case.open().read(ref, None))
        if case.open().end(ref) != old:
            assert list(case.open().read(ref, old)) == left


def test_a_path_that_is_no_session_is_not_located(case: Case) -> None:
    assert case.open().locate(str(case.folder)) is None
    assert case.open().locate(str(case.folder / "missing.jsonl")) is None


def _start(case: Case, ref: SourceRef) -> Cursor:
    """The cursor before the first record: the one of the same file when it is empty."""
    data = Path(ref.path).read_bytes()
    Path(ref.path).write_bytes(b"")
    cursor = case.open().end(ref)
    Path(ref.path).write_bytes(data)
    return cursor


def _sizes(data: bytes) -> Iterator[int]:
    """Ends of all records, and a place in the middle of each."""
    end = 0
    for line in data.splitlines(keepends=True):
        yield end + (len(line) + 1) // 2
        end += len(line)
        yield end


def _shown(spans: Iterator[Span]) -> str:
    lines = []
    for span in spans:
        lines += [f"{LETTERS[event.kind]}: {_one_line(event.text)}" for event in span.events]
        if span.outcome in ("unknown", "broken"):
            lines.append(f"! {span.outcome}: {span.detail}")
    return "".join(f"{line}\n" for line in lines)


def _one_line(text: str) -> str:
    escaped = text.strip().replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
    return "".join(c if c.isprintable() or c == "\t" else f"\\u{ord(c):04x}" for c in escaped)


def _facts(spans: list[Span]) -> list[object]:
    """What spans say, however noise is folded and text is parted."""
    facts: list[object] = []
    text = ""
    for span in spans:
        kinds = {event.kind for event in span.events}
        if kinds == {"text"}:
            text += "".join(event.text for event in span.events).replace("\n", "")
        elif span.outcome != "noise":
            facts.append((span.outcome, span.events, span.record_id, span.cwd, span.detail))
    return [*facts, text]
