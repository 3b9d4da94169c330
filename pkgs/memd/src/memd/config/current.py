"""The configuration in force, from its snapshot where that still holds: pydantic-settings takes
longer to import than most commands take for all else."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memd.config import snapshot
from memd.config.sections import Config, DeclaredProject
from memd.config.snapshot import NoSnapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memd.config.loader import Loaded
    from memd.paths import Paths


@dataclass(frozen=True, slots=True)
class Current:
    config: Config
    unknown: tuple[str, ...]
    """A line for each key or variable that means nothing to memd."""


def load(paths: Paths) -> Current:
    """The same as a look at all files would give. Raises ConfigError."""
    try:
        return _kept(snapshot.read(paths).rest)
    except NoSnapshot:
        pass
    from memd.config import loader

    loaded = loader.load(paths)
    snapshot.save(paths, loaded.config, _document(loaded))
    return Current(loaded.config, loaded.unknown)


def _document(loaded: Loaded) -> Mapping[str, Any]:
    config = dataclasses.asdict(loaded.config)
    return {"config": config, "unknown": loaded.unknown, "places": loaded.places}


def _kept(document: Mapping[str, Any]) -> Current:
    """Raises NoSnapshot where nothing was kept, and where a link leads elsewhere by now."""
    places = document.get("places")
    if places is None or any(os.path.realpath(path) != real for path, real in places.items()):
        raise NoSnapshot("a directory is somewhere else now")
    values = {name: _as_tuple(value) for name, value in document["config"].items()}
    projects = {
        root: DeclaredProject(said["name"], tuple(said["extra_sources"]))
        for root, said in values["projects"].items()
    }
    return Current(Config(**{**values, "projects": projects}), tuple(document["unknown"]))


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
