#!/usr/bin/env python3
"""A curator that answers, or fails, as it is told.

Stands in for `curator_cmd`, or for the claude CLI when it is linked or copied under the
name `claude`. Every option may also come from the environment as FAKE_<NAME>; arguments
that are not its own are ignored.

  --mode M       what to answer, one of MODES, or how to fail: rc1, hang, nostdin (answers
                 without reading), child (hangs, and so does a child that holds the output)
  --answer F     print file F as it is
  --record D     leave the input in D/<time>-<pid>.txt, arguments in .argv and the variables
                 memd sets in .env; append process ids to D/pids
  --latency S    wait S seconds before answering
  --size N       characters of padding in mode huge
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time


def reply(state: str = "- api listens on 9090\n", **changed: object) -> str:
    answer = {
        "summary": "fake distill",
        "state_body": f"# System State\n\n## Ports\n\n{state}",
        "decisions_body": None,
        "todo_body": None,
        "mistakes_new_entries": [],
        "archive_entries": [],
    }
    return json.dumps({**answer, **changed})


def envelope(**fields: object) -> dict[str, object]:
    usage = {"input_tokens": 1200, "output_tokens": 80}
    event = {"type": "result", "subtype": "success", "is_error": False, "usage": usage}
    return {**event, "total_cost_usd": 0.25, **fields}


def facts(prompt: bytes) -> str:
    found = sorted(set(re.findall(rb"FACT-[\w-]+", prompt)))
    return "".join(f"- {fact.decode()}\n" for fact in found)


def new_facts(prompt: str) -> list[str]:
    """Those in what is new to the memory: in the notes and in the sessions."""
    return sorted(set(re.findall(r"FACT-[\w-]+", prompt.partition(" inbox notes\n")[2])))


def kept(prompt: str) -> str:
    """All facts as the state; each that is new also as a mistake and in the archive."""
    new = new_facts(prompt)
    found = re.search(r"^Today: (\S+)$", prompt, re.MULTILINE)
    today = found[1] if found else "2026-01-01"
    return reply(
        facts(prompt.encode()),
        summary=f"kept {len(new)}",
        mistakes_new_entries=[f"### {today} - mistake {fact}\n\ncause" for fact in new],
        archive_entries=[{"source": "todo.md", "content": f"archived {fact}"} for fact in new],
    )


def added(prompt: str) -> str:
    """The state as it was, and what is new below a heading of its own."""
    old = re.search(r"^<<<\w+ state\.md\n(.*?)\n>>>", prompt, re.MULTILINE | re.DOTALL)
    found = re.search(r"^Today: (\S+)$", prompt, re.MULTILINE)
    lines = "".join(f"- {fact}\n" for fact in new_facts(prompt))
    heading = f"## {found[1] if found else '2026-01-01'} - {time.time_ns()}"
    body = f"{old[1] if old else ''}\n\n{heading}\n\n{lines}"
    return reply(state_body=body, summary="added")


def moody(prompt: str) -> str:
    """The same, but for one answer in ten that is of no use."""
    return added(prompt)[: None if random.random() > 0.1 else 90]


MODES = {
    "ok": lambda _: reply(),
    "echo": lambda o: reply(facts(o.prompt)),
    "added": lambda o: added(o.prompt.decode()),
    "moody": lambda o: moody(o.prompt.decode()),
    "kept": lambda o: kept(o.prompt.decode()),
    "envelope": lambda _: json.dumps(envelope(result=reply())),
    "events": lambda _: json.dumps([{"type": "system"}, envelope(result=reply())]),
    "noise": lambda _: "Configuration file not found\n" + json.dumps(envelope(result=reply())),
    "fenced": lambda _: f"Here you are:\n```json\n{reply()}\n```\nDone.",
    "prose_braces": lambda _: "I updated {state}. Result: " + reply(),
    "null_lists": lambda _: reply(mistakes_new_entries=None, archive_entries=None),
    "list": lambda _: "[1, 2, 3]",
    "scalar": lambda _: "42",
    "empty": lambda _: "{}",
    "silent": lambda _: "",
    "null_fields": lambda _: json.dumps(dict.fromkeys(json.loads(reply()))),
    "mistakes_string": lambda _: reply(mistakes_new_entries="### 2026-01-01 - Wrong port"),
    "truncated": lambda _: reply()[:90],
    "error_text": lambda _: json.dumps(envelope(is_error=True, result="API Error: 429 slow down")),
    "error_noresult": lambda _: json.dumps(
        envelope(is_error=True, subtype="error_during_execution", errors=["overloaded"])
    ),
    "badutf8": lambda _: reply("- \udcff\udcfe\n").replace("\\udcff\\udcfe", "\udcff\udcfe"),
    "nul": lambda _: reply("- nul \0 here\n"),
    "surrogate": lambda _: reply("- lone \ud83d here\n"),
    "huge": lambda o: reply("x" * o.size),
}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    is_claude = os.path.basename(sys.argv[0]) == "claude"
    defaults = {"mode": "envelope" if is_claude else "ok", "latency": "0", "size": "5000000"}
    for name in ("mode", "answer", "record", "latency", "size"):
        kind = {"latency": float, "size": int}.get(name, str)
        default = os.environ.get(f"FAKE_{name.upper()}", defaults.get(name))
        parser.add_argument(f"--{name}", default=default, type=kind)
    return parser.parse_known_args()[0]


def append(directory: str, name: str, text: str) -> None:
    with open(os.path.join(directory, name), "a", encoding="utf-8") as file:
        file.write(text)


def record(directory: str, prompt: bytes) -> None:
    name = f"{time.time_ns()}-{os.getpid()}"
    with open(os.path.join(directory, f"{name}.txt"), "wb") as file:
        file.write(prompt)
    append(directory, f"{name}.argv", json.dumps(sys.argv[1:]))
    seen = {k: v for k, v in os.environ.items() if k.startswith(("MEMD_", "CLAUDE"))}
    append(directory, f"{name}.env", json.dumps(seen))
    append(directory, "pids", f"{os.getpid()}\n")


def main() -> int:
    if "--version" in sys.argv[1:]:
        sys.stdout.write("2.1.332 (Claude Code)\n")
        return 0
    o = options()
    o.prompt = b"" if o.mode == "nostdin" else sys.stdin.buffer.read()
    if o.record:
        record(o.record, o.prompt)
    time.sleep(o.latency)
    if o.mode == "rc1" or (o.mode == "moody" and random.random() < 0.05):
        sys.stderr.write("API Error: overloaded\n")
        return 1
    if o.mode in ("hang", "child"):
        if o.mode == "child" and os.fork() == 0 and o.record:
            append(o.record, "pids", f"{os.getpid()}\n")
        time.sleep(3600)
    if o.answer:
        with open(o.answer, "rb") as file:
            sys.stdout.buffer.write(file.read())
        return 0
    answer = MODES.get(o.mode, MODES["ok"])(o)
    sys.stdout.buffer.write(answer.encode("utf-8", "surrogateescape"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
