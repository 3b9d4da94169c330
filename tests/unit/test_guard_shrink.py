"""Guard 3: what a reply takes away stands verbatim in its archive entries, or little goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import Rejected
from memd.guard import shrink
from memd.sections import split_sections

FACTS = [
    f"- LIVE-FACT-{i} the service listens on port {9000 + i} and needs redis" for i in range(60)
]
OLD = "# S\n\n" + "\n".join(FACTS) + "\n"
FILLER = st.text(alphabet="lorem ipsum\n- #", max_size=4000)
SECTIONS = st.lists(
    st.tuples(st.integers(0, 30), st.lists(st.text("abc ", min_size=1, max_size=60), max_size=4)),
    min_size=2,
    max_size=10,
    unique_by=lambda section: section[0],
).map(lambda found: [f"## {n}\n" + "\n".join([*lines, f"fact {n}", ""]) for n, lines in found])


def body_of(*facts: str) -> str:
    return "\n".join(["# S", "", *facts, ""])


def check(new: str, *archive: str, old: str = OLD) -> None:
    shrink.check({"state.md": old, "todo.md": "# T\n"}, {"state.md": new}, archive)


def rejected(new: str, *archive: str, old: str = OLD) -> bool:
    try:
        check(new, *archive, old=old)
    except Rejected:
        return True
    return False


def test_a_reply_may_remove_up_to_three_fifths() -> None:
    old = "\n".join([f"## S{i}\n{'x' * 40}{i}" for i in range(10)])
    kept = split_sections(old)
    check("".join(section.text for section in kept[6:]), old=old)
    assert rejected("".join(section.text for section in kept[7:]), old=old)


def test_the_message_names_guard_and_file_and_quotes_nothing() -> None:
    with pytest.raises(Rejected) as caught:
        check("# S\n")
    message = str(caught.value)
    assert "guard 3" in message
    assert "state.md" in message
    assert "FACT" not in message
    assert "\n" not in message


@settings(max_examples=100, deadline=None)
@given(FILLER, FILLER)
def test_padding_body_and_archive_does_not_help(body: str, archive: str) -> None:
    assert rejected(f"# S\n\nall gone\n\n{body}", archive, "lorem ipsum " * 500)


@settings(max_examples=100, deadline=None)
@given(SECTIONS, st.data())
def test_what_passes_is_kept_or_archived_or_under_the_limit(
    sections: list[str], data: st.DataObject
) -> None:
    old = "".join(sections)
    kept = data.draw(st.sets(st.integers(0, len(sections) - 1)))
    new = "".join(text for index, text in enumerate(sections) if index in kept)
    archived = [text for text in sections if data.draw(st.booleans())]
    gone = [text for index, text in enumerate(sections) if index not in kept]
    size = sum(len("".join(text.split())) for text in sections)
    lost = sum(len("".join(text.split())) for text in gone if text not in archived)
    if not rejected(new, *archived, old=old):
        assert len(old) < 300 or lost <= 0.75 * size


@settings(max_examples=100, deadline=None)
@given(SECTIONS, st.data())
def test_whatever_is_archived_verbatim_may_go(sections: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.integers(0, len(sections) - 1)))
    new = "".join(text for index, text in enumerate(sections) if index in kept)
    check(new, *sections, old="".join(sections))
    assert not rejected(new, "\n".join(sections), old="".join(sections))


def test_a_part_in_the_archive_is_not_enough() -> None:
    assert rejected(body_of(*FACTS[:10]), "\n".join(FACTS[10:59]))
    assert not rejected(body_of(*FACTS[:10]), "\n".join(FACTS[10:]))


def test_one_archived_copy_does_not_stand_for_two() -> None:
    sections = [f"## 2026-01-{i:02d}\n\n{'word ' * 40}\n" for i in range(1, 17)]
    old = "".join(sections)
    assert rejected(sections[0], *sections[1:9], old=old)
    assert rejected(sections[0], *(s.split("\n")[0] for s in sections[1:]), sections[0], old=old)
    assert not rejected(sections[0], *sections[1:], old=old)


def test_white_space_and_list_marks_make_no_difference_in_the_archive() -> None:
    done = [f"  *  [x]  {fact[2:]}" for fact in FACTS]
    assert not rejected("# S\n", "\n".join(done))


def test_what_moves_into_another_file_is_kept() -> None:
    old = {"state.md": OLD, "todo.md": "# T\n"}
    shrink.check(old, {"state.md": "# S\n", "todo.md": body_of(*FACTS)}, ())
    with pytest.raises(Rejected):
        shrink.check({**old, "todo.md": body_of(*FACTS)}, {"state.md": "# S\n"}, ())


def test_one_moved_copy_does_not_stand_for_two_files() -> None:
    old = {"state.md": OLD, "todo.md": OLD, "decisions.md": "# D\n"}
    new = {"state.md": "# S\n", "todo.md": "# T\n", "decisions.md": OLD}
    with pytest.raises(Rejected):
        shrink.check(old, new, ())


def test_text_set_anew_is_kept() -> None:
    prose = "The service needs redis and listens on a port of its own, for each fact. " * 12
    wrapped = prose.replace(", ", ",\n").replace(". ", ".\n")
    check(f"## A\n\n{wrapped}", old=f"## A\n\n{prose}\n")
    assert rejected(f"## B\n\n{wrapped}", old=f"## A\n\n{prose}\n")


def test_small_changes_in_every_line_are_no_loss() -> None:
    assert not rejected(OLD.replace("needs redis", "needs valkey"))
    assert rejected(OLD.replace("the service listens on port", "some other daemon uses"))


def test_repeated_words_count_as_often_as_they_stand() -> None:
    assert rejected(body_of("- the service listens on port 9001 and needs valkey"))


def test_a_file_under_300_characters_may_go() -> None:
    check("# S\n", old="# S\n" + "x" * 295)
    assert rejected("# S\n", old="# S\n" + "x" * 296)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=600))
def test_a_body_that_only_grows_passes(more: str) -> None:
    check(f"{OLD}{more}")
    assert not rejected(f"{more}\n\n{OLD}")
