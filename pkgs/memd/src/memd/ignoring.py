"""Keep a store out of the repository around it."""

from __future__ import annotations

import os
import re

from memd import fsio, git
from memd.paths import MEMORY_DIR, store_of
from memd.projects import worktree_root

LINE = f"/{MEMORY_DIR}"
_PATTERN = re.compile(r"[*?\[\\]")
"""What has a meaning of its own in gitignore(5)."""


def keep_out(root: str) -> None:
    """Let the repository around a store ignore it, without a change to a tracked file."""
    if top := worktree_root(root):
        place = os.path.relpath(store_of(root), top)
        git.exclude_line(top, "/" + _PATTERN.sub(r"\\\g<0>", place))


def untrack(root: str) -> list[str]:
    """Have no memory tracked by the repository around it; returns notices."""
    top = worktree_root(root)
    place = os.path.relpath(store_of(root), top or root)
    if not top or not git.is_tracked(top, place):
        return []
    git.untrack(top, place)
    notice = f"{store_of(root)} was tracked by {top}: it is untracked now, its files are kept"
    return [f"{notice}; commit that change"]


def add_line(root: str, notices: list[str]) -> list[str]:
    """The tracked ignore file, if a line had to be added; why not goes to the notices."""
    if worktree_root(root) != root:
        return []
    path = os.path.join(root, ".gitignore")
    try:
        return [".gitignore"] if _add(path) else []
    except OSError as error:
        notices.append(f"{path}: {error.strerror}; add the line {LINE} yourself")
        return []


def _add(path: str) -> bool:
    """Whether a line had to be added."""
    try:
        data = fsio.read_regular(path, limit=1 << 20)
    except FileNotFoundError:
        data = b""
    if LINE.encode() in map(bytes.strip, data.splitlines()):
        return False
    start = data if not data or data.endswith(b"\n") else data + b"\n"
    mode = os.stat(path).st_mode & 0o777 if data else 0o644
    fsio.write_atomic(path, start + LINE.encode() + b"\n", mode=mode)
    return True
