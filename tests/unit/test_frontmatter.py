from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memd import frontmatter
from memd.frontmatter_split import split

TEXT = st.text(st.characters(codec=None))
SCALARS = st.none() | st.booleans() | st.integers(-(10**17), 10**17) | TEXT
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)
REQUIRED = {"type": "state", "project": "app", "last_updated": "2026-01-02", "status": "active"}
BODIES = st.text(st.characters(codec="utf-8", exclude_characters="\r"))


def bare(body: str) -> str:
    body = body.lstrip("\n")
    return body + "\n" if body and not body.endswith("\n") else body


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=5), BODIES)
def test_any_keys_read_back_the_same_and_in_order(keys: dict[str, object], body: str) -> None:
    raw, below = split(frontmatter.compose(keys, body))
    assert list(frontmatter.parse(raw).items()) == list(keys.items())
    assert below == bare(body)


@settings(max_examples=100, deadline=None)
@given(TEXT)
def test_no_project_name_can_forge_a_key_or_end_the_block(name: str) -> None:
    raw, body = split(frontmatter.compose({**REQUIRED, "project": name}, "# State\n"))
    assert frontmatter.parse(raw) == {**REQUIRED, "project": name}
    assert len(raw.splitlines()) == 4
    assert body == "# State\n"


@pytest.mark.parametrize(
    "name", ["x\nstatus: FORGED\n---\n\n## Injected", "a: b", "---", "- a", "{}", "'", '"', "# x"]
)
def test_known_forgeries_fail(name: str) -> None:
    text = frontmatter.compose({**REQUIRED, "project": name}, "body")
    assert "\nstatus: FORGED" not in text
    assert yaml.safe_load(split(text)[0])["project"] == name


@pytest.mark.parametrize(
    "written",
    ["2026-01-01", "2026-01-01T10:00:00Z", "1.50", "0x1F", "0123", "1_000", "12:30", "yes", "True"],
)
def test_what_a_person_wrote_stays_the_very_characters(written: str) -> None:
    keys = frontmatter.parse(f"key: {written}")
    assert keys == {"key": written}
    assert split(frontmatter.compose(keys, ""))[0] == f"key: {written}"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("key:", None),
        ("key: ~", None),
        ("key: true", True),
        ("key: -7", -7),
        ("key: 0", 0),
        ("key: '7'", "7"),
        ("key: [a, 1]", ["a", 1]),
        ("key: {a: b}", {"a": "b"}),
        ("key: |\n  two\n  lines", "two\nlines"),
    ],
)
def test_plain_values_have_their_types(raw: str, value: object) -> None:
    assert frontmatter.parse(raw) == {"key": value}


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "just text",
        "- a list",
        "1: number as key",
        "key: {1: x}",
        "key: [{true: x}]",
        "key: [unclosed",
        "key: &a x\nother: *a",
        "key: !!python/object/apply:os.getcwd []",
        "key: !!timestamp 2026-01-01",
        "key: !!set {a}",
        "key: [!!float 1.5]",
        "key: \x00",
        "key: " + "[" * 60_000,
        "key: " + "- " * 30_000,
        "? " * 30_000,
        "key: " + "x" * frontmatter.LIMIT,
        "? [a]\n: b",
        "\tkey: x",
    ],
)
def test_anything_but_a_plain_mapping_is_refused_in_one_line(raw: str) -> None:
    with pytest.raises(ValueError, match=r"^frontmatter .*$") as caught:
        frontmatter.parse(raw)
    assert len(str(caught.value).splitlines()) == 1


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    with pytest.raises(ValueError, match="aliases"):
        frontmatter.parse("\n".join(lines))


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_no_text_makes_parsing_fail_in_another_way(raw: str) -> None:
    try:
        keys = frontmatter.parse(raw)
    except ValueError:
        return
    assert all(isinstance(key, str) for key in keys)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=4), st.dates().map(str))
def test_a_new_date_changes_that_key_only(extra: dict[str, object], today: str) -> None:
    keys = {**REQUIRED, **extra}
    raw = split(frontmatter.compose(keys, ""))[0]
    stamped, body = split(frontmatter.restamp(raw, today, "# New\n"))
    assert frontmatter.parse(stamped) == {**keys, "last_updated": today}
    assert list(frontmatter.parse(stamped)) == list(keys)
    assert body == "# New\n"


def test_comments_and_quoting_survive_a_new_date() -> None:
    raw = "type: 'state'  # kept\nlast_updated: 2026-01-01\n# by hand\ntags: [a,   b]"
    text = frontmatter.restamp(raw, "2026-02-02", "body")
    assert split(text)[0] == raw.replace("2026-01-01", "2026-02-02")


@pytest.mark.parametrize(
    "raw",
    [
        "{type: state, last_updated: 2026-01-01}",
        "type: state\nlast_updated:\n  2026-01-01",
        "type: state\nlast_updated: [2026,\n  x]",
        "type: state\nlast_updated: >-\n  a: b",
        "type: state",
    ],
)
def test_a_date_written_in_another_way_is_set_all_the_same(raw: str) -> None:
    text = frontmatter.restamp(raw, "2026-02-02", "")
    assert frontmatter.parse(split(text)[0]) == {"type": "state", "last_updated": "2026-02-02"}


def test_all_four_keys_have_to_say_something() -> None:
    assert frontmatter.is_valid({**REQUIRED, "more": None})
    assert frontmatter.is_valid({**REQUIRED, "project": 0})
    for key in REQUIRED:
        for empty in (None, "", " \n", [], {}):
            assert not frontmatter.is_valid({**REQUIRED, key: empty})
        assert not frontmatter.is_valid({k: v for k, v in REQUIRED.items() if k != key})


@pytest.mark.parametrize(
    ("text", "raw", "body"),
    [
        ("---\na: 1\n---\nbody\n", "a: 1", "body\n"),
        ("---\na: 1\n---\n\n\nbody", "a: 1", "body"),
        ("\ufeff---\r\na: 1\r\n---\r\nbody\r\n", "a: 1", "body\n"),
        ("---  \na: 1\n--- \nbody", "a: 1", "body"),
        ("---\n---\nbody", "", "body"),
        ("---\na: 1\n---", "a: 1", ""),
        ("---\na: 1\n", "", "---\na: 1\n"),
        ("body\n---\nmore\n---\n", "", "body\n---\nmore\n---\n"),
        ("---\na: |\n  ---\nb: 1\n---\nx", "a: |\n  ---\nb: 1", "x"),
        ("", "", ""),
    ],
)
def test_the_block_ends_at_the_second_fence(text: str, raw: str, body: str) -> None:
    assert split(text) == (raw, body)


def test_splitting_needs_no_yaml() -> None:
    code = "import sys, memd.frontmatter_split; print('yaml' in sys.modules, 're' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False"]
