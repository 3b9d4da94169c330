"""`memd config`: look at the settings."""

from __future__ import annotations

import os

import typer

from memd.cli import render
from memd.cli.app import need_command
from memd.errors import ConfigError
from memd.paths import Paths

config_app = typer.Typer(
    name="config",
    help="Look at the configuration. memd never writes it.",
    invoke_without_command=True,
    callback=need_command,
)


@config_app.command("show")
def config_show() -> None:
    """Print every setting, its value and where that came from.

    \b
    Example:
      MEMD_MODEL_SMALL=haiku memd config show
    """
    from memd.config import loader

    loaded = loader.load(Paths(os.environ))
    render.table([("key", "value", "from"), *loader.rows(loaded)])
    render.warnings(loaded.unknown)


@config_app.command("check")
def config_check(
    file: str | None = typer.Argument(None, metavar="FILE", help="Default: all in use."),
) -> None:
    """Validate the configuration, or one file alone.

    Unknown keys fail too. Nothing but the file is looked at when one is named.

    \b
    Examples:
      memd config check
      memd config check ./config.json
    """
    from memd.config import loader

    paths = None if file is not None else Paths(os.environ)
    problems = loader.load(paths).unknown if paths else loader.check_file(file or "")
    if problems:
        raise ConfigError(problems)
    if paths is None:
        render.lines([f"{file}: valid"])
        return
    used = [p for p in (paths.config_file, *paths.system_config_files) if os.path.exists(p)]
    render.lines([f"{path}: valid" for path in used] or [f"{paths.config_file}: none; defaults"])


@config_app.command("schema")
def config_schema() -> None:
    """Print the JSON Schema of config.json.

    \b
    Example:
      memd config schema > settings.schema.json
    """
    from memd.config import schema

    print(schema.text(), end="")
