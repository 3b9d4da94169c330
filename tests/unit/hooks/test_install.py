from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.errors import UsageFault
from memd.hooks import install, wired

MEMD = "/opt/memd"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "claude" / "settings.json"


@pytest.fixture
def memd(tmp_path: Path) -> str:
    path = tmp_path / "bin" / "memd"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, newline="")


def text(file: Path) -> str:
    return file.read_bytes().decode()


def commands(file: Path) -> list[tuple[str, str]]:
    return [
        (event, hook["command"])
        for event, groups in json.loads(text(file))["hooks"].items()
        for group in groups
        if isinstance(group, dict)
        for hook in group["hooks"]
        if isinstance(hook, dict) and isinstance(hook["command"], str)
    ]


OURS = [
    ("SessionStart", f"{MEMD} hook session-start"),
    ("SessionEnd", f"{MEMD} hook session-end"),
    ("PreCompact", f"{MEMD} hook pre-compact"),
]


def test_hooks_go_into_a_file_that_is_missing_or_empty(file: Path) -> None:
    assert install.install(str(file), MEMD) == "changed"
    assert commands(file) == OURS
    assert text(file) == json.dumps({"hooks": install.hooks(MEMD)}, indent=2) + "\n"
    write(file, " \n")
    install.install(str(file), MEMD)
    assert commands(file) == OURS


def test_each_hook_has_a_time_out_and_no_other_event_is_named() -> None:
    assert list(install.hooks(MEMD)) == ["SessionStart", "SessionEnd", "PreCompact"]
    for (group,) in install.hooks(MEMD).values():
        (hook,) = group["hooks"]  # type: ignore[attr-defined]
        assert hook["type"] == "command"
        assert 0 < hook["timeout"] <= 60


def test_installing_twice_changes_nothing(file: Path) -> None:
    install.install(str(file), MEMD)
    before = text(file)
    assert install.install(str(file), MEMD) == "unchanged"
    assert text(file) == before


@pytest.mark.parametrize(
    "before",
    [
        '{"model": "opus"}',
        '{\n    "permissions": {"deny": ["Bash(rm:*)", "é"]},\n    "n": 1.50e3\n}\n',
        '{\r\n\t"hooks": {\r\n\t\t"Stop": [{"hooks": []}]\r\n\t}\r\n}',
        '{\n  "hooks": {\n    "SessionEnd": [\n      {"hooks": [{"command": "x"}]}\n    ]\n  }\n}',
        '{"hooks": {"SessionStart": [{"hooks": "odd"}, 3, {"hooks": [4, {"command": 5}]}]}}',
    ],
)
def test_removing_gives_back_every_byte(file: Path, before: str) -> None:
    write(file, before)
    assert install.install(str(file), MEMD) == "changed"
    assert set(commands(file)) >= set(OURS)
    assert install.uninstall(str(file)) == "changed"
    assert text(file) == before
    assert install.uninstall(str(file)) == "unchanged"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    document=st.dictionaries(
        st.text(max_size=4).filter(lambda key: key != "hooks"),
        st.none() | st.integers() | st.text(max_size=4) | st.lists(st.booleans(), max_size=2),
        max_size=3,
    ),
    indent=st.sampled_from([None, 2, "\t"]),
)
def test_whatever_else_is_in_the_file_stays(
    file: Path, document: dict[str, Any], indent: int | str | None
) -> None:
    before = json.dumps(document, indent=indent, ensure_ascii=False)
    write(file, before)
    install.install(str(file), MEMD)
    assert commands(file) == OURS
    assert {k: v for k, v in json.loads(text(file)).items() if k != "hooks"} == document
    install.uninstall(str(file))
    assert text(file) == before


@pytest.mark.parametrize(
    "old",
    [
        "memd hook session-start",
        "/home/me/.local/bin/memd hook session-start",
        "'/a dir/memd' hook session-start",
        '"/a dir/memd" hook session-start || true',
        "/usr/bin/python3 -m memd hook session-start",
        "MEMD_X=1 /nix/store/abc-memd-0.3.0/bin/memd  hook session-start",
    ],
)
def test_an_older_entry_is_replaced_where_it_stands(file: Path, old: str) -> None:
    group = {"matcher": "startup", "hooks": [{"command": "a"}, {"command": old, "timeout": 5}]}
    write(file, json.dumps({"hooks": {"SessionStart": [group]}}))
    install.install(str(file), MEMD)
    assert commands(file) == [("SessionStart", "a"), *OURS]
    found = json.loads(text(file))["hooks"]["SessionStart"]
    assert found[0]["matcher"] == "startup"
    assert found[0]["hooks"][1]["timeout"] == 5


