"""Redaction and cutting: what is found, what stays, and what holds for any text."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memd.redact import Redactor, join, literal
from memd.redact_rules import RULES, Rule

KEPT = os.path.join(os.path.dirname(__file__), "..", "data", "redact", "kept.txt")
ALNUM = string.ascii_letters + string.digits
BASE64URL = ALNUM + "-_"
BODY = "SECRETPART0123456789abcdefghijklmnopqrs"  # 39 characters
MIXED = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz"  # 33 characters
PEM_LINES = [
    f"b3BlbnNzaC1rZXktdjEKEYBODY{n:02}AAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABlw" for n in range(9)
]
BEGIN, END = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
PEM = "\n".join([BEGIN, *PEM_LINES, END])

few = settings(max_examples=120, deadline=None)


def clean(text: str) -> str:
    return Redactor().clean(text)


def mark(rule: str) -> str:
    return f"[REDACTED:{rule}]"


# --- what each rule finds ---------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "secret"),
    [
        ("google_oauth", f"ya29.a0{BODY}-1"),
        *(("github_pat", f"gh{kind}_{BODY[:36]}") for kind in "pousr"),
        ("github_pat", f"github_pat_11ABCDEFG0{BODY[:12]}_{BODY}{BODY[:20]}"),
        ("anthropic_key", f"sk-ant-api03-{BODY}{BODY}-AA"),
        ("anthropic_key", f"sk-ant-oat01-{BODY}_{BODY}-AA"),
        ("openai_key", f"sk-{BODY}"),
        ("openai_key", f"sk-proj-{BODY}-{BODY}_T3BlbkFJ{BODY}"),
        ("openai_key", f"sk-svcacct-a-b-{BODY}"),
        ("openai_key", "sk-or-v1-" + "0123456789abcdef" * 4),
        ("aws_access", "AKIASECRETPART012345"),
        ("aws_access", "ASIASECRETPART012345"),
        ("aws_access", "AKIAIOSFODNN7EXAMPLE"),
        ("slack_token", f"xoxb-123456789012-{BODY}"),
        ("slack_token", f"xoxp-123456789012-123456789012-{BODY}"),
        ("slack_token", f"xapp-1-A0123-{BODY}"),
        ("gitlab_token", f"glpat-{BODY[:20]}"),
        ("npm_token", f"npm_{BODY[:36]}"),
        ("jwt", f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{BODY}.{BODY}"),
        ("jwt", f"eyJhbGciOiJub25lIn0.eyJ{BODY}"),
        ("stripe_key", f"sk_live_{BODY[:20]}"),
        ("huggingface_token", f"hf_{BODY[:34]}"),
        ("google_api_key", f"AIza{BODY[:35]}"),
        ("ssh_private_key", PEM),
    ],
)
@pytest.mark.parametrize("around", ["{}", "x {} y", "({}), z", '"{}"', "={}\n", "U: {}.", "钥{}匙"])
def test_tokens_go_whole_and_nothing_else_does(rule: str, secret: str, around: str) -> None:
    redactor = Redactor()
    assert redactor.clean(around.format(secret)) == around.format(mark(rule))
    assert redactor.fired == {rule: 1}


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("env_credential", "export API_KEY=<<value>>"),
        ("env_credential", "U: DEPLOY_TOKEN=<<s3cr3tvalue0001x>>, then"),
        ("env_credential", "set it with export API_KEY=<<s3cr3tvalue0003x>> please"),
        ("env_credential", 'API_KEY="<<two words>>" and more'),
        ("env_credential", "API_KEY='<<two words>>' and more"),
        ("env_credential", r'API_KEY="<<a\"b\\>>" and more'),
        ("env_credential", r'{"command": "API_KEY=\"<<a\\\"b c>>\" run"}'),
        ("env_credential", r'"{\"command\": \"API_KEY=\\\"<<a b>>\\\" run\"}"'),
        ("env_credential", r'{"content": "a\nexport DB_TOKEN=<<s3cr3tvalue0001x>>\nb"}'),
        ("env_credential", r"a\nexport DB_TOKEN=<<with\backslash>>.\r\nb"),
        ("env_credential", 'API_KEY = "<<value>>"; API_KEY2 = "kept"'),
        ("env_credential", "API_KEY = <<0123456789abcdef>>"),
        ("env_credential", 'API_KEY: str = "<<value>>"'),
        ("env_credential", '{"env": {"GITHUB_TOKEN": "<<value>>"}}'),
        ("env_credential", r"{\"GITHUB_TOKEN\": \"<<value>>\"}"),
        ("env_credential", "'API_SECRET' => '<<value>>'"),
        ("env_credential", "DB_PASSWORD: <<0123456789abcdef>>\nuser: x"),
        ("env_credential", "`TOKEN=<<abc>>` (TOKEN)"),
        ("env_credential", "(SECRET=<<abc>>)."),
        ("env_credential", "https://example.org/?API_KEY=<<abc>>&user=1"),
        ("env_credential", "<p>TOKEN=<<abc>></p>"),
        ("env_credential", "设置API_KEY=<<abc123>>然后重启"),
        ("env_credential", "«DB_PASSWORD=<<pässwörd>>»"),
        ("env_credential", "DB_PASSWORD=<<hunter2!>>"),
        ("env_credential", "DB_PASSWORD=<<$ecret!x9>> next"),
        ("env_credential", "DB_PASSWORD=<<a,b;c)d>> next"),
        ("json_token_field", '{"access_token": "<<x>>", "scope": "y"}'),
        ("json_token_field", '{"refreshToken":"<<x y>>"}'),
        ("json_token_field", r"{\"access_token\": \"<<x>>\", \"a\": \"b\"}"),
        ("json_token_field", r"{\\\"client_secret\\\":\\\"<<x>>\\\",\\\"a\\\":1}"),
        ("json_token_field", r'{"password": "<<hunter\"3>>"}'),
        ("json_token_field", "{'api_key': '<<x>>'}"),
        ("json_token_field", '{"access_token": "<<cut off without an end>>'),
        ("bearer_header", f"Authorization: Bearer <<{BODY}>>."),
        ("bearer_header", '{"Authorization": "Bearer <<examplewithoutdigit>>"}'),
        ("bearer_header", r"-H \"authorization: bearer <<0123456789==>>\""),
        ("bearer_header", "use Bearer <<abcdef0123456789>> here"),
        ("basic_auth", "Authorization: Basic <<dXNlcjpodW50ZXIyaHVudGVyMg==>>"),
        ("api_key_header", "x-api-key: <<9f8e7d6c5b4a39281706f5e4d3c2b1a0>>"),
        ("api_key_header", "Private-Token: <<9f8e7d6c5b4a3928>>"),
        ("aws_secret", "aws_secret_access_key = <<wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY>>"),
        ("url_password", "db postgres://svc:<<hunter2hunter2>>@db.internal/app"),
        ("url_password", "https://user:<<$ecret12>>@host"),
        ("url_password", "redis://:<<p@ss:word>>@localhost:6379"),
        ("openai_key", rf"text\n<<sk-{BODY}>>\n"),
        ("openai_key", f"\x1b[31m<<sk-{BODY}>>\x1b[0m"),
        ("huggingface_token", f"key%3D<<hf_{BODY[:34]}>>"),
        ("google_api_key", rf"key\u003d<<AIza{BODY[:35]}>>"),
        ("jwt", "-<<eyJhbGciOiJub25lIn0.eyJleGFtcGxlIjoxfQ>>."),
    ],
)
def test_only_the_secret_between_its_surroundings_goes(rule: str, text: str) -> None:
    raw = text.replace("<<", "").replace(">>", "")
    expected = re.sub(r"<<.*?>>", mark(rule), text, flags=re.DOTALL)
    assert clean(raw) == expected


def test_ordinary_text_is_kept() -> None:
    redactor = Redactor()
    with open(KEPT, encoding="utf-8") as file:
        changed = [line for line in file if redactor.clean(line) != line]
    assert not changed
    assert not redactor.fired


def test_foremost_rule_names_what_several_find() -> None:
    assert clean(f"API_KEY=sk-ant-api03-{BODY}") == f"API_KEY={mark('anthropic_key')}"
    assert clean(f"Authorization: Bearer ghp_{BODY[:36]}") == (
        f"Authorization: Bearer {mark('github_pat')}"
    )


# --- private keys -----------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", r"\n", r"\\n", r"\r\n", " ", "\n    ", "\n> "])
@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "])
def test_private_key_with_any_line_ends(newline: str, kind: str) -> None:
    begin, end = f"-----BEGIN {kind}PRIVATE KEY-----", f"-----END {kind}PRIVATE KEY-----"
    key = newline.join([begin, *PEM_LINES, end])
    assert clean(f"before {key}\nafter") == f"before {mark('ssh_private_key')}\nafter"


@pytest.mark.parametrize(
    "head",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0\n\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n",
        "     1\u2192-----BEGIN PRIVATE KEY-----\n     2\u2192",
        '"-----BEGIN PRIVATE KEY-----\\n" +\n  "',
    ],
)
def test_private_key_without_its_end_takes_the_rest(head: str) -> None:
    body = "\n".join(PEM_LINES)
    start = head.index("-----BEGIN" if "-----BEGIN" in head else "---- BEGIN")
    assert clean(f"look: {head}{body}") == f"look: {head[:start]}{mark('ssh_private_key')}"


def test_private_key_with_a_short_body_needs_its_end() -> None:
    assert clean(f"{BEGIN}\nabc\n{END} x") == f"{mark('ssh_private_key')} x"
    assert clean(f"{BEGIN}\nabc") == f"{BEGIN}\nabc"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "... and so on ", "the last lines are\n", "x: "])
def test_private_key_without_its_begin(before: str, newline: str) -> None:
    tail = newline.join([*PEM_LINES, "abc=", END])
    assert clean(f"{before}{tail}\nafter") == f"{before}{mark('ssh_private_key')}\nafter"


def test_two_private_keys_are_two_finds() -> None:
    assert (
        clean(f"{PEM}\nand\n{PEM}") == f"{mark('ssh_private_key')}\nand\n{mark('ssh_private_key')}"
    )


# --- tokens broken by a narrow terminal -----------------------------------------------

BROKEN = [
    ("github_pat", f"ghp_{BODY[:36]}"),
    ("npm_token", f"npm_{BODY[:36]}"),
    ("gitlab_token", f"glpat-{BODY[:20]}"),
    ("huggingface_token", f"hf_{BODY[:34]}"),
    ("google_api_key", f"AIza{BODY[:35]}"),
    ("aws_access", "AKIASECRETPART012345"),
]
LONG = [
    ("anthropic_key", f"sk-ant-api03-{MIXED}{MIXED}"),
    ("openai_key", f"sk-proj-{MIXED}{MIXED}"),
    ("google_oauth", f"ya29.{MIXED}{MIXED}"),
    ("github_pat", f"github_pat_{MIXED}{MIXED}"),
    ("slack_token", f"xoxb-{MIXED}{MIXED}"),
    ("jwt", f"eyJhbGciOiJIUzI1NiJ9.eyJ{MIXED}{MIXED}.{MIXED}"),
    ("stripe_key", f"sk_live_{MIXED}{MIXED}"),
]
ORDINARY = [
    *("and", "Then", "README", "Kubernetes", "PostgreSQL", "next-step-of-the-plan", "config.yaml"),
    *("2026-11-30", "2026-11-30T10:00:00Z", "getUserById(1)", "src/v2/Main0Window.py", "- item"),
    "3f5a9c0d1e2b3f4a5b6c7d8e9f0a1b2c3d4e5f60 is the commit",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n    ", "\n\t", r"\n", r"\r\n  ", r"\\n"])
@pytest.mark.parametrize(("rule", "token"), BROKEN)
def test_token_of_known_size_broken_anywhere(rule: str, token: str, newline: str) -> None:
    prefix = re.match("[a-z]+[_-]|AKIA|AIza", token)
    assert prefix
    for at in range(prefix.end() + 1, len(token)):
        broken = token[:at] + newline + token[at:]
        assert clean(f"token {broken} next") == f"token {mark(rule)} next"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n    ", r"\n", r"\\n  "])
@pytest.mark.parametrize(("rule", "token"), LONG)
def test_long_token_broken_twice(rule: str, token: str, newline: str) -> None:
    for at in (len(token) - 50, len(token) - 40, len(token) - 30):
        broken = newline.join([token[:at], token[at : at + 16], token[at + 16 :]])
        assert clean(f"token {broken}.\nnext") == f"token {mark(rule)}.\nnext"


def test_long_token_broken_behind_its_prefix() -> None:
    assert clean(f"sk-ant-\n  {MIXED} x") == f"{mark('anthropic_key')} x"
    assert clean(f"sk-proj-ab\n  {MIXED} x") == f"{mark('openai_key')} x"


def test_jwt_broken_in_its_header() -> None:
    broken = f"eyJhbGciOiJIUzI1\nNiJ9.eyJ{MIXED}.{MIXED}"
    assert clean(f"{broken} x") == f"{mark('jwt')} x"


@pytest.mark.parametrize("word", ORDINARY)
@pytest.mark.parametrize(("rule", "token"), [*BROKEN, *LONG])
def test_next_line_that_is_no_part_of_the_token_stays(rule: str, token: str, word: str) -> None:
    assert clean(f"{token}\n{word} x") == f"{mark(rule)}\n{word} x"


def test_words_after_a_cut_token_stay() -> None:
    assert clean("ghp_abcdefghijklmnopqrstuv\nwas revoked") == f"{mark('github_pat')}\nwas revoked"


# --- marks, extra patterns, counting --------------------------------------------------


def test_marks_in_the_text_are_left_alone_and_not_counted() -> None:
    redactor = Redactor(["REDACTED", r"\w+"])
    assert redactor.clean(mark("jwt")) == mark("jwt")
    assert not redactor.fired


def test_the_name_in_a_mark_begins_no_secret() -> None:
    for rest in (" secret key\n" + "A7b" * 20, " config add-authtoken " + "A7b" * 10):
        for rule in ("minisign_key", "ngrok_token"):
            assert clean(mark(rule) + rest) == mark(rule) + rest


def test_a_mark_of_an_unknown_rule_hides_nothing() -> None:
    assert f"ghp_{BODY}" not in clean(f"[REDACTED:ghp_{BODY}]")


def test_find_that_reaches_beyond_a_mark_takes_it_along() -> None:
    assert Redactor(["a.*z"]).clean(f"a {mark('jwt')} z.") == f"{mark('extra_1')}."


def test_extra_patterns_are_named_in_order_and_replaced_whole() -> None:
    redactor = Redactor([r"ticket-(\d+)", "hunter[0-9]"])
    assert redactor.clean("ticket-12 hunter2 ticket-3") == (
        f"{mark('extra_1')} {mark('extra_2')} {mark('extra_1')}"
    )
    assert redactor.fired == {"extra_1": 2, "extra_2": 1}


def test_extra_pattern_sees_text_that_a_rule_redacts() -> None:
    redactor = Redactor(["token .*"])
    assert redactor.clean(f"token ghp_{BODY} in use") == mark("github_pat")
    assert redactor.fired == {"github_pat": 1}


@pytest.mark.parametrize("pattern", ["", "x*", "^", r"\b", "(?=a)", "a|"])
def test_empty_matches_insert_nothing(pattern: str) -> None:
    text = "banana\nbandana"
    assert Redactor([pattern]).clean(text).replace(mark("extra_1"), "a") == text


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a{2,1}", "(?P<x>", "x{99999999999999999999}"])
def test_invalid_extra_pattern_is_named_in_one_line(pattern: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(pattern))) as caught:
        Redactor(["fine", pattern])
    assert "\n" not in str(caught.value)


def test_fired_counts_over_all_calls() -> None:
    redactor = Redactor()
    redactor.clean(f"ghp_{BODY} ghp_{BODY}")
    redactor.excerpt(f"npm_{BODY}", 100)
    assert redactor.fired == {"github_pat": 2, "npm_token": 1}


def test_join_and_literal_add_only_fixed_words() -> None:
    redactor = Redactor()
    parts = [redactor.clean("a"), literal("b")]
    assert join(" | ", parts) == "a | b"
    assert join("\n", []) == ""


def test_lone_surrogates_become_replacement_characters() -> None:
    assert clean("half \ud83d emoji \ude00") == "half \ufffd emoji \ufffd"
    assert clean("whole \U0001f600\x00\x1b\r\n\t") == "whole \U0001f600\x00\x1b\r\n\t"


# --- excerpt ----------------------------------------------------------------------------

NOTICE = re.compile(r" \[\.\.\. ([0-9]+) characters left out \.\.\.\] ")


def test_excerpt_of_a_short_text_is_the_clean_text() -> None:
    assert Redactor().excerpt(f"ghp_{BODY} x", 60) == f"{mark('github_pat')} x"


def test_excerpt_keeps_head_and_tail_and_says_how_much_is_missing() -> None:
    cut = Redactor().excerpt("h" * 500 + "t" * 500, 100)
    assert re.fullmatch(r"h{30,40} \[\.\.\. 9[0-9]{2} characters left out \.\.\.\] t{30,40}", cut)
    assert len(cut) <= 100


def test_excerpt_redacts_before_it_cuts() -> None:
    text = "x" * 40 + PEM + "y" * 400
    assert "KEYBODY" not in Redactor().excerpt(text, 240)


def test_excerpt_keeps_a_mark_at_the_end_whole() -> None:
    for size in range(40):
        cut = Redactor().excerpt("x" * 500 + f" ghp_{BODY}" + "." * size, 120)
        assert mark("github_pat") in cut
        assert len(cut) <= 120


def test_excerpt_leaves_a_mark_out_where_it_finds_no_room() -> None:
    cut = Redactor().excerpt(f"x ghp_{BODY} " + "y" * 500 + f" ghp_{BODY}" + "." * 9, 60)
    assert re.fullmatch(r"x  \[\.\.\. [0-9]+ characters left out \.\.\.\] \.{9}", cut)


@pytest.mark.parametrize("limit", [-1, 0, 1, 30])
def test_excerpt_below_any_use_is_the_notice_alone(limit: int) -> None:
    assert Redactor().excerpt("x" * 100, limit) == " [... 100 characters left out ...] "


# --- for any text -----------------------------------------------------------------------


def drawn(alphabet: str, least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most)


def key_like(alphabet: str, least: int, most: int) -> st.SearchStrategy[str]:
    """Random characters in which a digit, an upper and a lower case letter are sure."""
    return drawn(alphabet, least - 3, most - 3).map(lambda rest: f"a7Q{rest}")


def after(prefix: str, body: st.SearchStrategy[str], end: str = "") -> st.SearchStrategy[str]:
    return body.map(lambda text: f"{prefix}\0{text}\0{end}")


def token(prefixes: list[str], body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(prefixes), body).map(lambda pair: f"\0{pair[0]}{pair[1]}\0")


def framed(frames: list[str], body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(frames), body).map(
        lambda pair: pair[0].replace("§", f"\0{pair[1]}\0")
    )


PEM_BODY = st.lists(drawn(ALNUM + "+/", 64, 64), min_size=1, max_size=6)
NAMES = ["export API_KEY=§", "FOO_TOKEN=§", "DB_PASSWORD='§'", 'A_SECRET="§"', r"KEY=\"§\""]
FIELDS = ['"access_token": "§"', r"\"password\":\"§\"", r"\\\"apiKey\\\": \\\"§\\\""]
HEADERS = ["Authorization: Bearer §", "'authorization': 'bearer §'", "Authorization: token §"]
# The secret stands between NUL characters; one strategy per rule name.
SECRETS: dict[str, st.SearchStrategy[str]] = {
    "google_oauth": token(["ya29."], drawn(BASE64URL, 16, 200)),
    "github_pat": token(
        ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], drawn(ALNUM, 36, 80)
    ),
    "anthropic_key": token(["sk-ant-", "sk-ant-api03-"], drawn(BASE64URL, 30, 100)),
    "openai_key": token(["sk-", "sk-proj-", "sk-svcacct-"], key_like(ALNUM, 24, 60)),
    "aws_access": token(["AKIA", "ASIA"], drawn(string.ascii_uppercase + string.digits, 16, 16)),
    "slack_token": token(["xoxb-", "xoxp-", "xoxe-", "xapp-1-"], drawn(ALNUM + "-", 20, 60)),
    "gitlab_token": token(["glpat-"], drawn(BASE64URL, 20, 20)),
    "npm_token": token(["npm_"], drawn(ALNUM, 36, 36)),
    "stripe_key": token(["sk_live_", "rk_live_", "sk_test_"], drawn(ALNUM, 20, 90)),
    "huggingface_token": token(["hf_"], drawn(ALNUM, 34, 34)),
    "google_api_key": token(["AIza"], drawn(BASE64URL, 35, 35)),
    "jwt": st.lists(drawn(BASE64URL, 12, 60), min_size=3, max_size=3).map(
        lambda parts: f"\0eyJ{parts[0]}.eyJ{parts[1]}.{parts[2]}\0"
    ),
    "json_token_field": framed(FIELDS, key_like(BASE64URL + " $./+", 12, 60)),
    "bearer_header": framed(HEADERS, key_like(BASE64URL, 20, 60)),
    "basic_auth": framed(["Authorization: Basic §"], key_like(ALNUM, 20, 40)),
    "api_key_header": framed(["x-api-key: §", '"api-key": "§"'], key_like(BASE64URL, 20, 40)),
    "aws_secret": framed(["aws_secret_access_key = §"], drawn(ALNUM + "/+", 40, 40)),
    "url_password": framed(["https://user:§@host", "redis://:§@h"], key_like(ALNUM + "$!", 12, 30)),
    "env_credential": framed(NAMES, key_like(BASE64URL + "$!%./+=", 12, 60)),
    "ssh_private_key": PEM_BODY.map(
        lambda lines: "\n".join([BEGIN, "\0" + "\n".join(lines), END]) + "\0"
    ),
}


def by_example(rule: Rule) -> st.SearchStrategy[str]:
    match = re.search(rule.pattern, rule.hit, re.ASCII)
    assert match
    start, end = match.span(match.lastindex or 0)
    return st.just(f"{rule.hit[:start]}\0{rule.hit[start:end]}\0{rule.hit[end:]}")


SECRETS |= {rule.name: by_example(rule) for rule in RULES if rule.name not in SECRETS}
WORDS = st.lists(
    st.sampled_from(
        ["the", "task", "Größe", "日本語", "file.py", "x=1", "\U0001f600", "--", "'q'"]
    ),
    max_size=6,
).map(" ".join)
BORDERS = st.sampled_from([*" \n\t:;,(|@/-", "\\n", ' "', "\u3002"])
ONE_SECRET = st.one_of(list(SECRETS.values()))


@st.composite
def placed_secrets(draw: Callable[..., str]) -> tuple[str, str]:
    """A text and the secret somewhere in it."""
    before, _, rest = draw(ONE_SECRET).partition("\0")
    secret, _, end = rest.partition("\0")
    left, right = draw(WORDS) + draw(BORDERS), draw(BORDERS) + draw(WORDS)
    return f"{left}{before}{secret}{end}{right}", secret


def test_every_rule_has_made_up_secrets() -> None:
    assert set(SECRETS) == {rule.name for rule in RULES}


@few
@given(placed_secrets())
def test_no_secret_survives_cleaning(placed: tuple[str, str]) -> None:
    text, secret = placed
    assert secret in text
    redactor = Redactor()
    assert secret not in redactor.clean(text)
    assert redactor.fired


@few
@given(placed_secrets(), st.integers(0, 300), st.integers(0, 400))
def test_no_secret_survives_cutting(placed: tuple[str, str], limit: int, filler: int) -> None:
    text, secret = placed
    cut = Redactor().excerpt(". " * (filler // 2) + text + " ." * (filler // 3), limit)
    pieces = {secret[at : at + 12] for at in range(0, len(secret) - 11, 4)}
    assert not any(piece in cut for piece in pieces if len(set(piece)) > 4)


@few
@given(st.lists(WORDS, max_size=8).map("\n".join))
def test_text_without_secrets_is_unchanged(text: str) -> None:
    assert clean(text) == text


@few
@given(st.text(st.characters(exclude_categories=[]), max_size=300))
def test_any_text_is_only_repaired(text: str) -> None:
    assume(not re.search("[A-Z]", text))
    assert clean(text) == re.sub("[\ud800-\udfff]", "\ufffd", text)


FRAGMENTS = st.one_of(
    ONE_SECRET.map(lambda text: text.replace("\0", "")),
    st.sampled_from([rule.hit for rule in RULES]),
    st.sampled_from([rule.hit[: len(rule.hit) // 2] for rule in RULES]),
    st.sampled_from([rule.keep for rule in RULES]),
    st.sampled_from([mark(rule.name) for rule in RULES]),
    st.sampled_from(
        [*" \n\\\"'=:_-.[]@/0aA", r"\n", r"\"", "KEY", "sk-", "eyJ", "[REDACTED:", END]
    ),
)
MESSES = st.lists(FRAGMENTS, max_size=8).map("".join)


@settings(max_examples=200, deadline=None)
@given(MESSES)
def test_cleaning_again_changes_nothing(text: str) -> None:
    once = clean(text)
    redactor = Redactor()
    assert redactor.clean(once) == once
    assert not redactor.fired


@few
@given(MESSES)
def test_a_rule_finds_nothing_where_its_keywords_are_missing(text: str) -> None:
    for rule in RULES:
        found = re.search(rule.pattern, text, re.ASCII)
        assert not found or any(word in text.lower() for word in rule.keywords)


@few
@given(MESSES)
def test_between_the_marks_stands_the_original(text: str) -> None:
    kept = re.split(r"\[REDACTED:[a-z_]+\]", clean(text))
    position = 0
    for part in kept:
        position = text.index(part, position) + len(part)
    assert position <= len(text)


@few
@given(MESSES.map(lambda text: text * 3), st.integers(60, 400))
def test_excerpt_is_a_head_and_a_tail_within_the_limit(text: str, limit: int) -> None:
    whole = clean(text)
    cut = Redactor().excerpt(text, limit)
    assert len(cut) <= max(limit, 0)
    if len(whole) <= limit:
        assert cut == whole
        return
    notices = [
        match
        for match in NOTICE.finditer(cut)
        if whole.startswith(cut[: match.start()])
        and whole.endswith(cut[match.end() :])
        and int(match[1]) == len(whole) - match.start() - (len(cut) - match.end())
    ]
    assert notices
    head, tail = notices[0].start(), len(whole) - (len(cut) - notices[0].end())
    marks = [match.span() for match in re.finditer(r"\[REDACTED:[a-z_]+\]", whole)]
    assert not any(start < at < end for start, end in marks for at in (head, tail))
    if limit >= 120:
        assert len(whole) - tail >= (limit - len(notices[0][0])) // 3
