from __future__ import annotations

import dataclasses

import pytest

from memd.config import loader
from memd.config.sections import DeclaredProject


def test_a_configuration_cannot_be_changed_in_place(home) -> None:
    config = loader.load(home.paths).config
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.sweep_jobs = 9  # type: ignore[misc]


def test_a_declared_project_needs_no_name() -> None:
    assert DeclaredProject() == DeclaredProject(None, ())
