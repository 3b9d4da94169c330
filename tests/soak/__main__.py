"""Everything at once for a while, then a search for every fact. See `make soak`."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

from e2e import machine as machines
from soak import search
from soak.actors import ACTORS, Town
from soak.sweeper import Sweeper


def main() -> int:
    seconds = float(os.environ.get("SOAK_SECONDS", "600"))
    seed = os.environ.get("SOAK_SEED") or str(random.SystemRandom().randrange(10**6))
    _say(f"soak: {seconds:.0f} seconds, SOAK_SEED={seed}")
    with tempfile.TemporaryDirectory(prefix="memd-soak-") as folder:
        town = Town.found(machines.make(Path(os.path.realpath(folder))))
        sweeper = _live(town, seconds, seed)
        town.curator("added")
        wrong = [*search.settle(town), *search.wrongs(town), *sweeper.wrongs()]
        for line in (*town.figures(), *search.figures(town), *sweeper.figures()):
            _say(line)
    _say("\n".join([f"violations: {len(wrong)}", *wrong[:30]]))
    return 1 if wrong else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _live(town: Town, seconds: float, seed: str) -> Sweeper:
    """Until the time is over, everybody does what they do."""
    over = threading.Event()
    sweeper = Sweeper(town.machine)
    threads = [
        threading.Thread(target=actor, args=(town, over, random.Random(f"{seed}-{number}")))
        for number, actor in enumerate(ACTORS)
    ]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and all(thread.is_alive() for thread in threads):
        time.sleep(0.2)
    early = [thread.name for thread in threads if not thread.is_alive()]
    over.set()
    for thread in threads:
        thread.join()
    sweeper.end()
    if early:
        raise SystemExit(f"ended before the time was over: {early}")
    return sweeper


if __name__ == "__main__":
    sys.exit(main())
