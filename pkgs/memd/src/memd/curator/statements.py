"""Explicit statements in a session, found by rule, kept word for word."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, cast

from memd.digest_text import Noted, Said
from memd.model import NOTE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Kind = Literal["state", "decision", "todo", "mistake", "done"]
_LEFT_OUT = re.compile(r"\[\.\.\. [\d,]+ characters left out \.\.\.\]")
_SHORTEST, _LONGEST = 8, 400
_PROSE = ("user", "assistant", "text")

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# A line of 60 characters or more that goes on in the next one was wrapped.
_LINE_END = re.compile(r"(?<![^\n]{60})\n|\n(?=\s*(?:$|[-*+>#|]|\d+[.)]))")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(\[*])")
_MARKUP = re.compile(r"\A\s*(?:(?:[-*+>]|\d+[.)]|#{1,6})\s+)*")
_COLON = r"\*{0,2}:\*{0,2}"
"""A colon after a word, either of which may stand in asterisks."""
_DOUBT = re.compile(
    r"\?$|^if\b|\b(?:unclear|unknown|not sure|maybe|perhaps|might|probably|would|don't know)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    kind: Kind
    text: str
    """Verbatim; may have several lines."""
    day: str
    """ISO date, or "" where none is known."""
    symptom: str = ""
    """For a mistake: the line of the error that came before it."""


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: Kind
    pattern: re.Pattern[str]
    """What its group `text` holds is the statement, else the whole sentence."""
    only: str = ""
    """The kind of event it listens to; "" for all prose."""
    after_error: bool = False


def _rule(kind: Kind, pattern: str, *, only: str = "", after_error: bool = False) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.IGNORECASE | re.DOTALL), only, after_error)


_RULES: Final = (
    _rule("done", rf"^(?:\[x\]|done{_COLON})\s*(?P<text>\S.*)"),
    _rule("todo", r"^\[ \]\s*(?P<text>\S.*)"),
    _rule("todo", rf"\btodo{_COLON}\s*(?P<text>\S.*)"),
    _rule("todo", rf"^(?:the )?next steps?(?: is| are|{_COLON})\s*(?P<text>\S.*)"),
    _rule("todo", r"\bstill to do\b|\bwe still (?:need|have) to\b"),
    _rule("mistake", rf"\broot cause(?: is| was| turned out|{_COLON})"),
    _rule("mistake", r"\bthe (?:real |actual )?(?:bug|problem|issue|culprit|mistake) was\b"),
    _rule("mistake", r"^fixed\b.*\bbecause\b"),
    _rule("mistake", r"\b(?:caused by|due to|failed because|broke because)\b", after_error=True),
    _rule("decision", rf"^\W{{0,2}}decision{_COLON}\s*(?P<text>\S.*)"),
    _rule("decision", r"\bwe(?:'ve| have)? (?:decided|agreed|settled|chose)\b"),
    _rule("decision", r"\bi(?:'ve| have)? decided\b", only="user"),
    _rule("decision", r"\bfrom now on\b", only="user"),
    _rule("decision", r"^(?:please )?(?:always|never)\b", only="user"),
    _rule("decision", r"\blet'?s (?:use|go with|stick|switch to|keep)\b", only="user"),
    _rule("state", r"\blistens on\b.*\d|\bruns on port\b.*\d|\bis at version\b.*\d"),
    _rule("state", r"\blives? in\b.*[/`]"),
)
"""The first that fits a sentence decides."""


def from_notes(notes: Iterable[Noted]) -> Iterator[Statement]:
    """Each note whole: of the kind it names, else of the kind its words speak for."""
    for note in notes:
        text = note.text.strip()
        kind = cast("Kind", note.kind) if note.kind in NOTE_KINDS else "state"
        found = Statement(kind, text, note.day)
        if not note.kind:
            stated = next(_stated(Said("user", text, "", note.day)), found)
            found = stated if stated.kind == "done" else replace(stated, text=text)
        if text:
            yield found


def from_events(events: Iterable[Said]) -> Iterator[Statement]:
    """What users and agents state in so many words. Tool calls and results state nothing."""
    session = symptom = ""
    for event in events:
        if event.session != session:
            session, symptom = event.session, ""
        if event.kind == "error":
            symptom = _last_line(event.text)
        elif event.kind in _PROSE:
            found = tuple(_stated(event, symptom))
            yield from found
            if any(statement.symptom for statement in found):
                symptom = ""


def _stated(said: Said, symptom: str = "") -> Iterator[Statement]:
    for sentence in _sentences(said.text):
        for rule in _RULES:
            match = rule.pattern.search(sentence)
            if match and rule.only in ("", said.kind) and (symptom or not rule.after_error):
                text = match.groupdict().get("text") or sentence
                error = symptom if rule.kind == "mistake" else ""
                yield Statement(rule.kind, text.rstrip(), said.day, error)
                break


def _sentences(text: str) -> Iterator[str]:
    """Sentences of prose that may count as a statement, list marks taken off."""
    for paragraph in _LINE_END.split(_CODE.sub("\n\n", text)):
        for sentence in map(str.strip, _SENTENCE_END.split(_MARKUP.sub("", paragraph))):
            sized = _SHORTEST <= len(sentence) <= _LONGEST
            if sized and not _DOUBT.search(sentence) and not _LEFT_OUT.search(sentence):
                yield sentence


def _last_line(text: str) -> str:
    line = text.strip().rpartition("\n")[2].strip()
    return line if len(line) <= _LONGEST and not _LEFT_OUT.search(line) else ""
