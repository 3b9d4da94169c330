"""Guard 9: marks that stand for unwritten text are found, plain words are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.guard.elision import has_elision

MARKS = [
    "[rest unchanged]",
    "... same as before",
    "(unchanged)",
    "<!-- rest of file -->",
    "[...]",
    "… rest omitted",
    "...",
    "- …",
    "unchanged",
    "Unchanged.",
    "*(unchanged)*",
    "**[unchanged]**",
    "> [same as above]",
    "1. [remaining items]",
    "- [ ] ...",
    "(...)",
    "<rest of the file>",
    "{rest of section}",
    "[... rest of the file unchanged ...]",
    "<!-- remaining sections unchanged -->",
    "<!-- ... -->",
    "[previous content]",
    "(rest)",
    "... others not shown ...",
    "... (existing entries) ...",
    "[other entries remain the same]",
    "The rest of the file is unchanged.",
    "Rest of the document stays the same",
    "remaining entries omitted for brevity",
    "All other sections unchanged.",
    "[everything else unchanged]",
    "... 12 more entries ...",
    "[and 3 older decisions omitted]",
    "(snip)",
    "[truncated]",
    "[content continues]",
    "Same as before.",
    "as before",
    "No changes.",
    "Decisions unchanged",
    "[state.md unchanged]",
    "unchanged from the previous version",
    "[keep existing content]",
    "[kept as is]",
    "## Ports (unchanged)",
    "## [rest unchanged]",
    "### 2026-01-01 - Redis [same as before]",
    "- api on 9090 [rest unchanged]",
    "- api on 9090 (rest unchanged)",
    "- api on 9090 <!-- other lines omitted -->",
    "- a, b, [...]",
    "- a, b [remaining items]",
]
FACTS = [
    "- api listens on 9090",
    "- port 9090 (unchanged)",
    "- The schema is unchanged since v2; other tables moved.",
    "- [ ] wait for the rest of the team",
    "- [x] done",
    "[ ]",
    "()",
    "",
    "---",
    "***",
    "## Remaining items",
    "## Other decisions",
    "- Existing notes",
    "Rest of the fleet runs 3.10",
    "- Root cause: same as before, a stale lock",
    "- `[rest unchanged]` is what models write",
    "- call f([...]) with a list",
    "- Callable[..., int] is the type",
    "- list[rest]",
    "- see [rest of file](https://example.invalid)",
    "- waiting for CI ...",
    "- retries 1...5",
    "- Everything else stays on postgres",
    "- Everything else unchanged",
    "[... 1200 characters left out ...]",
    "[REDACTED:jwt]",
    "- DB password (omitted)",
    "- test_login [skipped]",
    "- Kept",
    "- here",
    "- the remaining sections of the pipe are not shown on the map of the city and never were",
    "# State",
    "| a | ... |",
    "[other]",
    "- Current...",
]


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_is_an_elision(mark: str) -> None:
    assert has_elision(f"# State\n\n- a fact\n  {mark} \n", frozenset())


@pytest.mark.parametrize("fact", FACTS)
def test_plain_words_are_none(fact: str) -> None:
    assert not has_elision(f"# State\n\n{fact}\n", frozenset())


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(MARKS), st.lists(st.sampled_from(FACTS)), st.lists(st.sampled_from(FACTS)))
def test_a_mark_is_found_wherever_it_stands(mark: str, above: list[str], below: list[str]) -> None:
    body = "\n".join([*above, mark, *below])
    assert has_elision(body, frozenset())
    assert not has_elision(body, {mark})
    assert not has_elision(f"```\n{body}\n```", frozenset())


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gets_an_answer(text: str) -> None:
    assert has_elision(text, set(map(str.strip, text.split("\n")))) is False


def test_a_mark_below_a_stray_fence_is_found() -> None:
    assert has_elision("```\n\n[rest unchanged]\n", frozenset())


@pytest.mark.parametrize("hostile", ["[" * 50_000, "(" * 50_000, "<!--" * 20_000, "`[" * 30_000])
def test_hostile_lines_take_linear_time(hostile: str) -> None:
    assert not has_elision(hostile, frozenset())
