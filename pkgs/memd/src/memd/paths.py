"""Every location memd uses, computed on demand from one environment.

On the session-start path: imports nothing but `os`, and speaks plain strings.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MEMORY_DIR = ".memory"
INBOX_DIR = "inbox"
STORE_ID_FILE = ".id"
GUARD_VARIABLE = "MEMD_CURATOR"
"""Set in the environment of a curator call: every memd hook below it stays silent."""
PRIVATE_VARIABLE = "MEMD_DISABLE"


def expand(path: str, home: str) -> str:
    """`~` and `~/x` under `home`; nothing else is expanded."""
    if path == "~" or path.startswith("~/"):
        return os.path.join(home, path[2:])
    return path


class Paths:
    """The locations that follow from an environment (XDG base directories, HOME)."""

    __slots__ = ("config_file", "env", "home", "state", "system_config_files")

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.home = env.get("HOME") or os.path.expanduser("~")
        config_home = self._xdg("XDG_CONFIG_HOME", ".config")
        self.config_file = os.path.join(config_home, "memd", "config.json")
        dirs = [d for d in env.get("XDG_CONFIG_DIRS", "").split(":") if os.path.isabs(d)]
        self.system_config_files = tuple(
            os.path.join(d, "memd", "config.json") for d in dirs or ["/etc/xdg"]
        )
        """Most important first."""
        self.state = os.path.join(self._xdg("XDG_STATE_HOME", ".local/state"), "memd")

    def _xdg(self, variable: str, below_home: str) -> str:
        # The XDG specification says that relative values are to be ignored.
        value = self.env.get(variable, "")
        return value if os.path.isabs(value) else os.path.join(self.home, below_home)

    def in_state(self, *names: str) -> str:
        return os.path.join(self.state, *names)

    @property
    def data_home(self) -> str:
        return self._xdg("XDG_DATA_HOME", ".local/share")

    @property
    def registry(self) -> str:
        return self.in_state("registry.json")

    @property
    def log(self) -> str:
        return self.in_state("memd.log")

    @property
    def snapshots(self) -> str:
        return self.in_state("snapshots")

    @property
    def private_sessions(self) -> str:
        """Directory with one empty file per session that asked to stay private."""
        return self.in_state("private")

    @property
    def curator_cwd(self) -> str:
        """Working directory of curator calls; sessions made there are never read."""
        return self.in_state("curator")


def store_of(root: str) -> str:
    return os.path.join(root, MEMORY_DIR)
