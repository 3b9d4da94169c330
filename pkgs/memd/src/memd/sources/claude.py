"""Sessions of Claude Code: `<claude_dir>/projects/<directory>/<session>.jsonl`."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import ClassVar, Final

from memd.model import QUALIFIER, Cursor, Project, SourceRef, Span
from memd.sources.claude_records import directory, judge
from memd.sources.jsonl import opening, printable, spans
from memd.sources.lines import behind, last_end, lines, open_regular, place_at, resume

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class ClaudeSource:
    """Reads what the client appends while a session lives.

    Subagents, which have files of their own, are no sessions. Neither is what was done in
    or below `skip_below`, where memd lets its own curator work.
    """

    name: ClassVar[str] = "claude-code"

    def __init__(self, claude_dir: str, skip_below: str) -> None:
        self._projects = os.path.join(claude_dir, "projects")
        self._skipped = (skip_below, os.path.realpath(skip_below))

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        """Every session once; of two files (entering a worktree moves one) the larger."""
        found: dict[str, tuple[int, float, str]] = {}
        for entry in _transcripts(self._projects):
            try:
                status = entry.stat()
            except OSError:
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            session = _session(entry.path)
            this = (status.st_size, status.st_mtime, entry.path)
            found[session] = max(this, found.get(session, this))
        for size, modified, path in found.values():
            try:
                ref = _ref(path, size, modified)
            except OSError:
                continue
            if not self._skips(ref):
                yield ref

    def locate(self, path: str) -> SourceRef | None:
        """The session stored at `path`, wherever that is."""
        folder, name = os.path.split(os.path.abspath(path))
        try:
            path = os.path.join(os.path.realpath(folder), name)
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        if not (_is_transcript(name) and stat.S_ISREG(status.st_mode)):
            return None
        ref = _ref(path, status.st_size, status.st_mtime)
        return None if self._skips(ref) else ref

    def end(self, ref: SourceRef) -> Cursor:
        with open_regular(ref.path) as file:
            return place_at(file, last_end(file)).cursor

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        return behind(after, ref.size)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with open_regular(ref.path) as file:
            yield from spans(lines(file, resume(file, after)), judge)

    def _skips(self, ref: SourceRef) -> bool:
        cwd = ref.cwd or ""
        return any(cwd == top or cwd.startswith(f"{top}/") for top in self._skipped)


def _transcripts(projects: str) -> Iterator[os.DirEntry[str]]:
    # Not glob: a home directory may have brackets in its name.
    try:
        folders = list(os.scandir(projects))
    except (FileNotFoundError, NotADirectoryError):
        return
    for folder in folders:
        try:
            entries = list(os.scandir(folder.path))
        except OSError:
            continue
        yield from (e for e in entries if _is_transcript(e.name))


def _is_transcript(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith("agent-")


def _session(path: str) -> str:
    folder, name = os.path.split(path)
    stem = name.removesuffix(".jsonl")
    return (
        stem if _UUID.fullmatch(stem) else printable(f"{os.path.basename(folder)}{QUALIFIER}{stem}")
    )


def _ref(path: str, size: int, modified: float) -> SourceRef:
    with open_regular(path) as file:
        cwd = next(filter(None, map(directory, opening(file))), None)
    return SourceRef(ClaudeSource.name, _session(path), path, cwd, modified, size)
