"""Keys that stand in files of their own."""

from __future__ import annotations

from typing import Final

from memd.redact_rules.parts import ESCAPED_N, START, UPPER, capital, filler, sized
from memd.redact_rules.rule import Rule

_PEM: Final = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PEM_END: Final = rf"-{{4,5}} ?END {_PEM}[\w+/=-]{{0,64}}"
_PEM_GAP: Final = r"(?:[^A-Za-z0-9+/\\]|\+\s|\\{1,4}[nrt]|[0-9]{1,6}[^A-Za-z0-9+/=]){0,60}"
_PEM_MATERIAL: Final = (
    r"(?:[A-Za-z0-9+/=]{16}|(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID):)"
)
_BASE64: Final = "[A-Za-z0-9+/=]"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "ssh_private_key",
        rf"-{{4,5}} ?BEGIN {_PEM}(?:(?={_PEM_GAP}{_PEM_MATERIAL})[\s\S]*?(?:{_PEM_END}|\Z)"
        rf"|(?:\r?\n|{ESCAPED_N})[^-]{{1,4000}}{_PEM_END})",
        ("private key",),
        "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIExampleExample+Example/Example=\n",
        "look for -----BEGIN EC PRIVATE KEY----- and -----END EC PRIVATE KEY-----",
        leads=False,
    ),
    Rule(  # its head was cut off
        "ssh_private_key",
        rf"(?<!{_BASE64}{{16}}\n)(?<!{_BASE64}{{16}}\r\n)(?<!{_BASE64})"
        rf"(?:{_BASE64}{{16,}}\r?\n){{1,400}}(?:{_BASE64}{{1,80}}\r?\n)?{_PEM_END}",
        ("private key",),
        "ExampleExampleExample+Example/Example\nabc=\n-----END RSA PRIVATE KEY-----",
        "the file ends in\n-----END RSA PRIVATE KEY-----",
        leads=False,
    ),
    Rule(
        "putty_private_key",
        rf"Private-Lines: ?[0-9]{{1,4}}((?:(?:\r?\n|{ESCAPED_N}){_BASE64}{{1,80}}){{1,400}})",
        ("private-lines",),
        f"Private-Lines: 2\n{filler(64)}\n{filler(40)}=\nPrivate-MAC: 00",
        "the header Private-Lines: 14 says how many follow",
    ),
    Rule(
        "age_key",
        START + sized("AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,32})-1", 58, 16, UPPER),
        ("age-secret-key-1", "age-plugin-"),
        f"AGE-SECRET-KEY-1{capital(58)}",
        "an age key begins with AGE-SECRET-KEY-1, a recipient with age1",
    ),
    Rule(
        "minisign_key",
        r"(?:minisign|rsign|signify)[^\n\\]{0,60}secret key"
        r"(?:\r?\n|\\n)([A-Za-z0-9+/]{40,400}={0,2})",
        ("secret key",),
        f"untrusted comment: minisign encrypted secret key\n{filler(210)}==",
        "minisign -G makes a public and a secret key\nin two files",
        leads=False,
    ),
    Rule(
        "nix_signing_key",
        r"-[1-3]:([A-Za-z0-9+/]{86}==)",
        (*(f"-{number}:" for number in range(1, 4)),),
        f"cache.example.org-1:{filler(86)}==",
        f"cache.example.org-1:{filler(43)}= is public, 1-1:x",
    ),
    Rule(
        "wireguard_key",
        r"P(?:rivate|reshared)Key\s?=\s?([A-Za-z0-9+/]{42,43}=?)(?![A-Za-z0-9])",
        ("privatekey", "presharedkey"),
        f"PrivateKey = {filler(43)}=",
        f"PublicKey = {filler(43)}= and PrivateKey = <yours>",
    ),
    Rule(
        "jwk_private",
        r"\"d\\{0,3}\"\s?:\s?\\{0,3}\"([\w-]{40,1400})",
        ('"d"', '"d\\'),
        f'{{"kty": "EC", "d": "{filler(43)}"}}',
        '{"d": "P1D", "kty": "EC"}',
    ),
)
