"""A process that ends at any effect costs nothing: the next run makes the same of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from crash.scenes import SCENES, Scene, differences, undisturbed
from crash.stops import die_at
from crash.world import World, make


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_a_stop_at_any_effect_is_made_good_by_the_next_run(
    scene: Callable[[World], Scene], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    world = make(tmp_path)
    what = scene(world)
    expected = undisturbed(world, what)
    wrong, number = [], 1
    while _stopped(world, what, number):
        wrong += differences(world, what, expected, f"effect {number}")
        number += 1
    record_property("injected stops", number - 1)
    record_property("violations", len(wrong))
    assert not wrong, "\n".join([f"{len(wrong)} violations", *wrong[:20]])
    assert number > 2


def _stopped(world: World, what: Scene, number: int) -> bool:
    world.restore()
    return die_at(number, what.work)
