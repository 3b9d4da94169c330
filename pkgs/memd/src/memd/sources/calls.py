"""Tool calls on one line."""

from __future__ import annotations

import json
import re
from typing import Final

_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}


def call(name: str, given: object) -> str:
    """Name and input of a call. Texts stand in it unescaped, as the redactor knows them."""
    if not given:
        return name
    escaped = json.dumps(given, ensure_ascii=False)
    return f"{name} {_ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[0]), escaped)}".lstrip()


def call_json(name: str, given: str) -> str:
    """The same for an input that is JSON itself; what is not stays as it is."""
    try:
        return call(name, json.loads(given))
    except (ValueError, RecursionError):
        return f"{name} {given}".strip()
