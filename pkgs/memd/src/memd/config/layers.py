"""One part of the configuration (a file, a variable): read, parsed, checked."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from memd.config.snapshot import contents
from memd.oneline import spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.config.settings import Document, Fault

_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Layer:
    """What one part says, without what means nothing to memd."""

    origin: str
    """Path of the file or name of the variable."""
    values: Document
    """Not to be used where there are problems."""
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """A line for each key that was left out."""


def from_file(path: str) -> Layer | None:
    """None where there is no such file."""
    try:
        data = contents(path)
    except OSError as error:
        return _broken(path, f"cannot be read: {error.strerror}")
    if data is None:
        return None
    try:
        return checked(path, _parsed(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        return _broken(path, f"not UTF-8 at byte {error.start}; save it in that encoding")
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return _broken(path, f"{place}: not valid JSON: {error.msg}")
    except (ValueError, RecursionError) as error:
        return _broken(path, f"not valid JSON: {error}")


def from_variable(variable: str, text: str, known: dict[str, str]) -> Layer:
    """`known` gives the key of the file by the name of the variable."""
    from memd.config.settings import is_text

    if variable not in known:
        unknown = f"{variable}: unknown variable; {_nearest(variable, known)}"
        return Layer(variable, {}, unknown=(spelled_out(unknown),))
    key = known[variable]
    return checked(variable, {key: text if is_text(key) else _parsed_or_text(text)})


def checked(origin: str, document: object) -> Layer:
    from memd.config.settings import faults

    if not isinstance(document, dict):
        return _broken(origin, f"the top level is {_brief(document)}; expected: object")
    found = faults(document)
    unknown = [fault for fault in found if fault.is_unknown]
    for fault in unknown:
        _drop(document, fault.key)
    return Layer(
        origin,
        document,
        tuple(_problem(origin, fault) for fault in found if not fault.is_unknown),
        tuple(_unknown_key(origin, fault) for fault in unknown),
    )


def _broken(origin: str, problem: str) -> Layer:
    return Layer(origin, {}, (spelled_out(f"{origin}: {problem}"),))


def _drop(document: Document, key: tuple[str | int, ...]) -> None:
    for part in key[:-1]:
        document = document[str(part)]
    del document[str(key[-1])]


# --- JSON --------------------------------------------------------------------------


def _parsed(text: str) -> object:
    """Raises ValueError, RecursionError. Stricter than `json`: no NaN, no key twice."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)


def _parsed_or_text(text: str) -> object:
    """Text that is no JSON is left for the check to refuse."""
    try:
        return _parsed(text)
    except (ValueError, RecursionError):
        return text


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {json.dumps(twice)} stands twice in one object")
    return document


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


# --- lines for people --------------------------------------------------------------


def _problem(origin: str, fault: Fault) -> str:
    from memd.config.schema import expectation

    expected = fault.expected or expectation(fault.key)
    value = _brief(fault.value)
    return spelled_out(f"{origin}: {_dotted(fault.key)} is {value}; expected: {expected}")


def _unknown_key(origin: str, fault: Fault) -> str:
    from memd.config.schema import siblings

    nearest = _nearest(str(fault.key[-1]), siblings(fault.key))
    return spelled_out(f"{origin}: unknown key {_dotted(fault.key)}; {nearest}")


def _nearest(name: str, known: Iterable[str]) -> str:
    by_lower = {key.lower(): key for key in known}
    [match] = get_close_matches(name.lower()[:_LONGEST_SHOWN], by_lower, n=1, cutoff=0.0)
    return f"the nearest known one is {by_lower[match]}"


def _dotted(key: tuple[str | int, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in key)
    return "".join(parts).removeprefix(".") or "a key"


def _brief(value: object) -> str:
    """The beginning of a value as JSON; encoded lazily, for it may be long or deep."""
    chunks = json.JSONEncoder().iterencode(value)
    text = "".join(itertools.islice(chunks, _LONGEST_SHOWN + 1))
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
