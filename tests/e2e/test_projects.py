"""Whose memory it is: worktrees, new repositories, several writers at once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from e2e.machine import Machine

Eventually = Callable[[Callable[[], object]], None]


def test_worktrees_share_one_memory(machine: Machine) -> None:
    shop = machine.project("shop")
    tree = machine.top / "tree"
    machine.git(shop, "worktree", "add", "-q", str(tree))
    (tree / "src").mkdir()
    assert "already remembered" in machine.ok("init", cwd=tree / "src")
    assert (tree / ".memory").readlink() == shop / ".memory"
    machine.session(tree / "src", "FACT-branch")
    machine.ok("sync", cwd=tree, FAKE_MODE="echo")
    assert "FACT-branch" in (shop / ".memory" / "state.md").read_text()
    assert "FACT-branch" in machine.brief_at_start(tree)


def test_a_new_worktree_gets_its_link_when_a_session_starts(machine: Machine) -> None:
    shop = machine.project("shop")
    tree = machine.top / "tree"
    machine.git(shop, "worktree", "add", "-q", str(tree))
    machine.brief_at_start(tree)
    assert (tree / ".memory").readlink() == shop / ".memory"
    assert machine.git(tree, "status", "--porcelain") == ""


def test_a_project_within_a_repository_keeps_to_itself(machine: Machine) -> None:
    shop = machine.repository("shop")
    (shop / "api" / "src").mkdir(parents=True)
    machine.ok("init", shop / "api")
    assert not (shop / ".memory").exists()
    assert "already remembered" in machine.ok("init", cwd=shop / "api" / "src")
    machine.session(shop / "api" / "src", "FACT-api")
    machine.ok("sweep", FAKE_MODE="echo")
    assert "FACT-api" in (shop / "api" / ".memory" / "state.md").read_text()


def test_a_sweep_takes_in_the_repositories_that_sessions_worked_in(machine: Machine) -> None:
    shop, plain = machine.repository("shop"), machine.top / "plain"
    plain.mkdir()
    machine.session(shop, "FACT-older")
    machine.session(shop, "FACT-newest")
    machine.session(plain, "FACT-elsewhere")
    assert machine.ok("sweep", FAKE_MODE="echo").splitlines() == [
        f"shop: taken in ({shop})",
        "shop: fake distill",
    ]
    text = (shop / ".memory" / "state.md").read_text()
    assert "FACT-newest" in text
    assert "FACT-elsewhere" not in text
    assert machine.git(shop, "status", "--porcelain") == ""
    assert "now remembers" in machine.brief_at_start(shop)
    assert "now remembers" not in machine.brief_at_start(shop)
    assert not (plain / ".memory").exists()


def test_two_syncs_at_once_ask_the_curator_once(machine: Machine, eventually: Eventually) -> None:
    shop = machine.project("shop")
    machine.session(shop, "FACT-first")
    env = {**machine.env, "FAKE_MODE": "echo", "FAKE_LATENCY": "3"}
    first = subprocess.Popen(["memd", "sync"], cwd=shop, env=env, stdout=subprocess.PIPE, text=True)
    eventually(machine.prompts)
    machine.session(shop, "FACT-second")
    second = machine.ok("sync", cwd=shop)
    assert second == "shop: another sync is at work; it was told to look again\n"
    out, _ = first.communicate(timeout=60)
    assert (first.returncode, out) == (0, "shop: fake distill\n" * 2)
    assert [("FACT-first" in p, "FACT-second" in p) for p in machine.prompts()] == [
        (True, False),
        (True, True),
    ]


def test_a_path_with_odd_characters_is_a_path(machine: Machine) -> None:
    odd = machine.repository("o d\nd \u00fc$(x)")
    machine.ok("init", odd)
    machine.ok("note", "-m", "FACT-odd", cwd=odd)
    machine.ok("sync", "--project", odd, FAKE_MODE="echo")
    assert "FACT-odd" in machine.brief_at_start(odd)
    done = machine.memd("sync", "--project", odd / "typo\n\x1b[31m")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stderr
    assert "o d\\nd" in machine.ok("status")
