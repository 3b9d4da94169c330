"""Whether others on the machine may read or write what is the user's alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from memd.doctor.base import Finding
from memd.paths import store_of
from memd.runtime import Runtime


def findings(rt: Runtime) -> Iterator[Finding]:
    paths = rt.paths
    wanted = {paths.state: 0o077, paths.config_file: 0o022}
    wanted |= {store_of(project.root): 0o022 for project in rt.projects()}
    wrong = [text for path, bits in wanted.items() for text in _wrong(path, bits)]
    yield from (Finding("modes", text, is_wrong=True) for text in wrong)
    if not wrong:
        yield Finding("modes", "state, configuration and memories are the user's own")


def _wrong(path: str, bits: int) -> Iterator[str]:
    """`bits` are those that nobody else may have."""
    try:
        about = os.stat(path)
    except OSError:
        return
    if about.st_uid not in (os.geteuid(), 0):
        yield f"{path}: belongs to somebody else: chown it to yourself"
    if stat.S_IMODE(about.st_mode) & bits:
        kind = "og-rwx" if bits & 0o044 else "og-w"
        yield f"{path}: is open to others: chmod {kind} {path}"
