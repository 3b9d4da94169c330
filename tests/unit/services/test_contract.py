from __future__ import annotations

from pathlib import Path

import pytest

from memd import contract


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("root", "home"):
        (tmp_path / name).mkdir()
    return tmp_path / "root", tmp_path / "home"


def test_only_agents_md_where_no_client_is_in_use(places: tuple[Path, Path]) -> None:
    root, home = places
    assert contract.write_missing(str(root), str(home)) == ["AGENTS.md"]
    assert (root / "AGENTS.md").read_text() == contract.text()
    assert (root / "AGENTS.md").stat().st_mode & 0o777 == 0o644
    assert [path.name for path in root.iterdir()] == ["AGENTS.md"]


def test_a_client_counts_in_the_project_and_in_the_home(places: tuple[Path, Path]) -> None:
    root, home = places
    (root / ".gemini").mkdir()
    (home / ".claude").mkdir()
    written = contract.write_missing(str(root), str(home))
    assert written == ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]


def test_an_existing_file_is_never_changed_not_even_a_dangling_link(
    places: tuple[Path, Path],
) -> None:
    root, home = places
    (home / ".claude").mkdir()
    (root / "AGENTS.md").write_text("MINE")
    (root / "CLAUDE.md").symlink_to("nowhere.md")
    assert contract.write_missing(str(root), str(home)) == []
    assert (root / "AGENTS.md").read_text() == "MINE"
    assert not (root / "nowhere.md").exists()


def test_the_contract_says_how_to_add_a_fact() -> None:
    assert "memd note" in contract.text()
    assert ".memory" in contract.text()
