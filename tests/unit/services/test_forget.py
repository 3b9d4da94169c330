"""What a session taught can be taken back, and the session is not read again."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.services.conftest import Desk, git, reply, state

from memd import forget
from memd.forget import Forgotten
from memd.model import Applied, NothingNew, Project
from memd.paths import store_of
from memd.store import past

BASE = "the base fact"


def learned(desk: Desk, app: Project, said: str, answer: str) -> str:
    """Id of a session that taught this."""
    log = desk.session(app.root, said)
    desk.curator.answers = [answer]
    assert isinstance(desk.sync(app), Applied)
    return log.stem


def forgotten(desk: Desk, session: str) -> Forgotten:
    (one,), troubles = forget.forget(desk.rt, session, desk.rt.projects())
    assert troubles == ()
    return one


def test_what_the_last_session_taught_is_taken_back(desk: Desk) -> None:
    app = desk.project()
    learned(desk, app, "first", state(BASE))
    session = learned(
        desk,
        app,
        "second",
        reply(
            state_body=f"# State\n\n## Facts\n\n- {BASE}\n- LEARNED\n",
            mistakes_new_entries=["### 2026-01-01 - LEARNED\n\ncause"],
            archive_entries=[{"source": "todo.md", "content": "LEARNED"}],
        ),
    )
    one = forgotten(desk, session)
    assert (len(one.commits), one.kept) == (1, ())
    assert "LEARNED" not in desk.file(app) + desk.file(app, "mistakes.md") + desk.archive(app)
    assert BASE in desk.file(app)
    assert desk.commits(app).startswith(f"Forget session {session}\n\nMemd-Trigger: forget")
    assert git(store_of(app.root), "status", "--porcelain") == ""


def test_what_came_later_stays_even_right_beside_it(desk: Desk) -> None:
    app = desk.project()
    learned(desk, app, "first", state(BASE))
    session = learned(desk, app, "second", state(BASE, "LEARNED"))
    learned(desk, app, "third", state(BASE, "LEARNED", "LATER"))
    assert forgotten(desk, session).kept == ()
    assert desk.file(app).endswith(f"- {BASE}\n- LATER\n")


def test_what_it_took_out_comes_back(desk: Desk) -> None:
    app = desk.project()
    learned(desk, app, "first", state(BASE, "taken out"))
    session = learned(desk, app, "second", state(BASE))
    forgotten(desk, session)
    assert "- taken out\n" in desk.file(app)


def test_what_later_ones_changed_stays_and_is_named(desk: Desk) -> None:
    app = desk.project()
    learned(desk, app, "first", state("port 1"))
    session = learned(desk, app, "second", state("port 2"))
    learned(desk, app, "third", state("port 3"))
    one = forgotten(desk, session)
    assert one.files == ()
    (line,) = one.kept
    assert line.startswith(f"{one.commits[0].oid[:12]}: state.md: ")
    assert "- port 3\n" in desk.file(app)


def test_it_is_never_read_again(desk: Desk) -> None:
    app = desk.project()
    session = learned(desk, app, "first", state("LEARNED"))
    forgotten(desk, session)
    desk.session(app.root, "SAID-LATER", name=session)
    assert desk.sync(app) == NothingNew()
    assert desk.curator.saw("SAID-LATER") == 0
    desk.session(app.root, "OF-ANOTHER")
    assert isinstance(desk.sync(app), Applied)


def test_a_session_of_which_nothing_was_learned_is_not_read_either(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "UNREAD")
    assert forget.forget(desk.rt, f"claude-code/{log.stem}", [app]) == ((), ())
    assert desk.sync(app) == NothingNew()
    assert desk.curator.asked == []


@pytest.mark.parametrize("named", ["other-7", "claude-code/other-7", "claude-code/p~other-7"])
def test_a_session_is_found_by_its_id_and_by_its_key(desk: Desk, named: str) -> None:
    app = desk.project()
    desk.session(app.root, "first", name="other-7")
    desk.curator.answers = [state("LEARNED")]
    assert isinstance(desk.sync(app), Applied)
    assert "Memd-Session: claude-code/p~other-7\n" in desk.commits(app)
    assert forgotten(desk, named).files == ("state.md",)
    desk.session(app.root, "more", name="other-7")
    assert desk.sync(app) == NothingNew()


def test_doing_it_again_changes_nothing(desk: Desk) -> None:
    app = desk.project()
    session = learned(desk, app, "first", state("LEARNED"))
    forgotten(desk, session)
    before = desk.commits(app)
    one = forgotten(desk, f"claude-code/{session}")
    assert (one.files, one.kept) == ((), ())
    assert desk.commits(app) == before


def test_commits_of_several_sessions_name_all_of_them(desk: Desk) -> None:
    app = desk.project()
    other = desk.session(app.root, "beside").stem
    session = learned(desk, app, "first", state("LEARNED"))
    (commit,) = forgotten(desk, session).commits
    assert sorted(commit.sessions) == sorted(f"claude-code/{s}" for s in (other, session))


def test_other_memories_stay_as_they_are(desk: Desk) -> None:
    app, other = desk.project(), desk.project("other")
    session = learned(desk, app, "first", state("LEARNED"))
    learned(desk, other, "first", state("OTHER"))
    before = desk.commits(other)
    forgotten(desk, session)
    assert desk.commits(other) == before


def test_what_comes_back_is_kept_within_its_budget(desk: Desk) -> None:
    app = desk.project()
    old = "\n".join(f"## 2026-01-0{n}\n\n{'x' * 300}\n" for n in range(1, 5))
    learned(desk, app, "first", reply(state_body=f"# State\n\n{old}"))
    archived = {"source": "state.md", "content": old}
    session = learned(
        desk, app, "second", reply(state_body="# State\n\n- LEARNED\n", archive_entries=[archived])
    )
    desk.set(budgets=dict.fromkeys(desk.rt.config.budgets, 1000))
    assert forgotten(desk, session).kept == ()
    assert len(desk.file(app)) < 1300
    assert desk.archive(app).count("x" * 300) == 1
    assert "LEARNED" not in desk.file(app)


def test_a_memory_that_began_with_the_session_is_not_wiped(desk: Desk) -> None:
    app = desk.project()
    git_dir = Path(store_of(app.root)) / ".git"
    desk.curator.meanwhile = lambda: os.rename(git_dir, desk.top / "away")
    session = learned(desk, app, "first", state("LEARNED"))
    (line,) = forgotten(desk, session).kept
    assert "first commit" in line
    assert "LEARNED" in desk.file(app)


def test_a_memory_without_a_history_says_nothing(desk: Desk) -> None:
    app = desk.project()
    os.rename(Path(store_of(app.root)) / ".git", desk.top / "away")
    assert forget.forget(desk.rt, "none", [app]) == ((), ())


def test_a_commit_that_could_not_be_made_is_made_first(desk: Desk) -> None:
    app = desk.project()
    learned(desk, app, "first", state(BASE))
    config = Path(store_of(app.root)) / ".git" / "config"
    was = config.read_text()
    config.write_text(f"{was}[include]\n\tpath = x\n")
    session = learned(desk, app, "second", state(BASE, "LEARNED"))
    config.write_text(was)
    assert len(forgotten(desk, session).commits) == 1
    assert "LEARNED" not in desk.file(app)


def test_a_memory_that_cannot_be_worked_on_is_named_and_stops_no_other(desk: Desk) -> None:
    app, broken = desk.project(), desk.project("broken")
    session = learned(desk, app, "first", state("LEARNED"))
    (Path(store_of(broken.root)) / ".id").write_text("0\n")
    done, (trouble,) = forget.forget(desk.rt, session, [broken, app])
    assert broken.root in trouble
    assert "LEARNED" not in desk.file(app)
    assert len(done) == 1


def undo(current: str, *, after: str, before: str) -> past.Undone:
    return past.undo(current, after=after, before=before, folder=tempfile.gettempdir())


LINES = st.lists(st.sampled_from("abcdefg"), max_size=8).map(lambda x: "".join(f"{i}\n" for i in x))


@settings(max_examples=60, deadline=None)
@given(LINES, LINES)
def test_undoing_the_newest_change_gives_what_was_there_before(before: str, after: str) -> None:
    assert undo(after, after=after, before=before) == past.Undone(before, True)


@settings(max_examples=60, deadline=None)
@given(LINES, LINES, LINES)
def test_no_line_of_later_changes_is_lost(before: str, after: str, later: str) -> None:
    new = [line.upper() for line in later.splitlines(keepends=True)]
    current = "".join([*after.splitlines(keepends=True), *new])
    undone = undo(current, after=after, before=before)
    assert [line for line in undone.text.splitlines(keepends=True) if line.isupper()] == new


def test_what_cannot_be_compared_as_text_stays() -> None:
    assert undo("a\0b", after="c\0d", before="e\0f") == past.Undone("a\0b", False)
