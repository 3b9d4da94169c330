"""What was leaked can be taken out of everything that memd keeps."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.services.conftest import Desk, git, reply, state
from unit.services.crash import die_at

from memd import apply, inbox, marks, onboard, purge
from memd.errors import StoreError, UsageFault
from memd.log import logger
from memd.marks import Request
from memd.model import Applied, NothingNew, Project
from memd.paths import store_of
from memd.purge import wanted
from memd.state import ledger

SECRET = "hunter2-the-leak"


def objects(store: Path) -> Iterator[bytes]:
    """The content of every object, read without git's help: loose ones too."""
    listing = git(store, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    for oid in listing.split():
        command = ["git", "-C", str(store), "cat-file", "--batch"]
        yield subprocess.run(command, input=oid.encode(), capture_output=True, check=True).stdout


def holders(desk: Desk, text: str) -> list[str]:
    """Every file and object below the memories and the state directory that holds the text."""
    forms = {text.encode("utf-8", "surrogateescape"), json.dumps(text)[1:-1].encode()}
    found = []
    stores = [path for path in desk.top.rglob(".memory") if path.is_dir()]
    for top in (*stores, Path(desk.rt.paths.state)):
        for path in (path for path in top.rglob("*") if path.is_file()):
            data = path.read_bytes()
            if path.parent.parent.name == "objects" and len(path.parent.name) == 2:
                data = zlib.decompress(data)
            if any(form in data or form in os.fsencode(path) for form in forms):
                found.append(str(path))
    for store in stores:
        found += [f"{store}: object" for d in objects(store) if any(form in d for form in forms)]
    return found


def purged(desk: Desk, text: str = SECRET) -> purge.Found:
    """After it has been shown that nothing of it is left."""
    what = wanted.text(text)
    found = purge.look(desk.rt, what)
    purge.purge(desk.rt, what)
    assert holders(desk, text) == []
    return found


def leaky(desk: Desk, text: str = SECRET) -> Project:
    """A project that has it in every place that memd writes to."""
    app = desk.project()
    desk.session(app.root, "first")
    desk.curator.answers = [
        reply(
            summary=f"learned {text}",
            state_body=f"# State\n\n## Facts\n\n- {text}\n",
            mistakes_new_entries=[f"### 2026-01-01 - {text}\n\ncause"],
            archive_entries=[{"source": "todo.md", "content": text}],
        )
    ]
    assert isinstance(desk.sync(app), Applied)
    desk.session(app.root, "second")
    desk.curator.answers = [state("the leak was taken out by hand")]
    assert isinstance(desk.sync(app), Applied)
    inbox.publish(store_of(app.root), f"a note\n{text}\n", now=1.0)
    marks.leave(desk.rt.paths, app, Request("manual", (f"/sessions/{text}.jsonl",)))
    logger(desk.rt.paths).error("it was %s", text)
    projects = Path(desk.rt.paths.in_state("projects"))
    (projects / f"{'0' * 24}.json.corrupt-20260101T000000Z").write_text(f'{{"a": "{text}", "b')
    return app


def test_it_is_in_no_file_and_no_object_afterwards(desk: Desk) -> None:
    app = leaky(desk)
    before = git(store_of(app.root), "log", "--format=%s").count("\n")
    assert len(holders(desk, SECRET)) > 8
    places = [place.path for place in purged(desk).places]
    store = store_of(app.root)
    assert {f"{store}/mistakes.md", f"{store}/.git", desk.rt.paths.log} <= set(places)
    assert f"learned {wanted.MARK}" in git(store, "log", "--format=%s")
    assert git(store, "log", "--format=%s").count("\n") == before
    assert git(store, "status", "--porcelain") == ""
    git(store, "fsck", "--strict")


def test_memd_works_on_as_before(desk: Desk) -> None:
    app = leaky(desk)
    purged(desk)
    desk.session(app.root, "third")
    desk.curator.answers = [state("a fact")]
    assert isinstance(desk.sync(app), Applied)
    assert desk.sync(app) == NothingNew()
    assert "a fact" in git(store_of(app.root), "show", "HEAD:./state.md")
    assert len(desk.ledger(app).journal) == 3


def test_looking_changes_nothing(desk: Desk) -> None:
    leaky(desk)
    before = {p: p.read_bytes() for p in desk.top.rglob("*") if p.is_file()}
    purge.look(desk.rt, wanted.text(SECRET))
    assert {p: p.read_bytes() for p in desk.top.rglob("*") if p.is_file()} == before


def test_where_it_is_nowhere_nothing_changes(desk: Desk) -> None:
    leaky(desk)
    before = {p: p.read_bytes() for p in desk.top.rglob("*") if p.is_file()}
    assert purge.look(desk.rt, wanted.text("is nowhere")).places == ()
    purge.purge(desk.rt, wanted.text("is nowhere"))
    assert {p: p.read_bytes() for p in desk.top.rglob("*") if p.is_file()} == before


def test_no_place_shows_the_text(desk: Desk) -> None:
    app = desk.project()
    (Path(store_of(app.root)) / "inbox" / f"{SECRET}.md").write_text("x")
    (place,) = purged(desk).places
    assert SECRET not in place.path
    assert os.path.exists(place.path)


def test_branches_tags_stashes_and_half_done_merges_keep_nothing(desk: Desk) -> None:
    app = leaky(desk)
    store = Path(store_of(app.root))
    git(store, "branch", "old", "HEAD~1")
    git(store, "tag", "-a", "-m", SECRET, "v1", "HEAD~1")
    git(store, "-c", "core.excludesFile=/dev/null", "checkout", "-q", "-b", "side")
    (store / f"{SECRET}.md").write_text("by hand")
    git(store, "add", "-f", f"{SECRET}.md")
    git(store, "-c", f"user.name={SECRET}", "commit", "-q", "--allow-empty", "-m", "x")
    git(store, "rm", "-q", f"{SECRET}.md")
    (store / "state.md").write_text((store / "state.md").read_text() + SECRET)
    git(store, "stash")
    git(store, "reset", "-q", "--hard", "HEAD~1")
    (store / ".git" / "ORIG_HEAD").write_text(git(store, "rev-parse", "HEAD@{1}"))
    purged(desk)
    assert git(store, "tag", "-l", "--format=%(contents:subject)").strip() == wanted.MARK
    assert "old" in git(store, "branch")


def test_an_excluded_project_and_the_global_memory_are_purged_too(desk: Desk) -> None:
    from memd.state import registry

    app = leaky(desk)
    onboard.init_global(desk.rt)
    inbox.publish(store_of(desk.rt.config.global_root), SECRET, now=1.0)
    registry.exclude(desk.rt.paths, app.root, undo=False)
    purged(desk)


def test_an_update_that_was_interrupted_is_finished_and_purged(desk: Desk) -> None:
    app = desk.project()
    desk.session(app.root, "first")
    desk.curator.answers = [state(SECRET)]
    number = 1
    while not apply.has_pending(desk.rt, app):
        assert die_at(number, lambda: desk.sync(app))
        number += 1
    purged(desk)
    assert wanted.MARK in desk.file(app)
    assert not apply.has_pending(desk.rt, app)


def test_the_record_of_a_project_that_is_gone_is_purged(desk: Desk) -> None:
    app = leaky(desk)
    pending = Path(ledger.pending_path(desk.rt.paths, app.root))
    pending.parent.mkdir(exist_ok=True)
    pending.write_text(json.dumps({"format": 1, "message": SECRET}))
    os.rename(app.root, desk.top / "away")
    what = wanted.text(SECRET)
    assert "not looked at" in "".join(purge.look(desk.rt, what).notices)
    purge.purge(desk.rt, what)
    assert SECRET not in pending.read_text()


def test_a_crash_at_any_effect_is_made_good_by_the_next_run(desk: Desk) -> None:
    what = wanted.text(SECRET)
    leaky(desk)
    for number in range(1, 200):
        if not die_at(number, lambda: purge.purge(desk.rt, what)):
            break
    purged(desk)
    assert number > 5


def test_an_import_into_git_that_was_cut_off_is_done_again(desk: Desk) -> None:
    app = leaky(desk)
    pack = Path(store_of(app.root)) / ".git" / "objects" / "pack"
    (pack / "tmp_pack_abc").write_bytes(SECRET.encode())
    purged(desk)


def test_a_rule_of_redaction_is_purged_by_its_name(desk: Desk) -> None:
    token = "ghp_ExampleExampleExampleExample00000000"
    app = leaky(desk)
    path = Path(store_of(app.root)) / "decisions.md"
    path.write_text(path.read_text() + f"\n{token}\n")
    desk.curator.answers = [state("x")]
    desk.session(app.root, "third")
    desk.sync(app)
    purge.purge(desk.rt, wanted.rule("github_pat", ()))
    assert holders(desk, token) == []
    assert "[REDACTED:github_pat]" in path.read_text()
    assert len(holders(desk, SECRET)) > 8


def test_a_pattern_of_ones_own_is_purged_by_its_number(desk: Desk) -> None:
    leaky(desk)
    purge.purge(desk.rt, wanted.rule("extra_2", ("never-there", "hunter2-[a-z-]+")))
    assert holders(desk, SECRET) == []


def test_a_rule_that_is_none_is_refused(desk: Desk) -> None:
    with pytest.raises(UsageFault, match=r"'extra_1' is none of .*github_pat"):
        wanted.rule("extra_1", ())


@pytest.mark.parametrize("text", ["", "abc", "   a\n ", "REDACTED", "purged][RED"])
def test_a_text_that_cannot_be_told_from_others_is_refused(text: str) -> None:
    with pytest.raises(UsageFault):
        wanted.text(text)


@pytest.mark.parametrize(
    "text", ["status", "state", "2026-", "last_updated", "cursors", "/app", "refs/", "bare"]
)
def test_what_memd_could_not_work_without_is_refused_before_anything_changes(
    desk: Desk, text: str
) -> None:
    app = leaky(desk)
    before = {p: p.read_bytes() for p in desk.top.rglob("*") if p.is_file()}
    with pytest.raises(UsageFault):
        purge.look(desk.rt, wanted.text(text))
    assert {p: p.read_bytes() for p in desk.top.rglob("*") if p.is_file()} == before
    assert isinstance(desk.sync(app), NothingNew | Applied)


def test_what_still_holds_it_is_named(desk: Desk) -> None:
    app = leaky(desk)
    for pack in (Path(store_of(app.root)) / ".git" / "objects" / "pack").glob("*.pack"):
        pack.with_suffix(".keep").write_text("kept by a person")
    with pytest.raises(StoreError, match=r"\.memory/\.git: still holds it"):
        purge.purge(desk.rt, wanted.text(SECRET))


def test_names_of_directories_are_purged_too(desk: Desk) -> None:
    app = desk.project()
    place = Path(store_of(app.root)) / f"a-{SECRET}"
    place.mkdir()
    (place / SECRET).write_text("x")
    (place / wanted.MARK).write_text("y")
    purged(desk)
    kept = [path.read_text() for path in place.with_name(f"a-{wanted.MARK}").iterdir()]
    assert sorted(kept) == ["x", "y"]


def test_a_configuration_that_holds_it_is_named_and_left(desk: Desk) -> None:
    config = Path(desk.rt.paths.config_file)
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"redact_extra_patterns": [SECRET]}))
    (notice,) = purge.look(desk.rt, wanted.text(SECRET)).notices
    assert str(config) in notice


