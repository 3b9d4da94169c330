from __future__ import annotations

import os
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.model import Cursor
from memd.sources.lines import LONGEST, Place, last_end, lines, open_regular, place_at, resume

if TYPE_CHECKING:
    from pathlib import Path

    from memd.sources.lines import Line

SHARED_FILE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PIECES = st.sampled_from([b"\n", b"\r\n", b"\0", b"\xef\xbb\xbf", b"word", b"x" * 700])
CONTENT = st.lists(PIECES, max_size=12).map(b"".join)
# A cursor knows the first 1,024 and the last 256 bytes before it: up to here, all of them.
KNOWN_WHOLE = st.lists(PIECES, max_size=12).map(lambda pieces: b"".join(pieces)[:1280])


def read(path: Path, after: Cursor | None = None, *, closed: bool = False) -> list[Line]:
    with open_regular(str(path)) as file:
        return list(lines(file, resume(file, after), closed=closed))


def end(path: Path) -> Cursor:
    with open_regular(str(path)) as file:
        return place_at(file, last_end(file)).cursor


@SHARED_FILE
@given(data=CONTENT)
def test_lines_are_the_file_up_to_its_last_line_end(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "f"
    path.write_bytes(data)
    found = read(path)
    assert b"".join(line.data for line in found) == data[: data.rfind(b"\n") + 1]
    assert [line.after.offset for line in found] == [
        sum(line.size for line in found[: n + 1]) for n in range(len(found))
    ]
    assert found == [] or found[-1].after.cursor == end(path)


@SHARED_FILE
@given(first=CONTENT, second=CONTENT)
def test_a_file_that_grew_is_read_on(tmp_path: Path, first: bytes, second: bytes) -> None:
    path = tmp_path / "f"
    path.write_bytes(first)
    before = read(path)
    path.write_bytes(first + second)
    after = read(path, before[-1].after.cursor if before else None)
    assert before + after == read(path)


@SHARED_FILE
@given(old=KNOWN_WHOLE, new=CONTENT)
def test_a_cursor_holds_only_where_what_was_read_still_stands(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    path = tmp_path / "f"
    path.write_bytes(old)
    cursor = end(path)
    path.write_bytes(new)
    read_part = old[: old.rfind(b"\n") + 1]
    start = len(read_part) if new.startswith(read_part) else 0
    assert b"".join(line.data for line in read(path, cursor)) == new[start : new.rfind(b"\n") + 1]


@SHARED_FILE
@given(text=st.text(max_size=60))
def test_any_text_as_a_cursor_reads_from_some_line_on(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\n")
    for cursor in (text, f'{{"offset": 4,{text}', f'{{"offset": {text}'):
        assert [line.data for line in read(path, Cursor(cursor))] == [b"one\n", b"two\n"]


def test_a_change_before_the_cursor_is_noticed_at_both_ends(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = b"".join(b"line %d\n" % n for n in range(1000))
    path.write_bytes(data)
    cursor = end(path)
    assert read(path, cursor) == []
    for place in (0, 1023, len(data) - 256, len(data) - 2):
        path.write_bytes(data[:place] + b"#" + data[place + 1 :])
        assert read(path, cursor) == read(path)


def test_a_last_line_without_its_end_counts_only_in_a_closed_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo")
    assert [line.content for line in read(path)] == [b"one"]
    found = read(path, closed=True)
    assert [line.content for line in found] == [b"one", b"two"]
    path.write_bytes(b"one\ntwo and more\n")
    assert [line.content for line in read(path, found[-1].after.cursor)] == [b" and more"]


def test_marks_and_nuls_around_a_line_are_no_content(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\0\0two\0three\n\n")
    assert [line.content for line in read(path)] == [b"one", b"two\0three", b""]


def test_a_line_over_the_limit_is_passed_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with path.open("wb") as file:
        file.write(b"first\n")
        for _ in range(48):
            file.write(b"x" * (1 << 20))
        file.write(b"\nlast\n")
    tracemalloc.start()
    found = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(line.data, line.too_long) for line in found] == [
        (b"first\n", False),
        (b"", True),
        (b"last\n", False),
    ]
    assert found[1].size == (48 << 20) + 1
    assert found[-1].after.cursor == end(path)
    assert peak < LONGEST + (8 << 20)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with path.open("wb") as file:
        for _ in range(20_000):
            file.write(b"x" * 999 + b"\n")
    tracemalloc.start()
    with open_regular(str(path)) as opened:
        count = sum(1 for _ in lines(opened, Place()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 6 << 20


def test_the_last_line_end_is_found_far_from_the_end(tmp_path: Path) -> None:
    path = tmp_path / "f"
    for before, after in ((b"a\n", 5_000), (b"a\n", 3 << 20), (b"", 5_000), (b"", 0)):
        path.write_bytes(before + b"x" * after)
        with open_regular(str(path)) as file:
            assert last_end(file) == len(before)


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, tmp_path / "missing"):
        with pytest.raises(OSError, match=str(path)):
            open_regular(str(path))
