from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import StoreError
from memd.model import ArchiveEntry
from memd.store import archive, memory

NOW = "2026-01-31T23:59:59Z"
TEXTS = st.text(st.characters(codec="utf-8"))
ENTRIES = st.lists(st.builds(ArchiveEntry, st.text(st.characters(codec=None)), TEXTS), max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(ENTRIES, max_size=3), TEXTS)
def test_nothing_is_lost_and_nothing_stands_there_twice(
    batches: list[list[ArchiveEntry]], before: str
) -> None:
    with tempfile.TemporaryDirectory() as store:
        path = Path(store, "archive", "2026-01.md")
        path.parent.mkdir()
        path.write_bytes(before.encode())
        for entries in batches:
            changes = archive.planned(store, entries, now=NOW)
            assert changes == archive.planned(store, entries, now=NOW)
            for change in changes * 2:
                memory.write_change(store, change)
        text = path.read_bytes().decode()
        assert text.startswith(before)
        position = text.find(f"\n## {NOW} - ", len(before)) if any(batches) else len(text)
        for entry in (entry for entries in batches for entry in entries):
            heading = text.index(f"## {NOW} - ", position)
            position = text.index("\n\n", heading) + 2 + len(entry.content)
            assert text[:position].endswith(f"\n\n{entry.content}")
        assert text[position:] in ("", "\n")


def test_an_entry_has_a_heading_with_time_and_source(tmp_path: Path) -> None:
    (change,) = archive.planned(
        str(tmp_path), [ArchiveEntry("todo.md", "- [x] done"), ArchiveEntry("", "more\n")], now=NOW
    )
    assert change.path == "archive/2026-01.md"
    assert change.text == (
        "# Archive 2026-01\n"
        "\n## 2026-01-31T23:59:59Z - todo.md\n\n- [x] done\n"
        "\n## 2026-01-31T23:59:59Z - unnamed\n\nmore\n"
    )


def test_a_source_is_one_line_of_bounded_length(tmp_path: Path) -> None:
    entry = ArchiveEntry("a\n## forged\x1b" + "x" * 1000, "content")
    (change,) = archive.planned(str(tmp_path), [entry], now=NOW)
    headings = [line for line in change.text.splitlines() if line.startswith("## ")]
    assert len(headings) == 1
    assert headings[0].startswith("## 2026-01-31T23:59:59Z - a ## forged xx")
    assert len(headings[0]) < 250


def test_no_entries_change_nothing(tmp_path: Path) -> None:
    assert archive.planned(str(tmp_path), [], now=NOW) == ()


def test_bytes_a_person_left_there_pass_through(tmp_path: Path) -> None:
    path = tmp_path / "archive" / "2026-01.md"
    path.parent.mkdir()
    path.write_bytes(b"caf\xe9")
    (change,) = archive.planned(str(tmp_path), [ArchiveEntry("s", "a\ud800b")], now=NOW)
    memory.write_change(str(tmp_path), change)
    assert path.read_bytes().startswith(b"caf\xe9\n## ")
    assert path.read_bytes().endswith(b"a?b\n")


def test_an_archive_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "archive" / "2026-01.md").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"2026-01\.md: cannot be read"):
        archive.planned(str(tmp_path), [ArchiveEntry("s", "c")], now=NOW)


def test_a_large_file_gets_a_successor_and_stays_as_it_is(tmp_path: Path) -> None:
    first = tmp_path / "archive" / "2026-01.md"
    first.parent.mkdir()
    for number, name in ((1, "2026-01.md"), (2, "2026-01-2.md"), (3, "2026-01-3.md")):
        entry = ArchiveEntry("note", f"{number} " + "x" * archive.FULL)
        (change,) = archive.planned(str(tmp_path), [entry], now=NOW)
        assert change.path == f"archive/{name}"
        assert memory.is_memory(change.path)
        memory.write_change(str(tmp_path), change)
    texts = {path.name: path.read_text()[:80] for path in first.parent.iterdir()}
    assert {name: text.count("\n\n1 x") for name, text in texts.items()} == {
        "2026-01.md": 1, "2026-01-2.md": 0, "2026-01-3.md": 0,
    }  # fmt: skip


@pytest.mark.parametrize("path", ["archive/2026-01-.md", "archive/2026-01-2-3.md", "archive/x.md"])
def test_no_other_name_is_one_of_the_archive(path: str) -> None:
    assert not memory.is_memory(path)
