"""Sessions of Claude Code: `<claude_dir>/projects/<directory>/<session>.jsonl`."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple

from memd.model import QUALIFIER, Cursor, Project, SourceRef, Span
from memd.sources.claude_records import directory, judge
from memd.sources.folders import entries, readable_entries, real_place
from memd.sources.jsonl import opening, printable, spans
from memd.sources.lines import behind, end, lines, open_regular, resume
from memd.sources.own_work import OwnWork
from memd.sources.session_index import SessionIndex

INDEX: Final = "claude_index.json"

Stamp = list[int]
"""Device, inode, size and time of change of a file."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class ClaudeSource:
    """Reads what the client appends while a session lives.

    Subagents, which have files of their own, are no sessions. What was found out is kept in
    `claude_index.json` below `state_dir`, so that only what changed is opened again.
    """

    name: ClassVar[str] = "claude-code"

    def __init__(self, claude_dir: str, state_dir: str) -> None:
        self._projects = os.path.join(claude_dir, "projects")
        self._own_work = OwnWork(state_dir)
        self._index_path = os.path.join(state_dir, INDEX)
        self._unchanged: dict[str, tuple[Stamp, Cursor]] = {}
        """Where files end that were not opened, as of the last look."""

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        index = SessionIndex(self._index_path)
        known: list[str] = []
        for session, file in self._sessions():
            try:
                facts = self._facts(file, index)
            except OSError:
                continue
            known.append(file.path)
            ref = _ref(session, file, facts)
            if not self._own_work.holds(ref.cwd):
                yield ref
        index.save(known)

    def locate(self, path: str) -> SourceRef | None:
        """The session stored at `path`, wherever that is."""
        here = real_place(path)
        found = _file(here) if _is_transcript(here) else []
        if not found:
            return None
        name = os.path.basename(here)
        others = (os.path.join(each, name) for each in entries(self._projects))
        copies = [*found, *(file for path in others for file in _file(path))]
        session = next(s for s, file in _told_apart(copies) if file.inode == found[0].inode)
        ref = _ref(session, found[0], _look(found[0]))
        return None if self._own_work.holds(ref.cwd) else ref

    def end(self, ref: SourceRef) -> Cursor:
        if ref.path in self._unchanged:
            stamp, place = self._unchanged[ref.path]
            if [file.stamp for file in _file(ref.path)] == [stamp]:
                return place
        with open_regular(ref.path) as file:
            return end(file)

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        return behind(after, ref.size)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with open_regular(ref.path) as file:
            yield from spans(lines(file, resume(file, after)), judge)

    def _sessions(self) -> Iterator[tuple[str, _File]]:
        files: dict[str, list[_File]] = {}
        for path in _transcripts(self._projects):
            files.setdefault(os.path.basename(path), []).extend(_file(path))
        for copies in files.values():
            yield from _told_apart(copies)

    def _facts(self, file: _File, index: SessionIndex) -> _Facts:
        """What there is to know of a file; it is opened only when it changed."""
        known = None if index.is_older_than(file.changed) else index.facts(file.path, file.stamp)
        match known:
            case {"cwd": str() | None as cwd, "end": str(place)}:
                self._unchanged[file.path] = (file.stamp, Cursor(place))
                return _Facts(cwd, Cursor(place))
        self._unchanged.pop(file.path, None)
        facts = _look(file)
        index.learn(file.path, file.stamp, facts._asdict())
        index.renew()
        return facts


class _File(NamedTuple):
    size: int
    modified: float
    path: str
    inode: tuple[int, int]
    changed: int
    """When the kernel last saw it change, in nanoseconds: no program can set that back."""

    @property
    def stamp(self) -> Stamp:
        return [*self.inode, self.size, self.changed]


class _Facts(NamedTuple):
    cwd: str | None
    """Where the session began."""
    end: Cursor


def _transcripts(projects: str) -> Iterator[str]:
    for folder in entries(projects):
        yield from filter(_is_transcript, readable_entries(folder))


def _is_transcript(path: str) -> bool:
    name = os.path.basename(path)
    return name.endswith(".jsonl") and not name.startswith("agent-")


def _file(path: str) -> list[_File]:
    """What stands there, if it is a file."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return []
    inode = (about.st_dev, about.st_ino)
    if not stat.S_ISREG(about.st_mode):
        return []
    return [_File(about.st_size, about.st_mtime, path, inode, about.st_ctime_ns)]


def _told_apart(copies: list[_File]) -> Iterator[tuple[str, _File]]:
    """Files of one name, each once, with an id: the client's own for the largest, if it is one.

    Entering a worktree makes the client move a session's file or begin a second one.
    """
    once = {file.inode: file for file in sorted(copies)}
    for number, file in enumerate(sorted(once.values(), reverse=True)):
        folder, name = os.path.split(file.path)
        stem = name.removesuffix(".jsonl")
        if number == 0 and _UUID.fullmatch(stem):
            yield stem, file
        else:
            yield printable(f"{os.path.basename(folder)}{QUALIFIER}{stem}"), file


def _look(file: _File) -> _Facts:
    with open_regular(file.path) as opened:
        cwd = next(filter(None, map(directory, opening(opened))), None)
        return _Facts(cwd, end(opened))


def _ref(session: str, file: _File, facts: _Facts) -> SourceRef:
    modified, size = file.modified, file.size
    return SourceRef(ClaudeSource.name, session, file.path, facts.cwd, modified, size)
