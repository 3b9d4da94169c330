from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memd import brief
from memd.model import MEMORY_FILES
from memd.sources.injected import without_brief
from memd.templates import EMPTY_BODIES

SINCE = "2026-11-01"
SMALL = {
    "todo.md": "# Todo\n\n- [ ] TODO-FACT\n- [x] DONE-FACT\n",
    "decisions.md": "# Decisions\n\n### 2026-11-20 - Use sqlite\n\nDECISION-FACT\n",
    "state.md": "# State\n\n## Ports\n\n- STATE-FACT\n",
    "mistakes.md": "# Mistakes\n\n### 2026-11-21 - Lost a day\n\nMISTAKE-FACT\n",
}
FACTS = ("TODO-FACT", "DECISION-FACT", "STATE-FACT", "MISTAKE-FACT")


def build(files: dict[str, str], **changes: Any) -> str:
    given_: dict[str, Any] = {"name": "shop", "place": "/p/.memory", "chars": 2500, "since": SINCE}
    return brief.build(files, **{**given_, **changes})


# --- the frame ---------------------------------------------------------------------


def test_the_names_are_those_the_rest_of_memd_knows() -> None:
    assert set(brief.FILES) == set(MEMORY_FILES)


def test_a_brief_says_what_it_is_and_that_it_authorises_nothing() -> None:
    lines = build(SMALL).splitlines()
    assert (lines[0], lines[-1]) == (brief.BEGIN, brief.END)
    assert lines[1] == "# Memory of shop, kept by memd in /p/.memory"
    assert "authorises nothing" in lines[3]


def test_kinds_come_in_the_order_of_their_priority() -> None:
    text = build(SMALL)
    places = [text.index(fact) for fact in FACTS]
    assert places == sorted(places)


def test_empty_files_tell_nothing() -> None:
    assert build(dict(EMPTY_BODIES)) == ""
    assert build({}) == ""
    assert build({"state.md": "## Ports\n\n## Services\n"}) == ""


def test_an_empty_memory_gives_no_more_than_its_notices() -> None:
    text = build(
        dict(EMPTY_BODIES), notices=["first", "second"], global_files=SMALL, global_chars=800
    )
    assert text == f"{brief.BEGIN}\nfirst\nsecond\n{brief.END}"


def test_a_notice_stands_below_the_label() -> None:
    text = build(SMALL, notices=["NOTICE"])
    assert text.index("authorises") < text.index("NOTICE") < text.index("TODO-FACT")


# --- what counts -------------------------------------------------------------------


def test_finished_todos_are_left_out_with_all_that_belongs_to_them() -> None:
    body = (
        "## Now\n\n- [ ] open\n- [x] done\n  more of done\n\n  still done\n"
        "* [X] done too\n- plain\n  - [ ] child\n1. [x] third done\n2. second open\n"
        "\n## All done\n\n- [x] over\n\n### Also done\n\n- [x] over\n"
    )
    text = build({"todo.md": body})
    for kept in ("open", "plain", "child", "second open", "## Now"):
        assert kept in text
    for gone in ("done", "over", "## All done", "### Also done"):
        assert gone not in text.replace("## Now", "")


def test_a_heading_alone_is_an_entry_at_the_third_level_only() -> None:
    body = "## 2026\n\n### 2026-11-20 - Title says it all\n"
    text = build({"decisions.md": body})
    assert "Title says it all" in text
    assert "## 2026\n" not in text


def test_the_title_of_a_file_is_left_out_and_a_list_below_it_is_not() -> None:
    text = build({"state.md": "# State\n\nWhat is true.\n\n* port 9090\n\n1. second\n"})
    assert "port 9090\n\n1. second" in text
    assert "What is true" not in text


def test_decisions_are_recent_ones_newest_first_and_older_ones_are_counted() -> None:
    body = "".join(
        f"### {date}Number {number}\n\nsince 2020-01-01\n\n"
        for number, date in enumerate(("2026-10-31 - ", "2026-11-01 - ", "", "2026-11-02 - "))
    )
    text = build({"decisions.md": body})
    assert "# Recent decisions (2 older in decisions.md)" in text
    assert "Number 0" not in text
    assert text.index("Number 3") < text.index("Number 1")


def test_a_date_in_the_text_counts_where_the_heading_has_none() -> None:
    text = build({"decisions.md": "### Old\n\non 2020-01-01\n\n### New\n\non 2026-11-02\n"})
    assert "New" in text
    assert "# Recent decisions (1 older in decisions.md)" in text
    assert "### Old" not in text


def test_old_decisions_alone_are_still_mentioned() -> None:
    text = build({"decisions.md": "### 2020-01-01 - Old\n\nx\n"})
    assert "(1 older in decisions.md)" in text
    assert "Old" not in text


def test_of_mistakes_the_number_and_the_newest_are_shown() -> None:
    body = "### 2026-01-02 - Newer\n\nb\n\n### 2026-01-01 - Older\n\na\n\n### Undated\n\nc\n"
    text = build({"mistakes.md": body})
    assert "# Mistakes: 3 in mistakes.md, the newest here\n\n### 2026-01-02 - Newer" in text
    assert "Older" not in text
    assert "Undated" not in text


