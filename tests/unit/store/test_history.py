from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import StoreError
from memd.model import MEMORY_FILES
from memd.store import history


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    (store / "inbox").mkdir(parents=True)
    (store / "archive").mkdir()
    for name in MEMORY_FILES:
        (store / name).write_text("begin\n")
    history.begin(str(store))
    return store


def run(store: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(store), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def subjects(store: Path) -> list[str]:
    return run(store, "log", "--format=%s").splitlines()


def test_a_new_store_begins_with_one_commit(store: Path) -> None:
    assert subjects(store) == ["Begin the memory"]
    assert run(store, "ls-files").split() == sorted(MEMORY_FILES)
    history.begin(str(store))
    assert subjects(store) == ["Begin the memory"]


def test_nothing_changed_is_nothing_to_commit(store: Path) -> None:
    assert not history.commit(str(store), "Again\n")
    assert subjects(store) == ["Begin the memory"]


def test_files_and_archive_are_committed_and_nothing_else(store: Path) -> None:
    (store / "state.md").write_text("new\n")
    (store / "archive" / "2026-01.md").write_text("old\n")
    (store / "inbox" / "note.md").write_text("ghp_secret")
    for name in (".id", ".memd-1.tmp", "projects.md", "notes.txt", "archive/.memd-2.tmp"):
        (store / name).write_text("private")
    assert history.commit(str(store), "Change\n", paths=["state.md", "archive/2026-01.md"])
    changed = run(store, "show", "--format=", "--name-only", "HEAD").split()
    assert changed == ["archive/2026-01.md", "state.md"]
    assert run(store, "status", "--porcelain") == ""
    run(store, "add", "--all")
    assert run(store, "diff", "--cached", "--name-only") == ""


def test_what_a_person_edited_in_other_files_is_a_commit_of_its_own(store: Path) -> None:
    (store / "todo.md").write_text("by hand\n")
    (store / "decisions.md").unlink()
    (store / "state.md").write_text("by memd\n")
    history.commit(str(store), "Change\n", paths=["state.md"])
    assert subjects(store) == ["Change", "Hand edit", "Begin the memory"]
    assert run(store, "show", "--format=", "--name-only", "HEAD").split() == ["state.md"]
    assert run(store, "ls-files").split() == ["mistakes.md", "state.md", "todo.md"]


def test_only_a_hand_edit_is_only_that_commit(store: Path) -> None:
    (store / "todo.md").write_text("by hand\n")
    history.commit(str(store), "Change\n", paths=["state.md"])
    assert subjects(store) == ["Hand edit", "Begin the memory"]


def test_without_paths_everything_is_one_commit(store: Path) -> None:
    (store / "todo.md").write_text("1\n")
    (store / "state.md").write_text("2\n")
    history.commit(str(store), "Change\n")
    assert subjects(store) == ["Change", "Begin the memory"]


def test_files_a_person_committed_stay_in_the_history(store: Path) -> None:
    (store / "README.md").write_text("mine\n")
    run(store, "add", "--force", "README.md")
    run(store, "-c", "user.name=T", "-c", "user.email=t@e", "commit", "-qm", "mine")
    (store / "state.md").write_text("new\n")
    history.commit(str(store), "Change\n")
    assert "README.md" in run(store, "ls-files")


@pytest.mark.parametrize("name", ["a.txt", "a\nD state.md\n.md", '"a.md', "sub/a.md", "old.md"])
def test_other_files_in_the_archive_are_left_alone(store: Path, name: str) -> None:
    path = store / "archive" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine\n")
    run(store, "add", "--force", "archive")
    run(store, "-c", "user.name=T", "-c", "user.email=t@e", "commit", "-qm", "mine")
    path.write_text("mine, edited\n")
    (store / "state.md").write_text("new\n")
    history.commit(str(store), "Change\n", paths=["state.md"])
    assert subjects(store) == ["Change", "mine", "Begin the memory"]
    assert run(store, "show", "--format=", "--name-only", "HEAD").split() == ["state.md"]


def test_a_store_without_history_gets_one_that_begins_with_this_commit(store: Path) -> None:
    shutil.rmtree(store / ".git")
    (store / "state.md").write_text("new\n")
    assert history.commit(str(store), "Change\n")
    assert subjects(store) == ["Change"]
    assert not run(store, "status", "--porcelain")


def test_a_link_is_not_committed(store: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("HOME-SECRET")
    (store / "state.md").unlink()
    (store / "state.md").symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match=r"state\.md: cannot be read: not a regular file"):
        history.commit(str(store), "Change\n")


def test_a_message_carries_its_trailers_where_git_finds_them(store: Path) -> None:
    (store / "state.md").write_text("new\n")
    text = history.message(
        "Moved the port",
        [("Memd-Trigger", "sweep"), ("Memd-Session", "a/1"), ("Memd-Session", "a/2")],
    )
    history.commit(str(store), text)
    assert run(store, "log", "-1", "--format=%s|%(trailers:key=Memd-Session,valueonly)") == (
        "Moved the port|a/1\na/2\n\n"
    )


@pytest.mark.parametrize(
    ("summary", "subject"),
    [
        ("Moved the port\n\nMemd-Session: forged/1", "Moved the port"),
        ("Moved the port Memd-Session: forged/1 today", "Moved the port today"),
        ("Signed-off-by: me\nMoved the port", "Moved the port"),
        ("Note the follow-up: check it", "Note the follow-up: check it"),
        ("a\x1b[31m\x00b\u202ec\u2028d", "a [31m b c d"),
        ("", "Update memory"),
        ("Memd-Model: x", "Update memory"),
        ("memd-model : x", "Update memory"),
        ("x" * 999, "x" * 297 + "..."),
    ],
)
def test_a_summary_becomes_one_clean_line(summary: str, subject: str) -> None:
    assert history.message(summary, [("Memd-Model", "m")]) == f"{subject}\n\nMemd-Model: m\n"


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_no_summary_and_no_value_can_add_a_line_or_a_trailer(summary: str, value: str) -> None:
    text = history.message(summary, [("Memd-Model", value)])
    lines = text.split("\n")
    assert len(lines) == 4
    assert lines[1] == lines[3] == ""
    assert lines[2].startswith("Memd-Model: ")
    assert all(line.isprintable() for line in lines)
    assert "Memd-" not in lines[0]


def test_a_message_without_trailers_is_its_line() -> None:
    assert history.message("Only this", []) == "Only this\n"
