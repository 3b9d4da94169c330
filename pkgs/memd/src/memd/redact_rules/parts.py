r"""What patterns of secrets are built from.

Repeats have bounds, so that a match is never longer than REACH (private keys excepted), and no
long repeat stands inside another one, so that time stays linear.
"""

from __future__ import annotations

from itertools import cycle, islice
from typing import Final

REACH: Final = 70_000
"""Characters that a match has at most, unless it is a private key's."""
LONG: Final = 4096

ALNUM: Final = "[A-Za-z0-9]"
WORD: Final = r"[\w-]"
DOTTED: Final = r"[\w.-]"
HEX: Final = "[0-9a-f]"
UPPER: Final = "[A-Z0-9]"
BASE64: Final = r"(?:[A-Za-z0-9+/=]|\\{1,3}/|%(?:2[BbFf]|3[Dd])|\\{1,3}u00(?:2[BbFf]|3[Dd]))"

ESCAPED_N: Final = r"(?:\\{1,3}r)?\\{1,7}n"
_QUOTE: Final = r"\\{0,3}[\"']"
_GUTTER: Final = r"(?:[|>+\u2502][ \t]{0,4}|[0-9]{1,6}(?:[\u2192\t]|\\{1,3}t)[ \t]{0,4})"
# A new line: behind a backslash, between joined string literals, behind a gutter.
BREAK: Final = (
    rf"(?:{_QUOTE}[ \t]?[+.]?|[ \t]?\\{{1,2}})?(?:\r?\n|{ESCAPED_N})"
    rf"(?:[ \t]|\\{{1,3}}t){{0,40}}{_GUTTER}?(?:[+.][ \t])?(?:{_QUOTE})?"
)

# A letter before a token is no part of a word when it ends an escape or a colour code.
START: Final = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=\\u[0-9a-f]{4})"
    r"|(?<=\[[0-9]m)|(?<=\[[0-9]{2}m)|(?<=;[0-9]{2}m))"
)
KEY_LIKE: Final = r"(?=[A-Za-z_]{0,15}[0-9]|[A-Za-z_]{0,14}[a-z][A-Z])"
_KEY_LIKE_8: Final = r"(?=[\w.-]{0,7}[0-9A-Z])"


def more(of: str = WORD) -> str:
    """The next line of a broken token, made of the characters `of`."""
    mixed = rf"(?={of}{{0,80}}?[0-9])(?={of}{{0,80}}?[a-z])(?={of}{{1,80}}?[A-Z])"
    solid = r"(?=[A-Za-z0-9]{16})(?=[0-9A-Fa-f]{0,40}[g-zG-Z])(?=[A-Za-z]{0,40}[0-9])"
    return rf"(?:{BREAK}(?:{mixed}|{solid}){of}{{9,512}}[\w-](?![\w:(=/-]|\.\w))"


def token(prefix: str, least: int, of: str = WORD) -> str:
    """A token of any length from `least` on."""
    short = rf"{of}{{0,{least - 1}}}{more()}{{1,8}}"
    return rf"{prefix}(?:{of}{{{least},{LONG}}}{more()}{{0,8}}|{short}|{cut(of)})"


def wrapped(of: str, size: int) -> str:
    """Exactly `size` characters, broken anywhere."""
    return rf"(?:{of}(?:{BREAK})?){{{size - 1}}}{of}(?!\w)"


def cut(of: str) -> str:
    """From 8 characters on at the end of the text, or before a sign that something is left out."""
    end = rf"(?=(?:{BREAK}{of}{{0,7}})?[ \t]?(?:\Z|\.{{3}}|\u2026|[\[(<]truncated))"
    return rf"(?:{of}{{1,512}}{BREAK}){{0,8}}{_KEY_LIKE_8}{of}{{8,{LONG}}}{end}"


def sized(prefix: str, size: int, least: int = 16, of: str = ALNUM) -> str:
    """A token of `size` characters; in one line also a longer one or a cut one from `least` on."""
    longer = rf"{of}{{{size},{LONG}}}"
    shorter = rf"{of}{{{min(least, size - 1)},{size - 1}}}{more()}{{0,8}}"
    return rf"{prefix}(?:{longer}|{wrapped(of, size)}|{shorter}|{cut(of)})"


def filler(size: int, alphabet: str = "Example0Filler1Sample2Dummy3") -> str:
    """The body of an example; in parts, so that no scanner takes the source for a leak."""
    return "".join(islice(cycle(alphabet), size))


def hexadecimal(size: int) -> str:
    """The same in hexadecimal."""
    return filler(size, "0f1e2d3c4b5a69788796a5b4c3d2e1f0")


def capital(size: int) -> str:
    """The same in capitals."""
    return filler(size, "EXAMPLE0FILLER1")
