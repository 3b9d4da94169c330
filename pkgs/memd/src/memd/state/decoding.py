"""Dataclasses back from the JSON that `dataclasses.asdict` made of them."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")
_Decoder = Callable[[object], Any]


def decode(kind: type[_T], value: object) -> _T:
    """Build the dataclass `kind`; fields that are not there take their default.

    Unknown fields are left out, for a newer memd of the same format may have added them.
    Raises ValueError for a value of another type and for a missing field with no default.
    """
    hint: Any = kind
    record: _T = _decoder(hint)(value)
    return record


@functools.cache
def _decoder(hint: Any) -> _Decoder:
    """What makes a value of a type out of JSON. There are many values of few types."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        return functools.partial(_record, hint, _fields(hint))
    if origin in (typing.Union, types.UnionType):
        return functools.partial(_optional, _decoder(arguments[0]))
    if origin is Mapping:
        return functools.partial(_mapping, _decoder(arguments[1]))
    if origin is tuple and arguments[-1] is ...:
        return functools.partial(_items, _decoder(arguments[0]))
    if origin is tuple:
        return functools.partial(_tuple, tuple(map(_decoder, arguments)))
    if hint is float:
        return _number
    return functools.partial(_as, getattr(hint, "__supertype__", hint))


def _fields(kind: Any) -> Mapping[str, _Decoder]:
    return {name: _decoder(hint) for name, hint in typing.get_type_hints(kind).items()}


def _record(kind: Any, fields: Mapping[str, _Decoder], value: object) -> Any:
    given = _as(dict, value)
    try:
        return kind(**{name: fields[name](given[name]) for name in fields if name in given})
    except TypeError as error:
        raise ValueError(str(error)) from None


def _optional(decoder: _Decoder, value: object) -> Any:
    return None if value is None else decoder(value)


def _mapping(decoder: _Decoder, value: object) -> dict[str, Any]:
    return {key: decoder(item) for key, item in _as(dict, value).items()}


def _items(decoder: _Decoder, value: object) -> tuple[Any, ...]:
    return tuple(map(decoder, _as(list, value)))


def _tuple(decoders: tuple[_Decoder, ...], value: object) -> tuple[Any, ...]:
    items = _as(list, value)
    if len(items) != len(decoders):
        raise ValueError(f"{len(items)} items instead of {len(decoders)}")
    return tuple(decoder(item) for decoder, item in zip(decoders, items, strict=True))


def _number(value: object) -> float:
    if type(value) is int:
        return float(value) if abs(value) < 1 << 53 else _refuse(float, value)
    number = _as(float, value)
    return number if math.isfinite(number) else _refuse(float, value)


def _as(kind: type[_T], value: object) -> _T:
    return value if type(value) is kind else _refuse(kind, value)


def _refuse(kind: type, value: object) -> typing.NoReturn:
    raise ValueError(f"{type(value).__name__} instead of {kind.__name__}")
