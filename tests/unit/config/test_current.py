from __future__ import annotations

import os
import subprocess
import sys

import pytest

import memd
from memd.config import current, loader, snapshot
from memd.errors import ConfigError


def whole(home):
    """What all files together say, however it is kept."""
    loaded = loader.load(home.paths)
    return current.Current(loaded.config, loaded.unknown)


def configure(home, **more) -> None:
    settings = {
        "projects": {"/p": {"name": "é", "extra_sources": ["logs/*"]}, "/q": {}},
        "curator_cmd": ["memd", "curate"],
        "budgets": {"state.md": 7_000},
        "REDACT_EXTRA_PATTERNS": ["hunter[0-9]"],
        "novel": 1,
    }
    home.write(home.user, {**settings, **more})


def test_what_was_kept_is_what_the_files_say(home) -> None:
    configure(home)
    first, second = current.load(home.paths), current.load(home.paths)
    assert first == second == whole(home)
    assert len(second.unknown) == 1
    assert second.config.projects["/p"].extra_sources == ("logs/*",)


def test_a_change_counts_at_once(home) -> None:
    configure(home)
    current.load(home.paths)
    configure(home, brief_chars=7)
    assert current.load(home.paths).config.brief_chars == 7
    home.env["MEMD_BRIEF_CHARS"] = "8"
    assert current.load(home.paths).config.brief_chars == 8


@pytest.mark.parametrize("key", ["exclude", "projects", "claude_dir"])
def test_a_link_that_leads_elsewhere_by_now_is_followed_anew(home, key) -> None:
    link = os.path.join(home.root, "link")
    value = {"exclude": [link], "projects": {link: {}}, "claude_dir": link}[key]
    os.symlink("/one", link)
    configure(home, **{key: value})
    assert "/one" in str(getattr(current.load(home.paths).config, key))
    os.unlink(link)
    os.symlink("/two", link)
    assert current.load(home.paths) == whole(home)
    assert "/two" in str(getattr(current.load(home.paths).config, key))


def test_what_the_start_of_a_session_kept_is_not_enough(home) -> None:
    configure(home)
    snapshot.in_force(home.paths)
    assert current.load(home.paths) == whole(home)


def test_an_invalid_configuration_is_never_replaced_by_an_earlier_one(home) -> None:
    configure(home)
    current.load(home.paths)
    home.write(home.user, b"{")
    with pytest.raises(ConfigError):
        current.load(home.paths)


def test_what_was_kept_is_read_without_pydantic(home) -> None:
    configure(home)
    current.load(home.paths)
    source = os.path.dirname(os.path.dirname(memd.__file__))
    code = (
        f"import sys; sys.path.insert(0, {source!r})\n"
        "from memd.config import current\n"
        "from memd.paths import Paths\n"
        f"print(current.load(Paths({home.env!r})).config.budgets['state.md'])\n"
        "print(*sys.modules)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    size, modules = child.stdout.splitlines()
    assert size == "7000"
    assert {"pydantic", "pydantic_settings"}.isdisjoint(modules.split())
