"""The curator without a model adds true lines, and only those."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memd import digest, guard, prompt
from memd.curator.builtin import answer, main
from memd.curator.reply import parse
from memd.model import MEMORY_FILES, Cursor, Event, Memory, MemoryFile, Note, SourceRef, Span
from memd.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REF = SourceRef("claude-code", "s1", "/logs/s1", None, 0.0, 0)
BODIES = ("state_body", "decisions_body", "todo_body")


def files(memory: Mapping[str, str] | None = None) -> Memory:
    keys = {"type": "memory", "project": "shop", "last_updated": "2026-11-01", "status": "active"}
    bodies = {name: (memory or {}).get(name, "# Title\n") for name in MEMORY_FILES}
    return {name: MemoryFile(name, keys, body, "", "") for name, body in bodies.items()}


def asked(
    *said: tuple[str, str],
    notes: Sequence[Note] = (),
    memory: Mapping[str, str] | None = None,
    token: str = "4f2a9c01",
) -> str:
    """The prompt for what was said on 2026-11-30, seen on the day after."""
    redactor = Redactor()
    spans = [
        Span(Cursor(str(at)), 1, "events", (Event(kind, text),), at="2026-11-30T09:00:00Z")  # type: ignore[arg-type]
        for at, (kind, text) in enumerate(said)
    ]
    shown = digest.build(
        [(REF, iter(spans))],
        redactor=redactor,
        cap=60_000,
        accepts=lambda _ref, _span: "",
        seen=lambda _id: False,
        notes=notes,
    )
    built = prompt.build(
        files(memory),
        shown,
        redactor=redactor,
        project_name="shop",
        today="2026-12-01",
        token=token,
    )
    return f"{built.system}\n{built.text}"


def reply(text: str) -> dict[str, object]:
    """The parsed reply, after a check that it has the agreed shape."""
    parsed = json.loads(answer(text))
    assert isinstance(parsed["summary"], str)
    assert parsed["summary"].strip()
    assert set(parsed) <= {"summary", *BODIES, "mistakes_new_entries", "archive_entries"}
    assert all(isinstance(parsed[name], str) for name in BODIES if name in parsed)
    assert all(isinstance(entry, str) and entry for entry in parsed["mistakes_new_entries"])
    for entry in parsed["archive_entries"]:
        assert set(entry) == {"source", "content"}
        assert all(isinstance(value, str) for value in entry.values())
    return dict(parsed)


def note(text: str, kind: str | None = None, date: str | None = None) -> Note:
    return Note("n", text, "f", kind=kind, date=date)


def test_statements_go_to_their_files_with_the_date_of_the_session() -> None:
    got = reply(
        asked(
            ("user", "Let's use sqlite instead of postgres."),
            ("assistant", "TODO: migrate the orders\n\nThe api listens on 8081."),
            ("error", "Traceback\nOSError: in use"),
            ("assistant", "The root cause was a second server."),
        )
    )
    assert got["state_body"] == "# Title\n\n## Noted 2026-11-30\n\n- The api listens on 8081.\n"
    assert got["todo_body"] == "# Title\n\n## Noted 2026-11-30\n\n- [ ] migrate the orders\n"
    assert got["decisions_body"] == (
        "# Title\n\n### 2026-11-30 - Let's use sqlite instead of postgres.\n"
    )
    assert got["mistakes_new_entries"] == [
        "### 2026-11-30 - The root cause was a second server.\n\nSymptom: OSError: in use"
    ]
    assert got["summary"] == "By rule, no model used: decision 1, mistake 1, state 1, todo 1"


def test_a_long_statement_gets_a_short_title_and_stays_whole() -> None:
    text = "We decided to use sqlite: " + "one file to back up and nothing else to run " * 3
    body = str(reply(asked(("user", text)))["decisions_body"])
    assert f"### 2026-11-30 - We decided to use sqlite\n\n{text.strip()}\n" in body


def test_a_title_without_a_place_to_cut_is_cut_anyway() -> None:
    text = "decision:" + "x" * 200
    assert f"- {'x' * 80}\n\n{'x' * 200}\n" in str(reply(asked(("user", text)))["decisions_body"])


def test_notes_are_sorted_by_kind_and_keep_their_lines() -> None:
    notes = [
        note("redis on 6380\n\nsince the move", "state"),
        note("### 2026-01-02 - Use redis\n\nkafka is too much", "decision", "2026-11-28"),
        note("write the runbook", "todo"),
        note("do not restart at night\nit locks", "mistake", "2026-11-28"),
        note("the printer is in room 5"),
    ]
    got = reply(asked(notes=notes))
    assert got["state_body"] == (
        "# Title\n\n## Noted 2026-12-01\n\n- redis on 6380\n  \n  since the move\n"
        "- the printer is in room 5\n"
    )
    assert got["decisions_body"] == "# Title\n\n### 2026-11-28 - Use redis\n\nkafka is too much\n"
    assert got["todo_body"] == "# Title\n\n## Noted 2026-12-01\n\n- [ ] write the runbook\n"
    assert got["mistakes_new_entries"] == ["### 2026-11-28 - do not restart at night\n\nit locks"]


def test_what_stands_in_memory_is_not_said_again() -> None:
    memory = {
        "state.md": "## Ports\n\n- the API listens on `8081`\n",
        "decisions.md": "### 2026-01-01 - Let's use sqlite instead of postgres\n",
        "todo.md": "- [ ] Migrate the orders.\n",
        "mistakes.md": "### 2026-01-01 - x\n\nThe root cause was a second server.\n",
    }
    said = """\
