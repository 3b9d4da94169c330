"""The text a curator is asked with: fenced data, written here, read back here.

Line one names a token that is random for each call. Every piece of data stands between
a line `<<<TOKEN NAME` and a line `>>>TOKEN NAME`; no data holds the token, so none can
close its fence or open another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memd.digest_text import one_line
from memd.model import MEMORY_FILES, CleanText, Digest, Memory
from memd.redact import join, literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.redact import Redactor

NOTES: Final = "inbox notes"
SESSIONS: Final = "session digest"
_NAME_CHARS = 200
_TOKEN_LINE = re.compile(r"^Fence token: (\w+)$", re.MULTILINE)
_TODAY_LINE = re.compile(r"^Today: (\d{4}-\d\d-\d\d)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    system: str
    """The charter: the same words for every call."""
    text: CleanText


@dataclass(frozen=True, slots=True)
class Sections:
    """The data in a prompt, as the curator sees it."""

    today: str = ""
    memory: Mapping[str, str] = field(default_factory=dict)
    """Body by file name."""
    notes: str = ""
    sessions: str = ""


def charter() -> str:
    """The system contract for the model."""
    from importlib import resources

    return resources.files("memd").joinpath("charter.md").read_text("utf-8")


def build(
    memory: Memory,
    digest: Digest,
    *,
    redactor: Redactor,
    project_name: str,
    today: str,
    token: str,
) -> Prompt:
    """Ask for what `digest` adds to `memory`. `token`: word characters, new for each call."""
    pieces = [(name, redactor.clean(memory[name].body)) for name in MEMORY_FILES]
    pieces += [(NOTES, digest.notes_text), (SESSIONS, digest.text)]
    name = _without(token, one_line(redactor, project_name, _NAME_CHARS), redactor)
    lines = [
        literal(f"Fence token: {token}"),
        join("", (literal("Project: "), name)),
        literal(f"Today: {today}"),
    ]
    for heading, content in pieces:
        lines += [
            literal(f"\n<<<{token} {heading}"),
            _without(token, content, redactor),
            literal(f">>>{token} {heading}"),
        ]
    return Prompt(charter(), join("\n", [*lines, literal("")]))


def parse(text: str) -> Sections:
    """The data of a prompt that `build` made, whatever stands before it; empty for others."""
    start = _TOKEN_LINE.search(text)
    if not start:
        return Sections()
    token, text = start[1], text[start.start() :]
    fence = re.compile(rf"^<<<{token} ([a-z. ]+)\n(.*?)\n>>>{token} \1$", re.M | re.S)
    found = {piece[1]: piece[2] for piece in fence.finditer(text)}
    today = _TODAY_LINE.search(text)
    return Sections(
        today[1] if today else "",
        {name: found[name] for name in MEMORY_FILES if name in found},
        found.get(NOTES, ""),
        found.get(SESSIONS, ""),
    )


def _without(token: str, content: CleanText, redactor: Redactor) -> CleanText:
    return redactor.clean(content.replace(token, "[token]")) if token in content else content
