"""The command line: one boundary around all commands."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperGroup

from memd import __version__
from memd.errors import ConfigError, MemdError, in_words
from memd.oneline import spelled_out
from memd.paths import Paths

BUG = 70
# What a command line can be refused with; typer has it from click, or from a copy within itself.
_Refused: Any = typer.BadParameter.__mro__[2]


class Interrupted(MemdError):
    """Control-C."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__("interrupted; what was not finished stays pending")


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Left alone, typer makes a silent exit or its own words of it, by version.
            raise Interrupted from None


def end_at_once_when_interrupted() -> None:
    """For work in threads, which would wait for their curators to the end.

    A curator ends with the process that asked it, and the next run finishes what is half done.
    """

    def end(*_: object) -> None:
        os._exit(_say([str(Interrupted())], Interrupted.exit_code))

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def need_command(ctx: typer.Context) -> None:
    """What a group does on its own: nothing, and a script has to learn that."""
    if ctx.invoked_subcommand is None:
        print(ctx.get_help(), file=sys.stderr)
        raise typer.Exit(2)


app = typer.Typer(
    name="memd",
    cls=_Commands,
    help="The memory of AI coding CLIs: four small files per project, kept from session logs.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"memd {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    ctx: typer.Context,
    version: bool = typer.Option(  # noqa: ARG001 - its callback does the work
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    need_command(ctx)


def main() -> int:
    """Run the command line; the exit code says how it went."""
    from memd.cli import commands  # noqa: F401 - registers the commands on the app

    _prepare_streams()
    try:
        code = app(prog_name="memd", standalone_mode=False)
        sys.stdout.flush()
    except _Refused as error:
        return _say([_refusal(error)], 2)
    except ConfigError as error:
        return _say(error.problems, error.exit_code)
    except MemdError as error:
        return _say([str(error)], error.exit_code)
    except SystemExit as ended:  # typer's own way when whoever read our output has gone
        code = ended.code
    except OSError as error:
        _drop_unwritable_output()
        return 1 if isinstance(error, BrokenPipeError) else _say([in_words(error)], 1)
    except Exception:  # noqa: BLE001 - the boundary: a bug ends in the log, not on the terminal
        return _log_bug()
    return code if isinstance(code, int) else 0


def _prepare_streams() -> None:
    """A stream that the caller closed is an empty one; no text is one that cannot be printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - for as long as memd runs
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _drop_unwritable_output() -> None:
    """Keep the interpreter from trying again, and complaining, at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refusal(error: Any) -> str:
    context = getattr(error, "ctx", None)
    said = " ".join(error.format_message().split()).rstrip(".")
    return f"{said}; see {context.command_path if context else 'memd'} --help"


def _say(lines: Iterable[str], code: int) -> int:
    for line in lines:
        print(f"memd: {spelled_out(line)}", file=sys.stderr)
    return code


def _log_bug() -> int:
    from memd.log import logger

    paths = Paths(os.environ)
    logger(paths).exception("a bug in: %s", " ".join(sys.argv[1:3]))
    return _say([f"a bug in memd; the details are in {paths.log}"], BUG)
