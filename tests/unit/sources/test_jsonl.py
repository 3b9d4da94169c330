from __future__ import annotations

import io
import json
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.model import Event
from memd.sources.jsonl import (
    NOISE,
    Json,
    RecordError,
    Said,
    Step,
    fold,
    mappings,
    opening,
    parse,
    printable,
    short,
    spans,
    text,
    usable_directory,
)
from memd.sources.lines import LONGEST, Line, Place, lines

if TYPE_CHECKING:
    from memd.model import Span


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def judge(record: Json) -> Said:
    if "deep" in record:
        raise RecursionError
    if "broken" in record:
        raise RecordError("is broken")
    found = text(record, "text")
    return Said("events", events=(Event("user", found),)) if found else NOISE


def read(data: bytes, beyond: int = 0) -> list[Span]:
    return list(spans(lines(io.BytesIO(data), Place()), judge, beyond=beyond))


def test_records_without_words_share_a_span() -> None:
    data = b'{}\n\n{}\n{"text":"a"}\n{"broken":1}\n{"deep":1}\n[]\n\xff\n{}\n'
    found = read(data)
    assert [(s.outcome, s.records, s.detail) for s in found] == [
        ("noise", 2, ""),
        ("events", 1, ""),
        ("broken", 1, "is broken"),
        ("broken", 1, "nested too deeply"),
        ("broken", 1, "not an object"),
        ("broken", 1, "not UTF-8"),
        ("noise", 1, ""),
    ]
    assert sum(span.size for span in found) == len(data)


def test_a_line_too_long_to_be_held_is_counted() -> None:
    (span,) = spans([Line(b"", LONGEST + 1, Place(LONGEST + 1))], judge)
    assert (span.outcome, span.detail, span.size) == ("broken", "line over 16 MiB", LONGEST + 1)


def test_only_what_ends_behind_an_offset_is_told() -> None:
    data = b'{"text":"a"}\n{"text":"b"}\n'
    (span,) = read(data, beyond=len(data) // 2)
    assert span == read(data)[1]


def test_parts_of_a_record_have_cursors_of_their_own() -> None:
    place = Place().past(b"{}\n")
    one, other = fold([Step(place, 0, Said("events"), parts=1), Step(place, 3, Said("events"))])
    assert json.loads(one.cursor) == {**json.loads(other.cursor), "parts": 1}


@settings(max_examples=200, deadline=None)
@given(
    data=st.one_of(st.text(), VALUES.map(json.dumps)).map(lambda t: t.encode("utf-8", "replace"))
)
def test_a_record_is_what_the_standard_library_makes_of_it(data: bytes) -> None:
    try:
        expected = json.loads(data, strict=False)
    except ValueError:
        expected = None
    if isinstance(expected, dict):
        assert repr(parse(data)) == repr(expected)
    else:
        with pytest.raises(RecordError):
            parse(data)


def test_records_that_strict_readers_refuse_are_read() -> None:
    deep = b'{"a":' * 500 + b"1" + b"}" * 500
    assert parse(b'{"a": "\\ud83d"}') == {"a": "\ud83d"}
    assert parse(b'{"a": "x\ty\x00"}') == {"a": "x\ty\0"}
    assert repr(parse(deep)) == repr(json.loads(deep))


def test_the_opening_is_told_once_and_no_further_than_its_first_mebibyte() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b'{"n": 1}\nbroken\n{"n": 2}\n')
        file.write(b'{"n": 3, "x": "%s"}\n' % (b"x" * 100_000))
        file.write(b'{"n": 4, "x": "%s"}\n' % (b"x" * (2 << 20)))
        file.flush()
        assert [record["n"] for record in opening(file)] == [1, 2, 3]


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=60))
def test_any_bytes_are_a_span_or_noise(data: bytes) -> None:
    found = read(data + b"\n")
    assert sum(span.size for span in found) == len(data) + 1
    assert all(span.detail.isprintable() for span in found)


def test_names_from_outside_stay_on_one_line() -> None:
    assert printable("a\nb\x1b") == "a?b?"
    assert (short("x" * 50), short("")) == ("x" * 40, "no type")


def test_values_of_another_shape_are_empty() -> None:
    assert text({"a": 7}, "a") == ""
    assert list(mappings([{"a": 1}, 7])) == [{"a": 1}]
    assert list(mappings("x")) == []


def test_a_directory_is_one_the_system_would_take() -> None:
    paths = ("/srv/app", "srv", "/a\0b", "/\ud83d", "")
    assert [usable_directory(path) for path in paths] == ["/srv/app", None, None, None, None]
