from __future__ import annotations

import time

import pytest
from unit.services.conftest import Desk

from memd.errors import BackendError, UnusableReply
from memd.gate import Closed, Gate
from memd.state import backend


def dead(desk: Desk) -> None:
    """A backend that failed often enough to be paused now."""
    for _ in range(3):
        backend.note_failure(
            desk.rt.paths, desk.rt.backend, "down", now=time.time(), stamp="2026-01-01"
        )


def test_a_pause_keeps_a_sweep_away_and_never_a_person(desk: Desk) -> None:
    dead(desk)
    with pytest.raises(Closed, match="since 2026-01-01: down"), Gate(desk.rt, patient=True).call():
        pytest.fail("called")
    assert backend.read(desk.rt.paths, desk.rt.backend).calls == 0
    with Gate(desk.rt, patient=False).call():
        pass
    assert not backend.read(desk.rt.paths, desk.rt.backend).is_dead


def test_a_dead_backend_is_probed_once(desk: Desk) -> None:
    dead(desk)
    desk.at(backend.read(desk.rt.paths, desk.rt.backend).next_probe)
    gate = Gate(desk.rt, patient=True)
    assert gate.attempts == 1
    with pytest.raises(BackendError), gate.call():
        raise BackendError("still down")
    with pytest.raises(Closed, match="still down"), gate.call():
        pytest.fail("called")


def test_a_first_failure_may_be_retried_by_its_own_pass_only(desk: Desk) -> None:
    gate = Gate(desk.rt, patient=True)
    assert gate.attempts == 3
    with pytest.raises(BackendError), gate.call():
        raise BackendError("down")
    with pytest.raises(Closed), gate.call():
        pytest.fail("called")
    with gate.call(again=True):
        pass
    with gate.call():
        pass


@pytest.mark.parametrize("useless", [True, False])
def test_any_answer_ends_the_pause_for_all(desk: Desk, useless: bool) -> None:
    dead(desk)
    desk.at(backend.read(desk.rt.paths, desk.rt.backend).next_probe)
    gate = Gate(desk.rt, patient=True)
    try:
        with gate.call():
            if useless:
                raise UnusableReply("no JSON")
    except UnusableReply:
        pass
    assert gate.attempts == 3
    assert not backend.read(desk.rt.paths, desk.rt.backend).is_dead


def test_the_limit_of_the_day_holds_for_retries_too(desk: Desk) -> None:
    desk.set(max_distills_per_day=1)
    gate = Gate(desk.rt, patient=False)
    with gate.call():
        pass
    for again in (False, True):
        with pytest.raises(Closed, match=r"max_distills_per_day \(1\)"), gate.call(again=again):
            pytest.fail("called")


def test_pauses_grow_with_each_run_that_gives_up(desk: Desk) -> None:
    pauses = []
    for _ in range(4):
        Gate(desk.rt, patient=True).give_up(BackendError("down"))
        pauses.append(backend.read(desk.rt.paths, desk.rt.backend).next_probe - time.time())
    assert pauses == sorted(pauses)
    assert pauses[-1] > backend.FIRST_PAUSE
