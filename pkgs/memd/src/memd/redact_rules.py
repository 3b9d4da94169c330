r"""The built-in redaction rules, one row each.

A pattern is an ASCII regular expression. What it replaces is the one group that took part in
the match, or the whole match where it has no groups; a match in which no group took part is
passed over. It consumes no text to the right of the secret. To stay linear, a repeat without an
upper bound holds no other such repeat, and a pattern that can fail after a long run starts only
once in that run. To stay idempotent, no row matches a mark and each token is taken up to the end
of its run.

Judgments that the rows carry:

- Vendors' documentation examples (`AKIAIOSFODNN7EXAMPLE`) are redacted like any other value:
  an exception is a hole, a mark in their place costs nothing.
- A token broken over lines goes on where the next line starts with what no word looks like (10
  characters with lower case, inner upper case, a digit; or 16 letters with digits that are no
  hash), or where exactly the number of characters is reached that its kind has.
- An unquoted value of a variable ends at white space, a quote, a backslash escape or CJK text;
  closing punctuation stays. With spaces around the sign, or after a colon, it needs a digit.
- A private key without its END line takes the rest of the text. A BEGIN line with no key
  material behind it is a mention and stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of secret. Several rows may share a name."""

    name: str
    pattern: str
    keywords: tuple[str, ...]
    """Lower case; a text that holds none of them (case ignored) holds no match."""
    hit: str
    """Holds exactly one secret of this shape."""
    keep: str
    """Looks similar and must stay as it is."""


# --- parts of patterns ------------------------------------------------------------

_ESCAPED_N: Final = r"(?:\\{1,3}r)?\\{1,3}n"
_BREAK: Final = rf"(?:\r?\n|{_ESCAPED_N})[ \t]{{0,40}}"


# A letter before a token is no part of a word when it ends an escape or a colour code.
_START: Final = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=\\u[0-9a-f]{4})"
    r"|(?<=\[[0-9]m)|(?<=\[[0-9]{2}m)|(?<=;[0-9]{2}m))"
)


def _more(of: str = r"[\w-]") -> str:
    """The next line of a broken token, made of the characters `of`."""
    mixed = rf"(?={of}{{0,80}}?[0-9])(?={of}{{0,80}}?[a-z])(?={of}{{1,80}}?[A-Z])"
    solid = r"(?=[A-Za-z0-9]{16})(?=[0-9A-Fa-f]{0,40}[g-zG-Z])(?=[A-Za-z]{0,40}[0-9])"
    return rf"(?:{_BREAK}(?:{mixed}|{solid}){of}{{9,}}[\w-](?![\w:(=/-]|\.\w))"


def _token(prefix: str, least: int) -> str:
    """A token of any length from `least` on."""
    short = rf"[\w-]{{0,{least - 1}}}{_more()}{{1,8}}"
    return rf"{prefix}(?:[\w-]{{{least},}}{_more()}{{0,8}}|{short})"


def _wrapped(of: str, size: int) -> str:
    """Exactly `size` characters, broken anywhere."""
    return rf"(?:{of}(?:{_BREAK})?){{{size - 1}}}{of}(?!\w)"


def _sized(prefix: str, size: int, least: int, of: str = "[A-Za-z0-9]") -> str:
    """A token of `size` characters; in one line also a longer one or a cut one from `least` on."""
    wrapped = _wrapped(of, size)
    return rf"{prefix}(?:{of}{{{size},}}|{wrapped}|{of}{{{least},}}{_more()}{{0,8}})"


_JWT_MORE: Final = _more(r"[\w.-]")
_KEY_LIKE: Final = r"(?=[A-Za-z_]{0,15}[0-9]|[A-Za-z_]{0,14}[a-z][A-Z])"

