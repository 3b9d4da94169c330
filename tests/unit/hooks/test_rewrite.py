from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memd.errors import UsageFault
from memd.hooks.rewrite import rewrite


def shout(text: str) -> str:
    return text.upper()


def test_a_file_is_replaced_with_its_permissions_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")
    path.chmod(0o640)
    assert rewrite(str(path), shout, "") == "changed"
    assert path.read_text() == "A"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["f"]


def test_a_file_that_is_right_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("A")
    path.chmod(0o444)
    before = path.stat()
    assert rewrite(str(path), shout, "") == "unchanged"
    assert path.stat() == before


def test_a_missing_file_is_made_with_its_directory_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "d" / "f"
    assert rewrite(str(path), lambda text: text + "new", "") == "changed"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_stays_and_its_target_changes(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "f"
    target.write_text("a")
    path = tmp_path / "f"
    path.symlink_to("dotfiles/f")
    rewrite(str(path), shout, "")
    assert path.is_symlink()
    assert target.read_text() == "A"


def refused(path: Path | str, remedy: str = "REMEDY") -> str:
    with pytest.raises(UsageFault) as caught:
        rewrite(str(path), shout, remedy)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    return message


def test_a_link_into_the_nix_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.symlink_to("/nix/store/abc-settings/settings.json")
    assert "Nix" in refused(path)
    assert "REMEDY" in refused(path)


def test_a_link_to_nothing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.symlink_to(tmp_path / "none")
    assert "No such file" in refused(path)
    assert path.is_symlink()


def test_a_file_without_permission_to_write_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")
    path.chmod(0o444)
    assert "is not writable; REMEDY" in refused(path)
    assert path.read_text() == "a"


def test_what_is_no_text_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xff")
    assert "is not UTF-8; REMEDY" in refused(path)
    (tmp_path / "d").mkdir()
    assert "not a regular file; REMEDY" in refused(tmp_path / "d")


def test_a_change_by_another_program_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")

    def meanwhile(text: str) -> str:
        if text == "a":
            path.write_text("b")
        return text + "!"

    assert rewrite(str(path), meanwhile, "") == "changed"
    assert path.read_text() == "b!"


def test_a_program_that_never_stops_changing_it_wins(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")

    def meanwhile(text: str) -> str:
        path.write_text(text + "a")
        return "mine"

    with pytest.raises(UsageFault, match="keeps changing it"):
        rewrite(str(path), meanwhile, "")
    assert path.read_text() == "aaaa"
