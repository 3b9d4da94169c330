from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.model import Cursor, SourceCounts, Usage
from memd.paths import Paths
from memd.state import ledger, statefile
from memd.state.ledger import Health, JournalEntry, LastRun, Ledger, SetAside, Strikes


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths({"HOME": str(tmp_path)})


FULL = Ledger(
    root="/p",
    cursors={"claude-code/a": Cursor("1")},
    baseline={"claude-code/b": Cursor("2")},
    seen={"2026-01-01": "0123456789abcdef"},
    visits=("claude-code/c",),
    journal=(JournalEntry("t", "sweep", "m", "s", ("claude-code/a",), 1, 2),),
    usage={"2026-01-01": Usage(1, 2, 0.5)},
    calls={"2026-01-01": 3},
    health={"claude-code": Health(1, 2, 3, 4, 5, ("x",), "t")},
    last=LastRun("t", "failed", "why"),
    strikes=Strikes(1, 2, "r"),
    aside=(SetAside("claude-code/a", None, Cursor("9"), "t", "r"),),
    unreadable=("k: r",),
    commit_error="e",
    uncommitted="m",
    applied="id",
    lost="",
)


FIELDS = sorted(f.name for f in dataclasses.fields(Ledger))


def test_everything_comes_back_as_it_was_written(paths: Paths) -> None:
    ledger.edit(paths, "/p", lambda _: FULL)
    assert ledger.read(paths, "/p") == FULL


def test_a_field_added_later_is_part_of_the_round_trip() -> None:
    plain = {f.name for f in dataclasses.fields(Ledger) if getattr(FULL, f.name) in ("", ())}
    assert plain == {"lost"}, "give new fields a value in FULL"


def test_counts_stand_flat_in_the_file_whatever_they_are_made_of() -> None:
    counts = {"events": 1, "noise": 2, "unknown": 3, "broken": 4, "barren_bytes": 5}
    written = {**counts, "barren_since": "t", "unknown_types": ["x"]}
    document = {"root": "/p", "health": {"claude-code": written}}
    read = ledger.from_document(document)
    assert read.health == FULL.health
    assert ledger.to_document(read)["health"]["claude-code"] == {**written, "unknown_types": ("x",)}


def test_a_project_without_a_ledger_has_an_empty_one(paths: Paths) -> None:
    assert ledger.read(paths, "/p") == Ledger(root="/p")


def test_damage_to_both_versions_shows_as_lost(paths: Paths) -> None:
    ledger.edit(paths, "/p", lambda _: FULL)
    ledger.edit(paths, "/p", lambda _: FULL)
    for suffix in ("", statefile.BACKUP):
        Path(ledger.path(paths, "/p") + suffix).write_text("{")
    assert ledger.read(paths, "/p").lost
    ledger.edit(paths, "/p", lambda old: old)
    assert ledger.read(paths, "/p").lost


def test_a_moved_project_takes_its_read_markers_along(paths: Paths) -> None:
    ledger.edit(paths, "/old", lambda _: FULL)
    ledger.move(paths, "/old", "/new")
    assert ledger.read(paths, "/new").cursors == FULL.cursors


def test_a_baseline_never_moves_a_marker_back() -> None:
    old = Ledger(cursors={"a": Cursor("5")})
    new = old.started_at({"a": Cursor("1"), "b": Cursor("2")})
    assert new.cursors == {"a": "5", "b": "2"}


def test_without_its_baseline_only_sessions_taken_as_read_wait_again() -> None:
    led = Ledger(cursors={"a": Cursor("5")}).started_at({"b": Cursor("2")}).without_baseline()
    assert led.cursors == {"a": "5"}


@given(st.lists(st.text(), unique=True, max_size=30))
def test_every_id_that_was_seen_is_known_again(ids: list[str]) -> None:
    seen = Ledger().with_seen(ids, "2026-01-01").has_seen()
    assert all(seen(i) for i in ids)
    assert not seen("another id that was never there")


def test_ids_are_forgotten_after_thirty_days() -> None:
    led = Ledger()
    for day in range(1, 32):
        led = led.with_seen([f"r{day}"], f"2026-01-{day:02}")
    led = led.with_seen(["now"], "2026-02-01")
    seen = led.has_seen()
    assert not seen("r1")
    assert seen("r3")
    assert seen("now")


def test_usage_adds_up_by_day() -> None:
    led = Ledger().with_usage(Usage(1, 2, 0.5), "d1").with_usage(Usage(1, 0, 0.25), "d1")
    assert led.usage["d1"] == Usage(2, 2, 0.75)
    assert led.calls["d1"] == 2


def test_the_journal_keeps_the_newest() -> None:
    led = Ledger()
    for number in range(ledger.JOURNAL_LENGTH + 5):
        led = led.with_journal(JournalEntry(str(number), "t", "m", "s"))
    assert len(led.journal) == ledger.JOURNAL_LENGTH
    assert led.journal[-1].at == str(ledger.JOURNAL_LENGTH + 4)


def test_a_barren_source_remembers_since_when() -> None:
    barren = {"s": SourceCounts(barren_bytes=10, unknown_types=("new",))}
    led = Ledger().with_counts(barren, "t1").with_counts(barren, "t2")
    assert led.health["s"].barren_since == "t1"
    assert led.health["s"].barren_bytes == 10
    led = led.with_counts({"s": SourceCounts(events=1)}, "t3")
    assert led.health["s"].barren_since == ""
    assert led.health["s"].barren_bytes == 0


def test_ids_that_are_seen_again_take_no_more_room() -> None:
    once = Ledger().with_seen(["a", "b"], "2026-01-01")
    assert once.with_seen(["b", "a"], "2026-01-01") == once


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner),
        max_leaves=10,
    )
)
def test_a_document_is_a_ledger_or_damaged_and_never_a_crash(value: object) -> None:
    document = value if isinstance(value, dict) else {"cursors": value, "journal": [value]}
    try:
        found = ledger.from_document(document)
    except ValueError:
        return
    assert ledger.from_document(json.loads(json.dumps(ledger.to_document(found)))) == found


def test_a_ledger_with_a_value_of_another_type_gives_way_to_its_predecessor(paths: Paths) -> None:
    ledger.edit(paths, "/p", lambda old: old.started_at({"s": Cursor("1")}))
    ledger.edit(paths, "/p", lambda old: old.started_at({"t": Cursor("2")}))
    place = Path(ledger.path(paths, "/p"))
    place.write_text(place.read_text().replace('"calls": {}', '"calls": {"2026-01-01": "many"}'))
    assert ledger.read(paths, "/p").cursors == {"s": "1"}
