"""Telling a person's own words from what a client, a hook or memd put around them."""

from __future__ import annotations

import re
from typing import Final

from memd import brief

_BRIEF_BEGIN: Final = re.compile(rf"^{brief.BEGIN}\r?$", re.MULTILINE)
_BRIEF_END: Final = re.compile(rf"^{brief.END}\r?$\n?", re.MULTILINE)
_REMINDER_BEGIN: Final = re.compile("<system-reminder>")
_REMINDER_END: Final = re.compile("</system-reminder>")
_INJECTED: Final = re.compile(
    r"\s*<(command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|session-start-hook"
    r"|user-prompt-submit-hook|post-tool-use-hook|ide_[a-z_]+)>.*?</\1>\s*",
    re.DOTALL,
)
_INTERRUPTIONS: Final = frozenset(
    ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
)
# What follows these steers the client; what follows any other command is meant for the work.
_CLIENT_COMMANDS: Final = frozenset(
    """/add-dir /agents /branch /clear /color /compact /config /effort /export /fast /fork
    /hooks /mcp /memory /model /output-style /permissions /plugin /rename /resume /rewind
    /status /theme /vim""".split()  # noqa: SIM905 - 24 lines otherwise
)


def own_words(text: str) -> str:
    """What a person said in a user message; "" when the client put all of it there.

    Elements of known names are the client's at the beginning of a message only, reminders
    anywhere. Any other text that begins with `<` is the person's, and so are the
    arguments of a command, given as `/command arguments`.
    """
    text = _without_reminders(without_brief(text)).strip()
    if text.startswith("<task-notification>") and "</task-notification>" in text:
        # Some versions add a line of advice after the element.
        return ""
    position = 0
    while match := _INJECTED.match(text, position):
        position = match.end()
    own = text[position:] or (_command(text) if text.startswith("<command-") else "")
    return "" if own in _INTERRUPTIONS else own


def output(text: str) -> str:
    """What a tool gave back, without the frame that the client puts around a subagent's report."""
    text = _without_reminders(without_brief(text))
    if text.startswith("Async agent launched successfully."):
        return ""
    if text.startswith("[Subagent hand-back]"):
        text = text.partition(" The report follows:\n")[2] or text
    report, _, advice = text.rpartition("\nagentId: ")
    return report if "continue this agent" in advice else text


def without_brief(text: str) -> str:
    """`text` without what stands between the two lines that memd puts around a brief."""
    return _cut(text, _BRIEF_BEGIN, _BRIEF_END) if brief.BEGIN in text else text


def _without_reminders(text: str) -> str:
    found = "<system-reminder>" in text
    return _cut(text, _REMINDER_BEGIN, _REMINDER_END) if found else text


def _cut(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> str:
    """Leave out each stretch between two marks. A mark without its counterpart stays."""
    kept, position = [], 0
    while (first := begin.search(text, position)) and (last := end.search(text, first.end())):
        kept.append(text[position : first.start()])
        position = last.end()
    return "".join((*kept, text[position:]))


def _command(text: str) -> str:
    name, arguments = _inside(text, "command-name"), _inside(text, "command-args")
    return f"{name} {arguments}" if arguments and name not in _CLIENT_COMMANDS else ""


def _inside(text: str, tag: str) -> str:
    """What the first element of that name holds."""
    inner, closed, _ = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")
    return inner.strip() if closed else ""