def test_of_several_older_entries_one_is_left(file: Path) -> None:
    ours = {"type": "command", "command": "memd hook session-start"}
    groups = [{"hooks": [ours, ours]}, {"hooks": [{"command": "a"}, ours]}, {"hooks": [ours]}]
    write(file, json.dumps({"hooks": {"SessionStart": groups}}))
    install.install(str(file), MEMD)
    assert commands(file) == [OURS[0], ("SessionStart", "a"), *OURS[1:]]


def test_hooks_of_other_programs_are_not_taken_for_ours(file: Path) -> None:
    others = ["notmemd hook session-start", "memd hooks", "memd hook session-started", "memd-x y"]
    groups = [{"hooks": [{"command": other}]} for other in others]
    write(file, json.dumps({"hooks": {"SessionStart": groups}}))
    assert install.uninstall(str(file)) == "unchanged"
    install.install(str(file), MEMD)
    assert [command for _, command in commands(file)][:4] == others


def test_removing_from_no_file_makes_none(file: Path) -> None:
    assert install.uninstall(str(file)) == "unchanged"
    assert not file.exists()


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ('{\n  // mine\n  "a": 1,\n}\n', "line 2, column 3"),
        ('{"a": NaN}', "NaN"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "not a JSON object"),
        ('{"hooks": []}', "`hooks`"),
        ('{"hooks": {"SessionStart": {}}}', "`hooks`"),
    ],
)
def test_a_file_that_cannot_be_understood_is_left_alone(file: Path, before: str, why: str) -> None:
    write(file, before)
    with pytest.raises(UsageFault) as caught:
        install.install(str(file), MEMD)
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert why in message
    assert len(message.splitlines()) == 1
    snippet = message[message.index('{"hooks"') :]
    assert json.loads(snippet) == {"hooks": install.hooks(MEMD)}
    with pytest.raises(UsageFault):
        install.uninstall(str(file))
    assert text(file) == before


def test_a_program_of_another_name_is_refused(file: Path) -> None:
    with pytest.raises(UsageFault, match="named memd"):
        install.install(str(file), "/usr/bin/something")
    assert not file.exists()


# --- which command -------------------------------------------------------------------------


def test_a_program_is_written_down_by_its_path_quoted_for_a_shell(tmp_path: Path) -> None:
    program = tmp_path / "a dir" / "memd"
    program.parent.mkdir()
    program.write_text("#!/usr/bin/env python3\n")
    program.chmod(0o755)
    command = install.command(str(program), "")
    assert shlex.split(command) == [str(program)]
    assert command.startswith("'")


def test_a_package_is_written_down_with_its_interpreter() -> None:
    command = install.command("/x/memd/__main__.py", "")
    assert command == f"{shlex.quote(sys.executable)} -m memd"


def test_a_path_into_the_nix_store_gives_way_to_the_profile(memd: str) -> None:
    stored = "/nix/store/abc-memd/bin/memd"
    assert install.command(stored, str(Path(memd).parent)) == memd
    assert stored in install.command(stored, "/none")


# --- doubles -------------------------------------------------------------------------------


def test_hooks_that_come_another_way_are_found(file: Path, tmp_path: Path) -> None:
    claude, managed = file.parent, tmp_path / "etc"
    assert wired.doubles(str(claude), str(managed)) == ()
    plugin = claude / "skills" / "memd" / "hooks" / "hooks.json"
    drop_in = managed / "managed-settings.d" / "50-memd.json"
    whole = managed / "managed-settings.json"
    content = json.dumps({"hooks": install.hooks("/nix/store/abc/bin/memd")})
    for path in (plugin, drop_in, whole):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (managed / "managed-settings.d" / "10-other.json").write_text("{}")
    (managed / "managed-settings.d" / "README").write_text(content)
    found = wired.doubles(str(claude), str(managed))
    assert found == (str(plugin), str(whole), str(drop_in))


def test_a_second_set_is_refused(file: Path, tmp_path: Path, memd: str) -> None:
    managed = tmp_path / "etc"
    managed.mkdir()
    (managed / "managed-settings.json").write_text(json.dumps({"hooks": install.hooks("memd")}))
    with pytest.raises(UsageFault, match=r"managed-settings\.json: has memd's hooks already"):
        install.run(str(file.parent), argv0=memd, managed_dir=str(managed))
    assert not file.exists()
    lines = install.run(str(file.parent), remove=True, managed_dir=str(managed))
    assert lines == [
        f"hooks were not in {file}",
        f"hooks are still in {managed}/managed-settings.json",
    ]


def test_the_command_tells_what_it_did(file: Path, tmp_path: Path, memd: str) -> None:
    def run(**changes: bool) -> list[str]:
        none = str(tmp_path / "none")
        return install.run(str(file.parent), argv0=memd, managed_dir=none, **changes)

    assert run() == [f"hooks are in {file}"]
    assert run() == [f"hooks were already in {file}"]
    assert run(remove=True) == [f"hooks taken out of {file}"]
    assert run(remove=True) == [f"hooks were not in {file}"]
