"""Write what the documents take from the code: tables of README.md and the JSON Schema.

python scripts/docs.py            write
python scripts/docs.py --check    fail where a file is not what the code says
"""

from __future__ import annotations

import os
import sys

import typer

from memd.cli import commands
from memd.cli.app import app
from memd.config import schema

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
SCHEMA = os.path.join(ROOT, "pkgs", "memd", "settings.schema.json")


def command_table() -> str:
    """One row per command: its usage and the first line of its help."""
    root = typer.main.get_command(app)
    rows = ["| command | does |", "|---|---|"]
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        for path, leaf in _leaves(name, command):
            context = leaf.make_context(path, [], resilient_parsing=True)
            usage = " ".join(leaf.collect_usage_pieces(context)).replace("[OPTIONS]", "")
            options = " ".join(_options(leaf))
            text = " ".join(f"memd {path} {usage} {options}".split())
            summary = (leaf.help or "").strip().split("\n\n")[0].replace("\n", " ")
            rows.append(f"| `{text}` | {summary} |".replace("||", "\\|"))
    return "\n".join(rows)


def _leaves(name, command):  # type: ignore[no-untyped-def]
    if not hasattr(command, "commands"):
        yield name, command
        return
    for below, leaf in command.commands.items():
        yield f"{name} {below}", leaf


def _options(command):  # type: ignore[no-untyped-def]
    for parameter in command.params:
        if parameter.param_type_name != "option" or "--help" in parameter.opts:
            continue
        name = max(parameter.opts, key=len)
        value = "" if parameter.is_flag else f" {parameter.metavar or name[2:].upper()}"
        yield f"[{name}{value}]"


def documents() -> dict[str, str]:
    """Path -> what the file has to hold."""
    with open(README, encoding="utf-8") as file:
        readme = file.read()
    readme = _between(readme, "commands", command_table())
    readme = _between(readme, "settings", schema.option_table())
    return {README: readme, SCHEMA: schema.text()}


def _between(text: str, name: str, content: str) -> str:
    begin, end = f"<!-- {name}: generated -->", f"<!-- /{name} -->"
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n{content.strip()}\n{end}{tail}"


def main() -> int:
    stale = []
    for path, wanted in documents().items():
        try:
            with open(path, encoding="utf-8") as file:
                current = file.read()
        except FileNotFoundError:
            current = ""
        if current == wanted:
            continue
        stale.append(os.path.relpath(path, ROOT))
        if "--check" not in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
    if stale and "--check" in sys.argv:
        sys.stderr.write(f"stale: {', '.join(stale)}; `make docs` writes them\n")
        return 1
    return 0


if __name__ == "__main__":
    assert commands.app is app  # noqa: S101 - importing the commands registers them
    sys.exit(main())
