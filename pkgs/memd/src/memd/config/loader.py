"""All parts of the configuration made into one that knows where each value came from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.config import layers
from memd.config.sections import Config, DeclaredProject
from memd.config.snapshot import is_setting
from memd.errors import ConfigError
from memd.oneline import spelled_out
from memd.paths import Paths, expand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memd.config.layers import Layer
    from memd.config.settings import Document

DEFAULT = "default"
"""Origin of what nobody has set."""


@dataclass(frozen=True, slots=True)
class Loaded:
    config: Config
    origins: Mapping[str, str]
    """By key, within objects by theirs (`budgets.state.md`): path of a file, name of a
    variable, or DEFAULT."""
    unknown: tuple[str, ...]
    """A line for each key or variable that means nothing to memd."""
    places: Mapping[str, str]
    """The directories it names, each with where that really is."""


class Row(NamedTuple):
    """One setting in force."""

    key: str
    value: str
    """As JSON."""
    origin: str


def load(paths: Paths) -> Loaded:
    """The configuration in force. Raises ConfigError with all problems of all its parts."""
    from memd.config.settings import merged

    parts = tuple(_parts(paths))
    problems = tuple(problem for part in parts for problem in part.problems)
    unknown = tuple(line for part in parts for line in part.unknown)
    if problems:
        raise ConfigError((*problems, *unknown))
    places: dict[str, str] = {}
    documents = [_located(part.values, paths.home, places) for part in parts]
    origins = _origins(zip((part.origin for part in parts), documents, strict=True))
    config = _config(_located(merged(*documents), paths.home, places))
    _check_global_root(config, origins)
    return Loaded(config, origins, unknown, places)


def check_file(path: str) -> tuple[str, ...]:
    """All problems of one file, unknown keys included. Looks at nothing else."""
    layer = layers.from_file(path)
    if layer is None:
        return (spelled_out(f"{path}: no such file"),)
    return (*layer.problems, *layer.unknown)


def rows(loaded: Loaded) -> tuple[Row, ...]:
    """Every setting in force, objects key by key."""
    from memd.config.settings import known_keys

    document = {key: _as_written(getattr(loaded.config, key.lower())) for key in known_keys()}
    return tuple(
        Row(key, json.dumps(value, ensure_ascii=False), loaded.origins.get(key, DEFAULT))
        for key, value in _leaves(document)
    )


def _parts(paths: Paths) -> Iterator[Layer]:
    """The most important first."""
    from memd.config.settings import known_keys

    known = {f"MEMD_{key.upper()}": key for key in known_keys()}
    for variable in filter(is_setting, sorted(paths.env)):
        yield layers.from_variable(variable, paths.env[variable], known)
    for path in (paths.config_file, *paths.system_config_files):
        layer = layers.from_file(path)
        if layer is not None:
            yield layer
    if paths.env.get("CLAUDE_CONFIG_DIR"):
        yield layers.checked("CLAUDE_CONFIG_DIR", {"claude_dir": paths.env["CLAUDE_CONFIG_DIR"]})


def _located(document: Document, home: str, places: dict[str, str]) -> Document:
    """With real paths, so that two spellings of one directory are one key."""

    def real(path: str) -> str:
        place = expand(path, home)
        return places.setdefault(place, os.path.realpath(place))

    located = dict(document)
    for key in located.keys() & {"claude_dir", "antigravity_dir", "global_root"}:
        located[key] = real(located[key])
    if "claude_bin" in located:
        located["claude_bin"] = expand(located["claude_bin"], home)
    if "exclude" in located:
        located["exclude"] = [real(path) for path in located["exclude"]]
    if "projects" in located:
        located["projects"] = {}
        for path, said in document["projects"].items():
            located["projects"].setdefault(real(path), {}).update(said)
    return located


def _origins(documents: Iterator[tuple[str, Document]]) -> dict[str, str]:
    origins: dict[str, str] = {}
    for origin, document in documents:
        for key, _ in _leaves(document):
            origins.setdefault(key, origin)
    return origins


def _leaves(value: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Values that are no objects, or empty ones, each under its dotted key."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else name)
    else:
        yield key, value


def _config(values: Document) -> Config:
    fields: dict[str, Any] = {
        key.lower(): tuple(value) if isinstance(value, list) else value
        for key, value in values.items()
    }
    fields["projects"] = {
        root: DeclaredProject(said["name"] or None, tuple(said["extra_sources"]))
        for root, said in values["projects"].items()
    }
    return Config(**fields)


def _check_global_root(config: Config, origins: Mapping[str, str]) -> None:
    if config.global_root in config.projects:
        key = f"projects.{config.global_root}"
        origin = next(o for leaf, o in origins.items() if f"{leaf}.".startswith(f"{key}."))
        problem = (
            f"{origin}: {key}: is global_root, which is no project of its own; take it out here "
            "and run memd init --global"
        )
        raise ConfigError((spelled_out(problem),))


def _as_written(value: object) -> object:
    """A value of a Config in the shape that it has in the file."""
    if isinstance(value, DeclaredProject):
        return {"name": value.name or "", "extra_sources": value.extra_sources}
    if isinstance(value, Mapping):
        return {name: _as_written(inner) for name, inner in value.items()}
    return value