_ENDS: Final = r"""(?=[\s"'`,;)\\]|\Z)"""
_VARIABLE: Final = rf"\$(?:[({{]|[A-Z_][A-Z0-9_]{{0,63}}\b|(?:[a-z]\w{{0,63}}|[0-9@]){_ENDS})"
_NO_PLACEHOLDER: Final = (
    rf"(?!\[REDACTED:|{_VARIABLE}|<[^>\n]{{0,64}}>|\{{|%[sd(]|[xX*.\u2026]{{2,64}}{_ENDS}"
    rf"|(?:[Nn]one|null|nil|undefined|[Tt]rue|[Ff]alse){_ENDS})"
)
_QUOTED: Final = (  # plain, escaped once, escaped twice, single
    rf'(?:"{_NO_PLACEHOLDER}((?:[^"\\\n]|\\.){{1,8192}})'
    rf'|\\"{_NO_PLACEHOLDER}((?:[^"\\\n]|\\\\(?:\\["\\]|[^"\\\n])|\\(?!")){{1,8192}})'
    rf'|\\\\\\"{_NO_PLACEHOLDER}((?:[^"\\\n]|\\(?!\\{{0,2}}")){{1,8192}})'
    rf"|'{_NO_PLACEHOLDER}([^'\n]{{1,8192}}))"
)
_CODE: Final = (
    r"(?!os\.|sys\.|self\.|this\.|args\.|vars\.|settings\.|request\.|secrets?\.|config[.\[]"
    r"|getenv|process\.env|import\.meta|Deno\.|(?:std::)?env[.\[!(:]|ENV\[)"
)
_FOREIGN: Final = "\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u1fff"
_UNQUOTED: Final = (
    rf"(?:(?!=)(?:[!#-%(-+\--:=-\[\]-_a-~{_FOREIGN}]|[,;&](?! ?\w{{1,40}}=)|<(?!/)"
    rf"|\\(?![nrtu\"'\\])){{0,4096}}[!#-%(*+/-9=?-\[^_a-{{~{_FOREIGN}-])"
)
_OPAQUE: Final = r"(?=[\w.~+/-]{0,64}?[0-9])([\w.~+/-]{9,}[\w~+/-]=*)"
_SPACED: Final = r"(?!=)(?=[\w+/=-]{0,64}?[0-9])([\w+/=-]{12,})(?![\w+/=.(\[:-])"
_ASSIGN: Final = r"[\"'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\"'\\]{0,4}"
_DEFINE: Final = (  # "NAME": or NAME: str = or NAME => or NAME :=
    r"(?:\\{0,3}[\"'])?(?:: ?\w{1,12}(?= ?=))?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}"
)

_PEM: Final = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PEM_END: Final = rf"-{{4,5}} ?END {_PEM}[\w+/=-]*"
_PEM_GAP: Final = r"(?:[^A-Za-z0-9+/\\]|\+\s|\\{1,4}[nrt]|[0-9]{1,6}[^A-Za-z0-9+/=]){0,60}"
_PEM_MATERIAL: Final = (
    r"(?:[A-Za-z0-9+/=]{16}|(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID):)"
)
_BASE64: Final = "[A-Za-z0-9+/=]"

