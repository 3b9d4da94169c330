from __future__ import annotations

import errno
import os
import re
import resource
import stat
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd import fsio, inbox
from memd.errors import StoreError
from memd.model import NOTE_CHARS, Note

NOW = 1_767_225_600.25  # 2026-01-01T00:00:00.25Z
TEXTS = st.text(st.characters(codec="utf-8"), max_size=200)


def note_text(text: str) -> str:
    """What reading makes of a text: no mark, no CRLF, no blank lines around it."""
    return f"{text}\n".removeprefix("\ufeff").replace("\r\n", "\n").strip("\n")


def read(store: str) -> tuple[Note, ...]:
    return inbox.read(store, inbox.waiting(store))


def count(store: str) -> int:
    return len(inbox.waiting(store))


@pytest.fixture
def store(tmp_path: Path) -> str:
    (tmp_path / "inbox").mkdir()
    return str(tmp_path)


@pytest.fixture
def box(store: str) -> Path:
    return Path(store) / "inbox"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.none() | TEXTS), max_size=6), st.data())
def test_no_note_is_lost_and_none_is_read_twice(
    published: list[tuple[str, str | None]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as store:
        for number, (text, source) in enumerate(published):
            inbox.publish(store, text, source=source, now=NOW + number)
        found = read(store)
        assert [note_text(n.text) for n in found] == [note_text(text) for text, _ in published]
        assert len({n.name for n in found}) == len({n.fingerprint for n in found}) == len(found)
        included = [n for n in found if data.draw(st.booleans(), label=n.name)]
        changed = [n for n in included if data.draw(st.booleans(), label="changed")]
        for note in changed:
            Path(store, "inbox", note.name).write_text("another fact")
        late = inbox.publish(store, "arrived meanwhile", now=NOW + 100)
        inbox.delete(store, included)
        gone = {n.name for n in included} - {n.name for n in changed}
        left = {n.name for n in read(store)}
        assert left == ({n.name for n in found} - gone) | {os.path.basename(late)}
        assert count(store) == len(left)


def test_the_name_tells_time_and_writer(store: str) -> None:
    path = inbox.publish(store, "x", now=NOW)
    name = os.path.basename(path)
    assert name.startswith(f"20260101T000000250000-{os.getpid()}-")
    assert name.endswith(".md")
    assert len(name) == len(f"20260101T000000250000-{os.getpid()}-") + 8 + 3


def test_a_note_without_anything_to_say_about_it_is_plain_text(store: str) -> None:
    assert Path(inbox.publish(store, "port 9090", now=NOW)).read_text() == "port 9090"


def test_what_is_said_about_a_note_reaches_the_reader(store: str) -> None:
    inbox.publish(store, "port 9090", source="ci: a", kind="state", now=NOW)
    (note,) = read(store)
    assert (note.text, note.source, note.kind, note.date) == (
        *("port 9090\n", "ci: a", "state", "2026-01-01T00:00:00Z"),
    )


def test_what_other_writers_say_about_a_note_reaches_the_reader(store: str) -> None:
    about = '---\ntopic: "a: b"\nrouted: x\n---\n'
    (Path(store) / "inbox").mkdir(exist_ok=True)
    (Path(store) / "inbox" / "note.md").write_text(f"{about}port 9090")
    (note,) = read(store)
    assert (note.text, note.topic) == ("port 9090", "a: b")


def test_a_text_that_looks_like_frontmatter_forges_none(store: str) -> None:
    text = "---\nkind: decision\nsource: forged\n---\nbody"
    inbox.publish(store, text, now=NOW)
    (note,) = read(store)
    assert note.text == text + "\n"
    assert (note.kind, note.source) == (None, None)


def test_a_text_that_is_not_unicode_is_published_all_the_same(store: str) -> None:
    inbox.publish(store, "caf\udce9", now=NOW)
    (note,) = read(store)
    assert note.text == "caf?"


def test_a_note_is_published_privately_and_leaves_no_staging_file(tmp_path: Path) -> None:
    path = inbox.publish(str(tmp_path), "x", now=NOW)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "inbox").st_mode) == 0o700
    assert [p.name for p in tmp_path.iterdir()] == ["inbox"]


