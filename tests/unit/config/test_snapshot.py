from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memd
from memd.config import loader, snapshot
from memd.config.snapshot import NoSnapshot

TOO_SLOW_FOR_A_HOOK = {
    "contextlib",
    "dataclasses",
    "datetime",
    "hashlib",
    "logging",
    "pathlib",
    "pydantic",
    "tempfile",
    "typing",
}


def keep(home):
    """Save what is configured now; returns the configuration."""
    config = loader.load(home.paths).config
    snapshot.save(home.paths, config)
    return config


def files(home) -> list[str]:
    return sorted(os.listdir(home.paths.snapshots))


def only_file(home) -> str:
    [name] = files(home)
    return os.path.join(home.paths.snapshots, name)


def values(found: snapshot.Snapshot):
    return json.loads(json.dumps({name: getattr(found, name) for name in found.__slots__}))


def is_missing(home) -> bool:
    try:
        snapshot.read(home.paths)
    except NoSnapshot:
        return True
    return False


def test_what_was_saved_is_read_back(home) -> None:
    home.write(
        home.user,
        {
            "projects": {"/p": {"name": "é"}, "/q": {}},
            "exclude": ["/x"],
            "curator_cmd": ["memd", "curate"],
            "brief_chars": 7,
            "auto_scaffold": False,
        },
    )
    config = keep(home)
    found = snapshot.read(home.paths)
    assert values(found) == values(snapshot.of(config))
    assert found.projects == {"/p": "é", "/q": None}
    assert tuple(found.exclude) == ("/x",)
    assert tuple(found.curator_cmd) == ("memd", "curate")
    assert found.brief_chars == 7
    assert found.auto_scaffold is False
    assert found.global_root == home.env["HOME"]


def test_there_is_none_before_the_first_save(home) -> None:
    assert is_missing(home)
    with pytest.raises(NoSnapshot):
        snapshot.last_valid(home.paths)
    assert not os.path.exists(home.paths.state)


@pytest.mark.parametrize("name", ["user", "near", "far"])
def test_a_changed_file_is_noticed_although_its_time_and_size_are_the_same(home, name) -> None:
    path = home.write(getattr(home, name), {"brief_chars": 1})
    os.utime(path, (1, 1))
    keep(home)
    home.write(path, {"brief_chars": 2})
    os.utime(path, (1, 1))
    assert is_missing(home)


def test_a_touched_file_changes_nothing(home) -> None:
    path = home.write(home.user, {"brief_chars": 1})
    keep(home)
    os.utime(path, (1, 1))
    assert snapshot.read(home.paths).brief_chars == 1


def test_a_file_that_appears_or_goes_is_noticed(home) -> None:
    keep(home)
    home.write(home.far, {})
    assert is_missing(home)
    keep(home)
    os.unlink(home.far)
    assert not is_missing(home)


@pytest.mark.parametrize("variable", ["MEMD_BRIEF_CHARS", "MEMD_UNKNOWN", "CLAUDE_CONFIG_DIR"])
def test_a_variable_that_configures_is_part_of_the_key(home, variable) -> None:
    keep(home)
    home.env[variable] = "/1"
    assert is_missing(home)


def test_another_home_or_place_of_files_is_another_configuration(home) -> None:
    home.env["XDG_STATE_HOME"] = os.path.join(home.root, "state")
    keep(home)
    env = home.env
    for changed in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"):
        home.env = {**env, changed: os.path.join(home.root, "other")}
        assert is_missing(home)


@pytest.mark.parametrize(
    "variable", ["MEMD_DISABLE", "MEMD_CURATOR", "MEMD_THROUGH_UV", "XDG_SESSION_ID", "PATH"]
)
def test_other_variables_are_not(home, variable) -> None:
    keep(home)
    home.env[variable] = "1"
    assert not is_missing(home)


def test_a_file_that_cannot_be_read_has_no_snapshot(home) -> None:
    keep(home)
    os.makedirs(home.user)
    assert is_missing(home)


