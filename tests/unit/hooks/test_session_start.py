from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd import brief, locks, onboard, runtime
from memd.config import loader, snapshot
from memd.errors import ConfigError
from memd.hooks import session_slow, session_start
from memd.hooks.entry import Call
from memd.paths import Paths
from memd.state import registry

FACTS = ("TODO-FACT", "DECISION-FACT", "STATE-FACT", "MISTAKE-FACT")


def told(paths: Paths, directory: str) -> str:
    return session_start.context(paths, Call(directory, "s1"))


def asked(paths: Paths, directory: str, **changes: Any) -> str:
    return session_start.brief_for(paths, directory, **{"max_chars": None, "topic": "", **changes})


def configure(paths: Paths, text: str) -> None:
    os.makedirs(os.path.dirname(paths.config_file), exist_ok=True)
    Path(paths.config_file).write_text(text)


def with_global(env: dict[str, str]) -> str:
    home = onboard.init_global(runtime.build(env)).root
    with open(os.path.join(home, ".memory", "state.md"), "a", encoding="utf-8") as file:
        file.write("\n## Me\n\nGENERAL-FACT\n")
    return home


# --- where a session is ----------------------------------------------------------------


def test_a_project_is_told_its_memory_in_any_of_its_directories(paths: Paths, project: str) -> None:
    below = os.path.join(project, "src", "deep")
    os.makedirs(below)
    for directory in (project, below):
        text = told(paths, directory)
        assert all(fact in text for fact in FACTS)
        assert "# Memory of app, kept by memd in " in text


def test_a_session_in_no_project_is_told_the_general_memory(
    env: dict[str, str], paths: Paths, tmp_path: Path
) -> None:
    assert told(paths, str(tmp_path)) == ""
    home = with_global(env)
    for directory in (str(tmp_path), home):
        text = told(paths, directory)
        assert "GENERAL-FACT" in text
        assert "# Memory of no single project, kept by memd in " in text


def test_general_memory_follows_the_projects_own(
    env: dict[str, str], paths: Paths, project: str
) -> None:
    with_global(env)
    text = told(paths, project)
    assert text.index("STATE-FACT") < text.index("GENERAL-FACT")


def test_general_memory_can_be_silenced(
    env: dict[str, str], paths: Paths, project: str, tmp_path: Path
) -> None:
    with_global(env)
    configure(paths, '{"global_brief_chars": -1}')
    assert "GENERAL-FACT" not in told(paths, project)
    assert told(paths, str(tmp_path)) == ""


def test_an_excluded_directory_is_told_nothing(
    env: dict[str, str], paths: Paths, project: str
) -> None:
    with_global(env)
    below = os.path.join(project, "private")
    os.mkdir(below)
    registry.exclude(paths, below, undo=False)
    assert told(paths, below) == ""
    assert asked(paths, below) == ""
    assert told(paths, project)


def test_a_declared_name_wins(paths: Paths, project: str) -> None:
    configure(paths, f'{{"projects": {{"{project}": {{"name": "The Shop"}}}}}}')
    assert "# Memory of The Shop," in told(paths, project)


def test_a_declared_project_without_a_store_yet_is_told_nothing(
    paths: Paths, tmp_path: Path
) -> None:
    place = tmp_path / "declared"
    place.mkdir()
    configure(paths, f'{{"projects": {{"{place}": {{}}}}}}')
    assert told(paths, str(place)) == ""


# --- stores that cannot be shown ---------------------------------------------------------


def test_a_store_that_memd_did_not_make_is_not_shown(
    paths: Paths, project: str, repository: Callable[[str], str]
) -> None:
    clone = repository("it's a clone")
    shutil.copytree(os.path.join(project, ".memory"), os.path.join(clone, ".memory"))
    text = told(paths, clone)
    assert not any(fact in text for fact in FACTS)
    assert "memd trust '" in text
    assert text.count("it'\\''s a clone'") == 1
    assert not registry.read(paths).entries.get(clone)


def test_a_store_that_was_replaced_is_not_shown(paths: Paths, project: str) -> None:
    Path(project, ".memory", ".id").write_text("0" * 32)
    text = told(paths, project)
    assert "STATE-FACT" not in text
    assert f"memd trust {project}" in text


@pytest.mark.parametrize("damage", ["missing", "link"])
def test_a_store_without_its_own_id_is_not_shown(paths: Paths, project: str, damage: str) -> None:
    path = Path(project, ".memory", ".id")
    kept = path.with_name("elsewhere")
    path.rename(kept)
    if damage == "link":
        path.symlink_to(kept)
    assert "STATE-FACT" not in told(paths, project)


