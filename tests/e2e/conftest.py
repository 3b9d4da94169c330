"""The machine that the tests run memd on."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e.machine import Machine, program

ROOT = Path(__file__).parents[2]
FAKE = ROOT / "tests" / "fakes" / "curator.py"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """With git, memd and a `claude` that answers at once, and keeps what it was asked."""
    top = Path(os.path.realpath(tmp_path))
    for name in ("bin", "fake", "home", "prompts"):
        (top / name).mkdir()
    source = ROOT / "pkgs" / "memd" / "src"
    start = f"import sys; sys.path.insert(0, {str(source)!r}); from memd.__main__ import main; "
    program(top / "bin" / "memd", sys.executable, f"{start}sys.exit(main())\n")
    # The name it is called by tells the fake that it is to answer as that client does.
    (top / "fake" / "claude").symlink_to(FAKE)
    fake = shlex.join((sys.executable, "-IS", str(top / "fake" / "claude")))
    program(top / "bin" / "claude", "/bin/sh", f'exec {fake} "$@"\n')
    env = {
        "HOME": str(top / "home"),
        "PATH": f"{top / 'bin'}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "XDG_CONFIG_DIRS": str(top / "none"),
        "FAKE_RECORD": str(top / "prompts"),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "t@example.invalid"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    made = Machine(top, env)
    made.configure()
    return made


@pytest.fixture
def eventually() -> Callable[[Callable[[], object]], None]:
    """Waits for work in the background; gives up after a time no machine needs."""

    def wait(holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, "waited for nothing"
            time.sleep(0.05)

    return wait
