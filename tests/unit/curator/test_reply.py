"""What a backend printed becomes a reply of the agreed shape, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.curator.reply import parse, unwrap
from memd.errors import BackendError, UnusableReply
from memd.model import ArchiveEntry, CuratorReply, Reply, Usage

ENVELOPES = Path(__file__).parents[2] / "data" / "envelopes"
FIXED = "Fixed: total() now multiplies price by qty."
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def reply(**fields: object) -> str:
    return json.dumps({"summary": "s", "state_body": "# State\n", **fields})


PLAIN = Reply("s", {"state.md": "# State\n"})


# --- envelopes --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("success.json", CuratorReply("ok", Usage(12200, 7, 0.02447))),
        ("success-1.0.128.json", CuratorReply(FIXED, Usage(61868, 176, 0.1894032))),
        ("success-2.0.77-after-noise.txt", CuratorReply(FIXED, Usage(72176, 176, 0.272387))),
        ("success-2.1.100.json", CuratorReply(FIXED, Usage(96989, 176, 0.293607))),
        ("schema.json", CuratorReply('{"facts":["x"]}', Usage(12268, 28, 0.024816))),
        (
            "fence.json",
            CuratorReply('Here it is:\n```json\n{"a":1}\n```\n', Usage(12183, 16, 0.024526)),
        ),
    ],
)
def test_a_real_answer_is_unwrapped_with_its_cost(name: str, expected: CuratorReply) -> None:
    found = unwrap((ENVELOPES / name).read_text(encoding="utf-8"))
    assert found.text == expected.text
    assert found.usage.input_tokens == expected.usage.input_tokens
    assert found.usage.output_tokens == expected.usage.output_tokens
    assert found.usage.cost_usd == pytest.approx(expected.usage.cost_usd)


@pytest.mark.parametrize(
    ("name", "passing", "said"),
    [
        ("error-401.json", True, "HTTP 401: Invalid API key · Fix external API key"),
        ("error-403.json", False, "HTTP 403: Failed to authenticate. API Error: 403 no permission"),
        ("error-404.json", False, "HTTP 404: There's an issue with the selected model"),
        ("error-429.json", True, "HTTP 429: API Error: Request rejected (429) · rate limited"),
        ("error-500.json", True, "HTTP 500: API Error: 500 Internal server error."),
        ("error-529.json", True, "HTTP 529: API Error: 529 Overloaded."),
        ("error-garbage.json", True, "API Error: API returned an empty or malformed response"),
        ("error-nokey.json", False, "Not logged in · Please run /login"),
        ("error-refused.json", True, "API Error: Connection refused"),
        ("toolmax1.json", True, "Reached maximum number of turns (1)"),
    ],
)
def test_a_real_error_is_no_answer(name: str, passing: bool, said: str) -> None:
    with pytest.raises(BackendError) as raised:
        unwrap((ENVELOPES / name).read_text(encoding="utf-8"))
    assert raised.value.passing is passing
    assert str(raised.value).startswith(f"the curator reports an error: {said}")
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("name", ["3m.json", "error-400.json", "error-empty.json"])
def test_what_another_digest_could_cure_does_not_count_as_a_dead_backend(name: str) -> None:
    with pytest.raises(UnusableReply):
        unwrap((ENVELOPES / name).read_text(encoding="utf-8"))


def test_every_sample_has_its_expectation() -> None:
    assert len(list(ENVELOPES.iterdir())) == 6 + 10 + 3


def envelope(**fields: object) -> str:
    return json.dumps({"type": "result", "is_error": False, "result": "the answer", **fields})


@pytest.mark.parametrize(
    "stdout",
    [
        envelope(),
        f'[{{"type": "system"}}, {envelope()}, 7]',
        f"Update available [1.2] {{soon}}\n{envelope()}\n",
        f'{{"type": "assistant"}}\n{envelope(result="a draft")}\n{envelope()}\n',
        envelope(usage=None, total_cost_usd="much", subtype=None),
        envelope(usage={"input_tokens": -1, "output_tokens": float("nan")}, total_cost_usd=1e999),
    ],
)
def test_the_answer_is_found_wherever_the_envelope_stands(stdout: str) -> None:
    assert unwrap(stdout) == CuratorReply("the answer")


def test_tokens_read_from_a_cache_count_as_read() -> None:
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100}
    assert unwrap(envelope(usage=usage)).usage == Usage(input_tokens=111)


def test_what_is_no_envelope_is_the_answer_itself() -> None:
    assert unwrap("plain {words}") == CuratorReply("plain {words}")


@pytest.mark.parametrize("stdout", ["", " \n", envelope(result=" ")])
def test_an_empty_answer_is_unusable(stdout: str) -> None:
    with pytest.raises(UnusableReply, match="with nothing"):
        unwrap(stdout)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"result": None, "subtype": "success"}, r"no answer \(success\)"),
        ({"result": {"text": "x"}}, r"no answer \(None\)"),
        ({"subtype": "error_during_execution"}, "the answer"),
        (
            {"is_error": True, "result": " ", "errors": ["overloaded", 3, "twice"]},
            "overloaded; twice",
        ),
        (
            {"is_error": True, "result": "API Error: 502 Bad\n\x1b[31m gateway"},
            r"HTTP 502.*Bad \[31m ga",
        ),
    ],
)
def test_an_envelope_without_an_answer_is_an_error(fields: dict[str, object], said: str) -> None:
    with pytest.raises(BackendError, match=said) as raised:
        unwrap(envelope(**fields))
    assert raised.value.passing


def test_the_text_of_an_error_is_redacted_before_it_is_shortened() -> None:
    with pytest.raises(BackendError) as raised:
        unwrap(envelope(is_error=True, result=f"{'x' * 100} key {SECRET} {'y' * 1000}"))
    assert SECRET[:12] not in str(raised.value)
    assert len(str(raised.value)) < 400


# --- the agreed shape -------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        reply(),
        f"\ufeff  {reply()}\n",
        f"Here is the JSON you asked for:\n```json\n{reply()}\n```\nDone.",
        f"I updated {{state}}. Result: {reply()}",
        f'I looked at [1], ["a" and {{"b": 2}}], {{}} and "{{x". So: {reply()} [end] {{"n": {{}}}}',
        f"[see {reply()}]",
        reply(thoughts="extra keys are passed over", score=float("nan")),
        reply(decisions_body=None, todo_body=None, mistakes_new_entries=None, archive_entries=None),
        reply(mistakes_new_entries=[], archive_entries=[]),
        reply().replace("State\\n", "State\n"),
        '{"summary": "\\n s ", "state_body": "# State\\r\\n"}',
    ],
)
def test_one_object_is_found_in_what_models_put_around_it(text: str) -> None:
    assert parse(text) == PLAIN


def test_every_part_is_taken() -> None:
    full = reply(
        decisions_body="D",
        todo_body="",
        mistakes_new_entries=["### 2026-01-01 - M"],
        archive_entries=[{"source": "todo.md", "content": "C", "why": "done"}],
    )
    assert parse(full) == Reply(
        "s",
        {"state.md": "# State\n", "decisions.md": "D", "todo.md": ""},
        ("### 2026-01-01 - M",),
        (ArchiveEntry("todo.md", "C"),),
    )


def test_nothing_new_is_a_reply_too() -> None:
    assert parse('{"summary": "nothing new"}') == Reply("nothing new", {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that",
        "42",
        "null",
        "[1, 2, 3]",
        f"[{reply()}]",
        f'{{"answer": {reply()}}}',
        json.dumps(reply()),
        "{}",
        '{"error": {"type": "rate_limit_error", "message": "slow down"}}',
        '{"message": "I cannot do that"}',
        '{"summary": "s", "error": "rate limit"}',
        '{"summary": "s", "state": "# State under a name of its own"}',
        json.dumps(dict.fromkeys(["summary", "state_body", "archive_entries"])),
        reply(summary=""),
        reply(summary=" \u0000\n"),
        reply(summary=7),
        reply(summary=["s"]),
        reply(state_body=7),
        reply(state_body=True),
        reply(state_body=float("inf")),
        reply(todo_body=["a"]),
        reply(mistakes_new_entries="### 2026-01-01 - Wrong port"),
        reply(mistakes_new_entries={"0": "x"}),
        reply(mistakes_new_entries=["a", None]),
        reply(mistakes_new_entries=[["a"]]),
        reply(archive_entries="x"),
        reply(archive_entries={}),
        reply(archive_entries=["x"]),
        reply(archive_entries=[None]),
        reply(archive_entries=[{"source": "s"}]),
        reply(archive_entries=[{"source": "s", "content": None}]),
        reply() + reply(),
        reply() + '{"summary": "second thoughts"}',
        reply()[:-1],
        reply(archive_entries=[{"source": "s", "content": "c", "summary": "inner"}])[:-2],
        '{"summary": "s", "state_body": "a", "state_body": "b"}',
        reply(extra={}).replace("{}", '{"a": 1, "a": 2}'),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UnusableReply) as refused:
        parse(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        reply(summary=None, state_body=SECRET),
        reply(mistakes_new_entries=SECRET),
        reply(archive_entries=[{SECRET: SECRET}]),
        json.dumps({"summary": "s", SECRET: 1}),
        f'{{"summary": "{SECRET}", "summary": "{SECRET}"}}',
        f'{{"summary": "{SECRET}',
    ],
)
def test_no_refusal_quotes_the_answer(text: str) -> None:
    with pytest.raises(UnusableReply) as refused:
        parse(text)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_characters_that_no_file_should_hold_are_repaired() -> None:
    body = "a\\u0000b\\ud83dc\\ud83d\\ude00\\u001b[1m\\td\\r\\ne\\rf\\u0085\\u007f"
    found = parse(f'{{"summary": "s\\u0007", "state_body": "{body}"}}')
    assert found.bodies == {"state.md": "ab\ufffdc\U0001f600[1m\td\ne\nf"}
    assert found.summary == "s"


@pytest.mark.parametrize(
    "hostile",
    [
        "{" * 200_000,
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"a":[' * 100_000,
        '{"a' * 100_000,
        '{"\n\n\n\n' * 100_000,
        '{"a":1,' * 100_000,
        '[1,{"b":2},' * 200_000,
        "{}" * 200_000,
        "[[]," * 100_000,
        '{"summary":' + "1" * 200_000 + "}",
        '{"summary":"' + "\\" * 200_000,
        '{"summary":1e' + "9" * 200_000 + "}",
        '{"\ud800": "\udfff", "summary": 1}',
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode(),
)
def test_hostile_text_is_refused_in_linear_time(hostile: str) -> None:
    for read in (parse, lambda text: parse(unwrap(text).text)):
        with pytest.raises(UnusableReply):
            read(hostile)


def test_an_answer_after_many_braces_is_found() -> None:
    assert parse('{"a' * 100_000 + reply()) == PLAIN


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from('{}[]",:\\ \n\ud800'))))
def test_no_text_raises_anything_but_unusable(text: str) -> None:
    try:
        found = parse(text)
    except UnusableReply:
        return
    assert found.summary.strip()


_BODY = st.none() | st.text(st.characters(exclude_categories=["Cc", "Cs"]))


@settings(max_examples=100, deadline=None)
@given(body=_BODY, entries=st.lists(_BODY.filter(bool)), around=st.text("ab {}[]\n`.", max_size=30))
def test_a_reply_survives_the_way_whatever_stands_around_it(
    body: str | None, entries: list[str], around: str
) -> None:
    sent = reply(todo_body=body, mistakes_new_entries=entries)
    found = parse(f"a {{x}} [y] {sent} {around}")
    assert found.bodies.get("todo.md") == body
    assert list(found.mistakes) == entries
