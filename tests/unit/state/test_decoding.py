from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.model import Cursor
from memd.state.decoding import decode


@dataclass(frozen=True)
class Leaf:
    text: str
    number: float = 0.0


@dataclass(frozen=True)
class Tree:
    name: str = ""
    count: int = 0
    flag: bool = False
    place: Cursor | None = None
    pair: tuple[str, int] = ("", 0)
    leaves: tuple[Leaf, ...] = ()
    by_name: Mapping[str, Leaf] = field(default_factory=dict)
    maybe: Leaf | None = None


TREES = st.builds(
    Tree,
    pair=st.tuples(st.text(), st.integers()),
    by_name=st.dictionaries(st.text(), st.builds(Leaf, number=st.floats(-1e9, 1e9))),
    leaves=st.lists(st.builds(Leaf, number=st.integers(-9, 9).map(float))).map(tuple),
)


@given(TREES)
def test_what_was_written_comes_back(tree: Tree) -> None:
    assert decode(Tree, json.loads(json.dumps(dataclasses.asdict(tree)))) == tree


def test_what_a_newer_memd_added_is_left_out() -> None:
    assert decode(Tree, {"name": "n", "later": {}}) == Tree("n")


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"name": None},
        {"count": True},
        {"count": 1.0},
        {"flag": 1},
        {"place": 3},
        {"pair": ["a"]},
        {"pair": "ab"},
        {"leaves": {}},
        {"leaves": [{}]},
        {"by_name": {"a": []}},
        {"maybe": {"text": "t", "number": float("nan")}},
        {"maybe": {"text": "t", "number": float("inf")}},
        {"maybe": {"text": "t", "number": 10**400}},
        {"maybe": {"text": "t", "number": True}},
    ],
)
def test_a_value_of_another_type_is_refused(document: object) -> None:
    with pytest.raises(ValueError, match=r"instead of|missing"):
        decode(Tree, document)
