"""Guard 9: a mark that stands for text the model did not write out."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from memd.sections import marked_lines

_LONGEST = 120
_LINE_MARKS = re.compile(r"\A(?:(?:[-*+>]|[0-9]{1,3}[.)]|#{1,6})\s+|\[[ xX]\]\s+)*")
_WRAPPED = re.compile(r"<!--(.*)-->|\[(.*)\]|\((.*)\)|\{(.*)\}|<(.*)>")
_DOTS = re.compile(r"\.{2,}|…")
_INLINE = re.compile(r"<!--([^<>]{1,80})-->|\[([^\[\]]{1,80})\](?!\()|\(([^()]{1,80})\)")
_DOTS_AT_END = re.compile(r"\s[\[(](?:\.{2,}|…)[\])]\Z")
_CODE = re.compile(r"`[^`]*`")

_DOC = (
    r"(?:(?:\w+\.md|files?|sections?|documents?|body|contents?|text|entry|entries|items?|lines?"
    r"|bullets?|lists?|notes?|tasks?|todos?|decisions?|mistakes?|facts?|paragraphs?|memory)\b)"
)
_REST = (
    r"(?:(?:the |all )?(?:rest|remainder|remaining|others?|previous|existing|earlier|older|above"
    r"|below|following|current))"
)
_NAMED_REST = rf"(?:{_REST}(?: of (?:the |this )?{_DOC}| {_DOC}))"
_BE = r"(?:(?:is|are|stays?|remains?|left|kept) )?"
_SAME = (
    r"(?:(?:the )?same as (?:before|above|previous(?:ly)?|earlier|the (?:previous|old|current)"
    rf"(?: {_DOC})?)|the same|as (?:is|before|above|previously)|unchanged)"
)
_CUT = r"(?:(?:omitted|elided|truncated|abridged)(?: for brevity)?)"
_LEFT = r"(?:skipped|snip(?:ped)?|not shown|left out|kept|preserved|continues?|(?:goes )?here)"

_OTHERS = rf"(?:{_REST}|{_NAMED_REST}) {_BE}(?:{_SAME}|{_CUT})"
_ALONE = (
    rf"{_BE}{_SAME}|unchanged (?:from|since) (?:the )?(?:before|last|previous|current|old)\b.*"
    rf"|no changes?(?: here)?|(?:this |the )?{_DOC} {_BE}(?:unchanged|omitted)"
)
_COUNTED = rf"(?:and )?\+?[0-9]+ (?:more|other|further|earlier|older)(?: {_DOC})?(?: {_CUT})?"
_HINT = (
    rf"(?:the )?(?:rest|remainder)|{_NAMED_REST}|(?:{_REST}|{_NAMED_REST}) {_BE}{_LEFT}"
    rf"|{_LEFT}|{_CUT}|etc|(?:{_DOC} )?continue[sd]?"
    rf"|(?:everything|all) else {_BE}{_SAME}|(?:keep|insert) (?:{_REST}|{_NAMED_REST}|{_SAME})"
)
_IN_TEXT = re.compile(_OTHERS)
_PLAIN = re.compile(rf"{_OTHERS}|{_ALONE}")
_IN_BRACKETS = re.compile(rf"{_OTHERS}|{_ALONE}|{_NAMED_REST}|{_COUNTED}")
_MARKED_LINE = re.compile(rf"{_OTHERS}|{_ALONE}|{_COUNTED}|{_HINT}")
"""For lines in brackets or beside dots; as plain words these may be facts."""


def has_elision(text: str, known: AbstractSet[str]) -> bool:
    """Whether a line of `text` stands for others that are left out.

    Lines in `known`, ends stripped, never do, nor does fenced code.
    """
    return any(
        line.strip() not in known and _elides(line.strip())
        for line, in_code in marked_lines(text)
        if not in_code
    )


def _elides(line: str) -> bool:
    return (len(line) <= _LONGEST and _whole_elides(line)) or _part_elides(line)


def _whole_elides(line: str) -> bool:
    text = _LINE_MARKS.sub("", line).strip("*_~ ")
    has_dots = bool(_DOTS.search(text))
    shape = _MARKED_LINE if has_dots else _PLAIN
    while wrapped := _WRAPPED.fullmatch(text.strip(" .…")):
        text = next(filter(None, wrapped.groups()), "")
        shape = _MARKED_LINE
    words = _words(text)
    return bool(shape.fullmatch(words)) if words else has_dots


def _part_elides(line: str) -> bool:
    prose = _CODE.sub("", line)
    in_round = _PLAIN if line.startswith("#") else _IN_TEXT
    return bool(_DOTS_AT_END.search(prose)) or any(
        in_round.fullmatch(_words(round_)) or _IN_BRACKETS.fullmatch(_words(comment or square))
        for comment, square, round_ in _INLINE.findall(prose)
    )


def _words(text: str) -> str:
    return " ".join(_DOTS.sub(" ", text).lower().split()).strip(" .,:;!-")
