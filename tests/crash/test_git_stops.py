"""A git that is killed, alone or with memd, costs neither text nor history."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from crash.scenes import (
    Scene,
    differences,
    initialising,
    sweeping_what_is_new,
    syncing,
    undisturbed,
)
from crash.world import World, make
from e2e.machine import program

WAYS = {
    "git before its work": "kill -9 $$",
    "git after its work": '"$GIT" "$@"; kill -9 $$',
    "git with half its input": 'head -c 150 | "$GIT" "$@"; kill -9 $$',
    "memd and git before": "kill -9 $PPID $$",
    "memd while git goes on": 'kill -9 $PPID; "$GIT" "$@"',
    "memd and git after": '"$GIT" "$@"; kill -9 $PPID $$',
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "scene", [syncing, initialising, sweeping_what_is_new], ids=lambda scene: scene.__name__
)
def test_a_git_that_is_killed_is_made_good_by_the_next_run(
    scene: Callable[[World], Scene],
    way: str,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    world = make(tmp_path)
    what = _twice(scene(world))
    expected = undisturbed(world, what)
    count = _deadly_git(world.aside, WAYS[way])
    wrong, number = [], 1
    while _stopped(world, what, count, number, goes_on="goes on" in way):
        wrong += differences(world, what, expected, f"{way}, call {number}")
        number += 1
    record_property("git stops", number - 1)
    record_property("violations", len(wrong))
    assert not wrong, "\n".join([f"{len(wrong)} violations", *wrong[:20]])
    assert number > 3


def _twice(what: Scene) -> Scene:
    """A commit that could not be made is made by the run after: look after that one."""
    return Scene(
        what.work,
        lambda: (what.again(), what.after()),
        what.roots,
        lambda: (what.after(), what.after()),
    )


def _deadly_git(aside: Path, way: str) -> Path:
    """Put a git in front that dies at a call whose number the environment holds."""
    (aside / "bin").mkdir()
    text = f"""
GIT={shutil.which("git")}
n=$(($(cat {aside / "count"}) + 1))
echo $n > {aside / "count"}
[ $n = "$CRASH_AT" ] || exec "$GIT" "$@"
{way}
: > {aside / "went-on"}
"""
    program(aside / "bin" / "git", "/bin/sh", text)
    return aside / "count"


def _stopped(world: World, what: Scene, count: Path, number: int, *, goes_on: bool) -> bool:
    """Whether there was such a call; where git `goes_on` after it, that is over."""
    world.restore()
    count.write_text("0")
    child = os.fork()
    if not child:
        os.environ["PATH"] = f"{count.parent / 'bin'}:{os.environ['PATH']}"
        os.environ["CRASH_AT"] = str(number)
        try:
            what.work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    is_there = int(count.read_text()) >= number
    if is_there and goes_on:
        _wait_for(count.parent / "went-on")
    return is_there


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, "git did not end"
        time.sleep(0.01)
    path.unlink()
