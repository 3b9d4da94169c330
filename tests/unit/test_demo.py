"""The bundled session leads to true entries in all four files, and to no leak."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memd import digest, prompt
from memd.curator import builtin
from memd.demo import transcript
from memd.model import MEMORY_FILES, Digest, MemoryFile, SourceCounts
from memd.redact import Redactor
from memd.sources.claude import ClaudeSource
from memd.templates import EMPTY_BODIES

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
SESSION = "0b6d1f6e-7d0c-4c1e-9f2a-5d3e8a1c7b42"
DAY = "2026-11-30"
ROOT = "/srv/shop"


@pytest.fixture
def shown(tmp_path: Path) -> Digest:
    """The demo session as Claude Code would leave it, read and digested."""
    folder = tmp_path / "projects" / "-srv-shop"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_text(transcript(ROOT, SESSION, DAY), "utf-8")
    source = ClaudeSource(str(tmp_path), os.devnull)
    return digest.build(
        ((ref, source.read(ref, None)) for ref in source.discover()),
        redactor=Redactor(),
        cap=60_000,
        accepts=lambda _ref, _span: "",
        seen=lambda _id: False,
    )


def test_every_record_is_understood_and_dated(shown: Digest) -> None:
    assert shown.counts == {"claude-code": SourceCounts(events=28, noise=7)}
    assert shown.sessions == (f"claude-code/{SESSION}",)
    assert shown.latest == DAY


def test_the_digest_of_the_demo_stays_as_it_is(shown: Digest) -> None:
    assert f"{shown.text}\n" == (GOLDEN / "demo-digest.txt").read_text("utf-8")


def test_records_have_ids_of_their_own_and_name_the_session() -> None:
    records = [json.loads(line) for line in transcript('/srv/"odd"', "s", DAY).splitlines()]
    assert 25 <= len(records) <= 40
    ids = [record["uuid"] for record in records if "uuid" in record]
    assert len(set(ids)) == len(ids)
    assert {record["sessionId"] for record in records} == {"s"}
    assert {record["cwd"] for record in records if "cwd" in record} == {'/srv/"odd"'}


def test_each_file_gains_an_entry_that_stands_in_the_session(shown: Digest) -> None:
    redactor = Redactor()
    built = prompt.build(
        {name: MemoryFile(name, {}, EMPTY_BODIES[name], "", "") for name in MEMORY_FILES},
        shown,
        redactor=redactor,
        project_name="shop",
        today=DAY,
        token="4f2a9c01",
    )
    reply = json.loads(builtin.answer(built.text))
    session = "\n".join(
        block["text"] if isinstance(block, dict) and "text" in block else str(block)
        for record in map(json.loads, transcript(ROOT, SESSION, DAY).splitlines())
        for block in [record.get("message", {}).get("content", "")]
        for block in (block if isinstance(block, list) else [block])
    )
    said = redactor.clean(session)
    gained = {
        name: reply[f"{name[:-3]}_body"].removeprefix(EMPTY_BODIES[name])
        for name in MEMORY_FILES
        if name != "mistakes.md"
    }
    gained["mistakes.md"] = "\n".join(reply["mistakes_new_entries"])
    for text in gained.values():
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        assert lines
        for line in lines:
            assert line.removeprefix("- ").removeprefix("[ ] ").removeprefix("Symptom: ") in said


def test_the_credential_of_the_demo_is_nowhere(shown: Digest) -> None:
    assert "ghp_" in transcript(ROOT, SESSION, DAY)
    assert "ghp_" not in shown.text
    assert "[REDACTED:github_pat]" in shown.text
