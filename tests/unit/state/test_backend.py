from __future__ import annotations

from pathlib import Path

import pytest

from memd.paths import Paths
from memd.state import backend, statefile


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths({"HOME": str(tmp_path)})


def test_the_daily_limit_counts_calls_and_starts_anew_each_day(paths: Paths) -> None:
    granted = [backend.reserve_call(paths, limit=2, today="d1") for _ in range(3)]
    assert granted == [True, True, False]
    assert backend.read(paths, "c").calls == 2
    assert backend.reserve_call(paths, limit=2, today="d2")


def test_no_limit_still_counts(paths: Paths) -> None:
    assert all(backend.reserve_call(paths, limit=0, today="d") for _ in range(5))
    assert backend.read(paths, "c").calls == 5


def test_pauses_grow_up_to_a_bound(paths: Paths) -> None:
    pauses = []
    for _ in range(12):
        backend.note_failure(paths, "c", "down", now=1000.0, stamp="t")
        pauses.append(backend.read(paths, "c").next_probe - 1000.0)
    assert pauses == sorted(pauses)
    assert pauses[:2] == [0.0, backend.FIRST_PAUSE]
    assert pauses[-1] == backend.LONGEST_PAUSE


def test_a_pause_ends_with_its_time_an_answer_or_a_clock_set_back(paths: Paths) -> None:
    for _ in range(2):
        backend.note_failure(paths, "c", "down", now=1_000_000.0, stamp="t")
    state = backend.read(paths, "c")
    assert state.paused(1_000_001.0)
    assert not state.paused(state.next_probe)
    assert not state.paused(1_000_000.0 - 2 * backend.LONGEST_PAUSE)
    backend.note_answer(paths, "c")
    assert not backend.read(paths, "c").is_dead


def test_an_answer_keeps_the_count_of_the_day(paths: Paths) -> None:
    backend.reserve_call(paths, limit=0, today="d")
    backend.note_failure(paths, "c", "down", now=1.0, stamp="t")
    backend.note_answer(paths, "c")
    assert backend.read(paths, "c").calls == 1


@pytest.mark.parametrize("odd", ['"many"', "null", "NaN", "1e400", "true", "[]", "1" * 400])
def test_a_number_that_is_none_is_damage_that_ends_with_the_next_call(
    paths: Paths, odd: str
) -> None:
    backend.reserve_call(paths, limit=0, today="d")
    place = Path(backend.path(paths))
    place.write_text(place.read_text().replace('"next_probe": 0.0', f'"next_probe": {odd}'))
    assert backend.read(paths, "c") == backend.Backend(command="c")
    backend.note_failure(paths, "c", "down", now=1.0, stamp="t")
    assert backend.read(paths, "c").is_dead
    assert not statefile.is_damaged(backend.path(paths), backend.from_document)


def test_another_backend_is_not_paused_for_the_failures_of_the_one_before(paths: Paths) -> None:
    backend.reserve_call(paths, limit=0, today="d")
    for _ in range(3):
        backend.note_failure(paths, "old", "down", now=1.0, stamp="t")
    fresh = backend.read(paths, "new")
    assert (fresh.is_dead, fresh.calls) == (False, 1)
    backend.note_failure(paths, "new", "also down", now=1.0, stamp="u")
    failed = backend.read(paths, "new")
    assert (failed.failures, failed.dead_since) == (1, "u")
