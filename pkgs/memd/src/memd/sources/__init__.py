"""Readers of session logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from memd.config.sections import Config
from memd.paths import Paths
from memd.sources.base import TranscriptSource
from memd.sources.claude import ClaudeSource
from memd.sources.extra import ExtraSource

REGISTRY: Final[Mapping[str, Callable[[Config, Paths], TranscriptSource]]] = {
    ClaudeSource.name: lambda config, paths: ClaudeSource(config.claude_dir, paths.state),
    ExtraSource.name: lambda _config, paths: ExtraSource(paths.home),
}
"""Every source by its name; adding one is adding a line here."""

PER_PROJECT: Final = frozenset({ExtraSource.name})
"""Sources that are configured per project and discover nothing without one."""


def open_all(config: Config, paths: Paths) -> dict[str, TranscriptSource]:
    return {name: make(config, paths) for name, make in REGISTRY.items()}
