"""memd forget says what it took back, what it could not, and what it marked."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
SESSION = "0b5e7a52-8a86-4f7e-9d0a-4a0c7d3e1f11"


@pytest.fixture
def learned(shop: Path, home: Path, memd: Run) -> Path:
    """The memory of a project in which two sessions were distilled together."""
    folder = home / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    for number, name in enumerate((SESSION, "beside")):
        record = {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": name,
            "cwd": str(shop),
            "timestamp": "2026-11-30T10:00:00.000Z",
            "message": {"role": "user", "content": f"FACT-{number}"},
        }
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    assert memd("sync").code == 0
    assert "FACT-0" in (shop / ".memory" / "state.md").read_text()
    return shop / ".memory"


def test_it_takes_back_and_names_the_other_sessions(memd: Run, learned: Path) -> None:
    done = memd("forget", SESSION)
    assert (done.code, done.err) == (0, "")
    assert "shop: taken back: state.md (commits: 1)" in done.out
    assert "was of several sessions" in done.out
    assert "claude-code/shop~beside" in done.out
    assert done.out.endswith("it will not be read again\n")
    assert "FACT-0" not in (learned / "state.md").read_text()


def test_what_stays_is_named_and_ends_with_1(memd: Run, learned: Path) -> None:
    text = (learned / "state.md").read_text()
    (learned / "state.md").write_text(text.replace("FACT-0", "FACT-0, changed by hand"))
    done = memd("forget", f"claude-code/{SESSION}", "--project", "shop")
    assert done.code == 1
    assert "memd: shop: not taken back: " in done.err
    assert "changed by hand" in (learned / "state.md").read_text()


def test_an_unknown_session_is_marked_all_the_same(memd: Run, home: Path, shop: Path) -> None:
    memd("init", "--global")
    done = memd("forget", "../none of ours")
    assert (done.code, done.err) == (0, "")
    assert done.out == "nothing was learned from it\nit will not be read again\n"
    (mark,) = (home / ".local" / "state" / "memd" / "private").iterdir()
    assert mark.read_bytes() == b""


def test_a_damaged_history_is_named(memd: Run, learned: Path) -> None:
    subprocess.run(["git", "-C", learned, "checkout", "-q", "--detach"], check=True)
    done = memd("forget", SESSION)
    assert done.code == 1
    assert "HEAD is on no branch" in done.err
