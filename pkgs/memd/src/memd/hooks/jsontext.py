"""Change single values in the text of a JSON document and leave every other byte alone.

A path is a row of keys and indices from the top. All texts have to be valid JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

Path = tuple["str | int", ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_DEFAULT_INDENT = "  "
_decode = json.JSONDecoder().raw_decode


class _Child(NamedTuple):
    """One member or element: where it begins, where its value begins and ends."""

    key: str | int
    begin: int
    value: int
    end: int


def replaced(text: str, path: Path, value: object) -> str:
    """With another value at `path`, written on one line."""
    at = _start(text, path)
    return text[:at] + _written(value) + text[_decode(text, at)[1] :]


def appended(text: str, path: Path, value: object, *, key: str = "") -> str:
    """With one more element in the array at `path`, or member `key` in the object there.

    Set on lines of its own where its neighbours are.
    """
    at = _start(text, path)
    children, close = _children(text, at)
    member = f"{_written(key)}: " if text[at] == "{" else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    if children:
        end = children[-1].end
        lead = _lead(text, children[-1].begin)
        if lead is None:
            return f"{text[:end]}, {member}{_written(value)}{text[end:]}"
        written = _written(value, _indent(text)).replace("\n", newline + lead)
        return f"{text[:end]},{newline}{lead}{member}{written}{text[end:]}"
    if _indent(text) == "":
        return f"{text[: at + 1]}{member}{_written(value)}{text[close:]}"
    line = text[text.rfind("\n", 0, at) + 1 : at]
    outer = line[: len(line) - len(line.lstrip())]
    lead = outer + _indent(text)
    written = _written(value, _indent(text)).replace("\n", newline + lead)
    return f"{text[: at + 1]}{newline}{lead}{member}{written}{newline}{outer}{text[close:]}"


def removed(text: str, path: Path) -> str:
    """Without what is at `path`."""
    at = _start(text, path[:-1])
    children, close = _children(text, at)
    place = max(n for n, child in enumerate(children) if child.key == path[-1])
    if len(children) == 1:
        return text[: at + 1] + text[close:]
    if place + 1 < len(children):
        return text[: children[place].begin] + text[children[place + 1].begin :]
    return text[: children[place - 1].end] + text[children[place].end :]


def _start(text: str, path: Path) -> int:
    """Where the value at `path` begins. Of members with one name the last one counts."""
    at = _skipped(text, 0)
    for key in path:
        at = max(child.value for child in _children(text, at)[0] if child.key == key)
    return at


def _children(text: str, at: int) -> tuple[list[_Child], int]:
    """What the array or object at `at` holds, and where its closing bracket is."""
    in_object = text[at] == "{"
    found: list[_Child] = []
    position = _skipped(text, at + 1)
    while text[position] not in "]}":
        begin = position
        key: Any = len(found)
        if in_object:
            key, position = _decode(text, position)
            position = _skipped(text, _skipped(text, position) + 1)
        value = position
        end = _decode(text, position)[1]
        found.append(_Child(key, begin, value, end))
        position = _skipped(text, end)
        if text[position] == ",":
            position = _skipped(text, position + 1)
    return found, position


def _skipped(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _lead(text: str, begin: int) -> str | None:
    """White space that stands alone before `begin` on its line, None when more does."""
    before = text[text.rfind("\n", 0, begin) + 1 : begin]
    return None if before.strip() or begin == len(before) else before


def _indent(text: str) -> str:
    """White space of one level; "" for a document on one line."""
    children = _children(text, _skipped(text, 0))[0]
    if not children:
        return _DEFAULT_INDENT
    lead = _lead(text, children[0].begin)
    return "" if lead is None else lead or _DEFAULT_INDENT


def _written(value: object, indent: str = "") -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent or None)