def test_a_snapshot_under_the_name_of_another_is_not_served(home) -> None:
    home.env["MEMD_BRIEF_CHARS"] = "1"
    keep(home)
    first = only_file(home)
    home.env["MEMD_BRIEF_CHARS"] = "2"
    keep(home)
    [second] = [name for name in files(home) if name != os.path.basename(first)]
    os.replace(first, os.path.join(home.paths.snapshots, second))
    assert is_missing(home)
    assert snapshot.last_valid(home.paths).brief_chars == 1


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_snapshot_counts_as_missing(shared_home, data) -> None:
    keep(shared_home)
    path = only_file(shared_home)
    with open(path, "rb") as file:
        whole = file.read()
    place = data.draw(st.integers(0, len(whole) - 1))
    flipped = whole[place] ^ data.draw(st.integers(1, 255))
    changed = bytes([*whole[:place], flipped, *whole[place + 1 :]])
    for damaged in (changed, whole[:place], whole[:place] + b"\0" * (len(whole) - place)):
        shared_home.write(path, damaged)
        assert is_missing(shared_home)
        with pytest.raises(NoSnapshot):
            snapshot.last_valid(shared_home.paths)
    keep(shared_home)
    assert not is_missing(shared_home)


@pytest.mark.parametrize("kept", [b"{}", b"[]", b"3", b'{"brief_chars": 1}', b""])
def test_a_snapshot_of_a_memd_with_other_fields_counts_as_missing(home, kept) -> None:
    keep(home)
    path = only_file(home)
    with open(path, "rb") as file:
        key = file.read().splitlines()[1]
    rest = key + b"\n" + kept
    home.write(path, b"%08x\n" % snapshot.crc32(rest) + rest)
    assert is_missing(home)


def test_the_last_valid_one_is_the_newest_that_is_whole(home) -> None:
    for chars in (1, 2, 3):
        before = set(files(home)) if chars > 1 else set()
        home.write(home.user, {"brief_chars": chars})
        keep(home)
        [new] = set(files(home)) - before
        os.utime(os.path.join(home.paths.snapshots, new), (chars, chars))
    home.write(os.path.join(home.paths.snapshots, new), b"damaged")
    os.utime(os.path.join(home.paths.snapshots, new), (3, 3))
    home.write(home.user, b"{ not valid")
    assert is_missing(home)
    assert snapshot.last_valid(home.paths).brief_chars == 2


def test_a_stray_entry_among_them_is_passed_over(home) -> None:
    keep(home)
    os.symlink("/nonexistent", os.path.join(home.paths.snapshots, "stray"))
    os.mkdir(os.path.join(home.paths.snapshots, "folder"))
    assert snapshot.last_valid(home.paths).brief_chars == 2500


def test_the_newest_four_stay(home) -> None:
    for chars in range(1, 7):
        home.write(home.user, {"brief_chars": chars})
        keep(home)
        for name in files(home):
            os.utime(os.path.join(home.paths.snapshots, name), (chars, chars))
        assert snapshot.read(home.paths).brief_chars == chars
        assert len(files(home)) == min(chars, 4)


def test_one_that_is_there_is_not_written_again(home) -> None:
    config = keep(home)
    before = os.stat(only_file(home)), os.stat(home.paths.snapshots)
    snapshot.save(home.paths, config)
    after = os.stat(only_file(home)), os.stat(home.paths.snapshots)
    assert [(s.st_ino, s.st_mtime_ns) for s in before] == [(s.st_ino, s.st_mtime_ns) for s in after]


def test_one_that_says_something_else_is_replaced(home) -> None:
    config = keep(home)
    snapshot.save(home.paths, dataclasses.replace(config, brief_chars=9))
    assert snapshot.read(home.paths).brief_chars == 9
    assert len(files(home)) == 1


def test_only_the_user_can_read_it(home) -> None:
    keep(home)
    assert os.stat(only_file(home)).st_mode & 0o777 == 0o600
    assert os.stat(home.paths.snapshots).st_mode & 0o777 == 0o700


def test_a_state_directory_that_cannot_be_written_is_no_error(home) -> None:
    home.env["XDG_STATE_HOME"] = home.write(os.path.join(home.root, "file"), b"")
    keep(home)
    assert is_missing(home)


def test_a_configuration_file_that_went_bad_meanwhile_is_no_error(home) -> None:
    config = keep(home)
    os.makedirs(home.user)
    snapshot.save(home.paths, config)
    assert len(files(home)) == 1


def test_reading_one_imports_nothing_that_is_slow(home) -> None:
    home.write(home.user, {"exclude": ["/x"]})
    keep(home)
    source = os.path.dirname(os.path.dirname(memd.__file__))
    code = (
        f"import sys; sys.path.insert(0, {source!r}); env = {home.env!r}\n"
        "from memd.config import snapshot\n"
        "from memd.paths import Paths\n"
        "print(*snapshot.read(Paths(env)).exclude)\n"
        "print(*sys.modules)"
    )
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    exclude, modules = child.stdout.splitlines()
    assert exclude == "/x"
    assert TOO_SLOW_FOR_A_HOOK.isdisjoint(modules.split())
