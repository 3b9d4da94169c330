"""What a curator is shown of one session by each version of Claude Code, read by a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd import digest
from memd.redact import Redactor
from memd.sources.claude import ClaudeSource

DATA = Path(__file__).parents[1] / "data"
VERSIONS = ["1.0.128", "2.0.77", "2.1.100", "2.1.332-interactive", "2.1.332-print"]


def digested(folder: Path, state: Path) -> digest.Digest:
    source = ClaudeSource(str(folder), str(state))
    refs = sorted(source.discover(), key=lambda ref: ref.path)
    return digest.build(
        ((ref, source.read(ref, None)) for ref in refs),
        redactor=Redactor(),
        cap=1_000_000,
        accepts=lambda _ref, _span: "",
        seen=lambda _id: False,
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_digested_as_it_was_read_and_found_right(
    tmp_path: Path, version: str
) -> None:
    found = digested(DATA / "transcripts" / "claude-code" / version, tmp_path)
    golden = DATA / "golden" / f"claude-code-{version}.txt"
    assert found.text == golden.read_text("utf-8")
    assert found.complete
    assert found.unreadable == ()