def test_a_link_in_place_of_a_store_is_not_followed(
    paths: Paths, project: str, repository: Callable[[str], str]
) -> None:
    other = repository("other")
    os.symlink(os.path.join(project, ".memory"), os.path.join(other, ".memory"))
    text = told(paths, other)
    assert "not followed" in text
    assert "STATE-FACT" not in text
    moved = os.path.join(project, "moved")
    os.rename(os.path.join(project, ".memory"), moved)
    os.symlink(moved, os.path.join(project, ".memory"))
    assert "STATE-FACT" not in told(paths, project)


def test_odd_files_are_left_out_and_named(paths: Paths, project: str, tmp_path: Path) -> None:
    memory = Path(project, ".memory")
    secret = tmp_path / "secret"
    secret.write_text("## S\n\nHOME-SECRET\n")
    (memory / "state.md").unlink()
    (memory / "state.md").symlink_to(secret)
    (memory / "decisions.md").unlink()
    os.mkfifo(memory / "decisions.md")
    (memory / "mistakes.md").write_bytes(b"## A\n\n" + b"x" * (1 << 20))
    text = told(paths, project)
    assert "HOME-SECRET" not in text
    assert "TODO-FACT" in text
    for name in ("state.md", "decisions.md", "mistakes.md"):
        assert f"{memory}/{name} is left out: " in text


def test_a_missing_file_and_bytes_that_are_no_text_are_no_failure(
    paths: Paths, project: str
) -> None:
    memory = Path(project, ".memory")
    (memory / "decisions.md").unlink()
    (memory / "state.md").write_bytes(b"## A\n\n\xff\xfe STATE-FACT\n")
    text = told(paths, project)
    assert "� STATE-FACT" in text
    assert "left out" not in text


def test_a_project_whose_store_is_gone_is_told_nothing(paths: Paths, project: str) -> None:
    shutil.rmtree(os.path.join(project, ".memory"))
    assert told(paths, project) == ""


# --- repositories that are new ----------------------------------------------------------


def test_a_new_repository_is_taken_in_and_says_so_once(
    paths: Paths, repository: Callable[[str], str]
) -> None:
    root = repository("new")
    text = told(paths, root)
    assert text.startswith(f"{brief.BEGIN}\nmemd now remembers this project ({root}).")
    assert os.path.isdir(os.path.join(root, ".memory"))
    assert told(paths, root) == ""


def test_a_project_that_the_sweep_took_in_is_greeted_at_its_first_session(
    env: dict[str, str], paths: Paths, repository: Callable[[str], str]
) -> None:
    root = repository("new")
    onboard.adopt(runtime.build(env), root)
    assert asked(paths, root) == ""
    assert "now remembers" in told(paths, root)
    assert told(paths, root) == ""


def test_a_project_without_git_is_greeted_too(
    env: dict[str, str], paths: Paths, tmp_path: Path
) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    onboard.init(runtime.build(env), str(place))
    registry.update(paths, str(place), greet=True)
    assert "now remembers" in told(paths, str(place))


def test_a_person_who_asks_changes_nothing(paths: Paths, repository: Callable[[str], str]) -> None:
    root = repository("new")
    assert asked(paths, root) == ""
    assert not os.path.exists(os.path.join(root, ".memory"))
    assert not os.path.exists(paths.registry)


def test_nothing_is_taken_in_where_that_is_switched_off(
    paths: Paths, repository: Callable[[str], str]
) -> None:
    configure(paths, '{"auto_scaffold": false}')
    root = repository("new")
    assert told(paths, root) == ""
    assert not os.path.exists(os.path.join(root, ".memory"))


def test_a_home_under_git_is_not_taken_in(env: dict[str, str], paths: Paths) -> None:
    home = env["HOME"]
    subprocess.run(["git", "init", "-q", home], check=True, env=env)
    below = os.path.join(home, "scratch")
    os.mkdir(below)
    assert told(paths, below) == ""
    assert not os.path.exists(os.path.join(home, ".memory"))
    with_global(env)
    assert "GENERAL-FACT" in told(paths, below)


def test_a_linked_worktree_shares_the_store(paths: Paths, project: str, tmp_path: Path) -> None:
    tree = str(tmp_path / "tree")
    add = ["git", "-C", project, "worktree", "add", "-q", "-b", "x", tree]
    subprocess.run(add, check=True, capture_output=True)
    assert "STATE-FACT" in told(paths, tree)
    link = os.path.join(tree, ".memory")
    assert os.readlink(link) == os.path.join(project, ".memory")
    assert "STATE-FACT" in told(paths, tree)


def test_a_project_that_moved_is_found_again(paths: Paths, project: str, tmp_path: Path) -> None:
    moved = str(tmp_path / "moved")
    os.rename(project, moved)
    assert "STATE-FACT" in told(paths, moved)
    assert registry.read(paths).entries[moved].former == (project,)


# --- configuration -----------------------------------------------------------------------


