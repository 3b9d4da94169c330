"""What stands beside a name: values, quoted and bare, and what only looks like one."""

from __future__ import annotations

from typing import Final

from memd.redact_rules.parts import BREAK, more

_ENDS: Final = r"""(?=[\s"'`,;)\\]|\Z)"""
_VARIABLE: Final = rf"\$(?:[({{]|[A-Z_][A-Z0-9_]{{0,63}}\b|(?:[a-z]\w{{0,63}}|[0-9@]){_ENDS})"
NO_PLACEHOLDER: Final = (
    rf"(?!\[REDACTED:|{_VARIABLE}|<[^>\n]{{0,64}}>|\{{|%[sd(]|[xX*.\u2026]{{2,64}}{_ENDS}"
    rf"|(?:[Nn]one|null|nil|undefined|[Tt]rue|[Ff]alse){_ENDS})"
)
_GOES_ON: Final = rf"(?:{BREAK}[^\"'\\\s]{{1,512}}){{1,8}}"
_DENSE: Final = r"[^\"'\\\s]{8,512}"
QUOTED: Final = (  # broken over lines, plain, escaped once, escaped twice, single
    rf"(?:\\{{0,3}}[\"']{NO_PLACEHOLDER}({_DENSE}{_GOES_ON})(?=\\{{0,3}}[\"'])"
    rf'|"{NO_PLACEHOLDER}((?:[^"\\\n]|\\.){{1,8192}})'
    rf'|\\"{NO_PLACEHOLDER}((?:[^"\\\n]|\\\\(?:\\["\\]|[^"\\\n])|\\(?!")){{1,8192}})'
    rf'|\\\\\\"{NO_PLACEHOLDER}((?:[^"\\\n]|\\(?!\\{{0,2}}")){{1,8192}})'
    rf"|'{NO_PLACEHOLDER}([^'\n]{{1,8192}}))"
)
CODE: Final = (
    r"(?!os\.|sys\.|self\.|this\.|args\.|vars\.|settings\.|request\.|secrets?\.|config[.\[]"
    r"|getenv|process\.env|import\.meta|Deno\.|(?:std::)?env[.\[!(:]|ENV\[)"
)
_FOREIGN: Final = "\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u1fff"
UNQUOTED: Final = (
    rf"(?:(?!=)(?:[!#-%(-+\--:=-\[\]-_a-~{_FOREIGN}]|[,;&](?! ?\w{{1,40}}=)|<(?!/)"
    rf"|\\(?![nrtu\"'\\])){{0,4096}}[!#-%(*+/-9=?-\[^_a-{{~{_FOREIGN}-]{more()}{{0,4}})"
)
OPAQUE: Final = r"(?=[\w.~+/-]{0,64}?[0-9])([\w.~+/-]{9,4096}[\w~+/-]={0,4})"
SPACED: Final = r"(?!=)(?=[\w+/=-]{0,64}?[0-9])([\w+/=-]{12,4096})(?![\w+/=.(\[:-])"
_SNAKE: Final = r"(?![A-Za-z]{1,64}(?:_[A-Za-z0-9]{1,64}){1,16}(?![\w+/=-]))"
BARE_KEY: Final = rf"{NO_PLACEHOLDER}{CODE}{_SNAKE}{SPACED}"
_BARE: Final = r"(?:[^\s\"'`,;(){}\[\]<>|\\&\x1b]|&(?!\w{1,40}=))"
BARE_PASSWORD: Final = (
    rf"{NO_PLACEHOLDER}{CODE}{_SNAKE}(?!(?:sha|md|base|utf|argon|line|step|v)-?[0-9]{{1,3}}\b)"
    rf"(?={_BARE}{{0,64}}?[0-9!@#$%^*+])({_BARE}{{5,256}}[^\s\"'`,;(){{}}\[\]<>|\\&.:?\x1b])"
    rf"(?!{_BARE}{{0,2}}[(\[])"
)
ASSIGN: Final = r"[\"'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\"'\\]{0,4}"
DEFINE: Final = (  # "NAME": or NAME: str = or NAME => or NAME :=
    r"(?:\\{0,3}[\"'])?(?:: ?\w{1,12}(?= ?=))?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}"
)
