"""Start memd in the background, so that it outlives the hook and its client."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_HIGHEST_INHERITED = 256


def own_command(argv0: str) -> tuple[str, ...]:
    """What starts this very memd again now, given its `sys.argv[0]`.

    A Python script or archive is given to this interpreter, whichever one its first line
    names; a wrapper (as of Nix) brings its own along.
    """
    script = os.path.abspath(argv0)
    if os.path.basename(script) == "__main__.py":
        return (sys.executable, "-m", "memd")
    if os.access(script, os.X_OK) and not _is_python(script):
        return (script,)
    return (sys.executable, script)


def _is_python(script: str) -> bool:
    with open(script, "rb") as file:
        first = file.readline(200)
    return first.startswith(b"#!") and b"python" in first


def start(
    argv: Sequence[str],
    env: Mapping[str, str],
    *,
    log: str,
    fork: Callable[[], int] = os.fork,
) -> None:
    """Run `argv` (its first item a path) in a session of its own, and return at once.

    Its stdin and stdout are empty, its stderr is appended to the file `log`. Raises OSError
    when no process can be made; what goes wrong after that is the process's own.
    """
    child = fork()
    if child == 0:  # pragma: no cover - in a process that is replaced
        _leave(argv, env, log)
    os.waitpid(child, 0)


def _leave(  # pragma: no cover - in a process that is replaced
    argv: Sequence[str], env: Mapping[str, str], log: str
) -> None:
    try:
        # Claude Code ends every child of a SessionEnd hook that is still related to it.
        os.setsid()
        if os.fork() == 0:
            _redirect(log)
            os.execve(argv[0], list(argv), env)  # noqa: S606 - no shell on purpose
    except OSError as error:
        os.write(2, f"memd: {argv[0]}: {error.strerror}\n".encode("utf-8", "replace"))
    finally:
        os._exit(0)


def _redirect(log: str) -> None:  # pragma: no cover - in a process that is replaced
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        errors = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        errors = nothing
    for target, source in enumerate((nothing, nothing, errors)):
        os.dup2(source, target)
    # A client may wait until every copy of a pipe of its own is closed.
    os.closerange(3, _HIGHEST_INHERITED)
