"""The machine that the tests run memd on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e.machine import Machine, make


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return make(Path(os.path.realpath(tmp_path)))


@pytest.fixture
def eventually() -> Callable[[Callable[[], object]], None]:
    """Waits for work in the background; gives up after a time no machine needs."""

    def wait(holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, "waited for nothing"
            time.sleep(0.05)

    return wait
