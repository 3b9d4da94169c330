"""Each command through its own process: what it prints, what it changes, how it ends."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from e2e.machine import Machine

FILES = ("decisions.md", "mistakes.md", "state.md", "todo.md")


def refused(machine: Machine, code: int, *args: str | Path, cwd: str | Path = "") -> str:
    """The one line on stderr of a command that ends with `code` and prints no result."""
    done = machine.memd(*args, cwd=cwd)
    assert (done.returncode, done.stdout) == (code, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("memd: ")
    return line


def tree(top: Path) -> dict[str, bytes]:
    """Every file below a directory but caches, with its content."""
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and not {"snapshots", "claude_index.json"} & set(path.parts)
    }


def test_init_makes_a_memory_and_begins_now(machine: Machine) -> None:
    shop = machine.repository("shop")
    machine.session(shop, "FACT-old")
    assert machine.ok("init", "--name", "The Shop", cwd=shop).splitlines() == [
        f"now remembered: {shop} (The Shop)",
        "  wrote .gitignore",
        "  wrote AGENTS.md",
        "  wrote CLAUDE.md",
        "  sessions from before: 1, taken as read; --backfill learns from them",
    ]
    assert set(FILES) < {path.name for path in (shop / ".memory").iterdir()}
    assert machine.ok("sync", cwd=shop) == "The Shop: nothing new\n"
    (shop / "src").mkdir()
    assert machine.ok("init", cwd=shop / "src") == f"already remembered: {shop} (The Shop)\n"


def test_init_learns_from_older_sessions_when_told_to(machine: Machine) -> None:
    shop = machine.repository("shop")
    machine.session(shop, "FACT-old")
    assert "shop: fake distill\n" in machine.ok("init", shop, "--backfill", FAKE_MODE="echo")
    assert "FACT-old" in (shop / ".memory" / "state.md").read_text()


def test_init_refuses_what_cannot_be_a_project(machine: Machine) -> None:
    before = tree(machine.top)
    assert "no such directory" in refused(machine, 2, "init", machine.top / "typo")
    assert "is no project" in refused(machine, 2, "init", "/")
    assert "memd init --global" in refused(machine, 2, "init", machine.home)
    assert tree(machine.top) == before
    machine.ok("init", "--global")
    assert {*FILES, "projects.md"} - {p.name for p in (machine.home / ".memory").iterdir()} == {
        "projects.md"
    }
    machine.ok("sweep")
    assert (machine.home / ".memory" / "projects.md").exists()


def test_sync_distils_once_and_says_what_it_would_send(machine: Machine) -> None:
    shop = machine.project("shop")
    assert machine.ok("sync", "--dry-run", cwd=shop) == "nothing new: nothing would be sent\n"
    log = machine.session(shop, "FACT-new")
    before = tree(machine.top)
    assert "FACT-new" in machine.ok("sync", "--dry-run", cwd=shop)
    assert (tree(machine.top), machine.prompts()) == (before, [])
    assert machine.ok("sync", "--project", "shop", FAKE_MODE="echo") == "shop: fake distill\n"
    assert "FACT-new" in machine.git(shop / ".memory", "show", "HEAD:state.md")
    trailers = (
        machine.git(shop / ".memory", "log", "-1", "--format=%(trailers)").strip().splitlines()
    )
    assert trailers == [
        "Memd-Trigger: manual",
        "Memd-Model: sonnet",
        f"Memd-Session: claude-code/{log.stem}",
    ]
    assert machine.ok("sync", "--transcript", log) == "shop: nothing new\n"
    assert len(machine.prompts()) == 1


def test_sync_consumes_nothing_when_the_curator_fails(machine: Machine) -> None:
    shop = machine.project("shop")
    machine.ok("note", "-m", "FACT-kept", cwd=shop)
    machine.configure(claude_bin="no-such-claude")
    assert "no-such-claude not found" in refused(machine, 3, "sync", cwd=shop)
    problems = machine.status()["problems"]
    assert any("no-such-claude not found" in problem for problem in problems)
    machine.configure()
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    assert "FACT-kept" in (shop / ".memory" / "state.md").read_text()


def test_sync_refuses_what_it_does_not_manage(machine: Machine) -> None:
    plain = machine.top / "plain"
    plain.mkdir()
    assert "memd init" in refused(machine, 2, "sync", cwd=plain)
    assert "memd status" in refused(machine, 2, "sync", "-p", "no-such-name")
    assert "no such file" in refused(machine, 2, "sync", "--transcript", plain / "x.jsonl")
    assert "no session" in refused(machine, 2, "sync", "--transcript", machine.config_file)
    assert "memd sync --help" in refused(machine, 2, "sync", plain)
    assert list(plain.iterdir()) == []


def test_sweep_serves_all_projects_and_tells_of_failures(machine: Machine) -> None:
    one, two = machine.project("one"), machine.project("two")
    machine.session(one, "FACT-one")
    machine.ok("note", "-p", two, "-m", "FACT-two")
    lines = machine.ok("sweep", "--jobs", "2", FAKE_MODE="echo").splitlines()
    assert sorted(lines) == ["one: fake distill", "two: fake distill"]
    assert machine.ok("sweep") == ""
    machine.session(one, "FACT-more")
    (two / ".memory" / ".id").write_text("somebody else's\n")
    done = machine.memd("sweep")
    assert (done.returncode, done.stdout) == (1, "one: fake distill\n")
    assert "memd trust" in done.stderr


def test_brief_prints_what_is_remembered(machine: Machine) -> None:
    shop = machine.project("shop")
    assert machine.ok("brief", cwd=machine.top) == ""
    machine.ok("note", "-m", "FACT-told", cwd=shop)
    machine.ok("sync", cwd=shop, FAKE_MODE="echo")
    text = machine.ok("brief", shop)
    assert "FACT-told" in text
    assert len(machine.ok("brief", "--max-chars", "300", shop)) <= 300
    assert "FACT-told" not in machine.ok("brief", "--topic", "zebra", shop)
    assert "no such directory" in refused(machine, 2, "brief", machine.top / "typo")


def test_status_shows_problems_first(machine: Machine) -> None:
    shop = machine.project("shop")
    machine.configure(mode_small="haiku")
    machine.session(shop, "FACT-waiting")
    lines = machine.ok("status").splitlines()
    assert lines[0].startswith("! config     : ")
    assert "model_small" in lines[0]
    assert (
        "curator      : claude (headless)  [models: sonnet/sonnet]  "
        "— sends session content to the Anthropic API"
    ) in lines
    assert [line.split()[0] for line in lines if str(shop) in line] == ["shop"]
    (row,) = machine.status()["projects"]
    assert row["backlog_bytes"] > 0


def test_status_without_a_valid_configuration_shows_what_it_can(machine: Machine) -> None:
    shop = machine.project("shop")
    machine.config_file.write_text('{"sweep_jobs": "4", "budgets": null}')
    done = machine.memd("status")
    assert (done.returncode, done.stderr) == (2, "")
    assert [line[:15] for line in done.stdout.splitlines()] == [
        "! config     : ",
        "! config     : ",
        "  registered : ",
    ]
    as_json = machine.memd("status", "--json")
    assert as_json.returncode == 2
    assert json.loads(as_json.stdout)["projects"] == [{"root": str(shop)}]


def test_hooks_are_put_into_the_settings_and_taken_out_again(machine: Machine) -> None:
    settings = machine.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}\n')
    assert str(settings) in machine.ok("install-hooks")
    first = settings.read_text()
    machine.ok("install-hooks")
    assert settings.read_text() == first
    program = str(machine.top / "bin" / "memd")
    assert {
        name: groups[0]["hooks"][0]["command"]
        for name, groups in json.loads(first)["hooks"].items()
    } == {
        "SessionStart": f"{program} hook session-start",
        "SessionEnd": f"{program} hook session-end",
        "PreCompact": f"{program} hook pre-compact",
    }
    machine.ok("install-hooks", "--remove")
    assert json.loads(settings.read_text()) == {"model": "opus"}
    settings.write_text("{no json")
    assert "valid JSON" in refused(machine, 2, "install-hooks")
    assert settings.read_text() == "{no json"


def test_trust_is_a_persons_word_for_a_memory_from_elsewhere(machine: Machine) -> None:
    shop = machine.project("shop")
    clone = machine.repository("clone")
    os.rename(shop / ".memory", clone / ".memory")
    assert "memd trust" in machine.ok("brief", clone)
    assert machine.ok("trust", cwd=clone) == f"trusted {clone}\n"
    assert machine.ok("sync", cwd=clone) == "clone: nothing new\n"
    assert "no memory to trust" in refused(machine, 2, "trust", shop)


def test_note_leaves_a_fact_from_an_option_or_from_stdin(machine: Machine) -> None:
    shop = machine.project("shop")
    (shop / "src").mkdir()
    paths = [
        machine.ok("note", "-m", "one", cwd=shop / "src"),
        machine.ok("note", "-p", "shop", "--kind", "todo", "--source", "me", stdin="two\n"),
    ]
    texts = [Path(path.removesuffix("\n")).read_text() for path in paths]
    assert texts[0] == "one"
    assert texts[1].endswith("two\n")
    assert "kind: todo" in texts[1]
    assert "source: me" in texts[1]
    assert machine.status()["projects"][0]["notes"] == 2
    machine.ok("init", "--global")
    path = machine.ok("note", "--global", "-m", "three")
    assert Path(path).parent == machine.home / ".memory" / "inbox"


def test_note_is_refused_where_nobody_would_read_it(machine: Machine) -> None:
    plain = machine.top / "plain"
    plain.mkdir()
    line = refused(machine, 2, "note", "-m", "x", cwd=plain)
    assert "memd init" in line
    assert "--global" in line
    assert "empty" in refused(machine, 2, "note")
    assert "--kind" in refused(machine, 2, "note", "-m", "x", "--kind", "fact")
    assert "no such directory" in refused(machine, 2, "note", "-m", "x", "-p", plain / "typo")
    assert list(plain.iterdir()) == []


def test_note_warns_of_a_long_text_and_refuses_a_file(machine: Machine) -> None:
    shop = machine.project("shop")
    done = machine.memd("note", cwd=shop, stdin="x" * 5000)
    assert done.returncode == 0
    assert "5000 characters" in done.stderr
    assert Path(done.stdout.strip()).read_text() == "x" * 5000
    too_much = machine.memd("note", cwd=shop, stdin="x" * (1 << 21))
    assert (too_much.returncode, too_much.stdout) == (2, "")


def test_an_excluded_directory_is_left_alone_until_taken_back(machine: Machine) -> None:
    shop = machine.project("shop")
    assert machine.ok("exclude", ".", cwd=shop) == f"excluded: {shop}\n"
    machine.session(shop, "FACT-secret")
    assert machine.brief_at_start(shop) == ""
    assert "memd exclude --undo" in refused(machine, 2, "sync", cwd=shop)
    assert "excluded" in refused(machine, 2, "note", "-m", "x", cwd=shop)
    machine.ok("sweep")
    assert machine.prompts() == []
    assert machine.status()["excluded"] == [str(shop)]
    machine.ok("exclude", "--undo", shop)
    assert "is not excluded" in refused(machine, 2, "exclude", "--undo", shop)
    machine.ok("sync", cwd=shop)
    assert "FACT-secret" in machine.prompts()[0]


def test_exclude_refuses_a_typing_mistake(machine: Machine) -> None:
    assert "no such directory" in refused(machine, 2, "exclude", machine.top / "typo")
    machine.configure(exclude=[str(machine.top / "there")])
    assert "configuration" in refused(machine, 2, "exclude", "--undo", machine.top / "there")


def test_the_built_in_curator_answers_and_says_what_it_is(machine: Machine) -> None:
    reply = json.loads(machine.ok("curate", stdin="any prompt"))
    assert "no model" in reply["summary"]
    shop = machine.project("shop")
    machine.configure(curator_cmd=["memd", "curate"])
    assert "no model" in machine.status()["curator"]
    machine.ok("note", "--kind", "todo", "-m", "FACT-sorted", cwd=shop)
    machine.ok("sync", cwd=shop)
    assert "- [ ] FACT-sorted" in (shop / ".memory" / "todo.md").read_text()


def test_the_demo_shows_everything_and_leaves_nothing(machine: Machine) -> None:
    (machine.top / "tmp").mkdir()
    text = machine.ok("demo", TMPDIR=str(machine.top / "tmp"))
    for expected in (*FILES, "Memd-Session: claude-code/", "memd brief", "No model was used"):
        assert expected in text
    assert list((machine.top / "tmp").iterdir()) == []
    assert not machine.state.exists()


def test_config_shows_checks_and_describes_the_settings(machine: Machine) -> None:
    machine.configure(model_small="haiku")
    shown = machine.ok("config", "show", MEMD_SWEEP_JOBS="2").splitlines()
    assert ["model_small", '"haiku"', str(machine.config_file)] in [row.split() for row in shown]
    assert ["sweep_jobs", "2", "MEMD_SWEEP_JOBS"] in [row.split() for row in shown]
    assert machine.ok("config", "check") == f"{machine.config_file}: valid\n"
    assert json.loads(machine.ok("config", "schema"))["properties"]["model_small"]
    other = machine.top / "other.json"
    other.write_text('{"mode_small": 1, "sweep_jobs": "4"}')
    done = machine.memd("config", "check", other)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [str(other)] * 2
    assert "no such file" in refused(machine, 2, "config", "check", machine.top / "typo")


@pytest.mark.parametrize("command", ["sync", "sweep"])
def test_an_invalid_configuration_stops_what_would_follow_it(
    machine: Machine, command: str
) -> None:
    machine.config_file.write_text('{"sweep_jobs": "4", "model_small": 5}')
    done = machine.memd(*command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert ["sweep_jobs" in line or "model_small" in line for line in done.stderr.splitlines()] == [
        True,
        True,
    ]


def test_a_bug_ends_in_the_log(machine: Machine) -> None:
    shop = machine.project("shop")
    broken = machine.top / "broken"
    broken.mkdir()
    (broken / "yaml.py").write_text("1 / 0\n")
    done = machine.memd("note", "-m", "x", cwd=shop, PYTHONPATH=str(broken))
    log = machine.state / "memd.log"
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == f"memd: a bug in memd; the details are in {log}\n"
    assert "ZeroDivisionError" in log.read_text()


def test_the_doctor_finds_a_fault_and_is_content_without_one(machine: Machine) -> None:
    machine.project("shop")
    done = machine.memd("doctor")
    assert (done.returncode, done.stderr) == (1, "")
    assert "! hooks    : Claude Code has none of memd: run memd install-hooks" in done.stdout
    machine.ok("install-hooks")
    assert not [line for line in machine.ok("doctor").splitlines() if line.startswith("!")]


def test_the_sessions_of_a_project_are_listed_with_why(machine: Machine) -> None:
    shop = machine.project("shop")
    assert machine.ok("sources", cwd=shop) == "no session of this project is there\n"
    log = machine.session(shop, "FACT")
    head, row = machine.ok("sources", "--project", "shop").splitlines()
    assert head.split() == ["client", "session", "bytes", "read", "why", "it", "is", "here"]
    size = f"{log.stat().st_size:,}"
    assert row.split() == ["claude-code", log.stem, size, "0", "began", "in", str(shop)]
