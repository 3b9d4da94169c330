"""Sessions of Copilot CLI: `<copilot_dir>/session-state/<session>/events.jsonl`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import ClassVar, Final

from memd.model import Cursor, Project, SourceRef, Span
from memd.sources.copilot_records import directory, is_start, judge
from memd.sources.folders import entries, real_place, start_of
from memd.sources.jsonl import opening, printable, spans, usable_directory
from memd.sources.lines import behind, end, lines, open_regular, resume
from memd.sources.own_work import OwnWork

_EVENTS: Final = "events.jsonl"
_CWD: Final = re.compile(rb"^cwd: *['\"]?(/.*?)['\"]?\r?$", re.MULTILINE)


class CopilotSource:
    """Reads what the client appends while a session lives.

    Early versions kept `session-state/<session>.jsonl`.
    """

    name: ClassVar[str] = "copilot"

    def __init__(self, copilot_dir: str, state_dir: str) -> None:
        self._sessions = os.path.join(copilot_dir, "session-state")
        self._own_work = OwnWork(state_dir)

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        """Every session once; where both layouts hold one, the larger file."""
        found: dict[str, SourceRef] = {}
        for path in _candidates(self._sessions):
            ref = self._ref(path)
            if ref and ref.size >= found.get(ref.session, ref).size:
                found[ref.session] = ref
        yield from found.values()

    def locate(self, path: str) -> SourceRef | None:
        """The session stored at `path`, wherever that is."""
        return self._ref(real_place(path))

    def end(self, ref: SourceRef) -> Cursor:
        with open_regular(ref.path) as file:
            return end(file)

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        return behind(after, ref.size)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with open_regular(ref.path) as file:
            yield from spans(lines(file, resume(file, after)), judge)

    def _ref(self, path: str) -> SourceRef | None:
        folder, name = os.path.split(path)
        if not name.endswith(".jsonl"):
            return None
        try:
            with open_regular(path) as file:
                status, records = os.fstat(file.fileno()), opening(file)
                first = next(records, {})
                cwd = directory(first) or _noted_directory(folder)
                cwd = cwd or next(filter(None, map(directory, records)), None)
        except (OSError, ValueError):
            return None
        # Where the client's own note tells the directory, the events may look like anything.
        if not is_start(first) and not (cwd and name == _EVENTS):
            return None
        if self._own_work.holds(cwd):
            return None
        stem = os.path.basename(folder) if name == _EVENTS else name.removesuffix(".jsonl")
        return SourceRef(self.name, printable(stem), path, cwd, status.st_mtime, status.st_size)


def _candidates(sessions: str) -> Iterator[str]:
    for path in entries(sessions):
        yield path if path.endswith(".jsonl") else os.path.join(path, _EVENTS)


def _noted_directory(folder: str) -> str | None:
    """What the client notes beside the events; the only place where early versions do."""
    match = _CWD.search(start_of(os.path.join(folder, "workspace.yaml")))
    return usable_directory(os.fsdecode(match[1])) if match else None
