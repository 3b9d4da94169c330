"""Dataclasses back from the JSON that `dataclasses.asdict` made of them."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")


def decode(kind: type[_T], value: object) -> _T:
    """Build the dataclass `kind`; fields that are not there take their default.

    Unknown fields are left out, for a newer memd of the same format may have added them.
    Raises ValueError for a value of another type and for a missing field with no default.
    """
    record: _T = _value(kind, value)
    return record


def _value(hint: Any, value: object) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        return _record(hint, value)
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _value(arguments[0], value)
    if origin is Mapping:
        return {key: _value(arguments[1], item) for key, item in _as(dict, value).items()}
    if origin is tuple:
        return _tuple(arguments, _as(list, value))
    if hint is float:
        return _number(value)
    return _as(getattr(hint, "__supertype__", hint), value)


def _record(kind: Any, value: object) -> Any:
    hints, given = _hints(kind), _as(dict, value)
    try:
        return kind(**{name: _value(hints[name], given[name]) for name in hints if name in given})
    except TypeError as error:
        raise ValueError(str(error)) from None


def _tuple(arguments: tuple[Any, ...], items: list[object]) -> tuple[Any, ...]:
    if arguments[-1] is ...:
        return tuple(_value(arguments[0], item) for item in items)
    if len(items) != len(arguments):
        raise ValueError(f"{len(items)} items instead of {len(arguments)}")
    return tuple(_value(hint, item) for hint, item in zip(arguments, items, strict=True))


def _number(value: object) -> float:
    if type(value) is int:
        return float(value) if abs(value) < 1 << 53 else _refuse(float, value)
    number = _as(float, value)
    return number if math.isfinite(number) else _refuse(float, value)


def _as(kind: type[_T], value: object) -> _T:
    return value if type(value) is kind else _refuse(kind, value)


def _refuse(kind: type, value: object) -> typing.NoReturn:
    raise ValueError(f"{type(value).__name__} instead of {kind.__name__}")


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)
