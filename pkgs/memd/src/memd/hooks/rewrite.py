"""Change a file that belongs to the user, or refuse and leave it alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Final, Literal

from memd import fsio
from memd.errors import UsageFault

NIX_STORE: Final = "/nix/store/"
LARGEST: Final = 4 << 20
"""Bytes."""


Outcome = Literal["changed", "unchanged"]


def rewrite(path: str, edit: Callable[[str], str], remedy: str) -> Outcome:
    """Replace the file that `path` is or leads to by its edited text.

    `edit` gets "" for a missing file and raises ValueError for what it cannot edit. It is
    called again when another program changed the file meanwhile. Raises UsageFault.
    """
    target = os.path.realpath(path)
    if target.startswith(NIX_STORE):
        raise UsageFault(f"{path}: is kept by Nix, where nothing can be changed; {remedy}")
    try:
        for _ in range(3):
            old = _read(path, target)
            new = edit(old.decode()).encode()
            if new == old:
                return "unchanged"
            mode = _writable_mode(target)
            if _read(path, target) == old:
                fsio.make_private_dir(os.path.dirname(target))
                fsio.write_atomic(target, new, mode=mode)
                return "changed"
    except UnicodeDecodeError:
        raise UsageFault(f"{path}: is not UTF-8; {remedy}") from None
    except ValueError as error:
        raise UsageFault(f"{path}: {error}; {remedy}") from error
    except OSError as error:
        raise UsageFault(f"{path}: cannot be changed: {error.strerror}; {remedy}") from error
    raise UsageFault(f"{path}: another program keeps changing it; try again when it is done")


def _read(path: str, target: str) -> bytes:
    try:
        return fsio.read_regular(target, limit=LARGEST)
    except FileNotFoundError:
        if os.path.islink(path):
            raise
        return b""


def _writable_mode(target: str) -> int:
    """Permission bits for the new text. Raises ValueError when the file is not to be changed."""
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return 0o600
    # Root may write anything: a file without any write bit is still meant to stay.
    if not mode & 0o222 or not os.access(target, os.W_OK):
        raise ValueError("is not writable")
    return mode
