"""After a power loss at any point, whatever of the unsynced is on the disk, nothing is missing.

git's own files are left out: git syncs them itself. Each disk gets the store's history as it
stood at its cut.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from crash import scenes
from crash.disk import Cut, Recorder, Tree, clear, disks, lay_out
from crash.scenes import Scene, differences, undisturbed
from crash.world import World, make

from memd import inbox
from memd.paths import store_of

# A sweep is many of these; its own effects are those of a sync and an adoption.
CUT = tuple(scene for scene in scenes.SCENES if scene is not scenes.sweeping)


@pytest.mark.parametrize("scene", CUT, ids=lambda scene: scene.__name__)
def test_what_a_power_loss_leaves_is_made_good_by_the_next_run(
    scene: Callable[[World], Scene], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    world = make(tmp_path)
    loss = _Loss(world, scene(world))
    chance = random.Random(int(os.environ["CRASH_SEED"]))
    cuts = loss.cuts()
    wrong, tried = [], 0
    for cut in cuts:
        for disk in disks(cut, chance):
            tried += 1
            wrong += loss.differences(cut, disk, f"cut {cut.number}", is_done=cut is cuts[-1])
    record_property("power-loss cuts", len(cuts))
    record_property("power-loss disks", tried)
    record_property("violations", len(wrong))
    assert not wrong, "\n".join([f"{len(wrong)} violations", *wrong[:20]])


class _Loss:
    def __init__(self, world: World, what: Scene) -> None:
        self._world, self._what = world, what
        self._root = what.roots[0]
        self._around = os.path.join(self._root, ".git", "info")
        self._tops = (str(world.top / "home"), self._root, self._around)
        self._histories = world.aside / "histories"
        self._expected = undisturbed(world, what)

    def cuts(self) -> list[Cut]:
        self._world.restore()
        self._histories.mkdir()
        _copy(os.path.join(self._root, ".git"), self._around_copy)
        self._notes = inbox.read(store_of(self._root), inbox.waiting(store_of(self._root)))
        recorder = Recorder(self._tops, self._history)
        recorder.watch(self._what.work)
        return recorder.cuts

    def differences(self, cut: Cut, disk: Tree, where: str, *, is_done: bool) -> list[str]:
        self._lay_out(cut, disk)
        return differences(self._world, self._what, self._expected, where, is_done=is_done)

    @property
    def _around_copy(self) -> str:
        return str(self._world.aside / "around")

    def _history(self) -> str:
        """Name of a copy of the store's repository as it stands, "" where there is none."""
        made = Path(store_of(self._root), ".git")
        tips = [path for path in made.glob("refs/heads/*") if path.suffix != ".lock"]
        name = "-".join(path.read_text().strip() for path in tips)
        if name and not (self._histories / name).exists():
            _copy(made, self._histories / name)
        return name

    def _lay_out(self, cut: Cut, disk: Tree) -> None:
        for path in (self._world.aside / "asked").iterdir():
            path.unlink()
        for top in self._tops[:2]:
            clear(top)
        _copy(self._around_copy, os.path.join(self._root, ".git"))
        clear(self._around)
        lay_out(disk, self._tops)
        store = store_of(self._root)
        if cut.mark and os.path.isdir(store):
            _copy(self._histories / cut.mark, os.path.join(store, ".git"))
        self._keep_identities(store)

    def _keep_identities(self, store: str) -> None:
        """A note that was laid out anew is still the one that was read."""
        now = {note.name: note for note in inbox.read(store, inbox.waiting(store))}
        for path in (self._world.top / "home").rglob("pending/*.json"):
            text = path.read_text()
            for note in self._notes:
                if note.name in now:
                    text = text.replace(note.fingerprint, now[note.name].fingerprint)
            path.write_text(text)


def _copy(source: str | Path, target: str | Path) -> None:
    # Not by this process: what it does is being recorded.
    subprocess.run(["cp", "-a", source, target], check=True)
