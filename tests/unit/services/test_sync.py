from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from unit.services.conftest import NOTHING, Desk, git, record, reply, state

from memd import health, inbox, locks, marks, onboard
from memd.errors import BackendError, UnusableReply
from memd.marks import Request
from memd.model import Applied, Busy, Failed, NothingNew, Project, Waiting
from memd.paths import store_of
from memd.state import backend, ledger, registry
from memd.strikes import MOST_CALLS, STRIKES
from memd.sync import preview

LOST = "no JSON at all"


def note(desk: Desk, project: Project, text: str) -> str:
    return inbox.publish(store_of(project.root), text, now=time.time())


def test_a_session_becomes_memory_and_a_commit_that_names_it(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "the api listens on 9090")
    desk.curator.answers = [state("the api listens on 9090")]
    outcome = desk.sync(app, "session-end", transcripts=(str(log),))
    assert outcome == Applied(("learned",), pending=False)
    assert "listens on 9090" in desk.file(app)
    commit = desk.commits(app).split("\0")[0]
    assert commit.startswith("learned\n")
    for trailer in ("Trigger: session-end", "Model: sonnet", f"Session: claude-code/{log.stem}"):
        assert f"\nMemd-{trailer}\n" in commit


def test_nothing_new_asks_nobody(desk: Desk) -> None:
    app = desk.project()
    assert desk.sync(app) == NothingNew()
    desk.session(app.root, "hello")
    desk.sync(app)
    assert desk.sync(app) == NothingNew()
    assert len(desk.curator.asked) == 1


def test_sessions_before_init_are_taken_as_read(desk: Desk) -> None:
    root = desk.repository("app")
    log = desk.session(root, "HISTORY")
    app = desk.rt.project(onboard.init(desk.rt, root).root)
    desk.session(root, "NEWS", name=log.stem)
    desk.sync(app)
    assert (desk.curator.saw("HISTORY"), desk.curator.saw("NEWS")) == (0, 1)


def test_a_backlog_is_worked_off_in_passes_that_lose_and_repeat_nothing(desk: Desk) -> None:
    app = desk.project()
    facts = [f"FACT-{n}-" for n in range(30)]
    for n in range(0, 30, 10):
        desk.session(app.root, *(f"{fact} {'w' * 200}" for fact in facts[n : n + 10]))
    desk.set(digest_cap_chars=1000, max_passes=3)
    first = desk.sync(app)
    assert isinstance(first, Applied)
    assert (len(first.summaries), first.pending) == (3, True)
    while not isinstance(desk.sync(app), NothingNew):
        pass
    assert [desk.curator.saw(fact) for fact in facts] == [1] * 30


def test_a_failed_distill_consumes_nothing(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "PRECIOUS")
    note(desk, app, "a note")
    desk.curator.answers = [LOST]
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert outcome.exit_code == 3
    assert len(desk.curator.asked) == 3
    assert desk.slept == [3.0, 7.0]
    assert len(inbox.waiting(store_of(app.root))) == 1
    assert desk.ledger(app).last.outcome == "failed"
    desk.curator.answers = [state("PRECIOUS")]
    while isinstance(desk.sync(app), Applied):
        pass
    assert "PRECIOUS" in desk.file(app)
    assert len(inbox.waiting(store_of(app.root))) == 0
    assert health.report(desk.rt, version="1").problems == ()


