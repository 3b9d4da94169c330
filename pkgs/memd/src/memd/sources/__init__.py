"""Readers of session logs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from memd.config.sections import Config
from memd.paths import Paths
from memd.sources.antigravity import AntigravitySource
from memd.sources.base import TranscriptSource
from memd.sources.claude import ClaudeSource
from memd.sources.codex import CodexSource
from memd.sources.copilot import CopilotSource
from memd.sources.extra import ExtraSource
from memd.sources.gemini import GeminiSource
from memd.sources.opencode import OpencodeSource
from memd.state import registry

Roots = Callable[[], Iterable[str]]
"""The roots of all projects, as of now."""

REGISTRY: Final[Mapping[str, Callable[[Config, Paths, Roots], TranscriptSource]]] = {
    CodexSource.name: lambda _config, paths, _roots: CodexSource(
        paths.env.get("CODEX_HOME") or os.path.join(paths.home, ".codex"), paths.state
    ),
    GeminiSource.name: lambda _config, paths, roots: GeminiSource(
        os.path.join(paths.home, ".gemini"), paths.state, roots
    ),
    CopilotSource.name: lambda _config, paths, _roots: CopilotSource(
        os.path.join(paths.home, ".copilot"), paths.state
    ),
    OpencodeSource.name: lambda _config, paths, _roots: OpencodeSource(
        os.path.join(paths.data_home, "opencode"), paths.state
    ),
    AntigravitySource.name: lambda config, paths, roots: AntigravitySource(
        config.antigravity_dir, paths.state, roots
    ),
    ClaudeSource.name: lambda config, paths, _roots: ClaudeSource(config.claude_dir, paths.state),
    ExtraSource.name: lambda _config, paths, _roots: ExtraSource(paths.home),
}
"""Every source by its name; adding one is adding a line here. Asked in this order whose
session a file is: Claude Code's reader takes any `.jsonl`."""

PER_PROJECT: Final = frozenset({ExtraSource.name})
"""Sources that are configured per project and discover nothing without one."""


def open_all(config: Config, paths: Paths) -> dict[str, TranscriptSource]:
    def roots() -> Iterable[str]:
        return {*config.projects, *registry.read(paths).entries}

    return {name: make(config, paths, roots) for name, make in REGISTRY.items()}
