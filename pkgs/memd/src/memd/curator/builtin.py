"""The curator that uses no model: it sorts what was said outright, it understands nothing."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, BinaryIO

from memd import prompt
from memd.curator import statements
from memd.digest_text import read_events, read_notes
from memd.guard.elision import has_elision
from memd.model import BODY_FILES, DECISIONS, MEMORY_FILES, MISTAKES, STATE, TODO
from memd.sections import open_fence

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memd.curator.statements import Kind, Statement
    from memd.prompt import Sections

_FILES: dict[Kind, str] = {
    "state": STATE,
    "decision": DECISIONS,
    "todo": TODO,
    "mistake": MISTAKES,
    "done": TODO,
}
_TITLE_CHARS, _SHORTEST_TITLE = 80, 20
_ROOM = 8000
"""Characters that one reply adds to a file at most; what is more goes to the archive."""
_WORD = re.compile(r"\w+")
_HEADING_MARK = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_LEADING_DATE = re.compile(r"^(?:#+ )?\d{4}-\d\d-\d\d - ")
_OPEN_ITEM = re.compile(r"^[-*] \[ \] (.*(?:\n[ \t]+\S.*)*)(?:\n|\Z)", re.MULTILINE)


def main(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """A prompt in, a reply out: what `memd curate` does. Returns the exit code."""
    stdout.write(answer(stdin.read().decode("utf-8", "replace")).encode() + b"\n")
    return 0


def answer(prompt_text: str) -> str:
    """The reply to a prompt, as JSON. Any text gets one; text without data, an empty one."""
    sections = prompt.parse(prompt_text)
    draft = _Draft(sections)
    found = [
        *statements.from_notes(read_notes(sections.notes)),
        *statements.from_events(read_events(sections.sessions)),
    ]
    for statement in found:
        draft.add(statement)
    draft.close({_normal(statement.text) for statement in found if statement.kind == "done"})
    return json.dumps(draft.reply(sections.memory))


class _Draft:
    """Bodies that only grow, but for tasks that were said to be done."""

    def __init__(self, sections: Sections) -> None:
        self.bodies = {name: sections.memory.get(name, "") for name in MEMORY_FILES}
        self.mistakes: list[str] = []
        self.archive: list[dict[str, str]] = []
        self.added: Counter[str] = Counter()
        self._spent: Counter[str] = Counter()
        self._today = sections.today
        given = (*self.bodies.values(), sections.notes)
        self._shown = {line.strip() for text in given for line in text.split("\n")}
        self._known = {name: _lines(body) for name, body in self.bodies.items()}

    def add(self, statement: Statement) -> None:
        """Put a statement into its file unless that file says it already."""
        name = _FILES[statement.kind]
        text = _standing_alone(statement.text)
        if statement.kind == "done" or _lines(text) <= self._known[name]:
            return
        self._known[name] |= _lines(text)
        day = statement.day or self._today
        dated = name in (DECISIONS, MISTAKES)
        piece = _entry(day, text, statement.symptom) if dated else _item(name, text)
        if self._fits(name, piece):
            self._put(name, day, piece)
            self.added[statement.kind] += 1
        elif not has_elision(statement.text, self._shown):
            self._archive(name, statement.text)

    def _fits(self, name: str, piece: str) -> bool:
        """Whether the guards will let it be: they refuse a whole reply for one line that
        seems to leave something out, or for a file that grows too much at once."""
        self._spent[name] += len(piece)
        return self._spent[name] <= _ROOM and not has_elision(piece, self._shown)

    def _put(self, name: str, day: str, piece: str) -> None:
        if name == MISTAKES:
            self.mistakes.append(piece)
        elif name == DECISIONS:
            self.bodies[name] = _appended(self.bodies[name], piece)
        else:
            self.bodies[name] = _listed(self.bodies[name], f"## Noted {day}".rstrip(), piece)

    def close(self, tasks: Collection[str]) -> None:
        """Move the open items that say just what one of the `tasks` says to the archive."""
        for item in _OPEN_ITEM.finditer(self.bodies[TODO]):
            if _normal(item[1]) in tasks:
                self.bodies[TODO] = self.bodies[TODO].replace(item[0], "", 1)
                self._archive(TODO, item[0].rstrip("\n"))
                self.added["done"] += 1

    def reply(self, memory: Mapping[str, str]) -> dict[str, object]:
        bodies = {
            f"{name.removesuffix('.md')}_body": body
            for name, body in self.bodies.items()
            if name in BODY_FILES and body != memory.get(name, "")
        }
        return {
            "summary": self._summary(),
            **bodies,
            "mistakes_new_entries": self.mistakes,
            "archive_entries": self.archive,
        }

    def _archive(self, name: str, text: str) -> None:
        self.archive.append({"source": name, "content": text})

    def _summary(self) -> str:
        counts = ", ".join(f"{kind} {n}" for kind, n in sorted(self.added.items()))
        return f"By rule, no model used: {counts or 'nothing was stated outright'}"


def _standing_alone(text: str) -> str:
    """`text` such that nothing in it opens a section or swallows the next one."""
    text = _HEADING_MARK.sub("", text).strip()
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text


def _item(name: str, text: str) -> str:
    box = "[ ] " if name == TODO else ""
    return f"- {box}{text}".replace("\n", "\n  ")


def _entry(day: str, text: str, symptom: str = "") -> str:
    """A dated entry: the first line as its title where that is short enough, else a part."""
    first, _, rest = text.partition("\n")
    first = _LEADING_DATE.sub("", first)
    if open_fence(first):
        first, rest = "Note", text
    elif len(first) > _TITLE_CHARS:
        first, rest = _beginning(first), text
    heading = " - ".join(filter(None, (day, first)))
    symptom = f"Symptom: {symptom}" if symptom else ""
    return "\n\n".join(filter(None, (f"### {heading}", symptom, rest.strip())))


def _beginning(line: str) -> str:
    head = line[: _TITLE_CHARS + 1]
    for mark in (": ", "; ", ", ", " "):
        part = head.rpartition(mark)[0]
        if len(part) >= _SHORTEST_TITLE:
            return part
    return line[:_TITLE_CHARS]


def _listed(body: str, heading: str, item: str) -> str:
    """`item` at the end of `body`, below `heading` when that is not the last one yet."""
    headings = [line for line in body.splitlines() if line.startswith("#")]
    if headings and headings[-1].strip() == heading:
        return body.rstrip("\n") + f"\n{item}\n"
    return _appended(body, f"{heading}\n\n{item}")


def _appended(body: str, block: str) -> str:
    return (body.rstrip("\n") + f"\n\n{block}\n").lstrip("\n")


def _lines(text: str) -> set[str]:
    """What the lines of a text say, whatever marks stand around it."""
    return {_normal(line) for line in text.splitlines()} - {""}


def _normal(text: str) -> str:
    text = _LEADING_DATE.sub("", text.strip())
    return " ".join(_WORD.findall(text.casefold())) or text
