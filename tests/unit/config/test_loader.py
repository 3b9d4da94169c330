from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.config import loader
from memd.config.sections import DeclaredProject
from memd.config.settings import known_keys
from memd.errors import ConfigError
from memd.model import MEMORY_FILES


def problems(home) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        loader.load(home.paths)
    return caught.value.problems


def test_without_any_file_everything_is_a_default(home) -> None:
    loaded = loader.load(home.paths)
    assert loaded.unknown == ()
    assert set(dict(loaded.origins).values()) <= {"default"}
    assert {row.origin for row in loader.rows(loaded)} == {"default"}
    assert loaded.config.claude_dir == os.path.join(home.env["HOME"], ".claude")
    assert loaded.config.global_root == home.env["HOME"]
    assert not os.path.exists(home.user)


def test_the_order_is_variable_user_file_near_system_file_far_one_default(home) -> None:
    home.write(home.far, {"sweep_jobs": 1, "max_passes": 1, "brief_chars": 1, "model_small": "f"})
    home.write(home.near, {"sweep_jobs": 2, "max_passes": 2, "brief_chars": 2})
    home.write(home.user, {"sweep_jobs": 3, "max_passes": 3})
    home.env["MEMD_SWEEP_JOBS"] = "4"
    loaded = loader.load(home.paths)
    config, origins = loaded.config, loaded.origins
    assert (config.sweep_jobs, origins["sweep_jobs"]) == (4, "MEMD_SWEEP_JOBS")
    assert (config.max_passes, origins["max_passes"]) == (3, home.user)
    assert (config.brief_chars, origins["brief_chars"]) == (2, home.near)
    assert (config.model_small, origins["model_small"]) == ("f", home.far)


def test_objects_merge_key_by_key_and_lists_replace(home) -> None:
    home.write(
        home.near,
        {
            "budgets": {"state.md": 1, "todo.md": 1},
            "exclude": ["/a", "/b"],
            "projects": {"/p": {"name": "near", "extra_sources": ["x"]}, "/q": {}},
        },
    )
    home.write(
        home.user,
        {"budgets": {"todo.md": 2}, "exclude": ["/c"], "projects": {"/p": {"name": "user"}}},
    )
    home.env["MEMD_BUDGETS"] = '{"mistakes.md": 3}'
    loaded = loader.load(home.paths)
    assert loaded.config.budgets == {
        "state.md": 1,
        "decisions.md": 12000,
        "todo.md": 2,
        "mistakes.md": 3,
    }
    assert loaded.config.exclude == ("/c",)
    assert loaded.config.projects == {
        "/p": DeclaredProject("user", ("x",)),
        "/q": DeclaredProject(None, ()),
    }
    assert loaded.origins["budgets.state.md"] == home.near
    assert loaded.origins["budgets.todo.md"] == home.user
    assert loaded.origins["budgets.mistakes.md"] == "MEMD_BUDGETS"
    assert loaded.origins["projects./p.name"] == home.user
    assert loaded.origins["projects./p.extra_sources"] == home.near


def test_two_spellings_of_one_directory_are_one_project(home) -> None:
    real = os.path.join(home.root, "work")
    os.mkdir(real)
    os.makedirs(home.env["HOME"])
    os.symlink(real, os.path.join(home.env["HOME"], "link"))
    home.write(home.user, {"projects": {"~/link": {"name": "n"}, real: {"extra_sources": ["x"]}}})
    home.write(home.near, {"projects": {f"{real}/./": {"name": "lower"}}})
    assert loader.load(home.paths).config.projects == {real: DeclaredProject("n", ("x",))}


def test_paths_are_real_and_absolute(home) -> None:
    target = os.path.join(home.root, "target")
    os.mkdir(target)
    os.symlink(target, os.path.join(home.root, "link"))
    home.write(
        home.user,
        {
            "claude_bin": "~/bin/claude",
            "claude_dir": os.path.join(home.root, "link", "claude"),
            "antigravity_dir": "~/ag",
            "global_root": "~/g/../h",
            "exclude": ["~", os.path.join(home.root, "link")],
        },
    )
    config = loader.load(home.paths).config
    assert config.claude_bin == os.path.join(home.env["HOME"], "bin/claude")
    assert config.claude_dir == os.path.join(target, "claude")
    assert config.antigravity_dir == os.path.join(home.env["HOME"], "ag")
    assert config.global_root == os.path.join(home.env["HOME"], "h")
    assert config.exclude == (home.env["HOME"], target)


