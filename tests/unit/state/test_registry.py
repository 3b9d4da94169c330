from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.paths import Paths
from memd.state import registry
from memd.state.registry import Entry


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths({"HOME": str(tmp_path)})


def test_an_entry_comes_back_as_it_was_put(paths: Paths) -> None:
    entry = Entry("/p", "p", "id1", "auto", True, ("/old",), "2026-01-02")
    registry.put(paths, entry)
    (found,) = registry.read(paths).entries.values()
    assert all(getattr(found, f) == getattr(entry, f) for f in Entry.__slots__)


def test_a_name_is_the_declared_one_then_the_registered_one_then_the_directorys(
    paths: Paths,
) -> None:
    registry.put(paths, Entry("/p", "registered", "id1"))
    known = registry.read(paths)
    assert known.name("/p", "declared") == "declared"
    assert known.name("/p", None) == "registered"
    assert known.name("/a/shop", "") == "shop"
    assert (known.store_id("/p"), known.store_id("/a/shop")) == ("id1", "")


def test_nothing_registered_is_an_empty_registry(paths: Paths) -> None:
    assert registry.read(paths).entries == {}


def test_what_another_process_changed_is_seen(paths: Paths) -> None:
    registry.put(paths, Entry("/p", "p"))
    before = registry.read(paths)
    assert registry.read(paths) is before
    registry.put(Paths({"HOME": f"{paths.home}/./"}), Entry("/q", "q"))
    assert set(registry.read(paths).entries) == {"/p", "/q"}
    assert set(before.entries) == {"/p"}


def test_fields_of_one_entry_change_alone(paths: Paths) -> None:
    registry.put(paths, Entry("/p", "p", greet=True))
    registry.put(paths, Entry("/q", "q", greet=True))
    registry.update(paths, "/p", greet=False)
    registry.update(paths, "/unknown", greet=False)
    entries = registry.read(paths).entries
    assert (entries["/p"].greet, entries["/q"].greet) == (False, True)
    assert "/unknown" not in entries


def test_a_moved_project_keeps_its_identity_and_its_old_path(paths: Paths) -> None:
    registry.put(paths, Entry("/old", "p", "id1"))
    registry.move(paths, "/old", "/new")
    registry.move(paths, "/never", "/x")
    entries = registry.read(paths).entries
    assert list(entries) == ["/new"]
    assert (entries["/new"].store_id, entries["/new"].former) == ("id1", ("/old",))


def test_a_dropped_project_is_gone(paths: Paths) -> None:
    registry.put(paths, Entry("/p", "p"))
    registry.drop(paths, "/p")
    assert registry.read(paths).entries == {}


def test_an_exclusion_is_added_once_and_taken_back(paths: Paths) -> None:
    registry.exclude(paths, "/p", undo=False)
    registry.exclude(paths, "/p", undo=False)
    assert registry.read(paths).excluded == ("/p",)
    registry.exclude(paths, "/p", undo=True)
    assert registry.read(paths).excluded == ()


def test_the_global_store_is_known_by_its_id(paths: Paths) -> None:
    registry.set_global_store(paths, "id9")
    assert registry.read(paths).global_store_id == "id9"


def test_a_declared_project_wins_over_a_registered_exclusion(paths: Paths) -> None:
    registry.exclude(paths, "/p", undo=False)
    registry.put(paths, Entry("/q", "q"))
    who = registry.read(paths).owners(["/p"], ["/q"], "/state")
    assert who.owner("/p/x") == "/p"
    assert who.excludes("/q/x")
    assert who.excludes("/state/curator")


@pytest.mark.parametrize(
    ("whole", "odd"),
    [
        ('"excluded": []', '"excluded": 1'),
        ('"excluded": []', '"excluded": [1]'),
        ('"global_store_id": ""', '"global_store_id": null'),
        ('"greet": false', '"greet": 0'),
        ('"name": "p"', '"name": ["p"]'),
    ],
)
def test_a_registry_of_an_odd_shape_is_damaged_and_nothing_of_it_is_guessed(
    paths: Paths, whole: str, odd: str
) -> None:
    registry.put(paths, Entry("/p", "p"))
    registry.put(paths, Entry("/q", "q"))
    place = Path(paths.registry)
    text = place.read_text()
    place.write_text(text.replace(whole, odd, 1))
    assert place.read_text() != text
    assert registry.is_doubtful(paths)
    assert set(registry.read(paths).entries) == {"/p"}


def test_an_entry_with_no_name_is_called_after_its_directory() -> None:
    assert registry.from_document({"projects": {"/x/bare": {}}}).entries["/x/bare"].name == "bare"


def test_damage_to_the_registry_loses_no_exclusion(paths: Paths) -> None:
    registry.put(paths, Entry("/p", "p"))
    registry.exclude(paths, "/p", undo=False)
    Path(paths.registry).write_text("{")
    assert registry.read(paths).excluded == ("/p",)
    os.unlink(paths.registry)
    assert registry.read(paths).excluded == ("/p",)
    assert registry.is_doubtful(paths)
