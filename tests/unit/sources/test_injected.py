from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd import brief
from memd.sources.injected import output, own_words, without_brief

TAGS = [
    "bash-input",
    "bash-stdout",
    "command-name",
    "ide_selection",
    "local-command-stdout",
    "session-start-hook",
    "system-reminder",
    "task-notification",
]
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<["), max_size=40)
SHARDS = st.sampled_from(
    [
        *(f"<{tag}>" for tag in TAGS),
        *(f"</{tag}>" for tag in TAGS),
        f"{brief.BEGIN}\n",
        f"{brief.END}\n",
        "\nagentId: ",
        "continue this agent",
        "<Header>",
        "port 8081",
    ]
)


@settings(max_examples=100)
@given(words=WORDS)
def test_words_that_begin_with_an_unknown_tag_are_the_persons(words: str) -> None:
    assert own_words(f"<Header>{words}") == f"<Header>{words}".strip()


@settings(max_examples=100)
@given(words=WORDS, tag=st.sampled_from(TAGS))
def test_a_message_that_is_one_injected_element_says_nothing(words: str, tag: str) -> None:
    assert own_words(f"<{tag}>{words}</{tag}>") == ""


@settings(max_examples=100)
@given(words=WORDS, tag=st.sampled_from(TAGS[:-1]))
def test_words_after_an_injected_element_are_kept(words: str, tag: str) -> None:
    assert own_words(f"<{tag}>x</{tag}>{words}") == words.strip()


@settings(max_examples=100)
@given(before=WORDS, inside=WORDS, after=WORDS)
def test_what_stands_in_a_brief_is_not_learned_again(before: str, inside: str, after: str) -> None:
    text = f"{before}\n{brief.BEGIN}\n{inside}\n{brief.END}\n{after}"
    assert without_brief(text) == f"{before}\n{after}"


@settings(max_examples=100)
@given(shards=st.lists(st.one_of(SHARDS, WORDS), max_size=12))
def test_nothing_is_made_up_and_nothing_raises(shards: list[str]) -> None:
    text = "".join(shards)
    for cut in (own_words(text), output(text), without_brief(text)):
        rest = iter(text)
        assert all(char in rest for char in cut.removeprefix("/"))


@pytest.mark.parametrize(
    "opener",
    [
        "<system-reminder>",
        f"{brief.BEGIN}\n",
        "<command-name>",
        "<bash-stdout></bash-stdout>",
        "<task-notification>",
        "\nagentId: ",
        " \n",
    ],
)
def test_hostile_repetition_takes_linear_time(opener: str) -> None:
    text = opener * (2_000_000 // len(opener))
    # With quadratic time the test would not end; no time is asserted.
    assert len(own_words(text)) <= len(text)
    assert len(own_words(f"<bash-stdout>{text}</bash-stdout>")) <= len(text) + 27
    assert len(output(text)) <= len(text)


def test_arguments_of_a_command_are_the_persons_words() -> None:
    command = "<command-message>x</command-message><command-name>/fix</command-name>"
    assert own_words(f"{command}<command-args>the port</command-args>") == "/fix the port"
    assert own_words(f"{command}<command-args></command-args>") == ""
    assert own_words(f"{command}<command-args>unclosed") == "<command-args>unclosed"


def test_commands_to_the_client_itself_are_not() -> None:
    assert own_words("<command-name>/model</command-name><command-args>opus</command-args>") == ""
