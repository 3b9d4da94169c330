"""memd purge: show what it would do, ask, do it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import typer

from memd import purge
from memd.cli import render
from memd.errors import UsageFault
from memd.purge import wanted

if TYPE_CHECKING:
    from memd.purge import Place
    from memd.purge.wanted import Wanted
    from memd.runtime import Runtime

STDIN: Final = "-"
_LONGEST: Final = 1 << 20

_AFTERWARDS: Final = (
    "purged: nothing that memd keeps holds it any more",
    "The logs of the clients themselves still hold what was said: memd never changes them. To keep",
    "it out of what is read from now on, add it to REDACT_EXTRA_PATTERNS. If it was a secret,",
    "change it.",
)


def what(rt: Runtime, text: str | None, rule: str) -> Wanted:
    """What the arguments name. Raises UsageFault."""
    if (text is None) == (not rule):
        raise UsageFault("purge: name either the text or, with --rule, a rule of redaction")
    if text is None:
        return wanted.rule(rule, rt.config.redact_extra_patterns)
    return wanted.text(_typed() if text == STDIN else text)


def run(rt: Runtime, what: Wanted, *, yes: bool) -> None:
    """Raises UsageFault where nobody can be asked."""
    found = purge.look(rt, what)
    render.warnings(found.notices)
    if not found.places:
        render.lines(["found nowhere: there is nothing to purge"])
        return
    render.lines(_row(place) for place in found.places)
    if not yes and not _agreed():
        raise typer.Exit(1)
    purge.purge(rt, what)
    render.lines(_AFTERWARDS)


def _row(place: Place) -> str:
    return f"{place.path}: {place.count} {place.what}".rstrip()


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UsageFault("purge: nothing was changed; --yes does it without asking")
    try:
        return typer.confirm("Replace it in all of these, for good? Commits get new ids.")
    except typer.Abort:
        return False


def _typed() -> str:
    """Unseen on a terminal; all of standard input, but for the line end behind it, elsewhere."""
    if not sys.stdin.isatty():
        text = sys.stdin.buffer.read(_LONGEST).decode("utf-8", "surrogateescape")
        return text.removesuffix("\n").removesuffix("\r")
    try:
        return str(typer.prompt("Text to purge (not shown)", hide_input=True))
    except typer.Abort:
        raise UsageFault("purge: no text, nothing was changed") from None