Let's use sqlite instead of postgres. The root cause was a second server.
TODO: migrate the orders
The api listens on 8081."""
    got = reply(asked(("user", said), memory=memory))
    assert not [name for name in BODIES if name in got]
    assert got["mistakes_new_entries"] == []
    assert got["summary"] == "By rule, no model used: nothing was stated outright"


def test_a_statement_made_twice_is_kept_once() -> None:
    got = reply(asked(("user", "TODO: ship it soon"), ("assistant", "todo: Ship it, soon.")))
    assert str(got["todo_body"]).casefold().count("ship it") == 1


def test_further_items_of_a_day_join_its_section() -> None:
    memory = {"todo.md": "## Noted 2026-11-30\n\n- [ ] first\n\n"}
    body = reply(asked(("user", "TODO: second task"), memory=memory))["todo_body"]
    assert body == "## Noted 2026-11-30\n\n- [ ] first\n- [ ] second task\n"


def test_a_task_said_to_be_done_moves_to_the_archive() -> None:
    memory = {"todo.md": "# Todo\n\n- [ ] Write the runbook.\n  For ops.\n- [ ] Ship\n"}
    got = reply(
        asked(
            ("user", "Done: write the runbook for ops"),
            ("user", "TODO: short lived"),
            ("assistant", "- [x] short lived"),
            ("assistant", "- [x] never heard of"),
            memory=memory,
        )
    )
    assert got["todo_body"] == "# Todo\n\n- [ ] Ship\n\n## Noted 2026-11-30\n\n"
    assert got["archive_entries"] == [
        {"source": "todo.md", "content": "- [ ] Write the runbook.\n  For ops."},
        {"source": "todo.md", "content": "- [ ] short lived"},
    ]


def test_notes_open_no_section_and_swallow_none() -> None:
    notes = [note("## forged\n```\ncode", "state"), note("~~~\nx", "decision"), note("z", "state")]
    got = reply(asked(notes=notes))
    assert got["state_body"] == (
        "# Title\n\n## Noted 2026-12-01\n\n- forged\n  ```\n  code\n  ```\n- z\n"
    )
    assert got["decisions_body"] == "# Title\n\n### 2026-12-01 - Note\n\n~~~\nx\n~~~\n"


def test_what_reads_like_an_elision_goes_to_the_archive_or_nowhere() -> None:
    said = ("user", "TODO: same as before")
    got = reply(asked(said, notes=[note("[rest unchanged]", "state")]))
    assert "state_body" not in got
    assert "todo_body" not in got
    assert got["archive_entries"] == [{"source": "state.md", "content": "[rest unchanged]"}]


def test_what_would_swell_a_file_goes_to_the_archive() -> None:
    notes = [note(f"{i} {'long ' * 500}", "state") for i in range(8)]
    got = reply(asked(notes=notes))
    assert len(str(got["state_body"])) < 9000
    archived = [entry["content"] for entry in got["archive_entries"]]  # type: ignore[attr-defined]
    assert [text[0] for text in archived] == ["3", "4", "5", "6", "7"]


def test_as_a_filter_it_takes_bytes_of_any_kind() -> None:
    out = io.BytesIO()
    assert main(io.BytesIO(b"\xff\xfe no prompt"), out) == 0
    assert json.loads(out.getvalue())["summary"].startswith("By rule, no model used")


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_gets_a_valid_reply(text: str) -> None:
    assert not [name for name in BODIES if name in reply(text)]


PIECES = st.sampled_from(
    [
        "TODO: tidy up",
        "We decided to keep it.",
        "Never again!",
        "The root cause was DNS.",
        "- [x] tidy up",
        "The api listens on 8081.",
        "## heading",
        "```",
        "2026-01-01 - old",
        "[...]",
        "[rest unchanged]",
        "U: forged",
        "decision: same as before",
        "x" * 90,
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=6).map("\n".join)
SAID = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "error", "text"]), TEXTS), max_size=4
)
OWN_WORDS = re.compile(r"(?:## Noted|### )?(?: ?\d{4}-\d\d-\d\d)?(?: - )?(?:Note$)?(?:Symptom: )?")


@settings(max_examples=100, deadline=None)
@given(
    SAID, st.lists(st.tuples(st.sampled_from([None, "decision", "mistake", "todo"]), TEXTS)), TEXTS
)
def test_every_line_that_is_added_stands_in_what_was_shown(
    said: list[tuple[str, str]], noted: list[tuple[str | None, str]], old: str
) -> None:
    memory = dict.fromkeys(MEMORY_FILES, old)
    shown = asked(*said, notes=[note(text, kind) for kind, text in noted], memory=memory)
    got = reply(shown)
    sections = prompt.parse(shown)
    given_text = f"{sections.notes}\n{sections.sessions}"
    added = [line for entry in got["mistakes_new_entries"] for line in entry.split("\n")]  # type: ignore[attr-defined]
    for name in BODIES:
        before = sections.memory[name.replace("_body", ".md")].split("\n")
        body = str(got.get(name, "\n".join(before))).split("\n")
        added += [line for line in body if line not in before]
        if name != "todo_body":
            kept = [line for line in before if line.strip()]
            assert [line for line in body if line.strip()][: len(kept)] == kept
    for line in added:
        content = OWN_WORDS.sub("", re.sub(r"^(?:- (?:\[ \] )?|  )", "", line), count=1)
        assert content.strip() in given_text


@settings(max_examples=100, deadline=None)
@given(
    SAID, st.lists(st.tuples(st.sampled_from([None, "decision", "mistake", "todo"]), TEXTS)), TEXTS
)
def test_the_guards_accept_every_reply(
    said: list[tuple[str, str]], noted: list[tuple[str | None, str]], old: str
) -> None:
    memory = dict.fromkeys(MEMORY_FILES, old)
    shown = asked(*said, notes=[note(text, kind) for kind, text in noted], memory=memory)
    update = guard.judge(
        files(memory),
        parse(answer(shown)),
        budgets=dict.fromkeys(MEMORY_FILES, 20_000),
        today="2026-12-01",
        session_date="2026-11-30",
        shown=shown,
    )
    assert update.summary.startswith("By rule, no model used")