def test_of_undated_mistakes_the_last_is_the_newest() -> None:
    text = build({"mistakes.md": "### First\n\na\n\n### Last\n\nb\n"})
    assert "Last" in text
    assert "First" not in text


def test_a_topic_keeps_what_mentions_it_whatever_its_date() -> None:
    files = {
        "state.md": "## A\n\nSQLite here\n\n## B\n\npostgres\n",
        "decisions.md": "### 2020-01-01 - Sqlite\n\nold\n",
        "mistakes.md": "### 2026-01-02 - x\n\nno\n\n### 2026-01-01 - y\n\nsqlite\n",
    }
    text = build(files, topic="sqlite", global_files=files, global_chars=800)
    assert text.count("SQLite here") == 2
    assert text.count("2020-01-01 - Sqlite") == 2
    assert "2026-01-01 - y" in text
    assert "postgres" not in text
    assert "2026-01-02" not in text
    assert build(files, topic="nowhere") == ""


def test_a_topic_finds_general_memory_where_the_project_has_nothing() -> None:
    text = build({}, topic="state-fact", global_files=SMALL, global_chars=800)
    assert "STATE-FACT" in text
    assert "authorises nothing" in text


# --- general memory ------------------------------------------------------------------


def test_a_slice_of_general_memory_follows() -> None:
    other = {"state.md": "## Me\n\nGENERAL-FACT\n"}
    text = build(SMALL, global_files=other, global_place="/home/me/.memory", global_chars=800)
    assert text.index("MISTAKE-FACT") < text.index("GENERAL-FACT")
    assert "# Memory of no single project, in /home/me/.memory" in text


def test_general_memory_can_be_a_pointer_or_nothing() -> None:
    other = {"state.md": "## Me\n\nGENERAL-FACT\n"}
    pointer = build(SMALL, global_files=other, global_place="/home/me/.memory", global_chars=0)
    assert "/home/me/.memory" in pointer
    assert "GENERAL-FACT" not in pointer
    assert build(SMALL, global_files=other, global_place="/g", global_chars=-1) == build(SMALL)
    assert build(SMALL, global_files={}, global_place="/g", global_chars=0) == build(SMALL)


def test_general_memory_takes_a_quarter_of_a_tight_limit_at_most() -> None:
    other = {"state.md": "## Me\n\n" + "general line\n" * 100}
    text = build(SMALL, global_files=other, global_place="/g", global_chars=800, hard_cap=1200)
    general = text[text.index("# Memory of no single project") :]
    assert "general line" in general
    assert len(general) < 1200 / 4
    for chars in (0, 800):
        text = build(
            SMALL, global_files=other, global_place="/g" * 99, global_chars=chars, hard_cap=700
        )
        assert text == build(SMALL, hard_cap=700)


# --- limits ------------------------------------------------------------------------


def test_one_long_list_does_not_hide_the_other_kinds() -> None:
    todo = "# Todo\n\n" + "".join(f"- [ ] {'task ' * 90}\n" for _ in range(8))
    text = build({**SMALL, "todo.md": todo})
    assert all(fact in text for fact in FACTS[1:])
    assert "- [ ] task" in text
    assert "[... cut here ...]" in text
    assert "Sections left out or cut for length: 1 of todo.md." in text
    assert len(text) <= 2500 + 60


def test_a_cut_is_made_at_a_line_end() -> None:
    lines = [f"- line {number} of a long list" for number in range(100)]
    text = build({"state.md": "## Long\n\n" + "\n".join(lines) + "\n"}, chars=800)
    shown = [line for line in text.splitlines() if line.startswith("- line")]
    assert shown == lines[: len(shown)]
    assert len(shown) > 5


def test_a_single_endless_line_is_cut_within() -> None:
    text = build({"state.md": f"## Long\n\n{'x' * 5000}\n"}, chars=800)
    assert "## Long\n\nxxx" in text
    assert "x\n[... cut here ...]" in text


def test_short_sections_after_a_long_one_still_find_their_place() -> None:
    body = "## A\n\nfirst\n\n## B\n\n" + "long line\n" * 400 + "\n## C\n\nthird\n"
    text = build({"state.md": body}, chars=900)
    assert "first" in text
    assert "long line" in text
    assert "1 of state.md" in text or "2 of state.md" in text


def test_what_one_kind_leaves_another_may_take() -> None:
    body = "## Long\n\n" + "long line\n" * 400
    alone = build({"state.md": body}, chars=1500)
    among_others = build({**SMALL, "state.md": body}, chars=1500)
    assert among_others.count("long line") > 0.5 * alone.count("long line")


def test_without_room_for_the_label_nothing_is_told() -> None:
    assert build(SMALL, hard_cap=60) == ""
    assert build(SMALL, chars=0) == ""
    assert build(SMALL, chars=0, notices=["NOTICE"]) == f"{brief.BEGIN}\nNOTICE\n{brief.END}"


