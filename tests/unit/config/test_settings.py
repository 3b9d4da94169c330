from __future__ import annotations

import dataclasses

import pytest

from memd.config import settings
from memd.config.sections import Config
from memd.model import MEMORY_FILES

DEFAULTS = {
    "claude_bin": "claude",
    "curator_cmd": [],
    "claude_dir": "~/.claude",
    "antigravity_dir": "~/.gemini/antigravity-cli",
    "model_small": "sonnet",
    "model_large": "sonnet",
    "escalate_chars": 15000,
    "digest_cap_chars": 60000,
    "quiet_seconds": 600,
    "sweep_jobs": 4,
    "auto_scaffold": True,
    "git_commit": True,
    "budgets": {
        "state.md": 10000,
        "decisions.md": 12000,
        "todo.md": 10000,
        "mistakes.md": 22000,
    },
    "REDACT_EXTRA_PATTERNS": [],
    "exclude": [],
    "projects": {},
    "global_root": "~",
    "global_brief_chars": 800,
    "brief_chars": 2500,
    "brief_decisions_days": 30,
    "curator_timeout_seconds": 600,
    "max_passes": 4,
    "max_distills_per_day": 200,
}


def wrong(**document):
    """Keys of the faults of a document."""
    return [fault.key for fault in settings.faults(document)]


def test_nothing_set_gives_the_documented_defaults() -> None:
    assert settings.merged() == DEFAULTS


def test_every_key_has_a_field_in_the_configuration() -> None:
    fields = [field.name for field in dataclasses.fields(Config)]
    assert [key.lower() for key in settings.known_keys()] == fields


def test_a_budget_exists_for_each_memory_file_and_no_other() -> None:
    assert tuple(settings.merged()["budgets"]) == MEMORY_FILES


@pytest.mark.parametrize("key", [k for k, v in DEFAULTS.items() if type(v) is int])
@pytest.mark.parametrize("value", ["4", True, 4.0, None, [4], {}])
def test_an_integer_is_nothing_but_an_integer(key, value) -> None:
    assert wrong(**{key: value}) == [(key,)]


@pytest.mark.parametrize("key", [k for k, v in DEFAULTS.items() if type(v) is bool])
@pytest.mark.parametrize("value", ["true", 1, 0, None, []])
def test_a_boolean_is_nothing_but_a_boolean(key, value) -> None:
    assert wrong(**{key: value}) == [(key,)]


@pytest.mark.parametrize("key", [k for k, v in DEFAULTS.items() if isinstance(v, (str, list))])
@pytest.mark.parametrize("value", [1, True, None, {}])
def test_strings_and_lists_take_nothing_else(key, value) -> None:
    assert wrong(**{key: value}) == [(key,)]


@pytest.mark.parametrize(
    ("key", "lowest"),
    [
        ("escalate_chars", 0),
        ("digest_cap_chars", 1),
        ("quiet_seconds", 0),
        ("sweep_jobs", 1),
        ("brief_chars", 0),
        ("brief_decisions_days", 0),
        ("curator_timeout_seconds", 1),
        ("max_passes", 1),
        ("max_distills_per_day", 0),
    ],
)
def test_integers_have_a_lowest_value(key, lowest) -> None:
    assert wrong(**{key: lowest}) == []
    assert wrong(**{key: lowest - 1}) == [(key,)]


@pytest.mark.parametrize("value", [-(10**30), -1, 0, 10**30])
def test_the_global_brief_may_be_switched_off_by_any_negative_number(value) -> None:
    assert wrong(global_brief_chars=value) == []


@pytest.mark.parametrize("name", MEMORY_FILES)
def test_budgets_are_positive(name) -> None:
    assert wrong(budgets={name: 1}) == []
    assert wrong(budgets={name: 0}) == [("budgets", name)]


@pytest.mark.parametrize("path", ["", "rel", "./rel", "~user/x", "/a\nb", "/a\0b"])
def test_paths_are_absolute_or_below_home_on_one_line(path) -> None:
    assert wrong(exclude=["/ok", path]) == [("exclude", 1)]
    assert wrong(projects={path: {}}) == [("projects", path)]
    assert wrong(global_root=path) == [("global_root",)]


