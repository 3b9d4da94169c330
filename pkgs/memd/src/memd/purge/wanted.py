"""What is to be purged: how it is found in a text, and what stands in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memd.errors import UsageFault
from memd.oneline import one_line
from memd.redact import Redactor
from memd.redact_rules import RULES

MARK: Final = "[REDACTED:purged]"
SHORTEST: Final = 4
"""Characters; what is shorter stands in too many words that are no secret."""

Edit = Callable[[str], tuple[str, int]]
"""The text without it, and how often it was in there; doing it again finds nothing."""

# A string of a JSON document, the last one possibly cut off.
_LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_FIELD: Final = re.compile(r'"[a-z_]+"\s*:')
_NEVER: Final = "(?!)"


@dataclass(frozen=True, slots=True)
class Wanted:
    in_text: Edit
    in_damaged_json: Edit
    """For a document whose strings cannot be told from what is between them."""

    def in_json(self, text: str) -> tuple[str, int]:
        """In the decoded strings of a JSON document; nothing around them changes."""
        total = 0

        def edited(literal: re.Match[str]) -> str:
            nonlocal total
            new, found = self._in_literal(literal[0])
            if found and _FIELD.match(text, literal.start()):
                raise UsageFault("purge: it is part of a name that memd's own files are made of")
            total += found
            return new

        new = _LITERAL.sub(edited, text)
        if _is_json(new):
            return new, total
        new, rest = self.in_damaged_json(new)
        return new, total + rest

    def _in_literal(self, literal: str) -> tuple[str, int]:
        try:
            value = json.loads(literal)
        except ValueError:
            return self.in_text(literal)
        new, found = self.in_text(value)
        return (json.dumps(new) if found else literal), found


def text(wanted: str) -> Wanted:
    """Every occurrence of a text. Raises UsageFault for one that cannot be told from others."""
    if len(wanted.strip()) < SHORTEST:
        raise UsageFault(f"purge: the text has to have at least {SHORTEST} characters")
    forms = [form for form in _forms(wanted) if len(form) >= SHORTEST]
    if any(form in MARK * 2 for form in forms):
        raise UsageFault(f"purge: the text is part of {MARK}, which memd writes itself")
    pattern = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))

    def edit(place: str) -> tuple[str, int]:
        total = 0
        # What is left around a mark may be the text anew.
        while found := pattern.subn(lambda _: MARK, place):
            place, number = found
            if not number:
                break
            total += number
        return place, total

    return Wanted(edit, edit)


def rule(name: str, extra_patterns: Sequence[str]) -> Wanted:
    """What one rule of redaction finds, a built-in one or `extra_<number>`. Raises UsageFault."""
    known = rule_names(extra_patterns)
    if name not in known:
        raise UsageFault(f"--rule: {name!r} is none of {', '.join(known)}")

    def edit(place: str) -> tuple[str, int]:
        redactor = _redactor(name, extra_patterns)
        clean = redactor.clean(place)
        found = sum(redactor.fired.values())
        return (clean, found) if found else (place, 0)

    return Wanted(edit, lambda place: (place, 0))


def rule_names(extra_patterns: Sequence[str] = ()) -> tuple[str, ...]:
    numbers = range(1, len(extra_patterns) + 1)
    return (*dict.fromkeys(row.name for row in RULES), *(f"extra_{n}" for n in numbers))


def _is_json(text: str) -> bool:
    """Whether it is a document, or one on each line."""
    decoder = json.JSONDecoder()
    try:
        for part in [text] if text.startswith("{\n") else text.splitlines():
            decoder.decode(part)
    except (ValueError, RecursionError):
        return False
    return True


def _redactor(name: str, extra_patterns: Sequence[str]) -> Redactor:
    """With this one rule."""
    extra = [
        pattern if name == f"extra_{number}" else _NEVER
        for number, pattern in enumerate(extra_patterns, 1)
    ]
    return Redactor(extra, only=(name,))


def _forms(wanted: str) -> Iterator[str]:
    """As it is, and as it stands in JSON, in the log and on one line."""
    yield wanted
    yield json.dumps(wanted)[1:-1]
    yield json.dumps(wanted, ensure_ascii=False)[1:-1]
    yield "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in wanted)
    yield one_line(wanted)
    yield wanted.replace("\n", "\r\n")
    yield wanted.replace("\r\n", "\n")
