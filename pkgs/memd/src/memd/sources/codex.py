"""Sessions of Codex CLI: `<codex_home>/sessions/Y/M/D/rollout-<time>-<session>.jsonl`."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from tempfile import TemporaryFile
from typing import BinaryIO, ClassVar, Final

from memd.model import Cursor, Project, SourceRef, Span
from memd.sources.codex_records import Records, bears_id, directory, is_of_subagent
from memd.sources.folders import real_place
from memd.sources.jsonl import opening, printable, spans
from memd.sources.lines import Place, behind, end, lines, open_regular, resume
from memd.sources.own_work import OwnWork
from memd.sources.zstd import unpack

_NAME: Final = re.compile(r"rollout-(.+)\.jsonl(\.zst)?", re.DOTALL)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-")
_PACKED: Final = ".zst"
_LONGEST: Final = 4 << 30
"""Bytes of a packed session that are unpacked; what follows is not read."""
_HEAD: Final = 1 << 20


class CodexSource:
    """Reads what the client appends while a session lives, and packs some days later.

    Sessions of subagents are none. A packed file is read as the one it was made from: a
    cursor stays valid when the client packs it. Where nothing can unpack it, its session
    has no directory, and `read` says why.
    """

    name: ClassVar[str] = "codex"

    def __init__(
        self,
        codex_home: str,
        state_dir: str,
        *,
        unpack: Callable[[BinaryIO, BinaryIO, int], None] = unpack,
    ) -> None:
        self._sessions = os.path.join(codex_home, "sessions")
        self._own_work = OwnWork(state_dir)
        self._unpack = unpack

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        """Every session once: while it is being packed, both its files are there."""
        found: dict[str, str] = {}
        for folder, _, names in os.walk(self._sessions):
            for name in names:
                if match := _NAME.fullmatch(name):
                    path, session = os.path.join(folder, name), _session(match[1])
                    found[session] = min(path, found.get(session, path), key=len)
        for path in found.values():
            try:
                ref = self._ref(path)
            except (OSError, ValueError):
                continue
            if ref:
                yield ref

    def locate(self, path: str) -> SourceRef | None:
        """The session stored at `path`, wherever that is."""
        try:
            return self._ref(real_place(path))
        except (OSError, ValueError):
            return None

    def end(self, ref: SourceRef) -> Cursor:
        with self._open(ref.path) as file:
            return end(file)

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        if ref.path.endswith(_PACKED):
            # Its length unpacked is not known; nothing is added to it any more.
            return 0 if after else ref.size
        return behind(after, ref.size)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        with self._open(ref.path) as file:
            place = resume(file, after)
            start = place if _bears_ids(file) else Place()
            yield from spans(lines(file, start), Records().judge, beyond=place.offset)

    @contextmanager
    def _open(self, path: str, limit: int = _LONGEST) -> Iterator[BinaryIO]:
        with open_regular(path) as file:
            if not path.endswith(_PACKED):
                yield file
                return
            with TemporaryFile(buffering=0) as plain:
                self._unpack(file, plain, limit)
                yield plain

    def _ref(self, path: str) -> SourceRef | None:
        match = _NAME.fullmatch(os.path.basename(path))
        if not match or not stat.S_ISREG((status := os.stat(path)).st_mode):
            return None
        cwd, is_session = self._beginning(path)
        if not is_session or self._own_work.holds(cwd):
            return None
        return SourceRef(
            self.name, _session(match[1]), path, cwd or None, status.st_mtime, status.st_size
        )

    def _beginning(self, path: str) -> tuple[str, bool]:
        """The directory a session began in, "" when it names none, and whether it is one."""
        try:
            with self._open(path, _HEAD) as file:
                records = opening(file)
                first = next(records, {})
                named = (d for d in map(directory, chain([first], records)) if d)
                return ("", False) if is_of_subagent(first) else (next(named, ""), True)
        except OSError:
            if path.endswith(_PACKED):
                return "", True
            raise


def _session(stem: str) -> str:
    return printable(_TIME.sub("", stem, count=1))


def _bears_ids(file: BinaryIO) -> bool:
    answers = (bears_id(record) for record in opening(file))
    return next((answer for answer in answers if answer is not None), True)
