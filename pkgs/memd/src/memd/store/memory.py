"""The four files: read, composed anew, replaced."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memd import frontmatter, fsio
from memd.errors import StoreError
from memd.frontmatter_split import split
from memd.model import MEMORY_FILES, Memory, MemoryFile, MemoryUpdate
from memd.store import layout

_MEMORY_PATH: Final = re.compile(
    "|".join(
        [
            *map(re.escape, MEMORY_FILES),
            rf"{layout.ARCHIVE_DIR}/[0-9]{{4}}-[0-9]{{2}}(-[0-9]+)?\.md",
        ]
    )
)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a store that is to get a new text."""

    path: str
    """Below the store."""
    old_sha: str
    """SHA-256 hex of the bytes the change was made from; of nothing for a new file."""
    new_sha: str
    text: str
    """The whole new text."""


class EditedMeanwhile(StoreError):
    """The file holds neither the old nor the new text: a person edited it. Names the file."""


def is_memory(path: str) -> bool:
    """Whether this path below a store is one of the four files or one of the archive."""
    return _MEMORY_PATH.fullmatch(path) is not None


def read(store: str) -> Memory:
    """The memory as it is; a missing file is an empty one. Raises StoreError."""
    return {name: _read_file(store, name) for name in MEMORY_FILES}


def is_within(store: str, budgets: Mapping[str, int]) -> bool:
    """Whether no body has more characters than its budget, which takes far less time to tell
    than `read`. Raises StoreError."""
    return all(_length(store, name) <= budgets[name] for name in MEMORY_FILES)


def _length(store: str, name: str) -> int:
    path = os.path.join(store, name)
    text = _decoded(path, layout.read_file(path, limit=layout.FILE_LIMIT))
    return len(split(text)[1])


def check_writable(store: str, memory: Memory) -> None:
    """Raises StoreError naming a file that no reply could be written into, with the remedy.

    For before a curator is asked: its answer would be paid for and could not be used.
    """
    for file in memory.values():
        if not frontmatter.is_valid(file.frontmatter):
            raise _no_frontmatter(store, file)


def compose(file: MemoryFile, body: str, *, today: str) -> str:
    """The file's whole text with a new body, its frontmatter kept and dated `today`.

    Raises ValueError when it has no valid frontmatter.
    """
    if not frontmatter.is_valid(file.frontmatter):
        raise ValueError("no valid frontmatter")
    return frontmatter.restamp(split(file.text)[0], today, writable(body))


def planned(
    store: str, memory: Memory, update: MemoryUpdate, *, today: str
) -> tuple[FileChange, ...]:
    """What the update makes of the files it touches.

    Raises StoreError when one of them has no valid frontmatter to keep.
    """
    return tuple(_planned(store, memory[name], body, today) for name, body in update.bodies.items())


def change(path: str, old_sha: str, text: str) -> FileChange:
    """The change of one file, which held bytes of this hash, to `text`."""
    return FileChange(path, old_sha, fsio.sha256(_encoded(text)), text)


def writable(text: str) -> str:
    """The text without what UTF-8 cannot hold (lone surrogates)."""
    return text.encode("utf-8", "replace").decode()


def check_change(store: str, change: FileChange) -> None:
    """Raises EditedMeanwhile when the change can no longer be made."""
    _is_made(store, change)


def write_change(store: str, change: FileChange) -> None:
    """Make the change, once however often it is called; durable when this returns.

    Raises EditedMeanwhile, StoreError for a path memd never writes, OSError.
    """
    path = os.path.join(store, change.path)
    if _is_made(store, change):
        fsio.sync_directory(os.path.dirname(path))
        return
    fsio.make_private_dir(os.path.dirname(path))
    fsio.write_atomic(path, _encoded(change.text), mode=_mode(path))


def _is_made(store: str, change: FileChange) -> bool:
    if not is_memory(change.path):
        raise StoreError(f"{change.path!r}: memd writes no such file")
    path = os.path.join(store, change.path)
    sha = fsio.sha256(layout.read_file(path, limit=layout.ARCHIVE_LIMIT))
    if sha not in (change.old_sha, change.new_sha):
        raise EditedMeanwhile(path)
    return sha == change.new_sha


def _planned(store: str, file: MemoryFile, body: str, today: str) -> FileChange:
    try:
        return change(file.name, file.digest, compose(file, body, today=today))
    except ValueError as error:
        raise _no_frontmatter(store, file) from error


def _no_frontmatter(store: str, file: MemoryFile) -> StoreError:
    keys = ", ".join(frontmatter.REQUIRED)
    return StoreError(
        f"{os.path.join(store, file.name)}: has no valid frontmatter ({keys}): repair its first "
        "lines by hand, or move it away and run memd init"
    )


def _encoded(text: str) -> bytes:
    # Bytes that are not UTF-8 in an archive a person wrote to pass through as they are.
    return text.encode("utf-8", "surrogateescape")


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return 0o600


def _read_file(store: str, name: str) -> MemoryFile:
    path = os.path.join(store, name)
    data = layout.read_file(path, limit=layout.FILE_LIMIT)
    text = _decoded(path, data)
    raw, body = split(text)
    return MemoryFile(name, _valid_keys(raw), body, text, fsio.sha256(data))


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path}: is not UTF-8 text (byte {error.start}): convert it, or restore it with git"
        ) from error


def _valid_keys(raw: str) -> dict[str, object]:
    try:
        keys = frontmatter.parse(raw)
    except ValueError:
        return {}
    return keys if frontmatter.is_valid(keys) else {}
