"""The making of a store."""

from __future__ import annotations

import contextlib
import os
import secrets

from memd import frontmatter, fsio
from memd.errors import StoreError
from memd.model import MEMORY_FILES
from memd.paths import INBOX_DIR, store_of
from memd.store import history, layout
from memd.templates import EMPTY_BODIES


def new_id() -> str:
    """A random id for a store."""
    return secrets.token_hex(16)


def is_whole(store: str) -> bool:
    """Whether nothing is missing that `create` makes, but for the repository."""
    parts = (*MEMORY_FILES, layout.ARCHIVE_DIR, INBOX_DIR)
    return all(os.path.lexists(os.path.join(store, part)) for part in parts)


def create(root: str, project_name: str, *, store_id: str, today: str, git: bool) -> None:
    """Make what is missing of the store below `root`, change nothing that is there.

    `today` is an ISO date. With `git`, the store gets a repository with a first commit.
    May run beside itself or a writer. Raises StoreError for a store that is not safe to
    use, for a root that is gone or when git fails, OSError.
    """
    if not os.path.isdir(root):
        raise StoreError(f"{root}: no such directory: no memory is made there")
    if not os.path.lexists(store_of(root)):
        fsio.make_private_dir(store_of(root))
    store = layout.safe_store(root)
    # First: what this leaves half-made is known by it.
    _publish(store, layout.id_path(store), store_id + "\n")
    for directory in (layout.archive_dir(store), layout.inbox_dir(store)):
        fsio.make_private_dir(directory)
    for name in MEMORY_FILES:
        text = frontmatter.compose(_keys(name, project_name, today), EMPTY_BODIES[name])
        _publish(store, os.path.join(store, name), text)
    if git:
        history.begin(store)


def _keys(name: str, project_name: str, today: str) -> dict[str, object]:
    return {
        "type": name.removesuffix(layout.SUFFIX),
        "project": project_name,
        "last_updated": today,
        "status": "active",
    }


def _publish(store: str, path: str, text: str) -> None:
    if not os.path.lexists(path):
        with contextlib.suppress(FileExistsError):
            fsio.publish(path, text.encode(), staging_dir=store)
