"""What the documents say of the product is so."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import typer

from memd.cli.commands import app
from memd.config import loader, settings
from memd.model import MEMORY_FILES

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pkgs" / "memd" / "src" / "memd"
AGENTS = ROOT / "contrib" / "agents"
CONTRACTS = sorted(path for path in AGENTS.glob("*.md*") if path.name != "README.md")
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("contrib/*/*.md"), *AGENTS.glob("*.mdc"))
    if path.is_file()
)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
SPAN = re.compile(r"`([^`]+)`")
CALL = re.compile(r"(?<![\w./-])memd ([a-z][a-z-]*)(?: ([a-z]+))?")
NETWORK = re.compile(
    r"^\s*(?:import|from) (?:asyncio|ftplib|http|httpx|imaplib|requests|smtplib|socket|socketserver"
    r"|ssl|telnetlib|urllib\.request|urllib3|xmlrpc)\b",
    re.M,
)
TEST_FILE = re.compile(r"`([\w/]*test_\w+\.py)`")


@pytest.fixture(params=DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def document(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def code(text: str) -> str:
    """What a document gives to type: shell blocks, indented lines, code in a line."""
    blocks = [body for kind, body in FENCED.findall(text) if kind == "sh"]
    prose = FENCED.sub("", text)
    indented = re.findall(r"^    \S.*$", prose, re.M)
    return "\n".join((*blocks, *indented, *(" ".join(s.split()) for s in SPAN.findall(prose))))


def commands() -> dict[str, set[str]]:
    """Name of each command -> names of those below it."""
    found = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {name: set(getattr(command, "commands", ())) for name, command in found.items()}


def test_every_link_leads_to_a_file(document: Path) -> None:
    links = LINK.findall(document.read_text("utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_every_command_that_is_shown_exists(document: Path) -> None:
    known = commands()
    calls = CALL.findall(code(document.read_text("utf-8")))
    assert [call for call in calls if call[0] not in known] == []
    below = [(name, word) for name, word in calls if known[name] and word]
    assert [call for call in below if call[1] not in known[call[0]]] == []


def test_every_command_is_in_the_readme() -> None:
    shown = {name for name, _ in CALL.findall(code((ROOT / "README.md").read_text("utf-8")))}
    assert shown == set(commands())


def test_every_setting_in_the_readme_exists() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    prose, known = FENCED.sub("", readme), set(settings.known_keys())
    named = {word for word in SPAN.findall(prose) if re.fullmatch(r"[a-z]+(_[a-z]+)+", word)}
    assert named - {"extra_sources"} <= known
    variables = set(re.findall(r"\bMEMD_([A-Z_]+)", readme)) - {"DISABLE"}
    assert {variable.lower() for variable in variables} <= known


def test_the_example_of_a_configuration_is_valid(tmp_path: Path) -> None:
    blocks = FENCED.findall((ROOT / "README.md").read_text("utf-8"))
    (example,) = (body for kind, body in blocks if kind == "json")
    file = tmp_path / "config.json"
    file.write_text(example, encoding="utf-8")
    assert loader.check_file(str(file)) == ()


def test_the_list_of_modules_is_that_of_the_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    listed = re.findall(r"^ *- `([\w/.]+)` ", text, re.M)
    there = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}
    packages = {f"{os.path.dirname(path)}/" for path in there if path.endswith("/__init__.py")}
    modules = {path for path in there if not path.endswith("__init__.py")}
    assert sorted(listed) == sorted(packages | modules)


def test_the_only_sockets_are_pairs_within_one_machine() -> None:
    sources = {path.name: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    users = {name for name, text in sources.items() if NETWORK.search(text)}
    assert users == {"process.py"}
    assert set(re.findall(r"\bsocket\.(\w+)\(", sources["process.py"])) == {"socketpair"}


def test_every_test_that_a_promise_names_exists() -> None:
    named = TEST_FILE.findall((ROOT / "SECURITY.md").read_text("utf-8"))
    assert named
    assert [name for name in named if not (ROOT / "tests" / "unit" / name).is_file()] == []


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda path: path.name)
def test_a_contract_names_files_inbox_and_note(contract: Path) -> None:
    text = contract.read_text("utf-8")
    wanted = (*(f".memory/{name}" for name in MEMORY_FILES), ".memory/inbox/", "memd note")
    assert [word for word in wanted if word not in text] == []


def test_contracts_differ_in_their_beginning_only() -> None:
    cores = {path.read_text("utf-8").partition("## What the memory is")[2] for path in CONTRACTS}
    assert len(CONTRACTS) == 5
    assert len(cores) == 1


def test_every_contract_is_in_the_list_of_where_it_goes() -> None:
    readme = (AGENTS / "README.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([\w.-]+)` \|", readme, re.M)) == {p.name for p in CONTRACTS}
