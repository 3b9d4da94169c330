"""One function per command: arguments in, a service called, its result rendered."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from memd import __version__
from memd.cli import render
from memd.cli.app import app
from memd.errors import ConfigError, UsageFault
from memd.paths import Paths

if TYPE_CHECKING:
    from memd.marks import Request
    from memd.model import Project
    from memd.runtime import Runtime

config_app = typer.Typer(
    name="config", help="Look at the configuration. memd never writes it.", no_args_is_help=True
)
app.add_typer(config_app)

PROJECT = typer.Option(None, "--project", "-p", metavar="PATH", help="A path in the project.")


@app.command()
def init(
    path: str | None = typer.Argument(None, metavar="[PATH]", help="Default: here."),
    name: str = typer.Option("", "--name", help="Name of the project; default: its directory's."),
    global_: bool = typer.Option(False, "--global", help="Make the memory of no single project."),
    backfill: bool = typer.Option(False, "--backfill", help="Distil the sessions that exist too."),
) -> None:
    """Give a project a memory and register it; sessions from now on are remembered.

    \b
    Examples:
      memd init                  the repository around this directory
      memd init ~/work/shop --name shop
      memd init --backfill       also learn from the sessions that already exist
      memd init --global         a memory for facts that concern all projects
    """
    from memd import onboard
    from memd.cli.target import directory_of
    from memd.marks import Request

    rt = _runtime()
    if global_:
        if path or backfill:
            raise UsageFault("init --global: takes neither a path nor --backfill")
        render.initialised(onboard.init_global(rt))
        return
    done = onboard.init(rt, directory_of(path, above=path is None), name=name, backfill=backfill)
    render.initialised(done)
    if backfill:
        _sync_and_exit(rt, rt.project(done.root), Request("backfill"))


@app.command()
def sync(
    project: str | None = PROJECT,
    transcript: str | None = typer.Option(
        None, "--transcript", metavar="FILE", help="Read this session whatever its age."
    ),
    trigger: str = typer.Option("manual", "--trigger", metavar="NAME", help="What asks for it."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Print what would be sent, no more."),
    retry: bool = typer.Option(False, "--retry", help="Take up again what was set aside."),
) -> None:
    """Distil what is new in a project.

    \b
    Examples:
      memd sync                  the project around this directory
      memd sync --dry-run        show the prompt; nothing is sent or changed
      memd sync --retry          after mending what a curator could not digest
    """
    from memd.cli.target import sync_target
    from memd.sync import preview

    rt = _runtime()
    target = sync_target(rt, project, transcript, trigger, retry=retry)
    if target is None:
        return
    if dry_run:
        render.preview(preview(rt, target.project, target.request))
        return
    _sync_and_exit(rt, target.project, target.request)


@app.command()
def sweep(
    jobs: int = typer.Option(0, "--jobs", "-j", min=0, help="Projects at a time; 0: sweep_jobs."),
) -> None:
    """Serve all projects once; the timer runs this.

    \b
    Example:
      memd sweep --jobs 2
    """
    from memd.sweep import sweep as run

    swept = run(_runtime(), jobs=jobs)
    render.swept(swept)
    if swept.failed:
        raise typer.Exit(1)


@app.command()
def brief(
    path: str | None = typer.Argument(None, metavar="[PATH]", help="Default: here."),
    max_chars: int | None = typer.Option(None, "--max-chars", min=0, help="Hard limit; 0: none."),
    topic: str = typer.Option("", "--topic", help="Only sections that mention this word."),
) -> None:
    """Print what the next session is told.

    \b
    Examples:
      memd brief --topic sqlite
      memd brief ~/work/shop --max-chars 1000
    """
    from memd.cli.target import directory_of
    from memd.hooks import session_start

    text = session_start.brief_for(
        Paths(os.environ), directory_of(path), max_chars=max_chars, topic=topic
    )
    if text:
        print(text)


@app.command()
def status(
    as_json: bool = typer.Option(False, "--json", help="For programs; the keys are stable."),
) -> None:
    """Show what memd manages and what wants attention, problems first.

    \b
    Examples:
      memd status
      memd status --json | jq .problems
    """
    from memd import health
    from memd.config import loader

    paths = Paths(os.environ)
    try:
        unknown = loader.load(paths).unknown
        rt = _runtime(quiet=True)
    except ConfigError as error:
        render.status_without_config(error.problems, health.registered(paths), as_json=as_json)
        raise typer.Exit(2) from None
    render.status(
        health.report(rt, version=__version__, unknown_keys=unknown), as_json=as_json
    )


@app.command("install-hooks")
def install_hooks(
    remove: bool = typer.Option(False, "--remove", help="Take memd's hooks out again."),
) -> None:
    """Wire memd into Claude Code's settings.json; nothing else in it changes.

    \b
    Examples:
      memd install-hooks
      memd install-hooks --remove
    """
    from memd.hooks import install

    paths = Paths(os.environ)
    claude_dir = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(paths.home, ".claude")
    render.lines(install.run(claude_dir, remove=remove))


@app.command()
def trust(path: str | None = typer.Argument(None, metavar="[PATH]", help="Default: here.")) -> None:
    """Accept a memory that memd did not make here, after you have looked at it.

    \b
    Example:
      memd trust ~/work/cloned
    """
    from memd import onboard
    from memd.cli.target import directory_of

    done = onboard.trust(_runtime(), directory_of(path))
    print(f"trusted {done.root}")


@app.command()
def note(
    message: str | None = typer.Option(None, "-m", "--message", help="Default: standard input."),
    project: str | None = PROJECT,
    global_: bool = typer.Option(False, "--global", help="For the memory of no single project."),
    source: str = typer.Option("", "--source", help="Who says so."),
    kind: str = typer.Option("", "--kind", help="state, decision, todo or mistake."),
) -> None:
    """Record one fact now; the next distill files it. Prints the note's path.

    \b
    Examples:
      memd note -m "the API listens on 9090"
      memd note --kind decision -m "we use sqlite, not postgres"
      some-command | memd note --project ~/work/shop
    """
    from memd.cli import notes

    text = sys.stdin.read() if message is None else message
    published = notes.publish(
        Paths(os.environ), text, project=project, to_global=global_, source=source, kind=kind
    )
    for warning in published.warnings:
        print(f"memd: {warning}", file=sys.stderr)
    print(published.path)


@app.command()
def exclude(
    path: str = typer.Argument(..., metavar="PATH"),
    undo: bool = typer.Option(False, "--undo", help="Manage it again."),
) -> None:
    """Never manage a path: its sessions are read by nobody.

    \b
    Examples:
      memd exclude ~/work/client-x
      memd exclude --undo ~/work/client-x
    """
    from memd.cli.target import directory_of
    from memd.state import registry

    paths = Paths(os.environ)
    real = os.path.realpath(path) if undo else directory_of(path)
    if undo and real in _runtime().config.exclude:
        raise UsageFault(f"exclude: {real} is declared in the configuration: take it out there")
    registry.exclude(paths, real, undo=undo)
    print(f"{'managed again' if undo else 'excluded'}: {real}")


@app.command()
def hook(
    event: str = typer.Argument(..., help="session-start, session-end or pre-compact."),
) -> None:
    """Entry for the hooks of a CLI: reads JSON on standard input, never fails.

    \b
    Example:
      echo '{"cwd": "/home/me/shop", "session_id": "x"}' | memd hook session-start
    """
    from memd.hooks import entry

    raise typer.Exit(entry.main([event], sys.stdin.buffer, sys.stdout, os.environ))


@app.command()
def curate() -> None:
    """The built-in curator: sorts notes and explicit statements by rule, with no model.

    Reads a prompt on standard input and answers as any curator does.

    \b
    To use it, in config.json:
      {"curator_cmd": ["memd", "curate"]}
    """
    from memd.curator import builtin

    raise typer.Exit(builtin.main(sys.stdin.buffer, sys.stdout.buffer))


@app.command()
def demo() -> None:
    """Show the whole of memd on a bundled session, in a throw-away home, with no model.

    \b
    Example:
      memd demo
    """
    from memd.cli import demo as demonstration

    demonstration.run()


@config_app.command("show")
def config_show() -> None:
    """Print every setting, its effective value and where it came from."""
    from memd.config import loader

    loaded = loader.load(Paths(os.environ))
    render.table(("key", "value", "from"), [tuple(row) for row in loader.rows(loaded)])
    render.warnings(loaded.unknown)


@config_app.command("check")
def config_check(
    file: str | None = typer.Argument(None, metavar="[FILE]", help="Default: all in use."),
) -> None:
    """Validate the configuration, or one file alone; unknown keys fail too.

    \b
    Example:
      memd config check ./config.json
    """
    from memd.config import loader

    problems = loader.check_file(file) if file else loader.load(Paths(os.environ)).unknown
    if problems:
        raise ConfigError(problems)
    print("the configuration is valid")


@config_app.command("schema")
def config_schema() -> None:
    """Print the JSON Schema of config.json."""
    from memd.config import schema

    print(schema.text(), end="")


def _runtime(*, quiet: bool = False) -> Runtime:
    from memd import runtime
    from memd.cli.progress import reporter

    rt = runtime.build(os.environ, progress=reporter())
    if not quiet:
        render.warnings(rt.unknown_keys)
    return rt


def _sync_and_exit(rt: Runtime, project: Project, request: Request) -> None:
    from memd.sync import sync as run

    outcome = run(rt, project, request)
    render.outcome(project, outcome)
    code = render.exit_code(outcome)
    if code:
        raise typer.Exit(code)
