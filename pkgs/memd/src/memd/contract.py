"""The page that tells agents how to treat a project's memory."""

from __future__ import annotations

import contextlib
import os
from importlib import resources

from memd import fsio


def text() -> str:
    return resources.files("memd").joinpath("contract.md").read_text(encoding="utf-8")


def write_missing(root: str, home: str) -> list[str]:
    """Write the contract under each name an agent in use here reads; names written.

    `AGENTS.md` always, the others where their client has left a directory in the
    project or the home. A file that exists, also as a link, is never touched.
    """
    wanted = ["AGENTS.md"]
    for directory, name in ((".claude", "CLAUDE.md"), (".gemini", "GEMINI.md")):
        if any(os.path.isdir(os.path.join(place, directory)) for place in (root, home)):
            wanted.append(name)
    written = []
    for name in wanted:
        path = os.path.join(root, name)
        if not os.path.lexists(path):
            with contextlib.suppress(FileExistsError):
                fsio.publish(path, text().encode(), staging_dir=root, mode=0o644)
                written.append(name)
    return written
