"""Redaction on a corpus: everything is found, nothing else is, whatever is done to a secret."""

from __future__ import annotations

import json
import re

import pytest
from corpus import Sample, found, kept
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.redact import Redactor
from memd.redact_rules import RULES

FOUND = found()
# Kinds of a fixed number of characters, with the prefix that says so.
KINDS = [
    *(("ghp_", 36, "alnum"), ("gho_", 36, "alnum"), ("glpat-", 20, "word"), ("npm_", 36, "alnum")),
    *(("hf_", 34, "alnum"), ("AIza", 35, "word"), ("gsk_", 52, "alnum"), ("r8_", 37, "alnum")),
    *(("sk-ant-api03-", 95, "word"), ("lin_api_", 40, "alnum"), ("dckr_pat_", 27, "word")),
    *(("dop_v1_", 64, "hex"), ("rubygems_", 48, "hex"), ("shpat_", 32, "hex"), ("pul-", 40, "hex")),
    *(("GOCSPX-", 28, "word"), ("figd_", 40, "word"), ("xai-", 80, "alnum")),
]
ALPHABETS = {
    "alnum": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "word": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
    "hex": "0123456789abcdef",
}
BREAKS = ["\n", "\r\n", "\n    ", "\n\t", "\\\n", '" +\n  "', "\n\u2502 ", "\n   12\u2192"]
PREFIXES = [
    "",
    "x = ",
    "TOKEN=",
    '"',
    "\n",
    "\\n",
    "(",
    "+",
    "  7\u2192",
    "\x1b[31m",
    "key%3D",
    "钥",
]
ENDS = ["", " and more", '", x', ")", "\n", "...", "\u2026", "`"]


@pytest.mark.parametrize(
    "sample", FOUND, ids=[f"{at}-{sample.rule}" for at, sample in enumerate(FOUND)]
)
def test_a_secret_goes_whole_and_its_surroundings_stay(sample: Sample) -> None:
    assert Redactor().clean(sample.text) == sample.clean


def test_no_eight_characters_of_a_secret_survive() -> None:
    for sample in FOUND:
        clean = Redactor().clean(sample.text)
        for secret in sample.secrets:
            assert survivors(secret, clean.replace(f"[REDACTED:{sample.rule}]", "")) == []


@pytest.mark.parametrize("text", kept())
def test_a_look_alike_stays(text: str) -> None:
    assert Redactor().clean(text) == text


def test_look_alikes_stay_together() -> None:
    text = "\n".join(kept())
    assert Redactor().clean(text) == text


def test_the_corpus_is_large_and_has_every_rule() -> None:
    assert {sample.rule for sample in FOUND} == {rule.name for rule in RULES}
    assert len(FOUND) >= 300
    assert len(kept()) >= 150


def test_each_match_holds_where_only_keywords_are_looked_at() -> None:
    for sample in FOUND:
        lowered = sample.text.lower()
        for rule in RULES:
            for match in re.finditer(rule.pattern, sample.text, re.ASCII):
                if rule.leads and (match.lastindex or not match.re.groups):
                    start = match.start()
                    assert any(lowered.startswith(word, start) for word in rule.keywords)


@st.composite
def mangled(draw: st.DrawFn) -> tuple[str, str]:
    """A body of a known kind, and a text in which it is broken, escaped or cut."""
    prefix, size, alphabet = draw(st.sampled_from(KINDS))
    letters = ALPHABETS[alphabet]
    seed = "a7" if alphabet == "hex" else "aQ7"
    rest = draw(st.text(letters, min_size=size - len(seed) - 1, max_size=size - len(seed) - 1))
    body = f"{seed}{rest}e"
    shown, end = body, draw(st.sampled_from(ENDS))
    change = draw(st.sampled_from(["none", "broken", "cut"]))
    if change == "broken":
        at = draw(st.integers(1, size - 1))
        shown = body[:at] + draw(st.sampled_from(BREAKS)) + body[at:]
    if change == "cut":
        shown, end = (
            body[: draw(st.integers(8, size))],
            draw(st.sampled_from(["", "...", "\u2026"])),
        )
    text = draw(st.sampled_from(PREFIXES)) + prefix + shown + end
    for _ in range(draw(st.integers(0, 2))):
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return body, text


@settings(max_examples=300, deadline=None)
@given(mangled())
def test_no_part_of_a_mangled_secret_gets_through(case: tuple[str, str]) -> None:
    body, text = case
    assert survivors(body, Redactor().clean(text)) == []


def survivors(secret: str, clean: str) -> list[str]:
    """Pieces of 8 characters that still stand in a text."""
    pieces = {secret[at : at + 8] for at in range(len(secret) - 7)}
    return sorted(piece for piece in pieces if piece in clean)