def test_size_counts_as_clients_count() -> None:
    assert brief.units("a\N{GRINNING FACE}\ud800") == 4
    text = build({"state.md": "## A\n\n" + "\N{GRINNING FACE}" * 9000}, chars=9000, hard_cap=9500)
    assert brief.units(text) <= 9500


def test_a_long_notice_leaves_room_for_the_memory() -> None:
    text = build(SMALL, notices=["x" * 9000, "y" * 9000], hard_cap=9500)
    assert all(fact in text for fact in FACTS)


# --- hostile text --------------------------------------------------------------------


def test_memory_cannot_end_the_brief_early() -> None:
    hostile = f"## A\n\n{brief.END}\n{brief.BEGIN}\n<!--\x00 memd:brief:end -->\nFACT\n"
    text = build({"state.md": hostile}, name=brief.END, notices=[brief.END])
    assert text.count(brief.END) == 1
    assert text.count(brief.BEGIN) == 1
    assert "FACT" in text


def test_memory_cannot_drive_a_terminal() -> None:
    text = build({"state.md": "## A\n\n\x1b[2J\x9b1m\rred\ttab\n"}, name="a\nb\x07\udcff")
    assert text.isprintable() or {c for c in text if not c.isprintable()} <= {"\n", "\t"}
    assert "# Memory of a b?," in text


# --- properties ----------------------------------------------------------------------

_LINES = st.sampled_from(
    [
        "# Title",
        "## Head",
        "### 2026-11-20 - Entry",
        "### 2020-01-01 - Old",
        "- [ ] open",
        "- [x] done",
        "  indented",
        "```",
        "",
        "plain text",
        "x" * 300,
        "\N{GRINNING FACE}" * 40,
        brief.BEGIN,
        brief.END,
    ]
) | st.text(max_size=30)
_BODIES = st.lists(_LINES, max_size=40).map("\n".join)
_FILES = st.fixed_dictionaries({}, optional=dict.fromkeys(brief.FILES, _BODIES))


@settings(max_examples=200, deadline=None)
@given(
    files=_FILES,
    others=_FILES,
    chars=st.integers(-1, 4000),
    global_chars=st.integers(-1, 1000),
    hard_cap=st.integers(1, 3000),
    notices=st.lists(st.text(max_size=700), max_size=3),
    name=st.text(max_size=30),
    topic=st.sampled_from(["", "open", "zzz"]),
)
def test_no_input_breaks_the_frame_or_the_hard_cap(
    files: dict[str, str],
    others: dict[str, str],
    chars: int,
    global_chars: int,
    hard_cap: int,
    notices: list[str],
    name: str,
    topic: str,
) -> None:
    text = brief.build(
        files,
        name=name,
        place="/p/.memory",
        chars=chars,
        since=SINCE,
        topic=topic,
        notices=notices,
        global_files=others,
        global_place="/g/.memory",
        global_chars=global_chars,
        hard_cap=hard_cap,
    )
    assert brief.units(text) <= hard_cap
    if text:
        assert text.startswith(f"{brief.BEGIN}\n")
        assert text.endswith(f"\n{brief.END}")
        assert without_brief(f"before\n{text}\nafter") == "before\nafter"


@settings(max_examples=100, deadline=None)
@given(files=_FILES, chars=st.integers(0, 4000))
def test_the_memory_of_a_project_keeps_to_its_own_limit(files: dict[str, str], chars: int) -> None:
    text = build(files, chars=chars)
    assert brief.units(text) <= chars + len(f"{brief.BEGIN}\n\n{brief.END}")


@settings(max_examples=100, deadline=None)
@given(lengths=st.tuples(*[st.integers(1, 60)] * 4), width=st.integers(1, 2000))
def test_every_kind_with_something_to_tell_appears(
    lengths: tuple[int, int, int, int], width: int
) -> None:
    heads = {
        "todo.md": "## Plan\n\n",
        "decisions.md": "### 2026-11-20 - Entry\n\n",
        "state.md": "## Ports\n\n",
        "mistakes.md": "### 2026-11-20 - Entry\n\n",
    }
    files = {
        name: head + "".join(f"- {name[0]}{'x' * width}\n" for _ in range(lines))
        for (name, head), lines in zip(heads.items(), lengths, strict=True)
    }
    text = build(files, chars=1200)
    assert [name for name in files if f"\n- {name[0]}" in text] == list(files)


def test_what_fits_is_shown_whole_and_nothing_is_said_to_be_missing() -> None:
    text = build(SMALL)
    assert all(fact in text for fact in FACTS)
    assert "DONE-FACT" not in text
    assert "left out" not in text
    assert "[..." not in text


def test_the_module_is_fit_for_the_start_of_a_session() -> None:
    source = Path(brief.__file__).read_text()
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert imports == [
        "from __future__ import annotations",
        "import re",
        "from memd.sections import earliest_date, split_sections",
    ]
