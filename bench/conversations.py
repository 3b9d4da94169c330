"""Conversations of Antigravity in the databases that the client keeps."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench.machine import Machine
from bench.texts import Texts

_EPOCH = 1_767_225_600
_USER, _ANSWER, _COMMAND, _DONE = 14, 15, 21, 3
_HAS_WORKSPACE = 0.7


def write(machine: Machine, count: int, projects: int, *, steps: int) -> int:
    """`count` conversations of about `steps` steps; returns their bytes."""
    folder = machine.home / ".gemini" / "antigravity-cli" / "conversations"
    folder.mkdir(parents=True)
    texts = Texts("conversations")
    size = 0
    for number in range(count):
        root = str(machine.root(number % projects))
        path = folder / f"{texts.hex(32)}.db"
        # The others were begun in a directory above the projects.
        named = texts.rnd.random() < _HAS_WORKSPACE
        _database(path, root if named else os.path.dirname(root), _rows(texts, root, steps))
        size += path.stat().st_size
    return size


def _database(path: Path, workspace: str, rows: Iterator[tuple[int, bytes]]) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "CREATE TABLE steps (idx INTEGER PRIMARY KEY, step_type INTEGER, step_payload BLOB,"
            " status INTEGER NOT NULL DEFAULT 0, metadata BLOB)"
        )
        db.execute("CREATE TABLE trajectory_metadata_blob (data BLOB)")
        for idx, (kind, payload) in enumerate(rows):
            row = (idx, kind, payload, _DONE)
            db.execute("INSERT INTO steps VALUES (?, ?, ?, ?, NULL)", row)
        where = _field(1, _field(1, f"file://{workspace}"))
        db.execute("INSERT INTO trajectory_metadata_blob VALUES (?)", (where,))


def _rows(texts: Texts, root: str, steps: int) -> Iterator[tuple[int, bytes]]:
    """Types and payloads of steps, a turn at a time."""
    done = 0
    while done < steps:
        said = texts.say(30, 500)
        yield _step(done, _USER, _field(19, _field(1, said) + _field(2, said)))
        calls = texts.rnd.randrange(2, 8)
        for number in range(calls):
            call, result = _call(texts, root)
            thought = _field(3, texts.say(50, 800)) + _field(4, texts.rnd.randbytes(600))
            yield _step(done + number, _ANSWER, _field(20, thought + _field(7, call)))
            shown = _field(5, _field(4, call)) + _field(28, _field(21, _field(1, result)))
            yield _step(done + number, _COMMAND, shown)
        yield _step(done, _ANSWER, _field(20, _field(1, texts.say(100, 1_500))))
        done += 2 + 2 * calls


def _call(texts: Texts, root: str) -> tuple[bytes, str]:
    told = json.dumps({"CommandLine": "pytest -q", "Cwd": root, "toolSummary": f"Ran in {root}"})
    call = _field(1, f"call_{texts.hex(16)}") + _field(2, "run_command") + _field(3, told)
    return call, texts.output(200_000)


def _step(clock: int, kind: int, body: bytes) -> tuple[int, bytes]:
    created = _field(5, _field(1, _field(1, _EPOCH + clock)))
    return kind, _field(1, kind) + _field(4, _DONE) + created + body


def _field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protobuf message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))
