"""Whether something sweeps, and finds there what it needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Final

from memd.curator import process
from memd.doctor.base import Finding
from memd.errors import CuratorError
from memd.paths import expand
from memd.runtime import Runtime

TIMER: Final = "memd-sweep.timer"
SERVICE: Final = "memd-sweep.service"
_PATIENCE: Final = 5.0


def findings(rt: Runtime) -> Iterator[Finding]:
    state = _systemctl(rt, "show", "-P", "ActiveState", TIMER)
    if state is None:
        said = "no systemd of yours answers here: have something else run memd sweep now and then"
        yield Finding("timer", said)
    elif state != "active":
        said = f"{TIMER} is not active: systemctl --user enable --now {TIMER} (contrib/systemd)"
        yield Finding("timer", said, is_wrong=True)
    else:
        yield from _active(rt)


def _active(rt: Runtime) -> Iterator[Finding]:
    """What the timer's service finds on its own PATH, which is not the one of a shell."""
    search = _path(_systemctl(rt, "show", "-P", "Environment", SERVICE) or "")
    program = expand((rt.config.curator_cmd or (rt.config.claude_bin,))[0], rt.paths.home)
    missing = [name for name in ("git", program) if not shutil.which(name, path=search)]
    if missing:
        said = f"{SERVICE} does not find {' and '.join(missing)}: add the directory to its PATH "
        yield Finding("timer", f"{said}(systemctl --user edit {SERVICE})", is_wrong=True)
    if (result := _systemctl(rt, "show", "-P", "Result", SERVICE)) not in ("success", None):
        said = f"the last sweep failed ({result}): journalctl --user -u {SERVICE}"
        yield Finding("timer", said, is_wrong=True)
    if not missing:
        yield Finding("timer", f"{TIMER} is active and finds git and {program}")


def _path(environment: str) -> str:
    """The value of PATH in what systemd prints of a unit's environment."""
    for word in environment.replace('"', "").split():
        if word.startswith("PATH="):
            return word[5:]
    return os.defpath


def _systemctl(rt: Runtime, *arguments: str) -> str | None:
    """What it prints, None where no user manager answers."""
    try:
        done = process.run(
            ["systemctl", "--user", *arguments],
            stdin=b"",
            timeout=_PATIENCE,
            cwd=os.path.sep,
            env=rt.paths.env,
        )
    except CuratorError:
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
