r"""The built-in redaction rules, one row each, in modules by what the secrets are for.

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
- A token that the end of the text or a sign of omission cuts off goes from 8 characters on.
- An unquoted value of a variable ends at white space, a quote, a backslash escape or CJK text;
  closing punctuation stays. With spaces around the sign, or after a colon, it needs a digit. So
  does one beside a name in lower case, and it is no call and no name in snake case.
- A private key without its END line takes the rest of the text. A BEGIN line with no key
  material behind it is a mention and stays.
- An id that a vendor calls public (Stripe's pk_, Mapbox's pk., an account SID) stays.
"""

from __future__ import annotations

from typing import Final

from memd.redact_rules import by_name, carriers, cloud, forges, models, private_keys, services
from memd.redact_rules.rule import Rule

__all__ = ["RULES", "Rule"]

# The foremost row names what several rows find.
RULES: Final[tuple[Rule, ...]] = (
    *private_keys.RULES,
    *models.RULES,
    *cloud.RULES,
    *forges.RULES,
    *services.RULES,
    *carriers.RULES,
    *by_name.RULES,
)
