"""What an examination is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    area: str
    """A word: `hooks`, `timer` and so on."""
    text: str
    """How it is, with the remedy where it is not as it should be."""
    is_wrong: bool = False
