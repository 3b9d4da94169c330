"""One row of the table of redaction rules."""

from __future__ import annotations

from dataclasses import dataclass


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
    leads: bool = True
    """Whether each match begins with a keyword; if not, the whole text is searched."""
