"""Which files give Claude Code memd's hooks, and what they make it run.

Format: https://code.claude.com/docs/en/settings
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any, Final

from memd import fsio
from memd.hooks.rewrite import LARGEST

MANAGED_DIR: Final = "/etc/claude-code"
OURS: Final = re.compile(
    r"""(?:^|[\s/'"\\])memd[^\s/'"\\]*['"\\]*\s+hook\s+"""
    r"(?:session-start|session-end|pre-compact)(?![\w-])"
)
"""A command of memd's own in a file of hooks."""


def doubles(claude_dir: str, managed_dir: str = MANAGED_DIR) -> tuple[str, ...]:
    """Files beside the user's settings that give Claude Code memd's hooks."""
    drop_ins = os.path.join(managed_dir, "managed-settings.d")
    candidates = (
        os.path.join(claude_dir, "skills", "memd", "hooks", "hooks.json"),
        os.path.join(managed_dir, "managed-settings.json"),
        *(os.path.join(drop_ins, name) for name in _names(drop_ins) if name.endswith(".json")),
    )
    return tuple(path for path in candidates if OURS.search(_text_or_nothing(path)))


def everywhere(claude_dir: str, managed_dir: str = MANAGED_DIR) -> tuple[str, ...]:
    """The same with the user's settings among them."""
    own = os.path.join(claude_dir, "settings.json")
    mine = (own,) if OURS.search(_text_or_nothing(own)) else ()
    return (*mine, *doubles(claude_dir, managed_dir))


def commands(path: str) -> tuple[str, ...]:
    """The command lines of memd in a file of hooks; none where that cannot be read."""
    return tuple(line for line in _texts(document(path)) if OURS.search(line))


def document(path: str) -> Any:
    """The JSON value in a file, None where there is none."""
    try:
        return json.loads(_text_or_nothing(path))
    except (ValueError, RecursionError):
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def _text_or_nothing(path: str) -> str:
    try:
        data = fsio.read_regular(path, limit=LARGEST, follow=True)
    except OSError:
        return ""
    return data.decode("utf-8", "replace")
