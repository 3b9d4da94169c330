"""Sessions of Claude Code as the client leaves them, with numbered marker facts in them."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from pathlib import Path

from bench.machine import Machine
from bench.texts import Texts

_EPOCH = 1_767_225_600
_AN_HOUR_AGO = 3_600


def write(
    machine: Machine, number: int, count: int, size: int, *, tool_max: int = 200_000
) -> set[str]:
    """`count` sessions of about `size` bytes in a project; returns the facts in them."""
    root = str(machine.root(number))
    folder = machine.home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", root)
    folder.mkdir(parents=True, exist_ok=True)
    facts: set[str] = set()
    texts = Texts(f"project {number}")
    for session in range(count):
        transcript = _Transcript(root, texts, f"{number:x}x{session:x}", tool_max)
        path = folder / f"{transcript.session}.jsonl"
        facts |= transcript.fill(path, size)
        stamp = time.time() - _AN_HOUR_AGO - session
        os.utime(path, (stamp, stamp))
    return facts


def joined(machine: Machine) -> None:
    """One session out of all that there are."""
    first, *others = sorted((machine.home / ".claude" / "projects").glob("*/*.jsonl"))
    with first.open("ab") as whole:
        for path in others:
            with path.open("rb") as part:
                while piece := part.read(1 << 20):
                    whole.write(piece)
            path.unlink()


def total(machine: Machine) -> int:
    return sum(p.stat().st_size for p in (machine.home / ".claude" / "projects").glob("*/*.jsonl"))


class _Transcript:
    """One session, record by record, in the mix of a real one."""

    def __init__(self, cwd: str, texts: Texts, key: str, tool_max: int) -> None:
        self.session = _uuid(texts)
        self._cwd, self._texts, self._rnd = cwd, texts, texts.rnd
        self._key, self._tool_max = key, tool_max
        self._parent: str | None = None
        self._clock = _EPOCH
        self._facts: list[str] = []

    def fill(self, path: Path, size: int) -> set[str]:
        with path.open("wb", buffering=1 << 20) as self._file:
            self._put(type="file-history-snapshot", messageId=_uuid(self._texts), snapshot={})
            while self._file.tell() < size:
                self._turn()
        return set(self._facts)

    def _turn(self) -> None:
        say, rnd = self._texts.say, self._rnd
        self._user(f"{say(40, 600)} {self._fact()}")
        if rnd.random() < 0.15:
            self._user(f"<system-reminder>{say(300, 400)}</system-reminder>", isMeta=True)
        for _ in range(rnd.randrange(2, 10)):
            self._step()
            if rnd.random() < 0.25:
                self._assistant({"type": "text", "text": say(60, 400)})
        if rnd.random() < 0.12:
            for _ in range(rnd.randrange(2, 6)):
                self._step(isSidechain=True)
        if rnd.random() < 0.2:
            self._put(type="system", subtype="turn_duration", content="", isMeta=True)
        self._assistant({"type": "text", "text": f"{say(150, 1_800)} {self._fact()}"})

    def _step(self, **extra: object) -> None:
        if self._rnd.random() < 0.5:
            thought = self._texts.say(200, 3_000)
            block = {"type": "thinking", "thinking": thought, "signature": self._texts.signature()}
            self._assistant(block, **extra)
        self._tool(**extra)

    def _tool(self, **extra: object) -> None:
        ident = f"toolu_{self._texts.hex(20)}"
        name, given = self._call()
        self._assistant({"type": "tool_use", "id": ident, "name": name, "input": given}, **extra)
        body = self._texts.output(self._tool_max)
        content = body if self._rnd.random() < 0.8 else [{"type": "text", "text": body}]
        block = {"tool_use_id": ident, "type": "tool_result", "content": content}
        failed = self._rnd.random() < 0.05
        # The client keeps each result twice.
        again = {"stdout": body, "stderr": "", "interrupted": False, "isImage": False}
        self._user([{**block, "is_error": failed}], toolUseResult=again, **extra)

    def _call(self) -> tuple[str, dict[str, str]]:
        file = f"{self._cwd}/src/{self._rnd.randrange(99)}.py"
        old, new = (self._texts.code(self._rnd.randrange(80, 1_500)) for _ in range(2))
        calls = (
            ("Bash", {"command": "pytest -q tests 2>&1 | tail -40"}),
            ("Read", {"file_path": file}),
            ("Grep", {"pattern": "queue", "path": self._cwd}),
            ("Edit", {"file_path": file, "old_string": old, "new_string": new}),
        )
        return self._rnd.choice(calls)

    def _user(self, content: object, **extra: object) -> None:
        self._put(type="user", message={"role": "user", "content": content}, **extra)

    def _assistant(self, block: object, **extra: object) -> None:
        usage = {"input_tokens": 4, "output_tokens": self._rnd.randrange(2_000)}
        message: dict[str, object] = {"id": f"msg_{self._texts.hex(20)}", "type": "message"}
        message |= {
            "role": "assistant",
            "model": "claude-opus-4-5",
            "content": [block],
            "usage": usage,
        }
        self._put(type="assistant", message=message, **extra)

    def _put(self, **about: object) -> None:
        self._clock += self._rnd.randrange(1, 40)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self._clock))
        base = {"parentUuid": self._parent, "isSidechain": False, "userType": "external"}
        base |= {"cwd": self._cwd, "sessionId": self.session, "version": "2.1.132"}
        self._parent = _uuid(self._texts)
        record = {**base, "gitBranch": "main", **about, "uuid": self._parent, "timestamp": stamp}
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self._file.write(text.encode() + b"\n")

    def _fact(self) -> str:
        self._facts.append(f"FACT-{self._key}-{len(self._facts)}")
        return self._facts[-1]


def _uuid(texts: Texts) -> str:
    return str(uuid.UUID(int=texts.rnd.getrandbits(128), version=4))
