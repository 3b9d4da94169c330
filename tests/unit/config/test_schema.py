from __future__ import annotations

import os

import pytest

from memd.config import schema, settings

COMMITTED = os.path.join(
    os.path.dirname(__file__), *[os.pardir] * 3, "pkgs", "memd", "settings.schema.json"
)


def nodes(node, place=()):
    """Every schema within a schema, each with a document path that it governs."""
    yield place, node
    for name, inner in node.get("properties", {}).items():
        yield from nodes(inner, (*place, name))
    if isinstance(node.get("additionalProperties"), dict):
        yield from nodes(node["additionalProperties"], (*place, "/srv/app"))
    if "items" in node:
        yield from nodes(node["items"], (*place, 0))


ALL = [
    pytest.param(place, node, id=".".join(map(str, place)))
    for place, node in nodes(schema.schema())
]


def document(place, value):
    """The smallest document with a value at a place."""
    for part in reversed(place):
        value = [value] if part == 0 else {part: value}
    return value


def test_the_committed_schema_is_the_one_the_program_has() -> None:
    with open(COMMITTED, encoding="utf-8") as file:
        committed = file.read()
    assert committed == schema.text(), (
        "settings.schema.json is out of date; "
        "run: memd config schema > pkgs/memd/settings.schema.json"
    )


def test_the_schema_says_which_dialect_it_speaks() -> None:
    assert schema.schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(("place", "node"), ALL)
def test_each_schema_stands_on_its_own_and_has_a_type(place, node) -> None:
    assert node["type"] in {"object", "array", "string", "integer", "boolean"}
    assert {"$ref", "$defs", "allOf", "anyOf"}.isdisjoint(node)
    assert "properties" not in node or node["additionalProperties"] is False


def test_each_key_is_described_in_a_sentence() -> None:
    described = [node for _, node in nodes(schema.schema()) if "default" in node]
    assert len(described) == len(schema.option_table().splitlines()) - 2
    assert all(node["description"].endswith(".") for node in described)


@pytest.mark.parametrize(("place", "node"), ALL)
def test_defaults_and_bounds_are_those_of_the_check(place, node) -> None:
    good = [node[word] for word in ("default", "minimum", "maximum") if word in node]
    bad = [None]
    if "minimum" in node:
        bad.append(node["minimum"] - 1)
    if "maximum" in node:
        bad.append(node["maximum"] + 1)
    if "maxLength" in node:
        good.append("x" * node["maxLength"])
        bad.append("x" * (node["maxLength"] + 1))
    if "minLength" in node:
        bad.append("")
    if "pattern" in node:
        good += ["/", "~", "~/x"]
        bad += ["", "x", "~x"]
    for value in good:
        assert settings.faults(document(place, value)) == ()
    for value in bad if place else []:
        assert settings.faults(document(place, value)) != ()


def test_what_a_key_expects_is_said_in_words() -> None:
    assert schema.expectation(("sweep_jobs",)) == "integer, 1 or more"
    assert schema.expectation(("quiet_seconds",)) == "integer, 0 to 31536000"
    assert schema.expectation(("global_brief_chars",)) == "integer"
    assert schema.expectation(("git_commit",)) == "true or false"
    assert schema.expectation(("model_small",)) == "string, not empty"
    assert schema.expectation(("claude_dir",)) == "path"
    assert schema.expectation(("exclude",)) == 'list of paths, like ["a", "b"]'
    assert schema.expectation(("exclude", 3)) == "path"
    assert schema.expectation(("budgets", "state.md")) == "integer, 1 or more"
    assert schema.expectation(("projects", "/a")) == 'object, like {"key": "value"}'
    assert schema.expectation(("projects", "/a", "name")) == "string"


def test_the_keys_beside_a_key_are_those_of_its_object() -> None:
    assert schema.siblings(("x",)) == settings.known_keys()
    assert schema.siblings(("budgets", "x"))[0] == "state.md"
    assert schema.siblings(("projects", "/a", "x")) == ("name", "extra_sources")


def test_the_table_has_a_row_for_every_key() -> None:
    table = schema.option_table()
    first = [line.split(" | ")[0] for line in table.splitlines()[2:]]
    keys = [key.strip("|` ") for key in first]
    assert [key for key in keys if "." not in key] == list(settings.known_keys())
    assert "budgets.state.md" in keys
    assert "projects.<directory>.extra_sources" in keys
    assert "| `sweep_jobs` | integer, 1 or more | `4` | " in table
    assert all(line.count("|") == 5 for line in table.splitlines())