# --- the table: the foremost row names what several rows find -----------------------

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "ssh_private_key",
        rf"-{{4,5}} ?BEGIN {_PEM}(?:(?={_PEM_GAP}{_PEM_MATERIAL})[\s\S]*?(?:{_PEM_END}|\Z)"
        rf"|(?:\r?\n|{_ESCAPED_N})[^-]{{1,4000}}{_PEM_END})",
        ("private key",),
        "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIExampleExample+Example/Example=\n",
        "look for -----BEGIN EC PRIVATE KEY----- and -----END EC PRIVATE KEY-----",
    ),
    Rule(  # its head was cut off
        "ssh_private_key",
        rf"(?<!{_BASE64}{{16}}\n)(?<!{_BASE64}{{16}}\r\n)(?<!{_BASE64})"
        rf"(?:{_BASE64}{{16,}}\r?\n){{1,400}}(?:{_BASE64}{{1,80}}\r?\n)?{_PEM_END}",
        ("private key",),
        "ExampleExampleExample+Example/Example\nabc=\n-----END RSA PRIVATE KEY-----",
        "the file ends in\n-----END RSA PRIVATE KEY-----",
    ),
    Rule(
        "google_oauth",
        _token(r"ya29\.", 16),
        ("ya29.",),
        "ya29.a0ExampleExample-Example_1",
        "ya29. is the prefix",
    ),
    Rule(
        "github_pat",
        _sized("gh[pousr]_", 36, 16, r"\w"),
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        "ghp_ExampleExampleExampleExample00000000",
        "a ghp_ token, ghs_short",
    ),
    Rule(
        "github_pat",
        _token("github_pat_", 16),
        ("github_pat_",),
        "github_pat_11EXAMPLE0_ExampleExampleExample",
        "the github_pat_ prefix",
    ),
    Rule(
        "anthropic_key",
        _token("sk-ant-", 16),
        ("sk-ant-",),
        "sk-ant-api03-ExampleExampleExample-AA",
        "keys begin sk-ant-api03-",
    ),
    Rule(
        "openai_key",
        rf"{_START}sk-(?:\w{{1,15}}-){{0,4}}(?:{_KEY_LIKE}\w{{16,}}[\w-]*{_more()}{{0,8}}"
        rf"|\w{{0,15}}{_more()}{{1,8}})",
        ("sk-",),
        "sk-proj-Example0ExampleExampleExample",
        "task-0management0service0configuration, sk-hyphenated-words-of-some-length-v2",
    ),
    Rule(
        "aws_access",
        rf"{_START}A(?:KI|SI)A(?:[A-Z0-9]{{16}}[A-Za-z0-9]*|{_wrapped('[A-Z0-9]', 16)})",
        ("akia", "asia"),
        "AKIAIOSFODNN7EXAMPLE",
        "EURASIA0123456789012345, ASIA",
    ),
    Rule(
        "slack_token",
        _token("(?:xox[a-z]|xapp-[0-9])-", 10),
        ("xox", "xapp-"),
        "xoxb-EXAMPLE-EXAMPLE-0",
        "xoxb- tokens",
    ),
    Rule(
        "gitlab_token",
        _sized("glpat-", 20, 16, r"[\w-]"),
        ("glpat-",),
        "glpat-ExampleExample000000",
        "the prefix glpat-",
    ),
    Rule(
        "npm_token",
        _sized("npm_", 36, 20),
        ("npm_",),
        "npm_ExampleExampleExampleExample00000000",
        "npm_config_registry=https://registry.example",
    ),
    Rule(
        "stripe_key",
        rf"{_START}(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{{10,}}{_more()}{{0,8}}",
        ("k_live_", "k_test_", "whsec_"),
        "sk_test_EXAMPLEexample",
        "disk_test_configuration, sk_live_",
    ),
    Rule(
        "huggingface_token",
        _START + _sized("hf_", 34, 20),
        ("hf_",),
        "hf_ExampleExampleExampleExampleEx",
        "hf_hub_download",
    ),
    Rule(
        "google_api_key",
        _START + _sized("AIza", 35, 30, r"[\w-]"),
        ("aiza",),
        "AIzaExampleExampleExampleExampleExample",
        "AIza is the prefix",
    ),
    Rule(
        "jwt",
        rf"{_START}(?:(eyJ(?:[\w-]{{8,}}|[\w-]{{0,400}}{_BREAK}[\w-]{{1,400}}(?=\.eyJ))"
        rf"\.[\w-]{{4,}}(?:\.[\w-]+){{0,3}}{_JWT_MORE}{{0,60}})|eyJ[\w-]*)",
        ("eyj",),
        "eyJhbGciOiJub25lIn0.eyJleGFtcGxlIjoxfQ.ExampleExample",
        "eyJ begins a JSON object in base64, as in eyJhIjoxfQ",
    ),
    Rule(
        "env_credential",
        r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)"
        rf"(?:=(?:{_QUOTED}|{_NO_PLACEHOLDER}{_CODE}({_UNQUOTED}))"
        rf"|{_DEFINE}(?:{_QUOTED}|{_SPACED}))",
        ("key", "token", "secret", "passw"),
        "export API_KEY=value",
        'API_KEY = os.environ["API_KEY"], TOKEN=${TOKEN}, KEY=<key>, MAX_TOKENS=4096, SECRET=',
    ),
    Rule(
        "json_token_field",
        r"(?i:token|secret|passw(?:or)?d|passphrase|(?:api|access|secret|private|auth)[_-]?key)"
        rf"\\{{0,3}}[\"'][ \t]{{0,4}}:\s{{0,4}}{_QUOTED}",
        ("token", "secret", "passw", "passphrase", "key"),
        '{"access_token": "value"}',
        '{"token_type": "Bearer", "max_tokens": "4096", "password": ""}',
    ),
    Rule(
        "bearer_header",
        rf"(?i:authorization){_ASSIGN}(?i:bearer|token)[ \t]{{1,4}}([\w.~+/-]{{15,}}[\w~+/-]=*)",
        ("authorization",),
        "Authorization: Bearer examplevaluewithoutdigits",
        "Authorization: Bearer <token>",
    ),
    Rule(
        "bearer_header",
        rf"(?i:bearer)[ \t]{{1,4}}{_OPAQUE}",
        ("bearer",),
        "a request with bearer example0value",
        "bearer authentication-mechanism of the gateway",
    ),
    Rule(
        "basic_auth",
        rf"(?i:authorization){_ASSIGN}(?i:basic)[ \t]{{1,4}}"
        r"(?=[A-Za-z]{0,64}(?:[0-9+/=]|[a-z][A-Z]))([A-Za-z0-9+/]{6,}={0,2})",
        ("authorization",),
        "Authorization: Basic ZXhhbXBsZTpleGFtcGxl",
        "Authorization: Basic authentication is off",
    ),
    Rule(
        "api_key_header",
        rf"(?i:x-[a-z-]{{0,30}}?(?:key|token|secret)|api-?key|private-token){_ASSIGN}{_OPAQUE}",
        ("x-", "api-key", "apikey", "private-token"),
        "x-api-key: example0value",
        "x-api-key: required",
    ),
    Rule(
        "aws_secret",
        rf"(?i:aws_?(?:secret_?(?:access_?)?key|session_?token)){_ASSIGN}([A-Za-z0-9/+=]{{16,}})",
        ("aws",),
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = <secret>",
    ),
    Rule(
        "url_password",
        rf"://[^\s/:@\"'<>\\`]{{0,100}}:{_NO_PLACEHOLDER}"
        r"([^\s/\"'<>\\`]{1,256})(?=@)",
        ("://",),
        "postgres://example:value@db.example/app",
        "ssh://git@example.org:22/x, https://example.org:8080/@scope, ftp://u:$PASS@example.org",
    ),
)
