"""The settings described for others: JSON Schema, a table, words for what a key expects."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from memd.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Schema = dict[str, Any]

_LEFT_OUT = ("$ref", "$defs", "allOf", "title")
_EXAMPLES = {"array": ', like ["a", "b"]', "object": ', like {"key": "value"}'}


def schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of the file, without references or generated titles."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "config.json of memd",
        **_root(),
    }


def text() -> str:
    """The schema as `settings.schema.json` holds it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def option_table() -> str:
    """All keys as a Markdown table: key, type, default, description."""
    rows = (
        f"| `{key}` | {_kind(node)} | {_default(node)} | {node['description']} |\n"
        for key, node in _options(_root())
    )
    return "| key | type | default | what it is |\n|---|---|---|---|\n" + "".join(rows)


def expectation(key: Sequence[str | int]) -> str:
    """In words, what may stand at a place of the file; integers are positions in a list."""
    node = _root()
    for part in key:
        node = node["items"] if isinstance(part, int) else _below(node, part)
    return _kind(node) + _EXAMPLES.get(node["type"], "")


def siblings(key: Sequence[str | int]) -> tuple[str, ...]:
    """The known keys of the object that holds `key`."""
    node = _root()
    for part in key[:-1]:
        node = _below(node, str(part))
    return tuple(node["properties"])


@cache
def _root() -> Schema:
    generated = Settings.model_json_schema()
    return _plain(generated, generated["$defs"])


def _plain(node: Schema, definitions: Schema) -> Schema:
    # pydantic before 2.9 wraps a reference in allOf.
    for holder in (node, *node.get("allOf", ())):
        if "$ref" in holder:
            node = {**definitions[holder["$ref"].rpartition("/")[2]], **node}
    plain = {}
    for keyword, value in sorted(node.items()):
        if keyword == "properties":
            plain[keyword] = {name: _plain(inner, definitions) for name, inner in value.items()}
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            plain[keyword] = _plain(value, definitions)
        elif keyword not in _LEFT_OUT:
            plain[keyword] = value
    return plain


def _below(node: Schema, name: str) -> Schema:
    below: Schema = node.get("properties", {}).get(name) or node["additionalProperties"]
    return below


def _options(node: Schema, prefix: str = "") -> Iterator[tuple[str, Schema]]:
    for name, inner in node["properties"].items():
        key = prefix + name
        yield key, inner
        if "properties" in inner:
            yield from _options(inner, f"{key}.")
        elif inner["type"] == "object":
            yield from _options(inner["additionalProperties"], f"{key}.<directory>.")


def _default(node: Schema) -> str:
    return "" if node["type"] == "object" else f"`{json.dumps(node['default'])}`"


def _kind(node: Schema) -> str:
    if node["type"] == "array":
        return f"list of {_noun(node['items'])}s"
    return _noun(node) + _bounds(node)


def _noun(node: Schema) -> str:
    if "pattern" in node:
        return "path"
    return "true or false" if node["type"] == "boolean" else str(node["type"])


def _bounds(node: Schema) -> str:
    if "maximum" in node:
        return f", {node['minimum']} to {node['maximum']}"
    if "minimum" in node:
        return f", {node['minimum']} or more"
    return ", not empty" if "minLength" in node else ""
