"""Guard 9: the prompt does not come back as memory; quoting it in small pieces is fine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd import prompt
from memd.digest_text import event_block, note_block, session_line
from memd.guard.echo import Shown
from memd.model import MEMORY_FILES, Digest, Event, EventKind, MemoryFile, Note, SourceRef
from memd.redact import Redactor, join

REDACTOR = Redactor()
TOKEN = "0123456789abcdef"
REF = SourceRef("claude-code", "s1", "/x", None, 0.0, 0)
STORY = [f"In step {n} the agent looked at module {n * 7} and moved on." for n in range(60)]
BODY = "# State\n\n" + "\n".join(f"Fact {n} is that port {n} belongs to it." for n in range(60))


def seen(text: str, *memory: str) -> Shown:
    sections = prompt.parse(text)
    return Shown(text, [*memory, *sections.memory.values()], sections.sessions)


def shown(*said: tuple[EventKind, str], notes: str = "", body: str = "# State\n") -> Shown:
    memory = {name: MemoryFile(name, {}, body, body, "") for name in MEMORY_FILES}
    note = Note("n.md", notes, "")
    blocks = [event_block(REDACTOR, Event(kind, text)) for kind, text in said]
    digest = Digest(
        text=join("\n", [session_line(REDACTOR, REF, "2026-07-30"), *blocks]),
        notes_text=note_block(REDACTOR, note),
    )
    built = prompt.build(
        memory, digest, redactor=REDACTOR, project_name="app", today="2026-07-30", token=TOKEN
    )
    return seen(built.text, body)


def prompt_text() -> str:
    memory = {name: MemoryFile(name, {}, BODY, BODY, "") for name in MEMORY_FILES}
    return prompt.build(
        memory,
        Digest(text=REDACTOR.clean("U: hello")),
        redactor=REDACTOR,
        project_name="app",
        today="2026-07-30",
        token=TOKEN,
    ).text


@pytest.mark.parametrize("line", [line for line in prompt_text().split("\n") if TOKEN in line])
def test_a_fence_line_is_an_echo(line: str) -> None:
    assert shown(("user", "hello")).is_echoed_in(f"# State\n\n  {line}\n\n- a fact\n")


def test_the_whole_prompt_is_an_echo() -> None:
    assert seen(prompt_text(), BODY).is_echoed_in(prompt_text())


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 40), st.sampled_from(["\n", "\n\n", " ", "\n\t"]))
def test_a_long_stretch_of_a_session_is_an_echo(start: int, gap: str) -> None:
    saw = shown(("user", " ".join(STORY[:30])), ("assistant", "\n".join(STORY[30:])))
    assert saw.is_echoed_in(
        f"# State\n\nIt so happened.\n{gap.join(STORY[start : start + 18])}\nyes"
    )


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 59), max_size=30))
def test_quotes_of_a_few_lines_are_none(picked: list[int]) -> None:
    saw = shown(("user", "\n".join(STORY)))
    quotes = [f"{STORY[n]}\n{STORY[min(n + 1, 59)]}\nThat matters here." for n in picked]
    assert not saw.is_echoed_in("# State\n\n" + "\n\n".join(quotes))


def test_labels_between_what_was_said_do_not_hide_it() -> None:
    saw = shown(*(("user", line) for line in STORY))
    assert saw.is_echoed_in("\n".join(STORY))
    assert saw.is_echoed_in("\n".join(f"A: {line}" for line in STORY))


def test_lines_in_the_form_of_the_digest_are_an_echo() -> None:
    saw = shown(("user", "fix it"), ("tool", "Bash ls"), ("result", "ok"))
    lines = ["[session claude-code/s1 2026-07-30]", "U: fix it", "T: Bash ls"]
    assert saw.is_echoed_in("\n".join(["# State", *lines]))
    assert not saw.is_echoed_in("\n".join(["# State", *lines[1:]]))
    assert not saw.is_echoed_in("U: another\nT: thing\nR: here\n")


def test_text_without_spaces_between_words_is_compared_too() -> None:
    story = "".join(chr(0x4E00 + n * 3) for n in range(700))
    saw = shown(("user", story))
    assert saw.is_echoed_in(story[50:])
    assert not saw.is_echoed_in(story[:500])


def test_notes_lists_and_headings_may_be_taken_over() -> None:
    tasks = "\n".join(f"- [ ] {line}" for line in STORY)
    sections = "\n".join(f"### 2026-01-01 - {n}\n\n{line}" for n, line in enumerate(STORY))
    saw = shown(("user", f"{tasks}\n{' '.join(STORY)}"), notes=" ".join(STORY[:30])[::-1])
    assert not saw.is_echoed_in(tasks)
    assert not saw.is_echoed_in(sections)
    assert not saw.is_echoed_in(" ".join(STORY[:30])[::-1])


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_the_memory_may_be_repeated(more: str, said: str) -> None:
    body = f"{BODY}\nU: one\nU: two\nU: three\n<<<{TOKEN} x\n"
    saw = shown(("user", f"one\n{BODY}\n{said}"), ("user", "one"), ("user", "two"), body=body)
    assert not saw.is_echoed_in(body)
    assert not saw.is_echoed_in(f"{body}\n\n- {more[:50]}")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=900), st.text(max_size=900))
def test_any_prompt_and_reply_get_an_answer(text: str, reply: str) -> None:
    assert seen(text).is_echoed_in(reply) in (True, False)
