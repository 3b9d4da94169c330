"""The curator a configuration asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.curator.backends import ClaudeBackend, CommandBackend, Surroundings
from memd.redact import Redactor

if TYPE_CHECKING:
    from memd.config.sections import Config
    from memd.curator.base import Curator
    from memd.paths import Paths


def from_config(config: Config, paths: Paths) -> Curator:
    """`curator_cmd` where it is set, else the claude CLI; nothing is started or looked for."""
    around = Surroundings(
        paths, config.curator_timeout_seconds, Redactor(config.redact_extra_patterns)
    )
    if config.curator_cmd:
        return CommandBackend(config.curator_cmd, around)
    return ClaudeBackend(config.claude_bin, (config.model_small, config.model_large), around)