def test_the_client_s_own_variable_is_the_default_of_claude_dir(home) -> None:
    home.env["CLAUDE_CONFIG_DIR"] = "/elsewhere"
    loaded = loader.load(home.paths)
    assert loaded.config.claude_dir == "/elsewhere"
    assert loaded.origins["claude_dir"] == "CLAUDE_CONFIG_DIR"
    home.write(home.far, {"claude_dir": "/far"})
    assert loader.load(home.paths).config.claude_dir == "/far"


def test_patterns_can_be_given_in_the_environment(home) -> None:
    home.env["MEMD_REDACT_EXTRA_PATTERNS"] = json.dumps([r"corp-\d+"])
    assert loader.load(home.paths).config.redact_extra_patterns == (r"corp-\d+",)


def test_switches_of_memd_itself_are_no_settings(home) -> None:
    home.env.update(MEMD_DISABLE="1", MEMD_CURATOR="1", MEMD_THROUGH_UV="1")
    assert loader.load(home.paths).unknown == ()


def test_unknown_keys_are_reported_after_what_stops_memd(home) -> None:
    home.write(home.user, b'{"sweep_jobs": 0, "modle_small": "x"}')
    first, second = problems(home)
    assert "sweep_jobs is 0" in first
    assert "unknown key modle_small" in second


def test_unknown_keys_of_all_parts_are_reported_and_stop_nothing(home) -> None:
    home.write(home.user, {"sweep_job": 1, "max_passes": 9})
    home.write(home.far, {"model_smal": "x"})
    home.env["MEMD_EXCLUDED"] = "[]"
    loaded = loader.load(home.paths)
    assert loaded.config.max_passes == 9
    assert [line.partition(": ")[0] for line in loaded.unknown] == [
        "MEMD_EXCLUDED",
        home.user,
        home.far,
    ]


def test_the_problems_of_all_parts_are_reported_at_once(home) -> None:
    home.env.update(MEMD_SWEEP_JOBS="0", MEMD_GIT_COMMIT="no", CLAUDE_CONFIG_DIR="relative")
    home.write(home.user, {"sweep_jobs": 2, "budgets": None, "exclude": "x"})
    home.write(home.near, b"{")
    home.write(home.far, {"sweep_jobs": "overridden, and wrong all the same"})
    assert [line.partition(": ")[0] for line in problems(home)] == [
        "MEMD_GIT_COMMIT",
        "MEMD_SWEEP_JOBS",
        home.user,
        home.user,
        home.near,
        home.far,
        "CLAUDE_CONFIG_DIR",
    ]


def test_the_global_root_cannot_be_a_project_too(home) -> None:
    home.write(home.near, {"projects": {"~": {}}})
    [problem] = problems(home)
    assert problem.startswith(f"{home.near}: projects.{home.env['HOME']}: ")
    assert "memd init --global" in problem


def test_loading_leaves_the_files_as_they_are(home) -> None:
    home.write(home.user, {"sweep_job": 1})
    before = os.stat(home.user)
    loader.load(home.paths)
    assert os.stat(home.user).st_mtime_ns == before.st_mtime_ns
    assert os.listdir(home.root) == ["home"]


def test_rows_show_every_setting_with_its_origin(home) -> None:
    home.write(home.user, {"budgets": {"todo.md": 5}, "projects": {"/日本": {"name": "é"}}})
    home.env["MEMD_CURATOR_CMD"] = '["a"]'
    rows = loader.rows(loader.load(home.paths))
    assert ("budgets.todo.md", "5", home.user) in rows
    assert ("budgets.state.md", "10000", "default") in rows
    assert ("curator_cmd", '["a"]', "MEMD_CURATOR_CMD") in rows
    assert ("projects./日本.name", '"é"', home.user) in rows
    assert ("projects./日本.extra_sources", "[]", "default") in rows
    assert ("REDACT_EXTRA_PATTERNS", "[]", "default") in rows
    assert tuple(dict.fromkeys(row.key.partition(".")[0] for row in rows)) == known_keys()


# --- properties ---------------------------------------------------------------------

