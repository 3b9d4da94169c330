"""The plugin directory that the Nix package ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.hooks import install

PLUGIN = Path(__file__).parents[3] / "pkgs" / "memd" / "claude-plugin"


@pytest.mark.skipif(not PLUGIN.exists(), reason="the plugin is not beside the tests")
def test_the_plugin_has_the_hooks_that_an_installation_writes() -> None:
    shipped = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())
    assert shipped == {"hooks": install.hooks("memd")}
