"""The command line: one boundary around all commands."""

from __future__ import annotations

import os
import sys

import typer

from memd import __version__
from memd.errors import ConfigError, MemdError
from memd.paths import Paths

app = typer.Typer(
    name="memd",
    help="The memory of AI coding CLIs: four small files per project, kept from session logs.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

BUG = 70


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"memd {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    pass


def main() -> int:
    """Run the command line; the exit code says how it went."""
    from memd.cli import commands  # noqa: F401 - registers the commands on the app

    try:
        app(prog_name="memd", standalone_mode=True)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    except ConfigError as error:
        return _say(error.problems, error.exit_code)
    except MemdError as error:
        return _say((str(error),), error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has gone; keep the interpreter from saying so at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _say((f"{error.filename or 'the system'}: {error.strerror or error}",), 1)
    except KeyboardInterrupt:
        return _say(("interrupted; what was not finished stays pending",), 130)
    except Exception:  # noqa: BLE001 - the boundary: a bug ends in the log, not on the terminal
        return _log_bug()
    return 0


def _say(lines: tuple[str, ...], code: int) -> int:
    for line in lines:
        print(f"memd: {line}", file=sys.stderr)
    return code


def _log_bug() -> int:
    from memd.log import logger

    paths = Paths(os.environ)
    logger(paths).exception("a bug in: %s", " ".join(sys.argv[1:3]))
    return _say((f"a bug in memd; the details are in {paths.log}",), BUG)