def test_a_damaged_object_is_an_error_that_names_the_repository(desk: Desk) -> None:
    app = leaky(desk)
    store = Path(store_of(app.root))
    for pack in (store / ".git" / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o600)
        data = bytearray(pack.read_bytes())
        data[40:60] = bytes(20)
        pack.write_bytes(data)
    with pytest.raises(StoreError):
        purge.look(desk.rt, wanted.text(SECRET))


@pytest.mark.parametrize("text", ['", "', '": "', '"name": "app"', "}, {"])
def test_a_document_stays_one_when_its_own_punctuation_looks_like_the_text(
    desk: Desk, text: str
) -> None:
    app = leaky(desk)
    inbox.publish(store_of(app.root), f"said {text}.", now=2.0)
    purge.purge(desk.rt, wanted.text(text))
    assert desk.rt.projects() == (app,)
    assert len(desk.ledger(app).journal) == 2


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=4, max_size=30).filter(
    lambda text: len(text.strip()) >= 4 and text not in wanted.MARK * 2
)


@settings(max_examples=200)
@given(TEXTS, st.lists(st.text(max_size=10), min_size=1, max_size=4))
def test_any_text_is_gone_from_any_text_and_document_and_all_else_stays(
    secret: str, around: list[str]
) -> None:
    try:
        what = wanted.text(secret)
    except UsageFault:
        return
    place = secret.join(around)
    new, found = what.in_text(place)
    assert secret not in new
    assert what.in_text(new) == (new, 0)
    assert found >= len(around) - 1
    free = [part for part in around if not what.in_text(part)[1]]
    document = json.dumps({"A Key": [place, 1.5], f"K {place}": {"B": free}}, indent=1)
    clean = what.in_json(document)[0]
    first, second = json.loads(clean).items()
    assert first == ("A Key", [new, 1.5])
    assert second[1] == {"B": free}
    assert secret not in second[0]
    assert what.in_json(clean) == (clean, 0)


@settings(
    max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(TEXTS)
def test_any_text_is_gone_from_files_and_history(desk: Desk, text: str) -> None:
    root = desk.repository(f"p/{os.urandom(4).hex()}/app")
    onboard.init(desk.rt, root)
    path = Path(store_of(root)) / "archive" / "2026-01.md"
    other = "# Archive\n\nTHE-REST\n"
    path.write_bytes(f"{other}{text}\n".encode())
    git(store_of(root), "add", "-A")
    git(store_of(root), "commit", "-q", "-m", f"x {text}", "--cleanup=verbatim")
    what = wanted.text(text)
    try:
        purge.look(desk.rt, what)
    except UsageFault:
        return
    purge.purge(desk.rt, what)
    assert path.read_bytes() == f"{other}{wanted.MARK}\n".encode()
    assert git(store_of(root), "show", "HEAD:archive/2026-01.md").encode() == path.read_bytes()
    assert dataclasses.asdict(purge.look(desk.rt, what)) == {"places": (), "notices": ()}
