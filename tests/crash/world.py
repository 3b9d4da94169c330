"""Real stores, git and sessions below one directory that is saved and put back as a whole."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from fakes.curator import kept, new_facts
from unit.services.conftest import git, record

from memd import apply, health, inbox
from memd.config import loader
from memd.marks import Request
from memd.model import CuratorReply, CuratorRequest, Project, SyncOutcome, Usage
from memd.paths import Paths, store_of
from memd.runtime import Runtime
from memd.sources import open_all
from memd.state import ledger
from memd.sync import sync

Outcome = dict[str, object]


@dataclass(frozen=True)
class Paid:
    """Answers every question, and keeps each as a file, whichever process asks."""

    asked: Path

    def ask(self, request: CuratorRequest) -> CuratorReply:
        (self.asked / f"{time.time_ns()}-{os.getpid()}").write_text(request.prompt)
        return CuratorReply(kept(request.prompt), Usage(10, 5, 0.01))

    def answers_as(self, model: str) -> str:
        return model

    def describe(self) -> str:
        return "paid"

    def trouble(self) -> str:
        return ""


@dataclass
class World:
    top: Path
    aside: Path
    """Outside of what is saved: the questions asked, the saved copy."""
    rt: Runtime

    def save(self) -> None:
        shutil.copytree(self.top, self.aside / "saved", symlinks=True)

    def restore(self) -> None:
        """As it was when saved, with no question asked."""
        shutil.rmtree(self.top)
        shutil.copytree(self.aside / "saved", self.top, symlinks=True)
        for path in (self.aside / "asked").iterdir():
            path.unlink()

    def repository(self, name: str) -> str:
        path = self.top / name
        path.mkdir(parents=True)
        git(path, "init", "-q")
        git(path, "commit", "-q", "--allow-empty", "-m", "x")
        return str(path)

    def session(self, cwd: str, *texts: str) -> Path:
        name = str(uuid.uuid4())
        path = Path(self.rt.config.claude_dir) / "projects" / "p" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record(cwd, name, text)) + "\n" for text in texts))
        return path

    def note(self, root: str, text: str) -> str:
        return inbox.publish(store_of(root), text, now=self.rt.clock())

    def sync(self, root: str, trigger: str = "manual") -> SyncOutcome:
        return sync(self.rt, self.rt.project(root), Request(trigger))

    def shown(self) -> list[list[str]]:
        """The new facts in each question, in the order of asking."""
        return [new_facts(path.read_text()) for path in sorted((self.aside / "asked").iterdir())]

    def accepted(self, root: str) -> bool:
        """Whether a reply is certain to be carried out, or was."""
        project = self.rt.project(root)
        return apply.has_pending(self.rt, project) or bool(self.ledger(root).journal)

    def ledger(self, root: str) -> ledger.Ledger:
        return ledger.read(self.rt.paths, root)

    def problems(self) -> tuple[str, ...]:
        return health.report(self.rt, version="1").problems


def make(tmp_path: Path) -> World:
    base = Path(os.path.realpath(tmp_path))
    for folder in ("top/home", "aside/asked"):
        (base / folder).mkdir(parents=True)
    top = base / "top"
    paths = Paths({"HOME": str(top / "home"), "PATH": os.environ["PATH"]})
    # One sweep at a time for its order, and one moment for the same dates in all runs.
    config = dataclasses.replace(loader.load(paths).config, quiet_seconds=0, sweep_jobs=1)
    now = time.time()
    curator = Paid(base / "aside" / "asked")
    rt = Runtime(paths, config, open_all(config, paths), curator, clock=lambda: now)
    return World(top, base / "aside", rt)


def outcome(world: World, roots: tuple[str, ...]) -> Outcome:
    """All that has to be equal to an undisturbed run; random ids and numbers of calls aside."""
    found: Outcome = {"problems": world.problems()}
    for root in roots:
        found |= _of_project(world, world.rt.project(root))
    known = world.rt.registry()
    found["excluded"] = known.excluded
    found["projects"] = {
        root: (entry.name, entry.how, entry.greet, entry.former)
        for root, entry in known.entries.items()
    }
    return found


def _of_project(world: World, project: Project) -> Outcome:
    root = Path(project.root)
    store = root / ".memory"
    known = world.ledger(project.root)
    entry = world.rt.registry().entries.get(project.root)
    return {
        **{str(path): path.read_text() for path in _texts(root, store)},
        f"{root}: id": bool(entry) and (store / ".id").read_text().strip() == entry.store_id,
        f"{root}: left over": left_over(project.root),
        f"{root}: notes": inbox.waiting(str(store)),
        f"{root}: pending": apply.has_pending(world.rt, project),
        f"{root}: git": _history(store),
        f"{root}: git around": git(root, "status", "--porcelain"),
        f"{root}: journal": [dataclasses.astuple(item) for item in known.journal],
        f"{root}: markers": (known.cursors, known.baseline, known.seen, known.visits),
        f"{root}: troubles": (known.strikes, known.aside, known.uncommitted, known.last.outcome),
    }


def _texts(root: Path, store: Path) -> list[Path]:
    around = (root / "AGENTS.md", root / ".gitignore", root / ".git" / "info" / "exclude")
    return [*store.glob("*.md"), *store.glob("archive/*"), *filter(Path.exists, around)]


def _history(store: Path) -> str:
    if not (store / ".git").exists():
        return ""
    return git(store, "log", "--format=%s") + git(store, "ls-tree", "-r", "HEAD")


def left_over(root: str) -> list[str]:
    """What interrupted writers left."""
    found = Path(root).rglob(".memd-*")
    return sorted(str(path) for path in found if ".git" not in path.parent.parts)


def let_two_hours_pass(root: str) -> None:
    """After which nobody is taken to be still writing what was left over."""
    for path in left_over(root):
        os.utime(path, (time.time() - 7200,) * 2)