def test_a_reply_that_breaks_a_guard_is_a_failure(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    desk.curator.answers = [reply(state_body="# State\n\n## A\n\n[rest unchanged]\n")]
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert outcome.exit_code == 3
    assert "rest unchanged" not in desk.file(app)


@pytest.mark.parametrize(("passing", "calls"), [(True, 3), (False, 1)])
def test_a_backend_that_fails_is_asked_again_only_if_that_may_help(
    desk: Desk, passing: bool, calls: int
) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    desk.curator.answers = [BackendError("down", passing=passing)]
    assert desk.sync(app) == Failed("down", 3)
    assert len(desk.curator.asked) == calls
    assert desk.ledger(app).strikes.calls == 0


def test_the_daily_limit_makes_what_is_new_wait(desk: Desk) -> None:
    app = desk.project()
    desk.set(max_distills_per_day=1)
    desk.session(app.root, "ONE")
    desk.sync(app)
    desk.session(app.root, "TWO")
    outcome = desk.sync(app)
    assert isinstance(outcome, Waiting)
    assert "max_distills_per_day" in outcome.reason
    desk.at(time.time() + 86400)
    assert isinstance(desk.sync(app), Applied)
    assert desk.curator.saw("TWO") == 1


def test_noise_moves_the_marker_without_a_call(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root)
    log.write_text(json.dumps(record(app.root, log.stem, "x", isMeta=True)) + "\n")
    assert desk.sync(app) == NothingNew()
    assert desk.curator.asked == []
    assert len(desk.ledger(app).cursors) == 1


def test_a_format_nobody_knows_keeps_its_marker_and_is_reported(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root)
    line = json.dumps(record(app.root, log.stem, "PRECIOUS", type="utterance"))
    log.write_text(line + "\n")
    for _ in range(2):
        assert desk.sync(app) == NothingNew()
    assert desk.ledger(app).cursors == {}
    problems = health.report(desk.rt, version="1").problems
    assert any(
        p.startswith(f"ingestion  : {len(line) + 1} bytes read since 20")
        and "nothing usable extracted." in p
        for p in problems
    )
    log.write_text(line.replace("utterance", "user") + "\n")
    desk.sync(app)
    assert desk.curator.saw("PRECIOUS") == 1
    assert health.report(desk.rt, version="1").problems == ()


def test_many_unknown_records_among_known_ones_are_a_problem(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "hello")
    with log.open("a") as file:
        for _ in range(3):
            file.write(json.dumps(record(app.root, log.stem, "x", type="novel")) + "\n")
    desk.sync(app)
    (problem,) = health.report(desk.rt, version="1").problems
    assert "3 of 4 records of claude-code are of unknown type (novel)" in problem


def test_a_project_excluded_while_the_curator_thinks_is_not_written(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "PRIVATE")
    desk.curator.answers = [state("learned")]
    desk.curator.meanwhile = lambda: registry.exclude(desk.rt.paths, app.root, undo=False)
    outcome = desk.sync(app)
    assert isinstance(outcome, Waiting)
    assert "was excluded meanwhile" in outcome.reason
    assert "learned" not in desk.file(app)


def test_an_exclusion_during_a_run_ends_all_further_calls(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "PRIVATE")
    desk.curator.answers = [BackendError("overloaded")]
    desk.curator.meanwhile = lambda: registry.exclude(desk.rt.paths, app.root, undo=False)
    assert isinstance(desk.sync(app), Waiting)
    assert desk.sync(app) == NothingNew()
    assert len(desk.curator.asked) == 1


def test_a_record_that_would_write_elsewhere_is_moved_aside(desk: Desk) -> None:
    app = desk.project()
    path = Path(ledger.pending_path(desk.rt.paths, app.root))
    path.parent.mkdir(exist_ok=True)
    change = {"path": "../x", "old_sha": "", "new_sha": "", "text": "t"}
    path.write_text(json.dumps({"format": 1, "id": "a", "changes": [change]}))
    desk.session(app.root, "hello")
    assert isinstance(desk.sync(app), Applied)
    assert not path.exists()


def test_a_session_named_after_a_secret_does_not_name_it_in_a_commit(desk: Desk) -> None:
    app = desk.project()
    secret = "ghp_" + "a1B2" * 9
    desk.session(app.root, "hello", name=secret)
    desk.curator.answers = [state("learned")]
    desk.sync(app)
    assert secret not in desk.commits(app)
    assert "Memd-Session: claude-code/p~[REDACTED:github_pat]" in desk.commits(app)
    assert desk.sync(app) == NothingNew()


def test_more_notes_than_one_pass_reads_are_all_read(desk: Desk) -> None:
    app = desk.project()
    for number in range(inbox.MAX_NOTES + 1):
        (Path(store_of(app.root)) / "inbox" / f"{number:04}.md").write_text(f"fact {number}.")
    desk.set(digest_cap_chars=10_000_000, max_passes=1)
    outcome = desk.sync(app)
    assert isinstance(outcome, Applied)
    assert outcome.pending
    assert isinstance(desk.sync(app), Applied)
    assert inbox.waiting(store_of(app.root)) == ()


def test_exactly_the_notes_that_were_read_are_deleted(desk: Desk) -> None:
    app = desk.project()
    first = note(desk, app, "NOTE-ONE")
    later: list[str] = []
    desk.curator.meanwhile = lambda: later.append(note(desk, app, "NOTE-TWO"))
    desk.set(max_passes=1)
    desk.sync(app)
    assert not os.path.exists(first)
    assert os.path.exists(later[0])
    desk.curator.meanwhile = lambda: None
    desk.sync(app)
    assert [desk.curator.saw(f"NOTE-{n}") for n in ("ONE", "TWO")] == [1, 1]
    assert len(inbox.waiting(store_of(app.root))) == 0


def test_a_note_too_long_to_show_goes_whole_to_the_archive(desk: Desk) -> None:
    app = desk.project()
    note(desk, app, "BEGIN " + "word " * 2000 + "END-OF-NOTE")
    desk.sync(app)
    assert "END-OF-NOTE" in desk.archive(app)
    assert desk.archive(app).count("word") == 2000


def test_notes_fill_the_cap_over_several_passes(desk: Desk) -> None:
    app = desk.project()
    for n in range(12):
        note(desk, app, f"NOTE-{n}- {'w' * 300}")
    desk.set(digest_cap_chars=1000, max_passes=20)
    desk.sync(app)
    assert [desk.curator.saw(f"NOTE-{n}-") for n in range(12)] == [1] * 12
    assert max(map(len, desk.curator.asked)) < 4000


def test_an_edit_by_hand_while_the_curator_thinks_survives(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    path = Path(app.root) / ".memory" / "mistakes.md"

    def edit() -> None:
        desk.curator.meanwhile = lambda: None
        path.write_text(path.read_text() + "\n### 2026-01-02 - BY-HAND\n\ncause\n")

    desk.curator.meanwhile = edit
    desk.curator.answers = [reply(mistakes_new_entries=["### 2026-01-01 - MODEL\n\ncause"])]
    assert isinstance(desk.sync(app), Applied)
    assert "BY-HAND" in path.read_text()
    assert path.read_text().count("MODEL") == 1
    assert desk.curator.saw("BY-HAND") == 1


def test_endless_edits_end_the_sync_and_lose_nothing(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    path = Path(app.root) / ".memory" / "state.md"
    desk.curator.meanwhile = lambda: path.write_text(path.read_text() + "\nBY-HAND\n") and None
    desk.curator.answers = [state("fact")]
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert "edited over and over" in outcome.error
    assert outcome.exit_code == 3
    assert path.read_text().count("BY-HAND") == len(desk.curator.asked)
    desk.curator.meanwhile = lambda: None
    assert isinstance(desk.sync(app), Applied)


def poisoned(desk: Desk, poison: str) -> None:
    """From now on a prompt that holds the poison has no usable answer."""

    def think() -> None:
        desk.curator.answers = [LOST if poison in desk.curator.asked[-1] else NOTHING]

    desk.curator.meanwhile = think


def test_a_poison_span_is_narrowed_down_set_aside_and_taken_up_again(desk: Desk) -> None:
    app = desk.project()
    texts = [f"FACT-{n}-" for n in range(16)]
    texts[11] = "POISON"
    desk.session(app.root, *(f"{text} {'w' * 100}" for text in texts))
    poisoned(desk, "POISON")
    calls = []
    for _ in range(2 * MOST_CALLS):
        before = len(desk.curator.asked)
        desk.sync(app)
        calls.append(len(desk.curator.asked) - before)
        if desk.ledger(app).aside:
            break
    assert calls[0] == STRIKES
    assert set(calls[1:]) == {1}
    problems = "".join(health.report(desk.rt, version="1").problems)
    assert "was set aside" in problems
    for _ in range(3):
        desk.sync(app)
    assert all(desk.curator.saw(text) for text in texts)
    desk.curator.meanwhile = lambda: None
    desk.curator.answers = [NOTHING]
    desk.curator.asked.clear()
    desk.sync(app, retry=True)
    assert desk.curator.saw("POISON") == 1
    assert desk.curator.saw("FACT-15-") == 0
    assert desk.ledger(app).aside == ()


def test_no_more_calls_than_allowed_go_into_one_bad_span(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, *(f"text {n} {'w' * 60}" for n in range(2000)))
    desk.curator.answers = [LOST]
    while not desk.ledger(app).aside:
        desk.sync(app)
    assert len(desk.curator.asked) <= MOST_CALLS


def test_a_session_that_a_person_names_is_read_although_it_is_from_before(desk: Desk) -> None:
    root = desk.repository("app")
    old, other = desk.session(root, "OLD"), desk.session(root, "OTHER")
    app = desk.rt.project(onboard.init(desk.rt, root).root)
    desk.sync(app, "session-end", transcripts=(str(old),), rest="quiet")
    assert desk.curator.saw("OLD") == 0
    desk.sync(app, transcripts=(str(old),), rest="quiet")
    desk.sync(app, transcripts=(str(old),), rest="quiet")
    assert (desk.curator.saw("OLD"), desk.curator.saw("OTHER")) == (1, 0)
    assert other.exists()


def test_a_poison_note_is_set_aside_too(desk: Desk) -> None:
    app = desk.project()
    note(desk, app, "POISON")
    desk.curator.answers = [LOST]
    for _ in range(MOST_CALLS):
        desk.sync(app)
    assert len(desk.curator.asked) <= MOST_CALLS
    assert len(inbox.waiting(store_of(app.root))) == 1
    assert desk.sync(app) == NothingNew(("set aside: 1; memd status says why",))
    assert desk.sync(app, "sweep") == NothingNew()
    desk.curator.answers = [NOTHING]
    assert isinstance(desk.sync(app, retry=True), Applied)
    assert len(inbox.waiting(store_of(app.root))) == 0


def test_a_damaged_store_costs_no_call_and_sets_nothing_aside(desk: Desk) -> None:
    app = desk.project()
    path = Path(app.root) / ".memory" / "state.md"
    whole = path.read_text()
    path.write_text(whole.partition("# State")[2])
    desk.session(app.root, "PATIENT")
    for _ in range(5):
        outcome = desk.sync(app)
        assert isinstance(outcome, Failed)
        assert "state.md: has no valid frontmatter" in outcome.error
    assert desk.curator.asked == []
    path.write_text(whole)
    assert isinstance(desk.sync(app), Applied)
    assert desk.curator.saw("PATIENT") == 1


def test_a_second_sync_leaves_at_once_and_its_trigger_is_served(desk: Desk) -> None:
    app = desk.project()
    first = desk.session(app.root, "ONE")
    thinking, go_on = threading.Event(), threading.Event()

    def think() -> None:
        desk.curator.meanwhile = lambda: None
        thinking.set()
        assert go_on.wait(30)

    desk.curator.meanwhile = think
    outcomes = []
    request = Request("session-end", (str(first),), "none")
    holder = threading.Thread(
        target=lambda: outcomes.append(desk.sync(app, transcripts=request.transcripts, rest="none"))
    )
    holder.start()
    assert thinking.wait(30)
    second = desk.session(app.root, "TWO")
    assert desk.sync(app, "session-end", transcripts=(str(second),), rest="none") == Busy()
    go_on.set()
    holder.join(30)
    assert isinstance(outcomes[0], Applied)
    assert desk.curator.saw("TWO") == 1
    assert not marks.waiting(desk.rt.paths, app)


def test_a_mark_left_by_a_run_that_died_is_served_by_the_next(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "ONE")
    marks.leave(desk.rt.paths, app, Request("session-end", (str(log),), "none"))
    desk.sync(app, "pre-compact", rest="none")
    assert desk.curator.saw("ONE") == 1


def test_each_trigger_reads_what_it_is_meant_to(desk: Desk) -> None:
    app = desk.project()
    desk.set(quiet_seconds=600)
    now = time.time()
    logs = {
        name: desk.session(app.root, name.upper()) for name in ("busy", "quiet", "future", "named")
    }
    for name, age in (("quiet", 700), ("future", -5000)):
        os.utime(logs[name], (now - age, now - age))
    desk.sync(app, "pre-compact", transcripts=(str(logs["named"]),), rest="none")
    assert [desk.curator.saw(n) for n in ("NAMED", "QUIET", "BUSY", "FUTURE")] == [1, 0, 0, 0]
    desk.sync(app, "sweep", rest="quiet")
    assert [desk.curator.saw(n) for n in ("NAMED", "QUIET", "BUSY", "FUTURE")] == [1, 1, 0, 1]
    desk.sync(app)
    assert desk.curator.saw("BUSY") == 1


def test_a_private_session_is_never_read(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "PRIVATE")
    os.makedirs(desk.rt.paths.private_sessions)
    Path(desk.rt.paths.private_sessions, log.stem).touch()
    desk.sync(app)
    desk.sync(app, transcripts=(str(log),))
    assert desk.curator.asked == []


def test_a_private_session_is_known_by_any_kind_of_id(desk: Desk) -> None:
    app = desk.project()
    os.makedirs(desk.rt.paths.private_sessions)
    for name in ("ABCDEFAB-1111-4111-8111-111111111111", "my-session"):
        log = desk.session(app.root, "PRIVATE", name=name)
        Path(desk.rt.paths.private_sessions, name).touch()
        desk.sync(app, transcripts=(str(log),))
    assert desk.curator.asked == []


def test_records_whose_ids_hash_alike_are_both_read(desk: Desk) -> None:
    app = desk.project()
    ids = ("000002f7-0000-4000-8000-0000000002f7", "000018c0-0000-4000-8000-0000000018c0")
    log = desk.session(app.root)
    for number, record_id in enumerate(ids):
        with log.open("a") as file:
            line = record(app.root, log.stem, f"FACT-{number}", uuid=record_id)
            file.write(json.dumps(line) + "\n")
        desk.sync(app)
    assert [desk.curator.saw(f"FACT-{n}") for n in (0, 1)] == [1, 1]


def test_records_made_in_other_places_go_there_or_nowhere(desk: Desk) -> None:
    app, other = desk.project("app"), desk.project("other")
    shut = desk.repository("shut")
    registry.exclude(desk.rt.paths, shut, undo=False)
    log = desk.session(app.root, "MINE")
    desk.session(other.root, "THEIRS", name=log.stem)
    desk.session(shut, "NOBODYS", name=log.stem)
    desk.session(str(desk.top), "ANYWHERE", name=log.stem)
    desk.sync(app)
    (prompt,) = desk.curator.asked
    assert [text in prompt for text in ("MINE", "THEIRS", "NOBODYS", "ANYWHERE")] == [
        True, False, False, True,
    ]  # fmt: skip
    desk.sync(other)
    assert desk.curator.saw("THEIRS") == 1
    assert desk.curator.saw("MINE") == 1
    assert desk.curator.saw("NOBODYS") == 0


def test_a_fork_is_digested_once(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "SHARED")
    desk.sync(app)
    fork = desk.session(app.root)
    fork.write_text(log.read_text().replace(log.stem, fork.stem))
    desk.session(app.root, "FORKED", name=fork.stem)
    desk.sync(app)
    assert (desk.curator.saw("SHARED"), desk.curator.saw("FORKED")) == (1, 1)


def test_a_session_in_a_worktree_belongs_to_the_main_project(desk: Desk) -> None:
    app = desk.project()
    tree = str(desk.top / "tree")
    git(app.root, "worktree", "add", "-q", tree, "-b", "b")
    desk.session(tree, "IN-TREE")
    desk.sync(app)
    assert desk.curator.saw("IN-TREE") == 1


def test_a_moved_project_keeps_its_memory_and_markers(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "BEFORE")
    desk.sync(app)
    desk.session(app.root, "UNREAD")
    moved = str(desk.top / "moved")
    os.rename(app.root, moved)
    onboard.init(desk.rt, moved)
    desk.sync(desk.rt.project(moved))
    assert (desk.curator.saw("BEFORE"), desk.curator.saw("UNREAD")) == (1, 1)
    assert list(desk.rt.registry().entries) == [moved]


def test_read_markers_lost_twice_are_taken_as_of_now(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "READ")
    desk.sync(app)
    file = Path(ledger.path(desk.rt.paths, app.root))
    for path in (file, Path(f"{file}.bak")):
        path.write_text("{")
    desk.sync(app)
    desk.session(app.root, "NEW")
    desk.sync(app)
    assert (desk.curator.saw("READ"), desk.curator.saw("NEW")) == (1, 1)
    problems = "".join(health.report(desk.rt, version="1").problems)
    assert f"{file.name}.corrupt-" in problems


def test_a_commit_that_fails_is_told_and_made_later(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    desk.curator.answers = [state("fact")]
    bring_back = without_git(desk, app)
    outcome = desk.sync(app)
    assert isinstance(outcome, Applied)
    assert "not committed" in "".join(outcome.warnings)
    assert "not committed" in "".join(health.report(desk.rt, version="1").problems)
    bring_back()
    assert desk.sync(app) == NothingNew()
    assert "fact" in git(Path(app.root) / ".memory", "show", "HEAD:./state.md")
    assert health.report(desk.rt, version="1").problems == ()


def test_without_git_nothing_is_committed_or_reported(desk: Desk) -> None:
    desk.set(git_commit=False)
    app = desk.project()
    desk.session(app.root, "hello")
    desk.curator.answers = [state("fact")]
    assert desk.sync(app) == Applied(("learned",), pending=False)
    assert not (Path(app.root) / ".memory" / ".git").exists()


def test_an_idle_run_moves_what_is_over_budget_to_the_archive(desk: Desk) -> None:
    app = desk.project()
    path = Path(app.root) / ".memory" / "todo.md"
    sections = "".join(f"\n## 2026-01-{n:02} part\n\n{'w' * 300}\n" for n in range(1, 9))
    path.write_text(path.read_text() + sections)
    desk.set(budgets={**desk.rt.config.budgets, "todo.md": 1000})
    assert desk.sync(app) == NothingNew()
    assert "2026-01-08 part" in desk.file(app, "todo.md")
    assert "2026-01-01 part" in desk.archive(app)
    assert "Memd-Trigger: budget" in desk.commits(app)
    assert desk.curator.asked == []


def test_a_preview_shows_the_prompt_and_changes_nothing(desk: Desk) -> None:
    app = desk.project()
    assert preview(desk.rt, app, Request()) is None
    desk.session(app.root, "PREVIEWED")
    desk.settle()
    before = sorted((p, p.stat().st_mtime_ns) for p in desk.top.rglob("*"))
    shown = preview(desk.rt, app, Request())
    assert shown is not None
    assert "PREVIEWED" in shown.prompt
    assert sorted((p, p.stat().st_mtime_ns) for p in desk.top.rglob("*")) == before
    assert desk.curator.asked == []


def test_a_large_digest_goes_to_the_large_model(desk: Desk) -> None:
    app = desk.project()
    desk.set(model_large="opus", escalate_chars=50)
    desk.session(app.root, "a long story " * 10)
    desk.sync(app)
    assert desk.ledger(app).journal[-1].model == "opus"


def test_what_a_call_cost_is_kept_even_when_its_reply_is_useless(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    desk.curator.answers = [LOST]
    desk.sync(app)
    (row,) = health.report(desk.rt, version="1").projects
    assert (row.calls_today, row.usage_today.input_tokens) == (3, 30)


def test_an_unreadable_session_is_named_and_waits(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "UNREADABLE")
    source = desk.rt.sources["claude-code"]
    (ref,) = source.discover()
    log.unlink()
    log.mkdir()

    class Stubborn:
        def __getattr__(self, name: str) -> object:
            return getattr(source, name)

        def discover(self, project: Project | None = None) -> list[object]:
            return [ref]

    desk.rt.sources["claude-code"] = Stubborn()  # type: ignore[index,assignment]
    outcome = desk.sync(app)
    assert isinstance(outcome, NothingNew)
    assert ref.key in "".join(outcome.warnings)
    assert ref.key in "".join(health.report(desk.rt, version="1").problems)


def test_what_a_backend_calls_no_reply_counts_like_a_useless_one(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "POISON")
    desk.curator.answers = [UnusableReply("empty output")]
    while not desk.ledger(app).aside:
        outcome = desk.sync(app)
    assert outcome == Failed("empty output", 3)
    assert len(desk.curator.asked) == STRIKES + 1


def test_useless_replies_count_even_if_the_backend_dies_after_them(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    desk.curator.answers = [LOST, LOST, BackendError("down")]
    assert desk.sync(app) == Failed("down", 3)
    assert desk.ledger(app).strikes.calls == 2
    assert "2 calls led to no usable reply" in "".join(health.report(desk.rt, version="1").problems)


def test_records_made_elsewhere_survive_that_their_session_is_set_aside(desk: Desk) -> None:
    app, other = desk.project("app"), desk.project("other")
    log = desk.session(app.root, "POISON")
    desk.session(other.root, "THEIRS", name=log.stem)
    desk.curator.answers = [LOST]
    while not desk.ledger(app).aside:
        desk.sync(app)
    desk.curator.answers = [NOTHING]
    desk.sync(other)
    assert "THEIRS" in desk.curator.asked[-1]
    assert "POISON" not in desk.curator.asked[-1]


def test_a_failure_is_no_longer_shown_once_nothing_is_left_to_do(desk: Desk) -> None:
    app = desk.project()
    inbox_note = note(desk, app, "a note")
    desk.curator.answers = [LOST]
    desk.sync(app)
    assert len(health.report(desk.rt, version="1").problems) == 2
    os.unlink(inbox_note)
    assert desk.sync(app, "pre-compact", rest="none") == NothingNew()
    assert len(health.report(desk.rt, version="1").problems) == 2
    assert desk.sync(app) == NothingNew()
    assert health.report(desk.rt, version="1").problems == ()


def test_a_limit_met_between_two_passes_does_not_hide_the_first(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, *(f"TEXT-{n} {'w' * 200}" for n in range(4)))
    desk.set(digest_cap_chars=300, max_distills_per_day=1)
    outcome = desk.sync(app)
    assert isinstance(outcome, Applied)
    assert (len(outcome.summaries), outcome.pending) == (1, True)
    assert "max_distills_per_day" in "".join(outcome.warnings)
    assert isinstance(desk.sync(app), Waiting)


def test_an_edit_costs_no_pass_of_the_run(desk: Desk) -> None:
    app = desk.project()
    desk.set(max_passes=1)
    desk.session(app.root, "hello")
    path = Path(app.root) / ".memory" / "state.md"

    def edit() -> None:
        desk.curator.meanwhile = lambda: None
        path.write_text(path.read_text() + "\nBY-HAND\n")

    desk.curator.meanwhile = edit
    desk.curator.answers = [state("BY-HAND", "fact")]
    assert isinstance(desk.sync(app), Applied)
    assert "fact" in path.read_text()


def test_a_named_session_is_read_wherever_its_file_lies(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "KEPT-ELSEWHERE")
    copy = desk.top / log.name
    log.rename(copy)
    assert desk.sync(app) == NothingNew()
    assert isinstance(desk.sync(app, transcripts=(str(copy),), rest="none"), Applied)
    assert desk.curator.saw("KEPT-ELSEWHERE") == 1
    assert desk.sync(app, transcripts=(str(copy),), rest="none") == NothingNew()


def test_a_named_session_of_another_project_stays_there(desk: Desk) -> None:
    app, other = desk.project("app"), desk.project("other")
    log = desk.session(other.root, "THEIRS")
    assert desk.sync(app, transcripts=(str(log),), rest="none") == NothingNew()
    assert desk.curator.asked == []


@pytest.mark.parametrize("trigger", ["manual", "backfill", "cron"])
def test_only_memds_own_triggers_wait_for_a_dead_backend(desk: Desk, trigger: str) -> None:
    app = desk.project()
    desk.session(app.root, "hello")
    for _ in range(4):
        backend.note_failure(desk.rt.paths, desk.rt.backend, "down", now=time.time(), stamp="t")
    for unattended in marks.UNATTENDED:
        assert isinstance(desk.sync(app, unattended), Waiting)
    assert isinstance(desk.sync(app, trigger), Applied)


def without_git(desk: Desk, project: Project) -> Callable[[], object]:
    """Makes the repository of a store unusable; returns what mends it."""
    head = Path(project.root) / ".memory" / ".git" / "HEAD"
    head.rename(desk.top / "aside")
    return lambda: (desk.top / "aside").rename(head)


def test_a_commit_made_later_still_names_its_sessions(desk: Desk) -> None:
    app = desk.project()
    log = desk.session(app.root, "hello")
    desk.curator.answers = [state("fact")]
    bring_back = without_git(desk, app)
    desk.sync(app)
    assert "not committed" in "".join(desk.sync(app).warnings)  # type: ignore[union-attr]
    bring_back()
    assert desk.sync(app) == NothingNew()
    newest = desk.commits(app).split("\0")[0]
    assert newest.startswith("learned\n")
    assert f"Memd-Session: claude-code/{log.stem}\n" in newest


def test_commits_made_up_for_by_the_next_pass_name_all_sessions(desk: Desk) -> None:
    app = desk.project()
    desk.curator.answers = [
        state("one"),
        reply(todo_body="# Todo\n\n- [ ] TWO\n"),
        reply(decisions_body="# Decisions\n\n### 2026-01-01 - THREE\n\nwhy\n"),
    ]
    bring_back = without_git(desk, app)
    logs = []
    for number in range(3):
        logs.append(desk.session(app.root, f"hello {number}"))
        if number == 2:
            bring_back()
        desk.sync(app)
    newest, *older = desk.commits(app).split("\0")
    assert all(f"Memd-Session: claude-code/{log.stem}\n" in newest for log in logs)
    assert newest.count("Memd-Trigger: manual") == 1
    assert "Hand edit" not in "".join(older)
    assert git(Path(app.root) / ".memory", "status", "--porcelain") == ""


def lose_markers(desk: Desk, project: Project) -> None:
    file = Path(ledger.path(desk.rt.paths, project.root))
    for path in (file, Path(f"{file}.bak")):
        path.write_text("{")


def test_a_preview_after_a_loss_of_markers_shows_nothing_old(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "READ")
    desk.sync(app)
    lose_markers(desk, app)
    assert preview(desk.rt, app, Request()) is None


def test_a_backfill_after_a_loss_of_markers_brings_everything(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "READ")
    desk.sync(app)
    lose_markers(desk, app)
    onboard.init(desk.rt, app.root, backfill=True)
    desk.sync(app)
    assert desk.curator.saw("READ") == 2


def test_a_preview_of_a_retry_shows_what_was_set_aside(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "POISON")
    desk.curator.answers = [LOST]
    while not desk.ledger(app).aside:
        desk.sync(app)
    assert preview(desk.rt, app, Request()) is None
    shown = preview(desk.rt, app, Request(retry=True))
    assert shown is not None
    assert "POISON" in shown.prompt


def test_a_run_that_looks_at_one_session_keeps_the_troubles_of_the_others(desk: Desk) -> None:
    app = desk.project()
    barren = desk.session(app.root)
    barren.write_text(json.dumps(record(app.root, barren.stem, "x", type="utterance")) + "\n")
    desk.at(1000.0)
    desk.sync(app)
    before = desk.ledger(app).health["claude-code"]
    assert before.barren_bytes == barren.stat().st_size
    desk.at(2000.0)
    log = desk.session(app.root, "hello")
    desk.sync(app, "pre-compact", transcripts=(str(log),), rest="none")
    after = desk.ledger(app).health["claude-code"]
    assert after.events == 1
    assert (after.barren_bytes, after.barren_since) == (before.barren_bytes, before.barren_since)


def test_the_global_memory_reads_no_sessions(desk: Desk) -> None:
    onboard.init_global(desk.rt)
    project = desk.rt.global_project
    desk.session(project.root, "IN-HOME")
    note(desk, project, "FIRST")
    desk.sync(project)
    lose_markers(desk, project)
    assert desk.sync(project) == NothingNew()
    note(desk, project, "NOTE")
    assert isinstance(desk.sync(project), Applied)
    assert (desk.curator.saw("IN-HOME"), desk.curator.saw("NOTE")) == (0, 1)


def test_what_was_redacted_is_logged_by_rule_only(desk: Desk) -> None:
    app = desk.project()
    secret = "ghp_" + "a1B2" * 9
    desk.session(app.root, f"the token is {secret}")
    desk.sync(app)
    log = Path(desk.rt.paths.log).read_text()
    assert "redacted github_pat x" in log
    assert secret not in log + desk.curator.asked[0]


def test_a_failure_that_cannot_be_noted_is_still_an_outcome(desk: Desk) -> None:
    app = desk.project()
    Path(ledger.path(desk.rt.paths, app.root)).write_text('{"format": 99}')
    outcome = desk.sync(app)
    assert isinstance(outcome, Failed)
    assert "upgrade memd" in outcome.error
    assert "could not be noted" in Path(desk.rt.paths.log).read_text()


def test_a_mark_taken_by_its_holder_meanwhile_leaves_nothing_to_do(desk: Desk) -> None:
    app = desk.project()
    with locks.held(store_of(app.root), wait=False):
        assert desk.sync(app, "session-end") == Busy()
        assert marks.collect(desk.rt.paths, app) == (Request("session-end"),)
    assert desk.sync(app) == NothingNew()