@pytest.mark.parametrize("path", ["/", "/a b", "~", "~/x", "/日本", "/a\u00a0b"])
def test_any_absolute_path_is_taken(path) -> None:
    assert wrong(exclude=[path], projects={path: {}}, claude_dir=path) == []


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", " a", "a ", "x" * 101, "\u2028", None, 3])
def test_names_of_projects_are_one_clean_line(name) -> None:
    assert wrong(projects={"/a": {"name": name}}) == [("projects", "/a", "name")]


@pytest.mark.parametrize("value", ["", " ", "a\nb", "a\0", "\udc80"])
def test_programs_and_models_are_one_line_of_text(value) -> None:
    assert wrong(claude_bin=value, model_small=value) == [("claude_bin",), ("model_small",)]


def test_arguments_of_a_curator_hold_anything_but_nul() -> None:
    assert wrong(curator_cmd=["sh", "-c", "", "a\nb"]) == []
    assert wrong(curator_cmd=["sh", "\0"]) == [("curator_cmd", 1)]


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "(?P<n>a)(?P<n>b)", "a{99999999999}", "x*", "(" * 5000, ""]
)
def test_a_pattern_that_cannot_work_is_named(pattern) -> None:
    faults = settings.faults({"REDACT_EXTRA_PATTERNS": ["fine", pattern]})
    assert [(fault.key, fault.value) for fault in faults] == [
        (("REDACT_EXTRA_PATTERNS", 1), pattern)
    ]
    assert faults[0].expected.startswith("a regular expression")


@pytest.mark.parametrize("pattern", [r"corp-\d+", "[[a]", "(?i)secret", "日本"])
def test_patterns_that_python_takes_are_taken_without_a_warning(pattern) -> None:
    assert wrong(REDACT_EXTRA_PATTERNS=[pattern]) == []


def test_all_faults_are_found_at_once() -> None:
    assert wrong(
        sweep_jobs="4",
        budgets={"state.md": None, "todo.md": 0},
        projects={"rel": {"extra_sources": "x"}},
        exclude=[1, "/ok", "rel"],
    ) == [
        ("sweep_jobs",),
        ("budgets", "state.md"),
        ("budgets", "todo.md"),
        ("exclude", 0),
        ("exclude", 2),
        ("projects", "rel"),
        ("projects", "rel", "extra_sources"),
    ]


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"nonsense": 1}, ("nonsense",)),
        ({"SWEEP_JOBS": 1}, ("SWEEP_JOBS",)),
        ({"redact_extra_patterns": []}, ("redact_extra_patterns",)),
        ({"budgets": {"state": 5}}, ("budgets", "state")),
        ({"projects": {"/a": {"nam": "x"}}}, ("projects", "/a", "nam")),
        ({"[key]": 1}, ("[key]",)),
        # Words that mean something to the library below.
        ({"self": 1}, ("self",)),
        ({"_cli_parse_args": True}, ("_cli_parse_args",)),
        ({"_env_file": "/etc/passwd"}, ("_env_file",)),
        ({"model_config": {}}, ("model_config",)),
    ],
)
def test_a_key_that_is_not_known_is_told_apart_from_a_wrong_value(document, key) -> None:
    [fault] = settings.faults(document)
    assert fault.is_unknown
    assert fault.key == key


@pytest.mark.parametrize(
    "document",
    [
        {"\ud800": 1},
        {"model_small": "\ud800"},
        {"curator_cmd": ["\ud800"]},
        {"REDACT_EXTRA_PATTERNS": ["\ud800"]},
        {"projects": {"/\ud800": {}}},
        {"projects": {"/a": {"name": "\ud800"}}},
        {"projects": {"/a": {"extra_sources": ["\ud800"]}}},
    ],
)
def test_text_that_is_no_unicode_is_a_fault(document) -> None:
    [fault] = settings.faults(document)
    assert fault.expected
    assert not fault.is_unknown


def test_settings_do_not_leak_in_from_the_process_environment(monkeypatch) -> None:
    for variable in ("SWEEP_JOBS", "sweep_jobs", "MEMD_SWEEP_JOBS", "BUDGETS"):
        monkeypatch.setenv(variable, "77")
    assert settings.merged() == DEFAULTS
