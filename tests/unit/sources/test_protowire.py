from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.sources.protowire import WireError, fields, number, text, texts, values

Field = tuple[int, "int | bytes"]
NUMBERS = st.integers(1, (1 << 29) - 1)
MESSAGES = st.lists(st.tuples(NUMBERS, st.integers(0, (1 << 64) - 1) | st.binary(max_size=300)))


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def message(*found: Field) -> bytes:
    out = b""
    for name, value in found:
        if isinstance(value, int):
            out += varint(name << 3) + varint(value)
        else:
            out += varint(name << 3 | 2) + varint(len(value)) + value
    return out


@given(MESSAGES)
def test_what_was_written_is_read(found: list[Field]) -> None:
    assert list(fields(message(*found))) == found


@given(st.binary(max_size=400))
def test_any_bytes_give_fields_or_one_error_and_come_to_an_end(data: bytes) -> None:
    seen: list[Field] = []
    with suppress(WireError):
        seen.extend(fields(data))
    assert len(seen) <= len(data)
    assert all(name > 0 for name, _ in seen)
    assert sum(len(value) for _, value in seen if isinstance(value, bytes)) <= len(data)


@given(st.binary(max_size=200), st.lists(NUMBERS, min_size=1, max_size=4))
def test_looking_into_any_bytes_never_raises(data: bytes, path: list[int]) -> None:
    assert all(isinstance(value, (int, bytes)) for value in values(data, *path))
    assert "" not in texts(data, *path)


def test_fields_of_fixed_width_are_bytes() -> None:
    assert list(fields(b"\x09ABCDEFGH\x15abcd")) == [(1, b"ABCDEFGH"), (2, b"abcd")]


@pytest.mark.parametrize(
    "data",
    [
        b"\x08",
        b"\x12\x05abc",
        b"\x09abc",
        b"\x0b",
        b"\x0c",
        b"\x0f",
        b"\x00\x01",
        b"\x08" + b"\xff" * 11,
    ],
    ids=["value", "text", "fixed", "group", "group-end", "type-7", "number-0", "endless"],
)
def test_nonsense_is_an_error_after_what_made_sense(data: bytes) -> None:
    found = fields(message((7, 1)) + data)
    assert next(found) == (7, 1)
    with pytest.raises(WireError):
        list(found)


def test_a_path_finds_repeated_texts_in_any_script() -> None:
    call = message((2, "größe サーバー".encode())) + message((2, b""), (2, b"\xff"))
    data = message((20, message((7, call))), (20, 5), (20, message((7, message((2, b"x"))))))
    assert list(texts(data, 20, 7, 2)) == ["größe サーバー", "\ufffd", "x"]
    assert text(data, 20, 7, 2) == "größe サーバー"
    assert text(data, 20, 9) == ""


def test_a_number_is_found_and_missing_ones_are_0() -> None:
    data = message((5, message((1, b"no number"), (1, 1_796_078_887))))
    assert number(data, 5, 1) == 1_796_078_887
    assert number(data, 5, 2) == 0
