"""What a single value has to look like, whoever gives it.

Each function returns the value, or raises ValueError saying what is expected.
"""

from __future__ import annotations

import re
import warnings

LONGEST_NAME = 100
PLACE = "^(/|~/|~$)"
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_NOT_IN_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def word(text: str) -> str:
    if not text.strip() or _NOT_IN_A_LINE.search(text):
        raise ValueError("one line of text without control characters")
    return text


def text(text: str) -> str:
    if _NO_TEXT.search(text):
        raise ValueError("text without NUL characters and lone surrogates")
    return text


def place(text: str) -> str:
    if not (text == "~" or text.startswith(("/", "~/"))) or _NOT_IN_A_LINE.search(text):
        raise ValueError("an absolute path, or one that begins with ~/")
    return text


def name(text: str) -> str:
    if len(text) > LONGEST_NAME or not text.isprintable() or text != text.strip():
        raise ValueError(
            f"one line of at most {LONGEST_NAME} characters, no space around it, "
            "no control characters"
        )
    return text


def pattern(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matches_nothing = re.compile(text).search("")
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"a regular expression: {error}") from error
    if matches_nothing:
        raise ValueError("a regular expression that does not match empty text")
    return text