KEYS = ["sweep_jobs", "max_passes", "brief_chars"]
LAYERS = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.integers(1, 9) for key in KEYS},
        "exclude": st.lists(st.sampled_from(["/a", "/b", "/c"]), max_size=2),
        "budgets": st.dictionaries(st.sampled_from(MEMORY_FILES), st.integers(1, 9)),
        "projects": st.dictionaries(
            st.sampled_from(["/p", "/q"]),
            st.fixed_dictionaries(
                {},
                optional={
                    "name": st.sampled_from(["x", "y"]),
                    "extra_sources": st.lists(st.sampled_from(["1", "2"]), max_size=2),
                },
            ),
        ),
    },
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
NEAR_MISSES = st.dictionaries(
    st.sampled_from([*known_keys(), "nonsense", "self", ""]),
    JSON
    | st.dictionaries(
        st.sampled_from(["state.md", "/p", "rel", "~"]),
        JSON | st.dictionaries(st.sampled_from(["name", "extra_sources", "x"]), JSON, max_size=2),
        max_size=2,
    ),
    max_size=4,
)
ON_SHARED_HOME = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def leaf(document, *keys):
    for key in keys:
        if not isinstance(document, dict) or key not in document:
            return None
        document = document[key]
    return document


@ON_SHARED_HOME
@given(LAYERS, LAYERS, LAYERS, LAYERS)
def test_every_value_comes_from_the_most_important_part_that_has_it(
    shared_home, env, user, near, far
) -> None:
    shared_home.env = {
        **{k: v for k, v in shared_home.env.items() if not k.startswith("MEMD_")},
        **{f"MEMD_{key.upper()}": json.dumps(value) for key, value in env.items()},
    }
    paths = [shared_home.user, shared_home.near, shared_home.far]
    for path, document in zip(paths, (user, near, far), strict=True):
        shared_home.write(path, document)
    loaded = loader.load(shared_home.paths)

    def expect(default, *keys):
        """Value and origin, found by looking at one part after the other."""
        for origin, document in zip(
            (f"MEMD_{keys[0].upper()}", *paths), (env, user, near, far), strict=True
        ):
            found = leaf(document, *keys)
            if found is not None:
                return found, origin
        return default, "default"

    shown = {row.key: (json.loads(row.value), row.origin) for row in loader.rows(loaded)}
    for key, default in (("sweep_jobs", 4), ("max_passes", 4), ("brief_chars", 2500)):
        assert shown[key] == expect(default, key)
    assert shown["exclude"] == expect([], "exclude")
    for name in MEMORY_FILES:
        default = {"decisions.md": 12000, "mistakes.md": 22000}.get(name, 10000)
        assert shown[f"budgets.{name}"] == expect(default, "budgets", name)
    declared = {
        root for document in (env, user, near, far) for root in document.get("projects", {})
    }
    assert set(loaded.config.projects) == declared
    for root in declared:
        assert shown[f"projects.{root}.name"] == expect("", "projects", root, "name")
        assert shown[f"projects.{root}.extra_sources"] == expect(
            [], "projects", root, "extra_sources"
        )


def load_or_lines(home) -> tuple[str, ...]:
    try:
        return loader.load(home.paths).unknown
    except ConfigError as error:
        return error.problems or ("an error that names no problem\n",)


@ON_SHARED_HOME
@given(st.binary(max_size=60) | JSON | NEAR_MISSES, NEAR_MISSES)
def test_whatever_the_files_hold_only_a_config_error_is_raised(shared_home, user, system) -> None:
    shared_home.write(shared_home.user, user)
    shared_home.write(shared_home.near, system)
    lines = load_or_lines(shared_home)
    assert all(line.isprintable() for line in lines)
    assert loader.check_file(shared_home.user) or not any(
        line.startswith(shared_home.user) for line in lines
    )


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=()), max_size=20)


@ON_SHARED_HOME
@given(
    st.dictionaries(
        st.sampled_from([f"MEMD_{key.upper()}" for key in known_keys()])
        | TEXT.map("MEMD_{}".format),
        JSON.map(json.dumps) | TEXT,
        max_size=4,
    )
)
def test_whatever_the_environment_holds_only_a_config_error_is_raised(
    shared_home, variables
) -> None:
    kept = {k: v for k, v in shared_home.env.items() if not k.startswith("MEMD_")}
    shared_home.env = {**kept, **variables}
    assert all(line.isprintable() for line in load_or_lines(shared_home))
