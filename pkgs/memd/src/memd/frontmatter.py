"""YAML frontmatter, read safely and written so that it reads back the same.

Only `null`, `true`, `false` and plain decimal integers mean anything but text: a date, a
version or a `yes` that a person wrote stays the very characters that were written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, Final

import yaml

from memd.frontmatter_split import FENCE

REQUIRED: Final = ("type", "project", "last_updated", "status")
LIMIT: Final = 64 * 1024
"""Characters of YAML."""
DEPTH: Final = 20
"""Lists within lists; reading takes quadratic time in it."""

_RESOLVERS: Final = {
    None: [
        ("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$")),
        ("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$")),
        ("tag:yaml.org,2002:int", re.compile(r"^(?:0|-?[1-9][0-9]{0,17})$")),
    ]
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _RESOLVERS
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        if self.depth > DEPTH:
            raise yaml.YAMLError("nested too deeply")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers = _RESOLVERS

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the overridden signature
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if text.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def parse(raw: str) -> dict[str, object]:
    """The keys in file order. Raises ValueError, in one line, for what is not a plain mapping."""
    if len(raw) > LIMIT:
        raise ValueError(f"frontmatter is longer than {LIMIT} characters")
    try:
        value = yaml.load(raw, Loader=_Loader)  # noqa: S506 - a safe loader
        return _checked_mapping(value)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(f"frontmatter is not valid YAML: line {line}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise ValueError(f"frontmatter is not valid YAML: {str(error)[:80]!r}") from error


def compose(keys: Mapping[str, object], body: str) -> str:
    """A file of these keys, in their order, above `body`."""
    return _file(
        yaml.dump(
            dict(keys),
            Dumper=_Dumper,
            allow_unicode=True,
            default_flow_style=False,
            sort_keys=False,
            width=sys.maxsize,
        ),
        body,
    )


def restamp(raw: str, today: str, body: str) -> str:
    """The file of the valid block `raw` with `last_updated` set: quoting and comments in it
    are kept where that line can be told from the rest."""
    keys = {**parse(raw), "last_updated": today}
    stamped = re.sub(r"(?m)^last_updated:.*$", f"last_updated: {today}", raw)
    try:
        if parse(stamped) == keys:
            return _file(stamped + "\n", body)
    except ValueError:
        pass
    return compose(keys, body)


def is_valid(keys: Mapping[str, object]) -> bool:
    """Whether every key that a memory file must have is there and says something."""
    return all(_says_something(keys.get(key)) for key in REQUIRED)


def _says_something(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value not in (None, [], {})


def _file(block: str, body: str) -> str:
    body = body.lstrip("\n")
    end = "" if not body or body.endswith("\n") else "\n"
    return f"{FENCE}\n{block}{FENCE}\n\n{body}{end}"


def _checked_mapping(value: Any) -> dict[str, object]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError("frontmatter is not a mapping with text keys")
    for item in value.values():
        _check(item)
    return value


def _check(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _check(item)
    elif isinstance(value, dict):
        _checked_mapping(value)
    elif value is not None and not isinstance(value, (str, int)):
        raise ValueError(f"frontmatter holds a {type(value).__name__}; text, numbers, lists only")
