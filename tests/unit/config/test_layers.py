from __future__ import annotations

import os

import pytest

from memd.config import layers
from memd.config.loader import check_file


def problem_of(home, content):
    """The one problem of a file with this content, without the file's name."""
    path = home.write(home.user, content)
    layer = layers.from_file(path)
    assert layer is not None
    [problem] = layer.problems
    assert problem.startswith(f"{path}: ")
    return problem.removeprefix(f"{path}: ")


def test_malformed_json_is_reported_with_line_and_column(home) -> None:
    problem = problem_of(home, b'{"sweep_jobs": 4,\n "model_small": "x",}\n')
    assert problem.startswith("line 2, column ")
    assert "not valid JSON" in problem


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"quiet_seconds": NaN}',
        b'{"quiet_seconds": -Infinity}',
        b"[" * 100_000,
        b'{"quiet_seconds": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_json_does_not_allow_is_a_problem(home, content) -> None:
    assert problem_of(home, content)


def test_a_key_that_stands_twice_is_named(home) -> None:
    content = b'{"budgets": {"todo.md": 1, "state.md": 1, "todo.md": 2}}'
    assert 'the key "todo.md" stands twice' in problem_of(home, content)


def test_a_file_that_is_not_utf8_is_reported_with_the_place(home) -> None:
    assert problem_of(home, b'{"model_small": "\xff"}').startswith("not UTF-8 at byte 17;")


def test_a_byte_order_mark_is_no_problem(home) -> None:
    assert check_file(home.write(home.user, b'\xef\xbb\xbf{"sweep_jobs": 2}')) == ()


@pytest.mark.parametrize("content", [[], "text", None, 3])
def test_the_top_level_has_to_be_an_object(home, content) -> None:
    assert problem_of(home, content).endswith("expected: object")


def test_a_directory_in_place_of_the_file_is_reported(home) -> None:
    os.makedirs(home.user)
    [problem] = check_file(home.user)
    assert "cannot be read" in problem


def test_a_pipe_in_place_of_the_file_is_reported_and_not_waited_for(home) -> None:
    os.makedirs(os.path.dirname(home.user))
    os.mkfifo(home.user)
    [problem] = layers.from_file(home.user).problems
    assert problem.endswith("cannot be read: not a regular file")


def test_a_link_to_nothing_is_reported_and_not_taken_for_no_file(home) -> None:
    os.makedirs(os.path.dirname(home.user))
    os.symlink("/nonexistent/store/config.json", home.user)
    [problem] = check_file(home.user)
    assert "cannot be read" in problem


def test_a_link_to_a_read_only_file_is_read(home) -> None:
    target = home.write(os.path.join(home.root, "store", "config.json"), {"sweep_jobs": 2})
    os.chmod(target, 0o444)
    os.makedirs(os.path.dirname(home.user))
    os.symlink(target, home.user)
    assert layers.from_file(home.user) == layers.Layer(home.user, {"sweep_jobs": 2})


@pytest.mark.parametrize("path", ["config.json", "config.json/below"])
def test_no_file_is_no_layer(home, path) -> None:
    home.write(os.path.join(home.root, "config.json"), {})
    assert layers.from_file(os.path.join(home.root, "none", path)) is None
    assert layers.from_file(os.path.join(home.root, "config.json", path)) is None


def test_a_problem_names_key_value_and_what_is_expected(home) -> None:
    problem = problem_of(home, {"budgets": {"state.md": "8000"}})
    assert problem == 'budgets.state.md is "8000"; expected: integer, 1 or more'


def test_a_place_in_a_list_is_named(home) -> None:
    assert problem_of(home, {"exclude": ["/a", 5]}) == "exclude[1] is 5; expected: path"


def test_long_and_deep_values_are_shown_in_short(home) -> None:
    assert len(problem_of(home, {"sweep_jobs": "x" * 10_000})) < 150
    assert len(problem_of(home, b'{"sweep_jobs": ' + b"[" * 400 + b"]" * 400 + b"}")) < 150


@pytest.mark.parametrize(
    "document",
    [
        {"projects": {"a\nb\x1b[31m\u2028": {}}},
        {"model_small": "a\nb"},
        {"a\nb": 1},
        {"budgets": {"a\rb": 1}},
    ],
)
def test_each_problem_is_one_clean_line(home, document) -> None:
    [line] = check_file(home.write(home.user, document))
    assert line.isprintable()


