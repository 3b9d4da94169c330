"""A machine in one process: real stores, real git, real sessions; a scripted curator."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memd import onboard, survey
from memd.config import loader
from memd.errors import CuratorError
from memd.marks import Request
from memd.model import CuratorReply, CuratorRequest, Project, SyncOutcome, Usage
from memd.paths import Paths
from memd.runtime import Runtime
from memd.sources import open_all
from memd.state import ledger
from memd.state.ledger import Ledger
from memd.sync import sync

NOTHING = json.dumps({"summary": "nothing to add"})


@dataclass
class ScriptedCurator:
    """Gives the answers in turn, the last one for ever, and keeps what it was asked."""

    answers: list[str | CuratorError] = field(default_factory=lambda: [NOTHING])
    asked: list[str] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None
    """Happens while it thinks."""

    def ask(self, request: CuratorRequest) -> CuratorReply:
        self.asked.append(request.prompt)
        self.meanwhile()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, CuratorError):
            raise answer
        return CuratorReply(answer, Usage(10, 5, 0.01))

    def answers_as(self, model: str) -> str:
        return model

    def describe(self) -> str:
        return "scripted"

    def trouble(self) -> str:
        return ""

    def check(self) -> str:
        return ""

    def saw(self, text: str) -> int:
        """How many prompts hold the text."""
        return sum(text in prompt for prompt in self.asked)


@dataclass
class Desk:
    """What a test works with."""

    top: Path
    rt: Runtime
    curator: ScriptedCurator
    slept: list[float]

    def set(self, **settings: Any) -> None:
        self.rt = dataclasses.replace(
            self.rt, config=dataclasses.replace(self.rt.config, **settings)
        )

    def at(self, seconds: float) -> None:
        self.rt = dataclasses.replace(self.rt, clock=lambda: seconds)

    def repository(self, name: str) -> str:
        path = self.top / name
        path.mkdir(parents=True)
        git(path, "init", "-q")
        git(path, "commit", "-q", "--allow-empty", "-m", "x")
        return str(path)

    def project(self, name: str = "app") -> Project:
        return self.rt.project(onboard.init(self.rt, self.repository(name)).root)

    def session(self, cwd: str, *texts: str, name: str = "") -> Path:
        """A session in which a person said these texts; more of them are appended to `name`."""
        name = name or str(uuid.uuid4())
        path = Path(self.rt.config.claude_dir) / "projects" / "p" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            for text in texts:
                file.write(json.dumps(record(cwd, name, text)) + "\n")
        return path

    def settle(self) -> None:
        """As if all sessions had been looked at long after they changed."""
        survey.take(self.rt, self.rt.projects())
        later = time.time() + 60
        for index in Path(self.rt.paths.state).glob("*_index.json"):
            os.utime(index, (later, later))

    def sync(self, project: Project, trigger: str = "manual", **fields: Any) -> SyncOutcome:
        return sync(self.rt, project, Request(trigger, **fields))

    def ledger(self, project: Project) -> Ledger:
        return ledger.read(self.rt.paths, project.root)

    def file(self, project: Project, name: str = "state.md") -> str:
        return (Path(project.root) / ".memory" / name).read_text()

    def archive(self, project: Project) -> str:
        folder = Path(project.root) / ".memory" / "archive"
        return "".join(path.read_text() for path in sorted(folder.glob("*.md")))

    def commits(self, project: Project) -> str:
        return git(Path(project.root) / ".memory", "log", "--format=%B%x00")


def record(cwd: str, session: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "sessionId": session,
        "cwd": cwd,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "message": {"role": "user", "content": text},
        **more,
    }


def git(path: Path | str, *args: str) -> str:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    command = ["git", *identity, "-C", str(path), *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def reply(**fields: Any) -> str:
    return json.dumps({"summary": "learned", **fields})


def state(*facts: str) -> str:
    """A reply that makes these the state."""
    lines = "\n".join(f"- {fact}" for fact in facts)
    return reply(state_body=f"# State\n\n## Facts\n\n{lines}\n")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    top = Path(os.path.realpath(tmp_path))
    (top / "home").mkdir()
    paths = Paths({"HOME": str(top / "home"), "PATH": os.environ["PATH"]})
    config = dataclasses.replace(loader.load(paths).config, quiet_seconds=0)
    curator = ScriptedCurator()
    slept: list[float] = []
    rt = Runtime(paths, config, open_all(config, paths), curator, sleep=slept.append)
    return Desk(top, rt, curator, slept)
