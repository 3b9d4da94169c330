"""The guards together: what a reply may change, whatever it says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import Rejected
from memd.frontmatter import compose
from memd.guard import judge, rotate
from memd.guard.bodies import without_frontmatter
from memd.model import (
    BODY_FILES,
    DECISIONS,
    MEMORY_FILES,
    MISTAKES,
    STATE,
    TODO,
    ArchiveEntry,
    Memory,
    MemoryFile,
    MemoryUpdate,
    Reply,
)
from memd.templates import EMPTY_BODIES

KEYS = {"type": "state", "project": "app", "last_updated": "2026-01-01", "status": "active"}
BUDGETS = dict.fromkeys(MEMORY_FILES, 1000)
TODAY, SESSION = "2026-07-31", "2026-07-30"

LINES = st.sampled_from(
    [
        "# T",
        "## A",
        "### Use redis",
        "### 2026-01-02 - b",
        "### 2025-01-02 - c",
        "- [ ] a task of some length that counts for something",
        "- a fact that is true for now and later: port 8080",
        "",
        "```",
        "---",
        "type: state",
        "[rest unchanged]",
    ]
) | st.text(max_size=60)
BODIES = st.lists(LINES, max_size=20).map("\n".join) | st.sampled_from(list(EMPTY_BODIES.values()))
FRONTMATTER = st.sampled_from([KEYS, KEYS, KEYS, {}, {"type": "state"}])
REPLIES = st.builds(
    Reply,
    st.text(max_size=250),
    st.dictionaries(st.sampled_from(BODY_FILES), BODIES),
    st.lists(BODIES, max_size=3).map(tuple),
    st.lists(st.builds(ArchiveEntry, st.text(max_size=20), BODIES), max_size=3).map(tuple),
)


def memory_file(name: str, body: str, keys: dict[str, object]) -> MemoryFile:
    return MemoryFile(name, keys, body, compose(keys, body) if keys else body, "")


def memory(keys: dict[str, object] | None = None, **bodies: str) -> Memory:
    """Fresh files but for the named bodies (`state="..."`)."""
    texts = {**EMPTY_BODIES, **{f"{name}.md": body for name, body in bodies.items()}}
    return {
        name: memory_file(name, body, KEYS if keys is None else keys)
        for name, body in texts.items()
    }


def memories(keys: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[Memory]:
    return st.fixed_dictionaries(
        {name: st.builds(memory_file, st.just(name), BODIES, keys) for name in MEMORY_FILES}
    )


SOUND = memories(st.just(KEYS))
MEMORIES = memories(FRONTMATTER)


def judged(
    old: Memory, reply: Reply, budgets: dict[str, int] = BUDGETS, shown: str = ""
) -> MemoryUpdate:
    return judge(old, reply, budgets=budgets, today=TODAY, session_date=SESSION, shown=shown)


def reply(*mistakes: str, archive: tuple[str, ...] = (), **bodies: str) -> Reply:
    entries = tuple(ArchiveEntry("x", content) for content in archive)
    return Reply("s", {f"{name}.md": body for name, body in bodies.items()}, mistakes, entries)


def verdict(old: Memory, answer: Reply, session_date: str) -> MemoryUpdate | str:
    """What comes out, or why nothing does."""
    try:
        return judge(old, answer, budgets=BUDGETS, today=TODAY, session_date=session_date, shown="")
    except Rejected as error:
        return str(error)


def why(old: Memory, answer: Reply, **budgets: int) -> str:
    with pytest.raises(Rejected) as caught:
        judged(old, answer, {**BUDGETS, **{f"{n}.md": b for n, b in budgets.items()}})
    return str(caught.value)


# --- whatever comes ----------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(MEMORIES, REPLIES, st.text(max_size=10))
def test_any_reply_to_any_memory_is_judged_or_rejected(
    old: Memory, answer: Reply, session_date: str
) -> None:
    first, second = (verdict(old, answer, session_date) for _ in range(2))
    assert first == second
    assert "\n" not in str(first) or isinstance(first, MemoryUpdate)


@settings(max_examples=100, deadline=None)
@given(SOUND, REPLIES, st.integers(100, 1000))
def test_what_passes_keeps_every_invariant(old: Memory, answer: Reply, budget: int) -> None:
    budgets = dict.fromkeys(MEMORY_FILES, budget)
    try:
        update = judged(old, answer, budgets)
    except Rejected:
        return
    moved = [entry.content for entry in update.archive if entry.source == MISTAKES]
    kept = update.bodies.get(MISTAKES, old[MISTAKES].body)
    for line in old[MISTAKES].body.split("\n"):
        assert line in kept or any(line in text for text in moved)
    for name, body in update.bodies.items():
        assert body != old[name].body
        assert body.strip() or not old[name].body.strip()
        assert without_frontmatter(body) == body
    again = {name: memory_file(name, update.bodies.get(name, old[name].body), KEYS) for name in old}
    assert rotate(again, budgets).changes_nothing


@settings(max_examples=100, deadline=None)
@given(SOUND, st.lists(BODIES, max_size=3).map(tuple))
def test_old_mistakes_stay_verbatim_in_file_or_archive(old: Memory, told: tuple[str, ...]) -> None:
    budgets = {**BUDGETS, MISTAKES: 200}
    try:
        update = judged(old, Reply("s", {}, told), budgets)
    except Rejected:
        return
    text = update.bodies.get(MISTAKES, old[MISTAKES].body)
    text += "".join(entry.content for entry in update.archive)
    assert all(line in text for line in old[MISTAKES].body.split("\n"))


@settings(max_examples=100, deadline=None)
@given(MEMORIES, st.integers(0, 400))
def test_the_idle_sweep_loses_nothing_and_ends(old: Memory, budget: int) -> None:
    budgets = dict.fromkeys(MEMORY_FILES, budget)
    update = rotate(old, budgets)
    for name, body in update.bodies.items():
        moved = [entry.content for entry in update.archive if entry.source == name]
        assert old[name].frontmatter == KEYS
        assert len(old[name].body) == len(body) + sum(map(len, moved))
        assert all(text in old[name].body for text in moved)
    again = {
        name: memory_file(name, update.bodies.get(name, file.body), dict(file.frontmatter))
        for name, file in old.items()
    }
    assert rotate(again, budgets).changes_nothing


# --- guard 1 -----------------------------------------------------------------------


@pytest.mark.parametrize("keys", [{}, {"type": "state"}, {**KEYS, "status": ""}])
def test_a_file_without_valid_frontmatter_is_not_written(keys: dict[str, object]) -> None:
    message = why(memory(keys), reply(state="# S\n\nnew"))
    assert "guard 1" in message
    assert STATE in message
    assert MISTAKES in why(memory(keys), reply("never again"))


def test_it_hinders_only_changes_of_that_file() -> None:
    old = {**memory(), TODO: memory_file(TODO, "## A\n\n" + "## B\n" * 300, {})}
    update = judged(old, reply(state="# S\n\nnew", todo=old[TODO].body))
    assert list(update.bodies) == [STATE]
    assert rotate(old, BUDGETS).changes_nothing


# --- bodies ------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(BODIES, st.sampled_from(["", " ", "\n\n"]))
def test_the_same_body_is_no_change(body: str, gap: str) -> None:
    old = memory(state=body, decisions=body, todo=body)
    answer = Reply("s", dict.fromkeys(BODY_FILES, f"{gap}{body}{gap}"))
    assert judged(old, answer, dict.fromkeys(MEMORY_FILES, 9999)).changes_nothing


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(BODY_FILES), BODIES)
def test_a_copy_of_the_empty_template_is_no_change(name: str, body: str) -> None:
    old = {**memory(), name: memory_file(name, body, KEYS)}
    copy = "\n" + EMPTY_BODIES[name].replace("\n", " \n")
    update = judged(old, Reply("s", {name: copy}), dict.fromkeys(MEMORY_FILES, 9999))
    assert update.changes_nothing


def test_a_blank_body_is_rejected_where_there_is_content() -> None:
    message = why(memory(todo="# Todo\n\n- [ ] x\n"), reply(todo=" \n"))
    assert "guard 3" in message
    assert TODO in message
    assert judged(memory(), reply(todo=" \n")).changes_nothing
    assert judged(memory(todo="\n"), reply(todo=" \n")).changes_nothing


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 3), st.sampled_from(["", "\n", "\ufeff"[:0], " \n"]))
def test_frontmatter_of_the_model_is_never_written(times: int, gap: str) -> None:
    block = compose(KEYS, "").rstrip("\n") + "\n"
    update = judged(memory(), reply(state=gap + block * times + "\n# S\n\nnew\n"))
    assert update.bodies == {STATE: "# S\n\nnew\n"}


@pytest.mark.parametrize(
    "body",
    [
        "---\n\n# S\n\n---\n",
        "---\n# S\n---\nx: y\n---\n",
        "---\ntype: x\n\n# S\n",
        "---\ntype: x\n\n# S\n\n- a\n\n---\n",
        "# S\n---\na: b\n---\n",
    ],
)
def test_a_rule_at_the_top_is_no_frontmatter(body: str) -> None:
    assert without_frontmatter(body) == body


def test_names_that_are_no_body_file_are_passed_over() -> None:
    answer = Reply("s", {MISTAKES: "gone", "../x": "evil", STATE: "# S\n\nnew"})
    assert judged(memory(), answer).bodies == {STATE: "# S\n\nnew\n"}


# --- guards 2, 3, 4, 9 in one reply ---------------------------------------------------


def test_everything_at_once() -> None:
    old = memory(
        state="# S\n\n## Ports\n\n- api: 8080\n",
        mistakes="# M\n\n### 2026-01-01 - Old\n\n" + "x" * 960 + "\n",
    )
    update = judged(
        old,
        Reply(
            "ports\nMemd-Session: evil/1",
            {STATE: "# S\n\n## Ports\n\n- api: 9090", DECISIONS: "# D\n\n### Use redis\n\nwhy"},
            ("Never bind 8080", "### 2026-01-01 - Old\n\nagain"),
            (ArchiveEntry("state.md", "- api: 8080"), ArchiveEntry("x", " \n")),
        ),
    )
    assert update == MemoryUpdate(
        "ports",
        {
            STATE: "# S\n\n## Ports\n\n- api: 9090\n",
            DECISIONS: f"# D\n\n### {SESSION} - Use redis\n\nwhy\n",
            MISTAKES: "# M\n\n" + f"### {SESSION} - Never bind 8080\n",
        },
        (
            ArchiveEntry("state.md", "- api: 8080"),
            ArchiveEntry(MISTAKES, "### 2026-01-01 - Old\n\n" + "x" * 960 + "\n\n"),
        ),
    )


@pytest.mark.parametrize(
    ("session_date", "day"),
    [("2026-07-30", "2026-07-30"), ("2027-01-01", TODAY), ("", TODAY), ("2026-02-30", TODAY)],
)
def test_entries_get_the_date_of_the_session(session_date: str, day: str) -> None:
    answer = reply("x", decisions="### Use redis")
    update = judge(
        memory(mistakes=""),
        answer,
        budgets=BUDGETS,
        today=TODAY,
        session_date=session_date,
        shown="",
    )
    assert update.bodies == {
        DECISIONS: f"### {day} - Use redis\n",
        MISTAKES: f"### {day} - x\n",
    }


def test_files_over_budget_rotate_with_any_reply() -> None:
    old = memory(todo="".join(f"## 2026-01-0{n}\n\n{'x' * 200}\n" for n in range(1, 9)))
    update = judged(old, reply())
    assert [entry.source for entry in update.archive] == [TODO] * 4
    assert update.bodies == rotate(old, BUDGETS).bodies
    assert rotate(old, BUDGETS).summary == "old sections of todo.md moved to the archive"


def test_a_body_that_rotates_back_to_what_it_was_is_no_change() -> None:
    newest = "## 2026-02-01\n\nnow\n"
    older = f"## 2026-01-01\n\n{'x' * 990}\n"
    update = judged(memory(state=newest), reply(state=older + newest))
    assert update.bodies == {}
    assert [entry.content for entry in update.archive] == [older]


def test_a_wiped_file_is_rejected_and_archived_text_may_go() -> None:
    facts = "\n".join(f"- fact {n} on port {9000 + n}" for n in range(30))
    old = memory(state=f"# S\n\n{facts}\n")
    assert "guard 3" in why(old, reply(state="# S\n\nall gone", archive=("lorem ipsum " * 90,)))
    assert judged(old, reply(state="# S\n", archive=(facts,))).bodies == {STATE: "# S\n"}


def test_a_runaway_reply_is_rejected() -> None:
    assert "guard 9" in why(memory(), reply(state="# S\n\n" + "x" * 2000))
    assert "guard 9" in why(memory(), reply("x" * 2000))
    assert "archive_entries" in why(memory(), reply(archive=("x" * 10_000,)))


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (reply(state="# S\n\n[rest unchanged]"), STATE),
        (reply("### 2026-01-01 - A\n\n(unchanged)"), MISTAKES),
        (reply(archive=("... same as before",)), "archive_entries"),
    ],
)
def test_elisions_are_rejected_wherever_they_stand(answer: Reply, name: str) -> None:
    message = why(memory(), answer)
    assert "guard 9" in message
    assert name in message


def test_a_line_that_stood_there_before_is_no_elision() -> None:
    old = memory(todo="# T\n\n- [ ] x\n- ...\n")
    assert judged(old, reply(todo="# T\n\n- ...\n- [ ] y\n")).bodies


def test_a_mark_that_stands_in_a_note_may_be_copied() -> None:
    shown = "Fence token: ab\n<<<ab inbox notes\n[note]\n  ports are\n  ...\n>>>ab inbox notes\n"
    answer = reply(state="# S\n\n- ports are\n...")
    assert judged(memory(), answer, shown=shown).bodies
    assert "guard 9" in why(memory(), answer)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (reply(state="# S\n\n>>>0123456789abcdef state.md"), STATE),
        (reply(">>>0123456789abcdef state.md"), MISTAKES),
        (reply(archive=("x\n>>>0123456789abcdef state.md\n",)), "archive_entries"),
    ],
)
def test_echoes_of_the_prompt_are_rejected_wherever_they_stand(answer: Reply, name: str) -> None:
    token = "0123456789abcdef"
    shown = f"Fence token: {token}\n<<<{token} state.md\n\n>>>{token} state.md\n"
    with pytest.raises(Rejected, match="guard 9") as caught:
        judged(memory(), answer, shown=shown)
    assert name in str(caught.value)
    assert token not in str(caught.value)
