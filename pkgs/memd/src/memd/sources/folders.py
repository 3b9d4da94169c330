"""Looking into the folders of a client, which may change meanwhile."""

from __future__ import annotations

import os
from typing import Final

from memd.sources.lines import open_regular

_SMALL: Final = 1 << 20


def entries(folder: str) -> list[str]:
    """Paths of what stands in a folder; nothing where there is none."""
    # Not glob: a home directory may have brackets in its name.
    try:
        return sorted(entry.path for entry in os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def readable_entries(folder: str) -> list[str]:
    """The same, and nothing where nobody may look."""
    try:
        return entries(folder)
    except OSError:
        return []


def start_of(path: str) -> bytes:
    """The first MiB of a small file beside the sessions; nothing where none can be read."""
    try:
        with open_regular(path) as file:
            return os.pread(file.fileno(), _SMALL, 0)
    except OSError:
        return b""


def real_place(path: str) -> str:
    """The path with the links above it resolved, "" for what can be no path."""
    folder, name = os.path.split(os.path.abspath(path))
    try:
        return os.path.join(os.path.realpath(folder), name)
    except ValueError:
        return ""
