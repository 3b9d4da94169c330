"""Only what is said outright counts as a statement, and it is taken word for word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.curator.statements import Statement, from_events, from_notes
from memd.digest_text import Noted, Said


def said(text: str, kind: str = "user", session: str = "s") -> Said:
    return Said(kind, text, session, "2026-11-30")  # type: ignore[arg-type]


def found(text: str, kind: str = "user") -> list[tuple[str, str]]:
    return [(s.kind, s.text) for s in from_events([said(text, kind)])]


@pytest.mark.parametrize(
    ("text", "kind", "taken"),
    [
        ("We decided to keep sqlite.", "decision", "We decided to keep sqlite."),
        ("Decision: orders live in sqlite.", "decision", "orders live in sqlite."),
        ("**Decision:** orders stay here", "decision", "orders stay here"),
        ("Ok. Let's use ruff instead of flake8.", "decision", "Let's use ruff instead of flake8."),
        ("From now on run the linter first.", "decision", "From now on run the linter first."),
        ("- Never push to main.", "decision", "Never push to main."),
        ("The root cause was a stale lock.", "mistake", "The root cause was a stale lock."),
        ("Root cause: a stale lock.", "mistake", "Root cause: a stale lock."),
        ("The bug was an off-by-one.", "mistake", "The bug was an off-by-one."),
        ("Fixed: it hung because of DNS.", "mistake", "Fixed: it hung because of DNS."),
        ("TODO: write the runbook", "todo", "write the runbook"),
        ("- [ ] write the runbook", "todo", "write the runbook"),
        ("Next step: write the runbook", "todo", "write the runbook"),
        ("We still need to test on arm.", "todo", "We still need to test on arm."),
        ("- [x] write the runbook", "done", "write the runbook"),
        ("Done: write the runbook", "done", "write the runbook"),
        ("The api listens on 9090.", "state", "The api listens on 9090."),
        ("It runs on port 80.", "state", "It runs on port 80."),
        ("The config lives in /etc/shop.", "state", "The config lives in /etc/shop."),
        ("Node is at version 22.", "state", "Node is at version 22."),
    ],
)
def test_explicit_statements_are_taken_verbatim(text: str, kind: str, taken: str) -> None:
    assert found(text) == [(kind, taken)]
    assert taken in text


@pytest.mark.parametrize(
    "text",
    [
        "Should we always use sqlite?",
        "Maybe the root cause was DNS.",
        "The root cause is unclear.",
        "If we decided on sqlite, it would be easy.",
        "He lives in Berlin.",
        "Look for the root cause.",
        "It failed because of DNS.",
        "Fine.",
        "We decided " + "a lot " * 100,
        "We decided to [... 900 characters left out ...] sqlite.",
        "```\nTODO: in code\nalways: true\n```",
        "```\nTODO: in code that was cut",
    ],
)
def test_questions_doubts_and_code_are_no_statements(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", ["Never push to main.", "Let's use grep.", "From now on I wait."])
def test_only_a_person_gives_rules(text: str) -> None:
    assert found(text, "assistant") == []
    assert len(found(text)) == 1


@pytest.mark.parametrize("kind", ["tool", "result", "error"])
def test_tools_state_nothing(kind: str) -> None:
    assert found("TODO: we decided, the api listens on 1", kind) == []


def test_a_wrapped_sentence_stays_whole() -> None:
    text = (
        "We decided to keep the orders in sqlite because it needs no server\non that machine. Bye."
    )
    assert found(text) == [
        (
            "decision",
            "We decided to keep the orders in sqlite because it needs no server\non that machine.",
        )
    ]


def test_short_lines_are_statements_of_their_own() -> None:
    assert found("Let's use sqlite\nTODO: migrate\n- Never push") == [
        ("decision", "Let's use sqlite"),
        ("todo", "migrate"),
        ("decision", "Never push"),
    ]


def test_a_cause_is_told_with_the_error_before_it_once() -> None:
    events = [
        said("Traceback:\n  ...\nOSError: in use\n", "error"),
        said("That was due to the unifi controller.", "assistant"),
        said("The build broke because of DNS.", "assistant"),
    ]
    assert list(from_events(events)) == [
        Statement(
            "mistake", "That was due to the unifi controller.", "2026-11-30", "OSError: in use"
        )
    ]


def test_an_error_of_another_session_or_a_cut_one_is_no_symptom() -> None:
    cut = "boom [... 9 characters left out ...] bang"
    cause = "The root cause was DNS."
    events = [said("boom", "error", "a"), said(cause, session="b"), said(cut, "error"), said(cause)]
    assert [s.symptom for s in from_events(events)] == ["", ""]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("decision", "port 80", ("decision", "port 80")),
        ("", "Never push.\n\nIt breaks CI.", ("decision", "Never push.\n\nIt breaks CI.")),
        ("", "port 80 is ours", ("state", "port 80 is ours")),
        ("", "done: write the runbook", ("done", "write the runbook")),
    ],
)
def test_notes_are_taken_whole(kind: str, text: str, expected: tuple[str, str]) -> None:
    noted = list(from_notes([Noted(text, kind, "2026-11-29")]))
    assert [(s.kind, s.text, s.day) for s in noted] == [(*expected, "2026-11-29")]


def test_an_empty_note_states_nothing() -> None:
    assert list(from_notes([Noted(" \n", "", ""), Noted("", "todo", "")])) == []


WORDS = st.sampled_from(
    [
        "todo:",
        "We decided",
        "root cause was",
        "[x]",
        "listens on 80.",
        "\n",
        "- ",
        "```",
        "Never",
        "a.",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(WORDS, st.text(max_size=12)), max_size=20).map(" ".join))
def test_whatever_is_taken_stands_in_the_text(text: str) -> None:
    for statement in from_events([said(text), said(text, "error"), said(text, "assistant")]):
        assert statement.text in text
        assert statement.symptom in text
