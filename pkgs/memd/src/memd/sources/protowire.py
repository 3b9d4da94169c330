"""Walking protobuf messages without their schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_FIXED: Final = {1: 8, 5: 4}
"""Bytes of the wire types of fixed width."""
_LONGEST_VARINT: Final = 10


class WireError(ValueError):
    """Bytes that are no protobuf message."""


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of each field, in order: an int for a varint, bytes for all else.

    Raises WireError where the bytes stop to make sense; what came before was handed out.
    Takes linear time. Groups, which proto3 has no more, make no sense either.
    Format: https://protobuf.dev/programming-guides/encoding/
    """
    position, end = 0, len(message)
    while position < end:
        # Nearly all keys are of one byte, and calls are what takes the time here.
        key, position = message[position], position + 1
        if key >= 0x80:
            key, position = _varint(message, position - 1)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise WireError("field number 0")
        if kind == 0:
            value, position = _varint(message, position)
            yield number, value
            continue
        if kind == 2:
            size, position = _varint(message, position)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise WireError("unknown wire type")
        if size > end - position:
            raise WireError("field is cut off")
        yield number, message[position : position + size]
        position += size


def values(message: bytes, *path: int) -> Iterator[int | bytes]:
    """Values of the fields at a path of field numbers, repeated ones in order.

    A message on the way that makes no sense ends there.
    """
    number, *rest = path
    try:
        for found, value in fields(message):
            if found != number:
                continue
            if not rest:
                yield value
            elif isinstance(value, bytes):
                yield from values(value, *rest)
    except WireError:
        return


def text(message: bytes, *path: int) -> str:
    """The first text at a path that is not empty, "" when there is none."""
    return next(texts(message, *path), "")


def texts(message: bytes, *path: int) -> Iterator[str]:
    """All texts at a path that are not empty. What is not UTF-8 in them is replaced."""
    for value in values(message, *path):
        if value and isinstance(value, bytes):
            yield value.decode("utf-8", "replace")


def number(message: bytes, *path: int) -> int:
    """The first number at a path, 0 when there is none, as proto3 has it."""
    return next((value for value in values(message, *path) if isinstance(value, int)), 0)


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift, byte in enumerate(message[position : position + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, position + shift + 1
    raise WireError("number is cut off")