@pytest.mark.parametrize(
    ("document", "key", "nearest"),
    [
        ({"sweep_job": 1}, "sweep_job", "sweep_jobs"),
        ({"redact_extra_patterns": []}, "redact_extra_patterns", "REDACT_EXTRA_PATTERNS"),
        ({"quietSeconds": 1}, "quietSeconds", "quiet_seconds"),
        ({"budgets": {"states.md": 1}}, "budgets.states.md", "state.md"),
        ({"projects": {"/a": {"extra_source": []}}}, "projects./a.extra_source", "extra_sources"),
    ],
)
def test_an_unknown_key_is_reported_with_the_nearest_known_one(
    home, document, key, nearest
) -> None:
    layer = layers.from_file(home.write(home.user, document))
    assert layer is not None
    assert layer.problems == ()
    assert layer.unknown == (f"{home.user}: unknown key {key}; the nearest known one is {nearest}",)


def test_what_is_unknown_is_left_out_and_the_rest_is_kept(home) -> None:
    document = {"nonsense": 1, "budgets": {"x.md": 1, "state.md": 5}, "sweep_jobs": 2}
    layer = layers.from_file(home.write(home.user, document))
    assert layer is not None
    assert layer.values == {"budgets": {"state.md": 5}, "sweep_jobs": 2}


KNOWN = {
    "MEMD_MODEL_SMALL": "model_small",
    "MEMD_SWEEP_JOBS": "sweep_jobs",
    "MEMD_AUTO_SCAFFOLD": "auto_scaffold",
    "MEMD_CURATOR_CMD": "curator_cmd",
    "MEMD_BUDGETS": "budgets",
}


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        ("MEMD_MODEL_SMALL", "haiku", "haiku"),
        ("MEMD_MODEL_SMALL", "4", "4"),
        ("MEMD_SWEEP_JOBS", "4", 4),
        ("MEMD_AUTO_SCAFFOLD", "false", False),
        ("MEMD_CURATOR_CMD", '["memd", "curate"]', ["memd", "curate"]),
        ("MEMD_BUDGETS", '{"state.md": 5}', {"state.md": 5}),
    ],
)
def test_variables_hold_text_or_json(variable, text, value) -> None:
    layer = layers.from_variable(variable, text, KNOWN)
    assert layer == layers.Layer(variable, {KNOWN[variable]: value})


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("MEMD_SWEEP_JOBS", ""),
        ("MEMD_SWEEP_JOBS", "four"),
        ("MEMD_SWEEP_JOBS", "4.0"),
        ("MEMD_SWEEP_JOBS", "0x4"),
        ("MEMD_SWEEP_JOBS", "true"),
        ("MEMD_SWEEP_JOBS", "9" * 5000),
        ("MEMD_AUTO_SCAFFOLD", "1"),
        ("MEMD_AUTO_SCAFFOLD", "True"),
        ("MEMD_AUTO_SCAFFOLD", "yes"),
        ("MEMD_CURATOR_CMD", "claude -p"),
        ("MEMD_BUDGETS", '{"state.md": 5,}'),
        ("MEMD_BUDGETS", "[" * 100_000),
        ("MEMD_MODEL_SMALL", ""),
        ("MEMD_MODEL_SMALL", os.fsdecode(b"\xff")),
    ],
)
def test_variables_are_as_strict_as_files(variable, text) -> None:
    layer = layers.from_variable(variable, text, KNOWN)
    if layer.problems:
        [problem] = layer.problems
        assert problem.startswith(f"{variable}: {KNOWN[variable]} is ")
    else:
        # Interpreters without a limit on digits take such a number.
        assert text.isdigit()


def test_an_unknown_variable_is_reported_with_the_nearest_known_one() -> None:
    layer = layers.from_variable("MEMD_SWEEP_JOB\n", "4", KNOWN)
    assert layer.unknown == (
        "MEMD_SWEEP_JOB\\n: unknown variable; the nearest known one is MEMD_SWEEP_JOBS",
    )


def test_checking_a_file_looks_at_nothing_else(home) -> None:
    path = home.write(
        os.path.join(home.root, "generated.json"),
        {"projects": {"~/x": {}}, "sweep_job": 1, "max_passes": 0},
    )
    assert check_file(path) == (
        f"{path}: max_passes is 0; expected: integer, 1 or more",
        f"{path}: unknown key sweep_job; the nearest known one is sweep_jobs",
    )
    assert os.listdir(home.root) == ["generated.json"]


def test_checking_a_file_that_does_not_exist_is_a_problem(home) -> None:
    assert check_file("/nonexistent/config.json") == ("/nonexistent/config.json: no such file",)
