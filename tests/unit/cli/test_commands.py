"""Commands and the services behind them, within this process."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memd.demo import transcript
from memd.paths import Paths
from memd.state import registry

Run = Callable[..., Any]
Session = Callable[..., Path]


@pytest.fixture
def session(home: Path) -> Session:
    """Leaves the bundled session behind, as if it had been held in a directory."""

    def leave(cwd: Path) -> Path:
        name = str(uuid.uuid4())
        path = home / ".claude" / "projects" / cwd.name / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(transcript(str(cwd), name, "2026-11-30"), encoding="utf-8")
        return path

    return leave


def test_a_session_becomes_memory_and_a_brief(
    memd: Run, shop: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_CURATOR_CMD", '["memd", "curate"]')
    session(shop)
    preview = memd("sync", "--dry-run")
    assert preview.out.startswith("# model: built-in\n")
    assert "use sqlite instead of postgres" in preview.out
    assert memd("sync").out.startswith("shop: By rule, no model used: ")
    assert memd("sync") == (0, "shop: nothing new\n", "")
    assert "use sqlite instead of postgres" in memd("brief").out
    [row] = json.loads(memd("status", "--json").out)["projects"]
    assert (row["sessions"], row["backlog_bytes"], row["notes"]) == (1, 0, 0)
    assert "claude-code: 28 records used" in memd("status").out


def test_backfill_and_sweep_reach_the_curator(memd: Run, home: Path, session: Session) -> None:
    shop = home.parent / "shop"
    subprocess.run(["git", "init", "-q", shop], check=True)
    session(shop)
    begun = memd("init", shop, "--backfill")
    assert (begun.code, begun.out.splitlines()[-1]) == (0, "shop: fake distill")
    assert memd("note", "-p", "shop", "-m", "FACT-1").code == 0
    assert memd("sweep") == (0, "shop: fake distill\n", "")


def test_a_sweep_fails_when_a_project_does(
    memd: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memd("note", "-m", "x")
    monkeypatch.setenv("MEMD_CURATOR_CMD", '["/nonexistent/curator"]')
    result = memd("sweep")
    assert (result.code, result.out) == (1, "")
    assert f"memd: {shop}: /nonexistent/curator not found" in result.err
    assert memd("sync").code == 3


def test_the_global_memory_is_a_place_of_its_own(memd: Run, home: Path) -> None:
    assert memd("init", "--global").out == f"now remembered: {home} (global)\n"
    assert memd("note", "--global", "-m", "FACT-all").code == 0
    for line in (("sync", "-p", home), ("sync", "-p", "global")):
        assert memd(*line).out.startswith("global: ")
    assert "FACT-all" in memd("brief", home.parent).out


def test_hooks_ask_for_what_is_not_managed_and_get_nothing(
    memd: Run, home: Path, session: Session
) -> None:
    plain = home.parent / "plain"
    plain.mkdir()
    hook = ("sync", "--trigger", "session-end")
    assert memd(*hook, "--project", plain) == (0, "", "")
    assert memd(*hook, "--project", plain, "--transcript", plain / "gone.jsonl") == (0, "", "")
    assert memd(*hook, "--transcript", session(plain)) == (0, "", "")
    assert list(plain.iterdir()) == []


def test_a_hook_takes_in_the_repository_of_its_session(
    memd: Run, home: Path, session: Session
) -> None:
    shop = home.parent / "shop"
    subprocess.run(["git", "init", "-q", shop], check=True)
    log = session(shop)
    hook = ("sync", "--trigger", "session-end", "--project", home, "--transcript", log)
    assert memd(*hook) == (0, "shop: fake distill\n", "")
    assert memd(*hook) == (0, "shop: nothing new\n", "")


def test_a_session_goes_to_the_project_it_was_held_in(
    memd: Run, shop: Path, home: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = session(shop)
    monkeypatch.chdir(home)
    assert memd("sync", "--transcript", log) == (0, "shop: fake distill\n", "")


def test_names_stand_for_projects_where_they_are_clear(
    memd: Run, shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = home / "other"
    other.mkdir()
    monkeypatch.setenv("MEMD_PROJECTS", json.dumps({str(other): {"name": "declared"}}))
    assert memd("sync", "-p", "declared") == (0, "declared: nothing new\n", "")
    assert memd("sync", "--project=~/other") == (0, "declared: nothing new\n", "")
    assert memd("note", "-p", "declared", "-m", "x").out.startswith(f"{other}/")
    monkeypatch.setenv("MEMD_PROJECTS", json.dumps({str(other): {"name": "shop"}}))
    for line in (("sync", "-p", "shop"), ("note", "-p", "shop", "-m", "x")):
        result = memd(*line)
        assert (result.code, result.out) == (2, "")
        assert "2 projects have that name; give the path" in result.err


def test_a_declared_project_without_memory_says_how_to_get_one(
    memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_PROJECTS", json.dumps({str(home / "new"): {}}))
    assert "no such directory" in memd("note", "-p", "new", "-m", "x").err
    (home / "new").mkdir()
    assert memd("note", "-p", "new", "-m", "x").err.endswith(f"memd init {home}/new makes one\n")


def test_init_here_is_the_nearest_project_or_repository(
    memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, below = home / "plain", home / "plain" / "below"
    below.mkdir(parents=True)
    assert memd("init", plain).code == 0
    monkeypatch.chdir(below)
    assert memd("init").out.startswith(f"already remembered: {plain} ")
    subprocess.run(["git", "init", "-q", "."], check=True)
    assert memd("init").out.startswith(f"now remembered: {below} ")
    (below / "src").mkdir()
    monkeypatch.chdir(below / "src")
    assert memd("init").out.startswith(f"already remembered: {below} ")


def test_exclude_and_back(memd: Run, shop: Path) -> None:
    assert memd("exclude", ".") == (0, f"excluded: {shop}\n", "")
    assert "memd exclude --undo" in memd("sync").err
    assert "memd exclude --undo" in memd("note", "-m", "x").err
    assert memd("brief") == (0, "", "")
    assert f"excluded     : {shop}" in memd("status").out
    assert memd("exclude", "--undo", ".") == (0, f"managed again: {shop}\n", "")
    assert registry.read(Paths(os.environ)).excluded == ()


def test_a_project_that_is_gone_can_be_excluded(
    memd: Run, shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    shutil.rmtree(shop)
    assert memd("exclude", str(shop)) == (0, f"excluded: {shop}\n", "")
    assert str(shop) not in memd("sweep").out


def test_a_declared_project_is_not_said_to_be_excluded(
    memd: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_PROJECTS", json.dumps({str(shop): {}}))
    refused = memd("exclude", ".")
    assert (refused.code, "is declared in the configuration" in refused.err) == (2, True)


def test_what_the_configuration_excludes_is_taken_back_there(
    memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_EXCLUDE", json.dumps([str(home)]))
    result = memd("exclude", "--undo", home)
    assert (result.code, "take it out there" in result.err) == (2, True)


def test_trust_accepts_a_memory_from_elsewhere(memd: Run, shop: Path) -> None:
    (shop / ".memory" / ".id").write_text("somebody-elses\n")
    refused = memd("note", "-m", "x")
    assert (refused.code, "memd trust" in refused.err) == (2, True)
    assert memd("trust") == (0, f"trusted {shop}\n", "")
    assert memd("note", "-m", "x").code == 0


def test_an_unknown_key_is_named_and_stops_nothing(
    memd: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_SWEEP_JOB", "2")
    assert "MEMD_SWEEP_JOBS" in memd("sync").err
    status = memd("status")
    assert (status.code, status.err) == (0, "")
    assert status.out.startswith("! config     : MEMD_SWEEP_JOB: ")
    assert "MEMD_SWEEP_JOBS" in memd("config", "show").err
    assert memd("config", "check").code == 2


def test_an_invalid_configuration_leaves_note_and_a_short_status(
    memd: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memd("note", "-m", "x").code == 0
    monkeypatch.setenv("MEMD_SWEEP_JOBS", "many")
    noted = memd("note", "-m", "y")
    assert (noted.code, "The last valid one is used" in noted.err) == (0, True)
    status = memd("status")
    assert (status.code, status.err) == (2, "")
    assert status.out.splitlines()[-1] == f"  registered : {shop}"
    for line in ("sync", "sweep", "init", "trust", "config show", "config check"):
        assert memd(*line.split()).code == 2


def test_a_note_without_any_valid_configuration_is_refused(
    memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMD_SWEEP_JOBS", "many")
    assert memd("note", "-m", "x").code == 2


def test_a_note_keeps_odd_bytes_out_and_long_text_whole(memd: Run, shop: Path) -> None:
    noted = memd("note", stdin=b"one \xff two")
    assert Path(noted.out.strip()).read_text("utf-8") == "one \ufffd two"
    long = memd("note", stdin=b"x" * 4001)
    assert "4001 characters" in long.err
    assert memd("note", stdin=b"x" * ((1 << 20) + 1)).code == 2


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def test_a_person_at_a_terminal_is_told_what_is_waited_for(
    memd: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    noted = memd("note", stdin=Terminal(b"a fact"))
    assert (noted.code, "Control-D" in noted.err) == (0, True)
    curated = memd("curate", stdin=Terminal(b"a fact"))
    assert (curated.code, "Control-D" in curated.err) == (0, True)
    assert "no model" in json.loads(curated.out)["summary"]
    assert "memd status" in memd("brief", shop.parent).err


def test_hooks_come_and_go(memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = home / "claude" / "settings.json"
    settings.parent.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(settings.parent))
    assert memd("install-hooks") == (0, f"hooks are in {settings}\n", "")
    assert memd("install-hooks").out == f"hooks were already in {settings}\n"
    assert memd("install-hooks", "--remove").out == f"hooks taken out of {settings}\n"


def test_the_typer_command_for_hooks_answers_like_the_door(memd: Run, shop: Path) -> None:
    with open(shop / ".memory" / "state.md", "a", encoding="utf-8") as file:
        file.write("\n## Ports\n\nFACT-told\n")
    call = json.dumps({"cwd": str(shop), "session_id": "s"}).encode()
    assert "FACT-told" in memd("hook", "session-start", stdin=call).out


def test_the_demo_shows_the_whole_and_leaves_nothing(
    memd: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = home / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    shown = memd("demo")
    assert (shown.code, shown.err) == (0, "")
    assert "No model was used" in shown.out
    assert "Memd-Session: claude-code/" in shown.out
    monkeypatch.setenv("PATH", "/nonexistent")
    refused = memd("demo")
    assert (refused.code, "git" in refused.err) == (1, True)
    assert list(place.iterdir()) == []


def test_the_settings_are_shown_checked_and_described(memd: Run, home: Path) -> None:
    file = home / ".config" / "memd" / "config.json"
    assert memd("config", "check") == (0, f"{file}: none; defaults\n", "")
    file.parent.mkdir(parents=True)
    file.write_text('{"model_small": "haiku"}')
    assert memd("config", "check") == (0, f"{file}: valid\n", "")
    assert memd("config", "check", file) == (0, f"{file}: valid\n", "")
    rows = [row.split() for row in memd("config", "show").out.splitlines()]
    assert ["model_small", '"haiku"', str(file)] in rows
    assert ["quiet_seconds", "0", "MEMD_QUIET_SECONDS"] in rows
    assert json.loads(memd("config", "schema").out)["title"] == "config.json of memd"


AUDIT = """
import sys
opened = []
def note(event, args):
    if event in ("open", "os.mkdir", "os.listdir", "os.scandir", "os.rename", "os.remove"):
        opened.append(str(args[0]))
sys.path.insert(0, {source!r})
from memd.cli import app, commands
sys.addaudithook(note)
code = app.main()
print(code, *(path for path in opened if path.startswith({top!r})), sep="\\n")
"""


def test_checking_one_file_looks_at_nothing_else(home: Path) -> None:
    """A build has no home, and must not depend on one."""
    file = home.parent / "one.json"
    file.write_text("{}")
    source = str(Path(registry.__file__).parents[2])
    code = AUDIT.format(source=source, top=str(home.parent))
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, "config", "check", file],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [f"{file}: valid", "0", str(file)]
