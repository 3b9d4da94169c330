"""Guard 9: one reply cannot blow up a file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import Rejected
from memd.guard import growth

BUDGETS = {"state.md": 100, "mistakes.md": 100}
SIZES = st.integers(0, 500)


def passes(name: str, before: int, after: int, archive: int = 0) -> bool:
    old = {"state.md": "", "mistakes.md": "", name: "x" * before}
    try:
        growth.check(old, {name: "x" * after}, ["x" * archive], BUDGETS)
    except Rejected:
        return False
    return True


@settings(max_examples=100, deadline=None)
@given(SIZES, SIZES)
def test_no_body_grows_past_twice_its_budget(before: int, after: int) -> None:
    assert passes("state.md", before, after) == (after <= max(200, before))


@settings(max_examples=100, deadline=None)
@given(SIZES, SIZES)
def test_of_old_mistakes_one_budget_counts(before: int, added: int) -> None:
    assert passes("mistakes.md", before, before + added) == (
        added == 0 or min(before, 100) + added <= 200
    )


@pytest.mark.parametrize(("archive", "fits"), [(450, True), (451, False)])
def test_the_archive_takes_no_more_than_files_could_hold(archive: int, fits: bool) -> None:
    assert passes("state.md", 50, 50, archive) is fits
