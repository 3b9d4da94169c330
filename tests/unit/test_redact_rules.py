"""The table of redaction rules: what every row has to keep to."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator

import pytest

from memd.redact import Redactor
from memd.redact_rules import RULES, Rule
from memd.redact_rules.parts import REACH

if sys.version_info >= (3, 11):
    from re import _parser as sre_parse
else:
    import sre_parse

NAMED_BY_CONTRACT = {
    *("google_oauth", "github_pat", "anthropic_key", "openai_key", "aws_access", "slack_token"),
    *("gitlab_token", "npm_token", "jwt", "json_token_field", "bearer_header", "env_credential"),
    "ssh_private_key",
}
HOSTILE_SIZE = 100_000  # characters

each_rule = pytest.mark.parametrize(
    "rule", RULES, ids=[f"{number}-{rule.name}" for number, rule in enumerate(RULES)]
)


def unbounded_inside_unbounded(node: object, inside: bool = False) -> bool:
    """Whether a parsed pattern repeats without bound what itself repeats without bound."""
    if isinstance(node, tuple) and len(node) == 3 and isinstance(node[0], int):
        low, high, body = node
        if isinstance(body, sre_parse.SubPattern) and low <= high:
            open_ended = high >= sre_parse.MAXREPEAT
            return (open_ended and inside) or unbounded_inside_unbounded(body, inside or open_ended)
    if isinstance(node, (tuple, list, sre_parse.SubPattern)):
        return any(unbounded_inside_unbounded(part, inside) for part in node)
    return False


def hostile_texts(rule: Rule) -> Iterator[str]:
    """Long texts made of what a match of the rule begins with and never completes."""
    half = rule.hit[: len(rule.hit) // 2]
    for part in (half, rule.keywords[0], rule.keywords[0].upper() + "=", "a", "-", "\\", "aA0\n"):
        yield half + part * (HOSTILE_SIZE // len(part))
    yield rule.hit[:-1] + "a-" * (HOSTILE_SIZE // 2)
    yield "\n".join([rule.hit] * (HOSTILE_SIZE // 10 // len(rule.hit)))


def test_every_rule_of_the_contract_has_a_row() -> None:
    assert {rule.name for rule in RULES} >= NAMED_BY_CONTRACT


def test_rule_names_can_stand_in_a_mark() -> None:
    assert all(re.fullmatch("[a-z][a-z_]{2,30}", rule.name) for rule in RULES)


@each_rule
def test_example_is_redacted_by_its_own_rule_alone(rule: Rule) -> None:
    redactor = Redactor()
    assert f"[REDACTED:{rule.name}]" in redactor.clean(rule.hit)
    assert redactor.fired == {rule.name: 1}


@each_rule
def test_counterexample_stays_and_passes_the_keywords(rule: Rule) -> None:
    assert Redactor().clean(rule.keep) == rule.keep
    assert any(word in rule.keep.lower() for word in rule.keywords)


@each_rule
def test_keywords_are_lower_case_and_in_the_example(rule: Rule) -> None:
    assert all(word and word == word.lower() for word in rule.keywords)
    assert any(word in rule.hit.lower() for word in rule.keywords)


@each_rule
def test_example_is_found_in_any_surroundings(rule: Rule) -> None:
    for before, after in [
        ("U: ", ""),
        ("日本語（", "）"),
        ("\n", "\n"),
        ("\t(", ")"),
        ("é ", " é"),
    ]:
        clean = Redactor().clean(before + rule.hit + after)
        assert clean.startswith(before)
        assert f"[REDACTED:{rule.name}]" in clean


@each_rule
def test_pattern_is_not_empty_and_has_no_nested_unbounded_repeat(rule: Rule) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed = sre_parse.parse(rule.pattern, re.ASCII)
    assert parsed.getwidth()[0] > 0
    assert not unbounded_inside_unbounded(parsed)


@each_rule
def test_no_match_but_of_a_private_key_is_longer_than_the_reach(rule: Rule) -> None:
    longest = sre_parse.parse(rule.pattern, re.ASCII).getwidth()[1]
    assert longest <= REACH or rule.name == "ssh_private_key"


def test_the_check_for_nested_repeats_sees_them() -> None:
    for pattern in (r"(a+)+", r"(?:x|(?:a*b?){3})*", r"((?:a|b+)c)*?", r"(?=(?:[ab]*,)+)"):
        assert unbounded_inside_unbounded(sre_parse.parse(pattern))
    for pattern in (r"(a+)", r"(?:a+){0,8}", r"(?:a|b)*c+", r"(?:a{1,3})*"):
        assert not unbounded_inside_unbounded(sre_parse.parse(pattern))


@each_rule
def test_hostile_text_comes_to_an_end(rule: Rule) -> None:
    for text in hostile_texts(rule):
        ends = [match.end() for match in re.finditer(rule.pattern, text, re.ASCII)]
        assert all(end <= len(text) for end in ends)
