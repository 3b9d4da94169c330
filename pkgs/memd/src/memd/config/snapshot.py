"""Checked settings kept in the state directory, so that a session starts without pydantic.

A snapshot belongs to the bytes of the configuration files and the environment it was
made from. It is a cache: what cannot be read counts as missing, what cannot be written
is not written. Its file is three lines: CRC-32 of the rest in hexadecimal, key (a JSON
list), values (a JSON object).
On the session-start path: imports nothing but `json`, `os` and `binascii`.
"""

from __future__ import annotations

import json
import os
from binascii import crc32

from memd import __version__
from memd.errors import ConfigError
from memd.paths import GUARD_VARIABLE, PRIVATE_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memd.config.sections import Config
    from memd.paths import Paths

KEPT = 4
LARGEST = 16 << 20
"""Bytes of a file."""
# The last one is how bin/memd tells itself that it has tried uv.
_SWITCHES = (GUARD_VARIABLE, PRIVATE_VARIABLE, "MEMD_THROUGH_UV")


class NoSnapshot(Exception):
    """There is no usable snapshot; load the configuration."""


class Snapshot:
    """The settings that the start of a session needs; the fields are those of `Config`, and one."""

    __slots__ = (
        "auto_scaffold",
        "brief_chars",
        "brief_decisions_days",
        "claude_bin",
        "claude_dir",
        "curator_cmd",
        "exclude",
        "global_brief_chars",
        "global_root",
        "model_small",
        "projects",
        "rest",
    )

    auto_scaffold: bool
    brief_chars: int
    brief_decisions_days: int
    claude_bin: str
    claude_dir: str
    curator_cmd: Sequence[str]
    exclude: Sequence[str]
    global_brief_chars: int
    global_root: str
    model_small: str
    projects: Mapping[str, str | None]
    """Declared name by root."""
    rest: Mapping[str, Any]
    """What `config.current` keeps, {} where it kept nothing."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Raises KeyError when a field is missing."""
        for name in self.__slots__:
            setattr(self, name, values[name])


def in_force(paths: Paths) -> tuple[Snapshot, tuple[str, ...]]:
    """The settings in force, kept for next time, or the last valid ones with a notice.

    Loads the configuration where no snapshot tells. Raises ConfigError when it is invalid
    and was never valid.
    """
    try:
        return read(paths), ()
    except NoSnapshot:
        pass
    from memd.config import loader

    try:
        config = loader.load(paths).config
    except ConfigError as error:
        try:
            return last_valid(paths), (f"{error.in_short} The last valid one is used.",)
        except NoSnapshot:
            raise error from None
    save(paths, config)
    return of(config), ()


def read(paths: Paths) -> Snapshot:
    """The snapshot of exactly the configuration in force. Raises NoSnapshot."""
    try:
        key = _key(paths)
    except OSError as error:
        raise NoSnapshot(str(error)) from None
    found = _usable(_file(paths, key), key)
    if found is None:
        raise NoSnapshot(f"{paths.snapshots}: holds none of this configuration")
    return found


def last_valid(paths: Paths) -> Snapshot:
    """The snapshot that was made last, whatever it was made from. Raises NoSnapshot."""
    for path in reversed(_by_age(paths)):
        found = _usable(path)
        if found is not None:
            return found
    raise NoSnapshot(f"{paths.snapshots}: holds no valid settings")


def of(config: Config) -> Snapshot:
    """What a snapshot of this configuration holds."""
    return Snapshot(_values(config))


def save(paths: Paths, config: Config, rest: Mapping[str, Any] | None = None) -> None:
    """Keep a snapshot of the configuration in force, unless the same one is there.

    `rest` is JSON that is kept beside it. The newest four stay: the environments of a shell
    and of the timer differ.
    """
    from memd import fsio

    try:
        key = _key(paths)
        path = _file(paths, key)
        values = {**_values(config), "rest": rest or {}}
        text = key + b"\n" + json.dumps(values).encode()
        data = b"%08x\n" % crc32(text) + text
        if _is_there(path, data):
            return
        fsio.make_private_dir(paths.snapshots)
        fsio.write_atomic(path, data, durable=False)
        for old in _by_age(paths, newest=path)[:-KEPT]:
            os.unlink(old)
    except OSError:
        return


def is_setting(variable: str) -> bool:
    """Whether an environment variable is meant to configure memd."""
    return variable.startswith("MEMD_") and variable not in _SWITCHES


def contents(path: str) -> bytes | None:
    """Bytes of a configuration file, None where there is none.

    Raises OSError when it cannot be read, also for a link to nothing.
    """
    try:
        return _load(path)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(path):
            raise
        return None


def _key(paths: Paths) -> bytes:
    """All that decides about the settings, as one line of JSON."""
    files = [
        (path, None if (data := contents(path)) is None else data.decode("latin-1"))
        for path in (paths.config_file, *paths.system_config_files)
    ]
    variables = sorted(
        (name, value)
        for name, value in paths.env.items()
        if is_setting(name) or name == "CLAUDE_CONFIG_DIR"
    )
    return json.dumps([__version__, paths.home, files, variables]).encode()


def _values(config: Config) -> dict[str, Any]:
    projects = {root: project.name for root, project in config.projects.items()}
    fields = {name: getattr(config, name) for name in Snapshot.__slots__ if name != "rest"}
    return {**fields, "projects": projects, "rest": {}}


def _usable(path: str, expected_key: bytes | None = None) -> Snapshot | None:
    """None for one that is missing, damaged, of another version or of another key."""
    try:
        checksum, _, rest = _load(path).partition(b"\n")
        key, _, values = rest.partition(b"\n")
        if checksum != b"%08x" % crc32(rest) or expected_key not in (None, key):
            return None
        return Snapshot(json.loads(values))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _file(paths: Paths, key: bytes) -> str:
    return os.path.join(paths.snapshots, f"{crc32(key):08x}")


def _load(path: str) -> bytes:
    from memd import fsio

    return fsio.read_regular(path, limit=LARGEST, follow=True)


def _is_there(path: str, data: bytes) -> bool:
    try:
        return _load(path) == data
    except OSError:
        return False


def _by_age(paths: Paths, *, newest: str = "") -> list[str]:
    """Files in the directory of snapshots, oldest first, `newest` last."""
    try:
        found = [os.path.join(paths.snapshots, name) for name in os.listdir(paths.snapshots)]
    except OSError:
        return []
    return sorted(found, key=lambda path: (path == newest, _written(path)))


def _written(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
