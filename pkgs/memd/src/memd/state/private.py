"""Sessions that are never read: an empty file for each."""

from __future__ import annotations

import os

from memd import fsio
from memd.paths import Paths

_LONGEST = 100
_FIT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def remember(paths: Paths, session: str) -> None:
    """Let no sync ever read the session with this id of its client."""
    fsio.make_private_dir(paths.private_sessions)
    path = os.path.join(paths.private_sessions, _name(session))
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    fsio.sync_directory(paths.private_sessions)


class PrivateSessions:
    """Those that were remembered so far. Raises OSError where that cannot be told."""

    def __init__(self, paths: Paths) -> None:
        try:
            self._names = frozenset(os.listdir(paths.private_sessions))
        except FileNotFoundError:
            self._names = frozenset()

    def __contains__(self, session: str) -> bool:
        return _name(session) in self._names


def _name(session: str) -> str:
    """The id itself where it can be the name of a file."""
    fits = 0 < len(session) <= _LONGEST and _FIT.issuperset(session) and session[0] != "."
    return session if fits else f"sha256-{fsio.sha256(session.encode('utf-8', 'surrogatepass'))}"