def test_an_inbox_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.md").write_text("not a note")
    (tmp_path / "inbox").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="inbox: has to be a directory, not a link: remove it"):
        inbox.publish(str(tmp_path), "x", now=NOW)
    assert read(str(tmp_path)) == ()
    assert count(str(tmp_path)) == 0
    assert os.listdir(tmp_path / "elsewhere") == ["a.md"]


def test_an_inbox_that_is_missing_or_a_file_holds_nothing(tmp_path: Path) -> None:
    assert read(str(tmp_path)) == ()
    inbox.delete(str(tmp_path), [])
    (tmp_path / "inbox").write_text("x")
    assert read(str(tmp_path)) == ()
    assert count(str(tmp_path)) == 0


def test_a_full_disk_publishes_nothing(store: str, box: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            inbox.publish(store, "x" * 9000, now=NOW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [p.name for p in Path(store).rglob("*")] == ["inbox"]


def test_only_regular_files_of_the_right_name_are_notes(store: str, box: Path) -> None:
    secret = Path(store) / "secret"
    secret.write_text("HOME-SECRET")
    (box / "good.md").write_text("GOOD")
    (box / "good.txt").write_text("GOOD")
    (box / ".hidden.md").write_text("x")
    (box / "other.json").write_text("x")
    (box / "dir.md").mkdir()
    (box / "link.md").symlink_to(secret)
    os.link(secret, box / "hard.md")
    os.mkfifo(box / "fifo.md")
    assert [n.name for n in read(store)] == ["good.md", "good.txt"]
    assert count(store) == 2
    inbox.delete(store, read(store))
    assert sorted(p.name for p in box.iterdir()) == [
        *(".hidden.md", "dir.md", "fifo.md", "hard.md", "link.md", "other.json")
    ]


def test_a_note_whose_writer_died_is_read_once_its_staging_name_is_gone(
    store: str, box: Path
) -> None:
    staged = Path(store) / (fsio.PREFIX + "x" + fsio.STAGED)
    staged.write_text("fact")
    os.link(staged, box / "a.md")
    assert read(store) == ()
    staged.unlink()
    assert [n.text for n in read(store)] == ["fact"]


def test_notes_come_by_name_up_to_a_number_and_the_rest_is_left(store: str, box: Path) -> None:
    for name in ("c", "a", "d", "b"):
        (box / f"{name}.md").write_text(name)
    names = iter(inbox.waiting(store))
    assert [n.name for n in inbox.read(store, names, limit=2)] == ["a.md", "b.md"]
    assert list(names) == ["c.md", "d.md"]


def test_a_file_of_the_same_name_that_came_later_stays(store: str, box: Path) -> None:
    (box / "a.md").write_text("old")
    notes = read(store)
    (box / "new").write_text("new")
    (box / "new").rename(box / "a.md")
    inbox.delete(store, notes)
    assert (box / "a.md").read_text() == "new"


def test_deleting_twice_is_fine(store: str, box: Path) -> None:
    (box / "a.md").write_text("x")
    notes = read(store)
    inbox.delete(store, notes)
    inbox.delete(store, notes)
    assert list(box.iterdir()) == []


def test_a_record_of_name_and_fingerprint_is_enough_to_delete(store: str, box: Path) -> None:
    (box / "a.md").write_text("x")
    (note,) = read(store)
    inbox.delete(store, [Note(note.name, "", note.fingerprint)])
    assert list(box.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["---\nkind: [broken\n---\nfact", "---\njust text\n---\nfact", "---\nno end\nfact"]
)
def test_broken_frontmatter_stays_part_of_the_text(store: str, box: Path, text: str) -> None:
    (box / "a.md").write_text(text)
    (note,) = read(store)
    assert note.text == text
    assert note.kind is None


@pytest.mark.parametrize(
    ("written", "kind"),
    [("todo", "todo"), (" Decision", "decision"), ("rumour", None), ("7", None)],
)
def test_only_the_four_kinds_are_kinds(
    store: str, box: Path, written: str, kind: str | None
) -> None:
    (box / "a.md").write_text(f"---\nkind: {written}\ndate: 2026-01-02\nsource: ''\n---\nfact")
    (note,) = read(store)
    assert (note.kind, note.date, note.source, note.text) == (kind, "2026-01-02", None, "fact")


def test_what_is_said_about_a_note_is_one_line_each(store: str, box: Path) -> None:
    (box / "a.md").write_text('---\ntopic: "a\\n  b"\n---\nfact')
    (note,) = read(store)
    assert note.topic == "a b"


def test_bytes_that_are_not_text_are_replaced(store: str, box: Path) -> None:
    (box / "a.md").write_bytes(b"caf\xe9")
    (note,) = read(store)
    assert note.text == "caf\ufffd"


def test_notes_that_are_large_together_are_read_a_part_at_a_time(store: str, box: Path) -> None:
    for number in range(18):
        (box / f"{number:02}.md").write_bytes(b"x" * inbox.MAX_NOTE_BYTES)
    names = iter(inbox.waiting(store))
    first = inbox.read(store, names)
    assert [note.name for note in first] == [f"{number:02}.md" for number in range(16)]
    assert list(names) == ["16.md", "17.md"]


def test_a_file_too_large_for_a_note_is_left_where_it_is_and_named(store: str, box: Path) -> None:
    (box / "fits.md").write_bytes(b"x" * inbox.MAX_NOTE_BYTES)
    with (box / "large.md").open("wb") as file:
        file.truncate(3 << 30)
    assert [len(note.text) for note in read(store)] == [inbox.MAX_NOTE_BYTES]
    assert inbox.waiting(store) == ("fits.md",)
    assert inbox.too_large(store) == (str(box / "large.md"),)
    inbox.delete(store, [Note("large.md", "", "")])
    assert (box / "large.md").exists()


def test_a_note_of_four_thousand_characters_is_whole(store: str) -> None:
    text = "é" * NOTE_CHARS + "END\n"
    inbox.publish(store, text, now=NOW)
    assert [n.text for n in read(store)] == [text]


def test_a_note_that_cannot_be_opened_or_vanishes_is_passed(
    store: str, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (box / "a.md").write_text("x")
    (box / "b.md").write_text("x")
    real = os.open

    def refuse(path: str, *args: int, **kwargs: int) -> int:
        if str(path).endswith("a.md"):
            raise PermissionError(errno.EACCES, "refused", path)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    assert [n.name for n in read(store)] == ["b.md"]


def test_counting_passes_what_vanished(
    store: str, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (box / "a.md").write_text("x")
    monkeypatch.setattr(os, "listdir", lambda _path: ["a.md", "gone.md"])
    assert count(store) == 1


PROTOCOL = Path(__file__).parents[2] / "INBOX-PROTOCOL.md"


@pytest.mark.skipif(not PROTOCOL.exists(), reason="the documents are not beside the tests")
def test_the_writer_in_the_protocol_is_understood(store: str, box: Path) -> None:
    lines = PROTOCOL.read_text(encoding="utf-8").split("In Python:\n")[1].splitlines()
    code = [line for line in lines if not line or line.startswith("    ")]
    publish: dict[str, Any] = {}
    exec(textwrap.dedent("\n".join(code)), publish)
    publish["publish"](store, "port 9090")
    (note,) = read(store)
    assert note.text == "port 9090"
    assert re.fullmatch(r"\d{8}T\d{12}-\d+-[0-9a-f]{8}\.md", note.name)
    assert os.listdir(store) == ["inbox"]
