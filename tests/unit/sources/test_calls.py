from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.sources.calls import call, call_json


def test_texts_stand_unescaped_in_a_call() -> None:
    assert call("run", {"command": 'echo "a"\n\tgröße'}) == 'run {"command": "echo "a"\n\tgröße"}'


def test_a_call_without_input_is_its_name() -> None:
    assert call("list", {}) == "list"
    assert call_json("list", "") == "list"


def test_input_that_is_json_is_unescaped_and_other_input_stays() -> None:
    assert call_json("run", '{"command": "a\\nb"}') == 'run {"command": "a\nb"}'
    assert call_json("run", '{"command": "a\\n') == 'run {"command": "a\\n'


@given(st.text(), st.text() | st.integers(1, 100_000).map(lambda depth: "[" * depth))
def test_any_input_gives_a_line(name: str, given_text: str) -> None:
    assert isinstance(call_json(name, given_text), str)
