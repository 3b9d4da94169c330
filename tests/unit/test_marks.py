from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import marks
from memd.marks import Request
from memd.model import Project
from memd.paths import Paths

PROJECT = Project("/p", "p")

requests = st.builds(
    Request,
    st.text(max_size=5),
    st.lists(st.text(max_size=5), max_size=3).map(tuple),
    st.sampled_from(["none", "quiet", "all"]),
    st.booleans(),
)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths({"HOME": str(tmp_path)})


def test_what_was_left_is_collected_once_in_order(paths: Paths) -> None:
    first = Request("session-end", ("/t",), "quiet", retry=False)
    marks.leave(paths, PROJECT, first)
    marks.leave(paths, PROJECT, Request(retry=True))
    assert marks.waiting(paths, PROJECT)
    assert marks.collect(paths, PROJECT) == (first, Request(retry=True))
    assert not marks.waiting(paths, PROJECT)
    assert marks.collect(paths, PROJECT) == ()


@pytest.mark.parametrize("torn", [b'{"trig', b"[]", b'{"trigger": "x"}', b"\xff"])
def test_a_torn_mark_still_means_look_again(paths: Paths, torn: bytes) -> None:
    marks.leave(paths, PROJECT, Request())
    (file,) = Path(paths.in_state("marks")).iterdir()
    file.write_bytes(torn + b"\n")
    assert marks.collect(paths, PROJECT) == (Request(),)


def test_an_unknown_reach_is_read_as_all(paths: Paths) -> None:
    marks.leave(paths, PROJECT, Request(rest="bogus"))  # type: ignore[arg-type]
    assert marks.collect(paths, PROJECT)[0].rest == "all"


def test_no_mark_is_lost_to_a_collector_at_work(paths: Paths) -> None:
    left = [Request(f"trigger {number}") for number in range(200)]
    found: list[Request] = []
    writer = threading.Thread(target=lambda: [marks.leave(paths, PROJECT, r) for r in left])
    writer.start()
    while writer.is_alive():
        found += marks.collect(paths, PROJECT)
    found += marks.collect(paths, PROJECT)
    assert found == left


@given(requests, st.lists(requests, max_size=4))
def test_a_merged_request_covers_every_one(first: Request, others: list[Request]) -> None:
    merged = first.merged(others)
    order = ["none", "quiet", "all"]
    for request in (first, *others):
        assert set(request.transcripts) <= set(merged.transcripts)
        assert order.index(request.rest) <= order.index(merged.rest)
        assert merged.retry or not request.retry
    assert merged.trigger == first.trigger
