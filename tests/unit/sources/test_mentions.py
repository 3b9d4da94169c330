from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.sources.mentions import Mentions


def winner(roots: list[str], *texts: str) -> str | None:
    mentions = Mentions(roots)
    for text in texts:
        mentions.add(text)
    return mentions.winner()


@pytest.mark.parametrize(
    "name",
    ["/p/app", "/p/app/a.ts", "file:///p/app/", '"/p/app"', "(/p/app).", "cd /p/app;", "/p/app."],
)
def test_three_names_at_the_borders_of_a_path_are_enough(name: str) -> None:
    assert winner(["/p/app"], f"{name} {name} {name}") == "/p/app"
    assert winner(["/p/app"], f"{name} {name}") is None


@pytest.mark.parametrize(
    "name", ["/p/app-web", "/p/apps", "/p/app.old", "/p/app_2", "/mnt/p/app", "x/p/app"]
)
def test_longer_names_are_not_counted(name: str) -> None:
    assert winner(["/p/app"], f"{name} " * 9) is None


def test_the_deepest_of_nested_projects_is_named() -> None:
    assert winner(["/p", "/p/app"], "/p/app/x " * 3 + "/p/other " * 2) == "/p/app"


def test_a_tie_is_nobodys() -> None:
    assert winner(["/p/a", "/p/b"], "/p/a /p/b " * 5) is None


def test_names_with_spaces_and_pattern_signs_are_found() -> None:
    assert winner(["/p/my app (v2)+[x]"], "see /p/my app (v2)+[x]/f " * 3) == "/p/my app (v2)+[x]"


@pytest.mark.parametrize("roots", [[], ["/"]])
def test_no_project_is_never_named(roots: list[str]) -> None:
    assert winner(roots, "/ /etc / " * 9) is None


@given(st.lists(st.text(min_size=1, max_size=8).map("/".__add__)), st.text(max_size=80))
def test_any_text_names_only_what_is_known(roots: list[str], text: str) -> None:
    assert winner(roots, text, text, text) in {*roots, None}


PATHS = st.lists(st.sampled_from(["/p", "/p/a", "/p/ab", "/q", "/p/a/b", "/é"]), min_size=1)
WORDS = st.lists(st.sampled_from([*"/pabq é.~-", "/p/a", "/q", "\n", "file://"])).map("".join)


@given(PATHS, WORDS)
def test_what_stands_in_front_of_a_path_counts(roots: list[str], text: str) -> None:
    names = "|".join(map(re.escape, sorted(roots, key=len, reverse=True)))
    plain = re.findall(rf"(?<![\w.~-])(?:{names})(?![\w-]|\.\w)", text)
    counts = Counter(plain * 3).most_common(2)
    tie = len(counts) == 2 and counts[0][1] == counts[1][1]
    assert winner(roots, text, text, text) == (counts[0][0] if counts and not tie else None)
