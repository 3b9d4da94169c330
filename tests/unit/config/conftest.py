from __future__ import annotations

import json
import os

import pytest

from memd.paths import Paths


class Home:
    """A throw-away home with configuration files and an environment of its own."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.env = {
            "HOME": os.path.join(root, "home"),
            "XDG_CONFIG_DIRS": ":".join(os.path.join(root, name) for name in ("near", "far")),
        }

    @property
    def paths(self) -> Paths:
        return Paths(self.env)

    @property
    def user(self) -> str:
        return self.paths.config_file

    @property
    def near(self) -> str:
        return self.paths.system_config_files[0]

    @property
    def far(self) -> str:
        return self.paths.system_config_files[1]

    def write(self, path: str, content: object) -> str:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(os.path.realpath(tmp_path))


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory) -> Home:
    """For property tests, which write their files anew in each example."""
    return Home(os.path.realpath(tmp_path_factory.mktemp("home")))
