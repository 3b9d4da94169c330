from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.hooks import jsontext

_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.text(max_size=3), _VALUES, max_size=4)
_INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "k": [\n    1\n  ]\n}'),
        (' { "a" : 1 } \n', ' { "a" : 1, "k": [1] } \n'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}\n'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "k": [\r\n    1\r\n  ]\r\n}'),
        ('{\n"a": 1\n}', '{\n"a": 1,\n"k": [\n  1\n]\n}'),
    ],
)
def test_a_member_is_added_in_the_style_of_the_file(before: str, after: str) -> None:
    assert jsontext.appended(before, (), [1], key="k") == after


def test_an_element_is_added_to_an_array() -> None:
    assert jsontext.appended('{"a": [1]}', ("a",), {"x": 1}) == '{"a": [1, {"x": 1}]}'
    assert jsontext.appended('{"a": []}', ("a",), "é") == '{"a": ["é"]}'
    nested = '{\n  "a": {\n    "b": []\n  }\n}'
    assert jsontext.appended(nested, ("a", "b"), 1) == nested.replace("[]", "[\n      1\n    ]")


def test_of_two_members_with_one_name_the_last_one_counts() -> None:
    assert jsontext.replaced('{"a": 1, "a": 2}', ("a",), 3) == '{"a": 1, "a": 3}'
    assert jsontext.removed('{"a": 1, "a": 2}', ("a",)) == '{"a": 1}'


def test_what_is_removed_takes_its_comma_along() -> None:
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": [ 3 ]\n}\n'
    assert jsontext.removed(text, ("a",)) == '{\n  "b": 2,\n  "c": [ 3 ]\n}\n'
    assert jsontext.removed(text, ("c",)) == '{\n  "a": 1,\n  "b": 2\n}\n'
    assert jsontext.removed(text, ("c", 0)) == '{\n  "a": 1,\n  "b": 2,\n  "c": []\n}\n'


@settings(max_examples=150, deadline=None)
@given(document=_OBJECTS, value=_VALUES, indent=_INDENTS, escaped=st.booleans())
def test_adding_and_removing_gives_back_every_byte(
    document: dict[str, Any], value: Any, indent: int | str | None, escaped: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=escaped) + "\n"
    longer = jsontext.appended(text, (), value, key="a new key")
    assert json.loads(longer) == {**document, "a new key": value}
    assert jsontext.removed(longer, ("a new key",)) == text


@settings(max_examples=150, deadline=None)
@given(document=_OBJECTS.filter(bool), value=_VALUES, indent=_INDENTS, data=st.data())
def test_each_change_is_the_one_that_was_asked_for(
    document: dict[str, Any], value: Any, indent: int | str | None, data: st.DataObject
) -> None:
    text = json.dumps(document, indent=indent)
    key = data.draw(st.sampled_from(sorted(document)))
    assert json.loads(jsontext.replaced(text, (key,), value)) == {**document, key: value}
    rest = {k: v for k, v in document.items() if k != key}
    assert json.loads(jsontext.removed(text, (key,))) == rest
    if isinstance(document[key], list):
        longer = [*document[key], value]
        found = json.loads(jsontext.appended(text, (key,), value))
        assert found == {**document, key: longer}
