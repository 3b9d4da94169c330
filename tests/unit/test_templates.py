"""The empty bodies: what a fresh file holds, recognised when a model hands it back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.model import MEMORY_FILES
from memd.sections import split_sections
from memd.templates import EMPTY_BODIES, is_template

NAMES = st.sampled_from(MEMORY_FILES)


def test_every_memory_file_has_one() -> None:
    assert tuple(EMPTY_BODIES) == MEMORY_FILES


@pytest.mark.parametrize("name", MEMORY_FILES)
def test_it_is_a_title_with_a_few_lines_and_no_section(name: str) -> None:
    body = EMPTY_BODIES[name]
    assert body.startswith("# ")
    assert body.endswith("\n")
    assert len(body) < 300
    assert [section.heading for section in split_sections(body)] == [""]


@settings(deadline=None)
@given(NAMES, st.lists(st.sampled_from([" ", "\n", "\t", "\r\n"]), min_size=1).map("".join))
def test_a_copy_counts_whatever_its_white_space(name: str, gap: str) -> None:
    assert is_template(name, gap.join(["", *EMPTY_BODIES[name].split(), ""]))


@settings(deadline=None)
@given(NAMES, st.text(min_size=1).filter(str.strip))
def test_anything_added_makes_it_another_body(name: str, more: str) -> None:
    assert not is_template(name, f"{EMPTY_BODIES[name]}\n{more}")


def test_the_template_of_one_file_is_content_in_another() -> None:
    assert not is_template("state.md", EMPTY_BODIES["todo.md"])