def test_an_invalid_configuration_is_named_and_the_last_valid_one_is_used(
    paths: Paths, project: str
) -> None:
    configure(paths, '{"brief_chars": "many", "exclude": 3}')
    with pytest.raises(ConfigError) as caught:
        loader.load(paths)
    first, second = caught.value.problems
    for text in (told(paths, project), asked(paths, project)):
        assert "STATE-FACT" in text
        assert first in text
        assert second not in text
        assert "memd config check" in text
        assert "last valid" in text


def test_without_any_valid_configuration_a_session_is_told_just_that(
    paths: Paths, repository: Callable[[str], str]
) -> None:
    configure(paths, "{")
    root = repository("new")
    text = told(paths, root)
    assert len(text.splitlines()) == 3
    assert f"{paths.config_file}: line 1" in text
    assert not os.path.exists(os.path.join(root, ".memory"))
    with pytest.raises(ConfigError):
        asked(paths, root)


def test_a_new_configuration_is_in_force_at_once(paths: Paths, project: str) -> None:
    assert "STATE-FACT" in told(paths, project)
    configure(paths, '{"brief_chars": 0}')
    assert told(paths, project) == ""
    assert snapshot.read(paths).brief_chars == 0


def test_a_state_folder_that_cannot_be_written_does_not_stop_the_brief(
    paths: Paths, project: str
) -> None:
    registry.update(paths, project, greet=True)
    os.mkdir(f"{paths.registry}.bak.new")
    shutil.rmtree(paths.snapshots)
    Path(paths.snapshots).write_text("in the way")
    text = told(paths, project)
    assert "STATE-FACT" in text
    assert "now remembers" in text
    assert "will be greeted again" in Path(paths.log).read_text()


def test_a_repository_that_cannot_be_taken_in_is_named_in_the_log(
    paths: Paths, repository: Callable[[str], str]
) -> None:
    root = repository("new")
    Path(root, ".git", "info").mkdir(exist_ok=True)
    shutil.rmtree(os.path.join(root, ".git", "info"))
    Path(root, ".git", "info").write_text("in the way")
    assert told(paths, root) == ""
    assert f"{root}: not taken in: " in Path(paths.log).read_text()


@pytest.mark.parametrize("lock", ["onboard.lock", "registry.json.lock"])
def test_a_session_does_not_wait_for_who_holds_a_lock(
    paths: Paths, repository: Callable[[str], str], lock: str
) -> None:
    root = repository("new")
    os.makedirs(paths.state)
    with locks.held(paths.in_state(lock), wait=True):
        assert session_slow.take_in(paths, Call(root, "s1"), patience=0.2) == ()
    assert "not done after 0.2 s" in Path(paths.log).read_text()
    assert "now remembers" in told(paths, root)


def test_a_greeting_waits_for_a_valid_configuration(paths: Paths, project: str) -> None:
    assert told(paths, project)
    registry.update(paths, project, greet=True)
    configure(paths, "{")
    assert "now remembers" not in told(paths, project)
    configure(paths, "{}")
    assert "now remembers" in told(paths, project)


# --- limits --------------------------------------------------------------------------------


def test_a_hook_never_says_more_than_the_client_shows(paths: Paths, project: str) -> None:
    configure(paths, '{"brief_chars": 100000}')
    with open(os.path.join(project, ".memory", "state.md"), "a", encoding="utf-8") as file:
        file.write("\n## Long\n\n" + "\N{GRINNING FACE} line\n" * 9000)
    text = told(paths, project)
    assert 9000 < brief.units(text) <= session_start.HOOK_LIMIT
    assert brief.units(asked(paths, project)) > session_start.HOOK_LIMIT


def test_a_limit_of_a_person_holds_for_all_that_is_printed(paths: Paths, project: str) -> None:
    whole = asked(paths, project)
    for limit in range(1, len(whole) + 2, 37):
        assert len(asked(paths, project, max_chars=limit) + "\n") <= max(limit, 1)
    with open(os.path.join(project, ".memory", "state.md"), "a", encoding="utf-8") as file:
        file.write("\n## Long\n\n" + "a line\n" * 9000)
    assert len(asked(paths, project, max_chars=0)) > 9000 * len("a line\n")
    assert 3000 < len(asked(paths, project, max_chars=4000)) < 4000


def test_a_person_may_ask_for_a_topic(paths: Paths, project: str) -> None:
    text = asked(paths, project, topic="state-fact")
    assert "STATE-FACT" in text
    assert "TODO-FACT" not in text


def test_decisions_are_recent_for_as_long_as_configured(paths: Paths, project: str) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 40 * 86400))
    with open(os.path.join(project, ".memory", "decisions.md"), "a", encoding="utf-8") as file:
        file.write(f"\n### {day} - OLD-DECISION\n\nx\n")
    assert "OLD-DECISION" not in told(paths, project)
    for days in (60, 36_500):
        configure(paths, f'{{"brief_decisions_days": {days}}}')
        assert "OLD-DECISION" in told(paths, project)
