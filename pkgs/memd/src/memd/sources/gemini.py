"""Sessions of Gemini CLI: `<gemini_dir>/tmp/<project>/chats/session-*.json[l]`."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, Final

from memd.model import Cursor, Project, SourceRef, Span
from memd.sources.folders import entries, readable_entries, real_place, start_of
from memd.sources.gemini_files import end_of_document, read_document, read_log
from memd.sources.jsonl import printable, usable_directory
from memd.sources.lines import behind, end, open_regular
from memd.sources.own_work import OwnWork

_NAME: Final = re.compile(r"session-.+\.json(l?)", re.DOTALL)
_HEAD: Final = 4096
_TOP: Final = re.compile(r'"(sessionId|projectHash|kind)"\s*:\s*"([^"\\]*)"')


class GeminiSource:
    """Reads the log of changes of newer versions, and the documents of older ones.

    A session does not name its directory. It stands in a file beside the sessions or in
    `projects.json`; before that, the client named the folder by a hash of it, which tells
    the directory only where `known_roots` has it. Sessions of subagents are none.
    """

    name: ClassVar[str] = "gemini-cli"

    def __init__(
        self, gemini_dir: str, state_dir: str, known_roots: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._dir = gemini_dir
        self._own_work = OwnWork(state_dir)
        self._known_roots = known_roots

    def discover(self, project: Project | None = None) -> Iterator[SourceRef]:  # noqa: ARG002 - a hint
        """Every session once: a document that was made into a log stays beside it."""
        directories = self._directories()
        found: dict[str, SourceRef] = {}
        for path in _candidates(os.path.join(self._dir, "tmp")):
            ref = self._ref(path, directories)
            if ref and (ref.session not in found or path.endswith("l")):
                found[ref.session] = ref
        yield from found.values()

    def locate(self, path: str) -> SourceRef | None:
        """The session stored at `path`, wherever that is."""
        return self._ref(real_place(path), self._directories())

    def end(self, ref: SourceRef) -> Cursor:
        with open_regular(ref.path) as file:
            return end(file) if ref.path.endswith("l") else end_of_document(file)

    def backlog(self, ref: SourceRef, after: Cursor | None) -> int:
        return behind(after, ref.size)

    def read(self, ref: SourceRef, after: Cursor | None) -> Iterator[Span]:
        reader = read_log if ref.path.endswith("l") else read_document
        with open_regular(ref.path) as file:
            yield from reader(file, after)

    def _ref(self, path: str, directories: Mapping[str, str]) -> SourceRef | None:
        if not _NAME.fullmatch(os.path.basename(path)):
            return None
        try:
            with open_regular(path) as file:
                top, status = _top(os.pread(file.fileno(), _HEAD, 0)), os.fstat(file.fileno())
        except (OSError, ValueError):
            return None
        if not {"sessionId", "projectHash"} <= top.keys() or top.get("kind") == "subagent":
            return None
        folder = os.path.dirname(os.path.dirname(path))
        cwd = _noted_directory(folder) or directories.get(os.path.basename(folder))
        cwd = cwd or directories.get(top["projectHash"])
        if self._own_work.holds(cwd):
            return None
        session = printable(top["sessionId"])
        return SourceRef(self.name, session, path, cwd, status.st_mtime, status.st_size)

    def _directories(self) -> Mapping[str, str]:
        """Directories by the names of their folders: hashes of the known ones, then those noted."""
        roots = [*self._known_roots(), *self._own_work.tops]
        hashed = {hashlib.sha256(os.fsencode(root)).hexdigest(): root for root in roots}
        return {**hashed, **_noted_projects(os.path.join(self._dir, "projects.json"))}


def _candidates(folder: str) -> Iterator[str]:
    for project in entries(folder):
        yield from readable_entries(os.path.join(project, "chats"))


def _top(head: bytes) -> dict[str, str]:
    """What stands before the messages, which may quote anything."""
    return dict(_TOP.findall(head.partition(b'"messages"')[0].decode("utf-8", "replace")))


def _noted_directory(folder: str) -> str | None:
    return usable_directory(os.fsdecode(start_of(os.path.join(folder, ".project_root"))).strip())


def _noted_projects(path: str) -> dict[str, str]:
    try:
        noted = json.loads(start_of(path))["projects"].items()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}
    return {slug: cwd for cwd, slug in noted if isinstance(slug, str) and usable_directory(cwd)}
