"""What one run of memd works with, built from one environment."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from memd.config import current
from memd.config.sections import Config
from memd.curator import from_config
from memd.curator.base import Curator
from memd.model import Project
from memd.paths import Paths
from memd.projects import Owners
from memd.redact import Redactor
from memd.sources import open_all
from memd.sources.base import TranscriptSource
from memd.state import registry
from memd.state.registry import Registry


@dataclass(frozen=True, slots=True)
class Runtime:
    """Everything outside a run that it depends on; tests replace single parts."""

    paths: Paths
    config: Config
    sources: Mapping[str, TranscriptSource]
    """By registry name."""
    curator: Curator
    unknown_keys: tuple[str, ...] = ()
    """One line about each configuration key that memd does not know."""
    clock: Callable[[], float] = time.time
    """Seconds since the epoch."""
    sleep: Callable[[float], None] = time.sleep
    progress: Callable[[str], None] = field(default=lambda _line: None)
    """Gets one line for people about what is going on."""

    def redactor(self) -> Redactor:
        return Redactor(self.config.redact_extra_patterns)

    @property
    def backend(self) -> str:
        """Command line of the curator's backend, as configured."""
        return shlex.join(self.config.curator_cmd or (self.config.claude_bin,))

    @property
    def now(self) -> str:
        """ISO time, UTC, whole seconds."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock()))

    @property
    def today(self) -> str:
        return self.now[:10]

    def registry(self) -> Registry:
        return registry.read(self.paths)

    def owners(self) -> Owners:
        return self._owners(self.registry())

    def projects(self) -> tuple[Project, ...]:
        """All managed projects, declared ones first in their own order."""
        known = self.registry()
        owners = self._owners(known)
        roots = dict.fromkeys([*self.config.projects, *sorted(known.entries)])
        return tuple(self._project(root, known) for root in roots if owners.owner(root) == root)

    def project(self, root: str) -> Project:
        return self._project(root, self.registry())

    def _owners(self, known: Registry) -> Owners:
        return known.owners(self.config.projects, self.config.exclude, self.paths.state)

    def _project(self, root: str, known: Registry) -> Project:
        declared = self.config.projects.get(root)
        name = known.name(root, declared.name if declared else None)
        return Project(root, name, declared.extra_sources if declared else ())

    @property
    def global_project(self) -> Project:
        return Project(self.config.global_root, "global", is_global=True)


def build(
    env: Mapping[str, str], *, progress: Callable[[str], None] = lambda _line: None
) -> Runtime:
    """The runtime of this process. Raises ConfigError."""
    paths = Paths(env)
    found = current.load(paths)
    config = found.config
    return Runtime(
        paths,
        config,
        open_all(config, paths),
        from_config(config, paths),
        found.unknown,
        progress=progress,
    )
