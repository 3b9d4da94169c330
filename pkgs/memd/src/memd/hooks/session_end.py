"""A session ended or is about to be compacted: let a sync read it, behind the client's back."""

from __future__ import annotations

import sys

from memd import fsio
from memd.hooks import detach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memd.hooks.entry import Call
    from memd.paths import Paths


def start_sync(
    paths: Paths, call: Call, trigger: str, *, start: Callable[..., None] = detach.start
) -> None:
    """Start it and return. Whose session it is, and whether to read it, the sync decides."""
    fsio.make_private_dir(paths.state)
    command = (*detach.own_command(sys.argv[0]), *arguments(call, trigger))
    start(command, paths.env, log=paths.log)


def arguments(call: Call, trigger: str) -> tuple[str, ...]:
    """Each path is one argument joined to its option, so that no path is taken for one."""
    return (
        "sync",
        f"--trigger={trigger}",
        *([f"--project={call.directory}"] if call.directory else []),
        *([f"--transcript={call.transcript}"] if call.transcript else []),
    )
