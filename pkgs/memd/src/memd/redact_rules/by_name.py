"""Values beside the name of a credential, in files, code and settings."""

from __future__ import annotations

from typing import Final

from memd.redact_rules.rule import Rule
from memd.redact_rules.values import (
    BARE_KEY,
    BARE_PASSWORD,
    CODE,
    DEFINE,
    NO_PLACEHOLDER,
    QUOTED,
    SPACED,
    UNQUOTED,
)

_UPPER_NAME: Final = (
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS(?<=_PASS)|PWD(?<=_PWD)|_PAT|CREDENTIAL)"
    r"(?:_(?:BASE|PROD|PRODUCTION|DEV|STAGE|STAGING|TEST|LIVE|OLD|NEW|PRIMARY|SECONDARY)"
    r"|_[0-9]{1,3})?"
)
_UPPER_WORDS: Final = ("key", "token", "secret", "pass", "pwd", "_pat", "cred")
_QUALIFIERS: Final = (
    *("api", "access", "secret", "private", "auth", "account", "encryption", "signing", "master"),
    *("session", "client", "service", "storage", "subscription", "shared", "admin", "deploy"),
    *("license", "webhook", "signature", "app", "integration"),
)
_QUALIFIED: Final = r"(?=[\"'\\\s\w]{0,6}[:=>(])(?:" + "|".join(
    rf"(?<={word}[_.-]key)|(?<={word[1:]}[Kk]ey)|(?<={word[1:]}[_-]Key)" for word in _QUALIFIERS
)
_PHRASE: Final = (
    r"[Pp](?:ass(?:w(?:or[dt]|d)|phrase|code|(?<=[_.-]pass)|(?<=[a-z]Pass))|wd)(?:_?[0-9]{1,2})?"
)
# The token of memd's own fences is no credential.
_KEY_NAME: Final = (
    r"(?:[Tt]oken(?<!Fence token)|[Ss]ecret|cred(?<=[_.-]cred)"
    rf"|[Kk]ey{_QUALIFIED}))(?:_?[0-9]{{1,2}}|_base)?"
)
_NAME: Final = f"(?:{_PHRASE}|{_KEY_NAME})"
_SETTER: Final = r"(?:(?<=[Ss]et)|(?<=[Ss]et_)|(?<=[Ww]ith)|(?<=[Ww]ith_)|(?<=\.))"
_PASS_WORDS: Final = ("pass", "pwd")
_KEY_WORDS: Final = ("token", "secret", "key", "cred")
_SIGN: Final = r"(?:: ?\w{1,12}(?= ?=))?[ \t]{0,12}(?:=>|:=|[:=])[ \t]{0,12}"
_NO_TEXT: Final = r"(?=\\{0,3}[\"'][^\s\"'\\]{4,4096})"
_DIGIT: Final = r"(?=\\{0,3}[\"'][^\s\"'\\]{0,64}?(?:[0-9]|[^\s\"'\\]{20}))"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "env_credential",
        rf"{_UPPER_NAME}(?:=(?:{QUOTED}|{NO_PLACEHOLDER}{CODE}({UNQUOTED}))"
        rf"|{DEFINE}(?:{QUOTED}|{SPACED}))",
        _UPPER_WORDS,
        "export API_KEY=value",
        'API_KEY = os.environ["API_KEY"], TOKEN=${TOKEN}, KEY=<key>, MAX_TOKENS=4096, SECRET=',
    ),
    Rule(  # name and value apart, as in a list of variables
        "env_credential",
        rf"{_UPPER_NAME}\\{{0,3}}[\"']?,?(?:\s|\\n){{1,40}}\\{{0,3}}[\"']?[Vv]alue\\{{0,3}}[\"']?\s?"
        rf"[:=]\s?(?:{QUOTED}|{NO_PLACEHOLDER}([^\s\"'`\\,}}\x1b]{{4,4096}}))",
        _UPPER_WORDS,
        "- name: DB_PASSWORD\n  value: example",
        "- name: DB_PASSWORD\n  value:\n  - name: DB_HOST",
    ),
    Rule(
        "json_token_field",
        rf"{_NAME}\\{{0,3}}[\"'][ \t]{{0,4}}(?::|=>)\s{{0,4}}{QUOTED}",
        (*_PASS_WORDS, *_KEY_WORDS),
        '{"access_token": "value"}',
        '{"token_type": "Bearer", "max_tokens": "4096", "password": ""}',
    ),
    Rule(
        "named_password",
        rf"{_PHRASE}{_SIGN}(?:{_NO_TEXT}{QUOTED}|{BARE_PASSWORD})",
        _PASS_WORDS,
        "password: hunter2",
        "password: required, password = getpass(1), passwd=${PASS1}, password: see page 2",
    ),
    Rule(
        "named_credential",
        rf"{_KEY_NAME}{_SIGN}(?:{_DIGIT}{QUOTED}|{BARE_KEY})",
        _KEY_WORDS,
        "api_key = 0f1e2d3c4b5a6978",
        "token = next_token_2(x), secret: true, api_key = client_key_v2, token = 'NAME'",
    ),
    Rule(  # set_password("...")
        "named_password",
        rf"{_SETTER}{_NAME}\(\s?{_DIGIT}{QUOTED}",
        (*_PASS_WORDS, *_KEY_WORDS),
        'client.setPassword("example0value")',
        'token("NAME"), getpass("Password: "), password("Enter it")',
    ),
    Rule(
        "named_password",
        rf"{_NAME}: ?[|>][+-]?(?:\r?\n|\\n)[ \t]{{1,40}}([^\s\"'`\\\x1b\uff09]{{6,4096}})",
        (*_PASS_WORDS, *_KEY_WORDS),
        "password: |-\n    example0value",
        "password: |\nnext: 1",
    ),
    Rule(
        "named_password",
        rf"{_NAME}>\s?{NO_PLACEHOLDER}([^\s<>]{{4,4096}})(?=\s?</)",
        (*_PASS_WORDS, *_KEY_WORDS),
        "<password>example</password>",
        "<token></token>, <password>${PASS}</password>",
    ),
    Rule(
        "sql_password",
        r"(?i:identified(?: with \w{1,40})? by|password)[ \t]{1,4}(?:= ?)?'([^'\n]{4,256})'",
        ("identified b", "identified w", "password"),
        "CREATE USER app IDENTIFIED BY 'example'",
        "IDENTIFIED BY '?', the password 'x'",
    ),
    Rule(
        "connection_password",
        rf"(?:[Pp]assword|[Pp]wd|PWD)(?:(?<=;...)|(?<=;........)|(?<=; ...)"
        rf"|(?<=; ........))\s?=\s?{NO_PLACEHOLDER}([^;\s\"'\\]{{4,256}})",
        ("password", "pwd"),
        "Server=db;User Id=app;Password=example;Encrypt=true",
        "Server=db;Password={password};Encrypt=true",
    ),
)
