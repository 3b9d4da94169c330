from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.cli.terminal import readable, reporter


@given(st.text())
def test_lines_keep_their_breaks_and_lose_what_moves_a_cursor(text: str) -> None:
    shown = readable(text)
    assert shown.count("\n") == text.count("\n")
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in shown)
    assert readable(shown) == shown


def test_the_invisible_letters_of_a_script_stay() -> None:
    assert readable("می\u200cخواهم\tb\n") == "می\u200cخواهم\tb\n"
    assert readable("a\x1b[31m\r") == "a\\x1b[31m\\r"


def test_progress_is_lost_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    reporter()("pass 1")
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_to_eyes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    reporter()("shop\x1b: pass 1")
    assert capsys.readouterr() == ("", "  shop\\x1b: pass 1\n")
