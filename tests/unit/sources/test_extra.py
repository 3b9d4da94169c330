from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memd import brief
from memd.model import Event, Project
from memd.sources.extra import ExtraSource
from memd.sources.lines import LONGEST

if TYPE_CHECKING:
    from pathlib import Path

    from memd.model import SourceRef, Span


def found(root: Path, *patterns: str, home: str = "/nonexistent") -> list[SourceRef]:
    project = Project(os.path.realpath(root), "app", extra_sources=patterns)
    return sorted(ExtraSource(home).discover(project), key=lambda ref: ref.session)


def sessions(root: Path, *patterns: str, home: str = "/nonexistent") -> list[str]:
    return [ref.session for ref in found(root, *patterns, home=home)]


def write(path: Path, text: str | bytes = "a line\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, *, seconds_later: float = 0.0) -> list[Span]:
    (ref,) = found(path.parent, path.name)
    source = ExtraSource("/nonexistent", lambda: path.stat().st_mtime + seconds_later)
    spans = list(source.read(ref, None))
    assert not spans or source.end(ref) == spans[-1].cursor
    return spans


def texts(spans: list[Span]) -> list[str]:
    return [event.text for span in spans for event in span.events]


def test_a_relative_glob_looks_below_the_root(tmp_path: Path) -> None:
    root = tmp_path / "p[1]"
    path = write(root / "logs" / "a.log")
    write(root / "logs" / "deep" / "b.log")
    (ref,) = found(root, "logs/*.log", "logs/a.log")
    assert (ref.key, ref.path, ref.cwd) == ("extra/logs/a.log", str(path), str(root))
    assert (ref.size, ref.modified) == (7, path.stat().st_mtime)
    assert sessions(root, "**/*.log") == ["logs/a.log", "logs/deep/b.log"]


def test_absolute_globs_and_the_home_directory_are_understood(tmp_path: Path) -> None:
    home = tmp_path / "h[2]"
    outside = str(write(home / "logs" / "a.log"))
    assert sessions(tmp_path / "p", f"{tmp_path}/h*/logs/*.log") == [outside]
    assert sessions(tmp_path / "p", "~/logs/*", home=str(home)) == [outside]
    assert sessions(tmp_path / "p", f"{tmp_path}/nothing/*", "") == []


def test_links_out_of_where_a_glob_looks_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "p"
    secret = write(tmp_path / "secret")
    write(root / "logs" / "a.log")
    (root / "logs" / "b.log").symlink_to(secret)
    (root / "logs" / "c.log").symlink_to("a.log")
    (root / "out").symlink_to(tmp_path)
    assert sessions(root, "logs/*", "logs/b.log", "out/*", "../secret") == ["logs/a.log"]
    assert sessions(root, f"{root}/logs/*") == ["logs/a.log"]


def test_a_file_named_by_a_whole_path_may_be_a_link(tmp_path: Path) -> None:
    real = write(tmp_path / "logs" / "2026.log")
    (tmp_path / "current").symlink_to(real)
    assert sessions(tmp_path / "p", f"{tmp_path}/current") == [str(real)]


def test_memory_is_no_source_of_itself(tmp_path: Path) -> None:
    write(tmp_path / ".memory" / "state.md")
    assert sessions(tmp_path, ".memory/*", ".memory/state.md") == []


def test_only_regular_files_are_sources(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    assert sessions(tmp_path, "*") == []


def test_without_a_project_there_is_nothing(tmp_path: Path) -> None:
    assert list(ExtraSource(str(tmp_path)).discover()) == []
    assert ExtraSource(str(tmp_path)).locate(str(write(tmp_path / "a.log"))) is None


def test_a_last_line_without_its_end_waits_until_the_file_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.log", "one\ntwo")
    assert texts(read(path, seconds_later=59)) == ["one"]
    assert texts(read(path, seconds_later=60)) == ["one\ntwo"]
    # A time in the future says nothing.
    assert texts(read(path, seconds_later=-5)) == ["one\ntwo"]


def test_json_lines_of_the_known_shape_wait_for_their_end(tmp_path: Path) -> None:
    record = {"type": "user", "sessionId": "s", "message": {"content": "hello"}, "uuid": "u"}
    path = write(tmp_path / "a.jsonl", f"\n{json.dumps(record)}\n{json.dumps(record)}")
    noise, span = read(path, seconds_later=3600)
    assert (noise.outcome, span.record_id) == ("noise", "u")
    assert span.events == (Event("user", "hello"),)


def test_a_binary_file_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bin", b"\x7fELF\0" + b"x\n" * 50)
    with pytest.raises(OSError, match="is binary, not text"):
        read(path)


def test_what_is_behind_a_cursor_is_the_backlog(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "one\ntwo\n")
    source, (ref,) = ExtraSource("/nonexistent"), found(tmp_path, "a.txt")
    assert [source.backlog(ref, after) for after in (None, source.end(ref))] == [8, 0]


def test_text_in_another_encoding_is_still_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Straße, Café\n".encode("latin-1"))
    assert texts(read(path)) == ["Stra\ufffde, Caf\ufffd"]


def test_a_brief_in_a_text_is_not_learned_again(tmp_path: Path) -> None:
    told = f"{brief.BEGIN}\nLEARNED AGAIN\n{brief.END}"
    assert texts(read(write(tmp_path / "a.txt", f"one\n{told}\ntwo\n"))) == ["one\ntwo"]
    assert [span.outcome for span in read(write(tmp_path / "b.txt", f"{told}\n"))] == ["noise"]


def test_a_line_over_the_limit_parts_the_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"one\n" + b"x" * (LONGEST + 1) + b"\ntwo\n")
    assert [(span.outcome, span.size) for span in read(path)] == [
        ("events", 4),
        ("broken", LONGEST + 2),
        ("events", 4),
    ]


def test_a_key_is_parted_only_when_it_never_ends(tmp_path: Path) -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n"
    body = f"{'k' * 63}\n"
    whole = read(write(tmp_path / "a", f"{begin}{body * 100}{end}{body * 50}"))
    assert begin + body * 100 + end.strip() in texts(whole)[0]
    endless = read(write(tmp_path / "b", begin + body * 1000))
    assert len(endless) > 3
    on_one_line = read(write(tmp_path / "c", f"{begin.strip()} {end}{body * 100}"))
    assert max(map(len, texts(on_one_line))) <= 3500


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(
        st.one_of(st.binary(max_size=20), st.sampled_from([b"\n", b"words\n", b"x" * 3000])),
        max_size=8,
    ).map(b"".join),
    left_alone=st.booleans(),
)
def test_any_bytes_are_read_once_and_to_the_end(
    tmp_path: Path, data: bytes, left_alone: bool
) -> None:
    path = write(tmp_path / "f", data)
    source = ExtraSource("/nonexistent", lambda: time.time() + 3600 * left_alone)
    (ref,) = found(tmp_path, "f")
    try:
        spans = list(source.read(ref, None))
    except OSError:
        assume(False)
    offsets = [json.loads(span.cursor)["offset"] for span in spans]
    assert offsets == sorted(set(offsets))
    assert sum(span.size for span in spans) == json.loads(source.end(ref))["offset"]
    assert list(source.read(ref, source.end(ref))) == []
    assert not left_alone or sum(span.size for span in spans) == path.stat().st_size
