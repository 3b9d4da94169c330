from __future__ import annotations

import dataclasses

from unit.services.conftest import Desk

from memd import doctor, health
from memd.errors import BackendError
from memd.state import backend


def examined(desk: Desk) -> list[tuple[str, bool]]:
    report = health.report(desk.rt, version="1")
    return [(f"{f.area}: {f.text}", f.is_wrong) for f in doctor.examine(desk.rt, report)]


def test_every_problem_of_the_status_is_a_finding(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "x")
    desk.curator.answers = [BackendError("overloaded")]
    desk.sync(app)
    backend.note_answer(desk.rt.paths, desk.rt.backend)
    assert (
        f"status: {app.root}: last sync failed at {desk.ledger(app).last.at}: overloaded",
        True,
    ) in examined(desk)


def test_a_curator_in_trouble_is_told_once(desk: Desk) -> None:
    broken = dataclasses.replace(desk.curator)
    broken.check = broken.trouble = lambda: "claude not found"  # type: ignore[method-assign]
    desk.rt = dataclasses.replace(desk.rt, curator=broken)
    said = [text for text, is_wrong in examined(desk) if is_wrong and "claude not found" in text]
    assert said == ["curator: claude not found"]


def test_it_changes_nothing(desk: Desk) -> None:
    desk.project()
    before = sorted(map(str, desk.top.rglob("*")))
    assert examined(desk)
    assert sorted(map(str, desk.top.rglob("*"))) == before
