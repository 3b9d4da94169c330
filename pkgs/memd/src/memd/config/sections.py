"""The configuration that is in force, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class DeclaredProject:
    """What a configuration file says about one project."""

    name: str | None = None
    """None where the file leaves the name to memd."""
    extra_sources: tuple[str, ...] = ()
    """Globs as they stand in the file: absolute, below `~/`, or relative to the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting, checked and complete; `memd.config.loader` makes it.

    `memd.config.settings` says what each one means and holds its default. Directories
    are real absolute paths, sizes characters, times seconds where the name says no other.
    """

    claude_bin: str
    curator_cmd: tuple[str, ...]
    """Empty means the headless claude."""
    claude_dir: str
    antigravity_dir: str
    model_small: str
    model_large: str
    escalate_chars: int
    digest_cap_chars: int
    quiet_seconds: int
    sweep_jobs: int
    auto_scaffold: bool
    git_commit: bool
    budgets: Mapping[str, int]
    """By file name, for all of MEMORY_FILES."""
    redact_extra_patterns: tuple[str, ...]
    """The key `REDACT_EXTRA_PATTERNS` of the file."""
    exclude: tuple[str, ...]
    projects: Mapping[str, DeclaredProject]
    """By root."""
    global_root: str
    global_brief_chars: int
    """0: a pointer only; negative: nothing."""
    brief_chars: int
    brief_decisions_days: int
    curator_timeout_seconds: int
    max_passes: int
    max_distills_per_day: int
    """0: no limit."""
