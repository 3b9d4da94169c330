"""The git history of a store: who changed which line, when, and from which session."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from memd.model import MEMORY_FILES
from memd.oneline import one_line, subject
from memd.store import layout
from memd.store.memory import is_memory
from memd.store.repository import MemoryRepository, NewCommit

HAND_EDIT: Final = "Hand edit"
EXCLUDE: Final = "".join(
    f"{line}\n" for line in ("/*", *(f"!/{name}" for name in MEMORY_FILES), "!/archive/", ".*")
)
"""What keeps all but the four files and the archive out, also from `git add`."""

_SUBJECT_LIMIT: Final = 300


def message(summary: str, trailers: Iterable[tuple[str, str]]) -> str:
    """A commit message: the summary as its one line, then the trailers, one line each.

    What looks like a trailer in the summary, which a model wrote, is left out.
    """
    block = "".join(f"{name}: {one_line(value)}\n" for name, value in trailers)
    first = subject(summary, _SUBJECT_LIMIT) or "Update memory"
    return f"{first}\n\n{block}".rstrip("\n") + "\n"


def commit(store: str, text: str, *, paths: Collection[str] = ()) -> bool:
    """Commit what the four files and the archive hold now, with `text` as the message.

    `paths` (below the store) are the files memd itself has written; with them given, what a
    person changed in other ones becomes a commit of its own before it. A store without a
    repository gets one. Returns whether anything was new. Raises StoreError.
    """
    repository = MemoryRepository(store)
    contents = _contents(store)
    if not repository.exists:
        repository.create(NewCommit(text, contents), exclude=EXCLUDE)
        return True
    tip = repository.tip()
    dirty = [path for path, data in contents.items() if not tip.holds(path, data)]
    dirty += [path for path in tip.blobs if is_memory(path) and path not in contents]
    own = [path for path in dirty if not paths or path in paths]
    by_hand = [path for path in dirty if path not in own]
    commits = [
        NewCommit(said, {path: contents.get(path) for path in chosen})
        for said, chosen in ((HAND_EDIT, by_hand), (text, own))
        if chosen
    ]
    if commits:
        repository.append(commits, tip=tip)
    return bool(commits)


def begin(store: str) -> None:
    """Give the store a repository with a first commit, unless it has one. Raises StoreError."""
    if not MemoryRepository(store).exists:
        commit(store, message("Begin the memory", [("Memd-Trigger", "init")]))


def _contents(store: str) -> Mapping[str, bytes]:
    """Each file that belongs into the history, by its path below the store."""
    return {
        path: layout.read_file(os.path.join(store, path), limit=layout.ARCHIVE_LIMIT)
        for path in (*MEMORY_FILES, *layout.archived(store))
        if is_memory(path) and os.path.lexists(os.path.join(store, path))
    }
