"""One function per command: arguments in, a service called, its result rendered."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from memd import __version__
from memd.cli import render
from memd.cli.app import app, end_at_once_when_interrupted
from memd.cli.config_commands import config_app
from memd.cli.target import HOOK_TRIGGERS
from memd.cli.terminal import readable, reporter
from memd.errors import ConfigError, UsageFault
from memd.paths import Paths

if TYPE_CHECKING:
    from memd.marks import Request
    from memd.model import Project
    from memd.runtime import Runtime

app.add_typer(config_app)

HERE = typer.Argument(None, metavar="PATH", help="Default: here.")
PROJECT = typer.Option(
    None, "--project", "-p", metavar="PATH", help="A path in the project, or its name."
)


def _events(begun: str) -> list[str]:
    """What a shell is offered."""
    return [event for event in HOOK_TRIGGERS if event.startswith(begun)]


def _kinds(begun: str) -> list[str]:
    from memd.model import NOTE_KINDS

    return [kind for kind in NOTE_KINDS if kind.startswith(begun)]


def _rules(begun: str) -> list[str]:
    from memd.purge import wanted

    return [name for name in wanted.rule_names() if name.startswith(begun)]


@app.command()
def init(
    path: str | None = HERE,
    name: str = typer.Option("", "--name", help="Name of the project; default: its directory's."),
    global_: bool = typer.Option(False, "--global", help="Make the memory of no single project."),
    backfill: bool = typer.Option(False, "--backfill", help="Distil the sessions that exist too."),
) -> None:
    """Give a project a memory; from now on it is remembered.

    \b
    Examples:
      memd init                  the repository around this directory
      memd init ~/work/shop --name shop
      memd init --backfill       also learn from the sessions that already exist
      memd init --global         a memory for facts that concern all projects
    """
    from memd import onboard
    from memd.cli.target import place_to_begin
    from memd.marks import Request

    rt = _runtime()
    if global_:
        if path is not None or name or backfill:
            raise UsageFault("init --global: takes no path, no --name and no --backfill")
        render.initialised(onboard.init_global(rt))
        return
    done = onboard.init(rt, place_to_begin(rt, path), name=name, backfill=backfill)
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
        render.preview(preview(rt, target.project, target.request), rt.curator)
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

    end_at_once_when_interrupted()
    swept = run(_runtime(), jobs=jobs)
    render.swept(swept)
    if swept.failed:
        raise typer.Exit(1)


@app.command()
def brief(
    path: str | None = HERE,
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
        print(readable(text))
    elif topic:
        reporter()(f"no section mentions {topic}; memd brief shows all")
    else:
        reporter()("nothing is remembered here; memd status shows where something is")


@app.command()
def status(
    as_json: bool = typer.Option(False, "--json", help="For programs; the keys are stable."),
) -> None:
    """Show what is managed and what wants attention.

    Problems come first, each with a mark.

    \b
    Examples:
      memd status
      memd status --json | jq .problems
    """
    from memd import health

    try:
        rt = _runtime(quiet=True)
    except ConfigError as error:
        roots = health.registered(Paths(os.environ))
        render.status_without_config(error.problems, roots, as_json=as_json)
        raise typer.Exit(2) from None
    render.status(health.report(rt, version=__version__), as_json=as_json)


@app.command()
def sources(project: str | None = PROJECT) -> None:
    """List the sessions memd sees for a project, and why.

    \b
    Examples:
      memd sources
      memd sources --project ~/work/shop
    """
    from memd import sightings
    from memd.cli.target import project_of

    rt = _runtime()
    render.sightings(list(sightings.of(rt, project_of(rt, project))))


@app.command()
def doctor() -> None:
    """Look at what goes wrong in practice; name remedies.

    Changes nothing and makes no call that costs. Ends with 1 when something is wrong.

    \b
    Example:
      memd doctor
    """
    from memd import doctor as examination
    from memd import health

    rt = _runtime(quiet=True)
    report = health.report(rt, version=__version__)
    if render.examined(examination.examine(rt, report)):
        raise typer.Exit(1)


@app.command("install-hooks")
def install_hooks(
    remove: bool = typer.Option(False, "--remove", help="Take memd's hooks out again."),
) -> None:
    """Wire memd into Claude Code's settings.json.

    Nothing else in that file changes.

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
def trust(path: str | None = HERE) -> None:
    """Accept a memory that memd did not make here.

    Look at its files first: every session will be told what they say.

    \b
    Example:
      memd trust ~/work/cloned
    """
    from memd import onboard
    from memd.cli.target import directory_of

    done = onboard.trust(_runtime(), directory_of(path))
    render.lines([f"trusted {done.root}"])


@app.command()
def note(
    message: str | None = typer.Option(None, "-m", "--message", help="Default: standard input."),
    project: str | None = PROJECT,
    global_: bool = typer.Option(False, "--global", help="For the memory of no single project."),
    source: str = typer.Option("", "--source", help="Who says so."),
    kind: str = typer.Option(
        "", "--kind", help="state, decision, todo or mistake.", autocompletion=_kinds
    ),
) -> None:
    """Record one fact for the next distill to file.

    Prints the path of the note.

    \b
    Examples:
      memd note -m "the API listens on 9090"
      memd note --kind decision -m "we use sqlite, not postgres"
      git log -1 | memd note --project ~/work/shop
      memd note --global -m "I prefer small commits"
    """
    from memd.cli import notes

    text = notes.typed() if message is None else message
    published = notes.publish(
        Paths(os.environ), text, project=project, to_global=global_, source=source, kind=kind
    )
    render.warnings(published.warnings)
    print(published.path)


@app.command()
def exclude(
    path: str = typer.Argument(..., metavar="PATH"),
    undo: bool = typer.Option(False, "--undo", help="Manage it again."),
) -> None:
    """Never manage a path; what is done there is not read.

    \b
    Examples:
      memd exclude ~/work/client-x
      memd exclude --undo ~/work/client-x
    """
    from memd.cli import target
    from memd.config import snapshot
    from memd.state import registry

    paths = Paths(os.environ)
    directory = target.real_path(path)
    settings, notices = snapshot.in_force(paths)
    render.warnings(notices)
    if not undo:
        if directory not in registry.read(paths).entries:
            target.directory_of(path)
        if directory in settings.projects:
            raise UsageFault(f"{directory}: is declared in the configuration: take it out there")
        registry.exclude(paths, directory, undo=False)
        render.lines([f"excluded: {directory}"])
        return
    if directory in settings.exclude:
        raise UsageFault(f"{directory}: is excluded by the configuration: take it out there")
    if directory not in registry.read(paths).excluded:
        raise UsageFault(f"{directory}: is not excluded itself; memd status lists what is")
    registry.exclude(paths, directory, undo=True)
    render.lines([f"managed again: {directory}"])


@app.command()
def purge(
    text: str | None = typer.Argument(
        None, metavar="TEXT", help="Case matters. -: read it from standard input."
    ),
    rule: str = typer.Option(
        "", "--rule", help="What this rule of redaction finds.", autocompletion=_rules
    ),
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask."),
) -> None:
    """Take a leaked text out of all that memd keeps.

    Shows where it stands and asks. Then it is replaced in memories, archives, notes, state
    and log, and the history of each memory that held it is written anew; the old one is gone.

    A TEXT that is typed as an argument stays in the history of the shell; with - it does not.

    \b
    Examples:
      memd purge -                      asks for it
      memd purge --rule github_pat
      memd purge --yes hunter2
    """
    from memd.cli import purging

    rt = _runtime()
    purging.run(rt, purging.what(rt, text, rule), yes=yes)


@app.command()
def forget(
    session: str = typer.Argument(
        ..., metavar="SESSION", help="Its id, or as a Memd-Session: line names it."
    ),
    project: str | None = PROJECT,
) -> None:
    """Take back what a session taught; never read it again.

    Undoes each commit that names the session as far as later ones allow, notes and other
    sessions that were distilled together with it included, and says what stays. Without
    --project in all memories. The history keeps the text: memd purge takes it out.

    \b
    Examples:
      git -C .memory log --format=%B   shows which session taught what
      memd forget 0b5e7a52-8a86-4f7e-9d0a-4a0c7d3e1f11
      memd forget claude-code/0b5e7a52-8a86-4f7e-9d0a-4a0c7d3e1f11 --project shop
    """
    from memd import forget as forgetting
    from memd.cli.target import project_of

    rt = _runtime()
    named = [project_of(rt, project)] if project else rt.projects()
    if not project and rt.registry().global_store_id:
        named = [*named, rt.global_project]
    done, troubles = forgetting.forget(rt, session, named)
    render.forgotten(done, troubles)
    if troubles or any(one.kept for one in done):
        raise typer.Exit(1)


@app.command()
def hook(
    event: str = typer.Argument(
        ..., metavar="EVENT", help=f"{', '.join(HOOK_TRIGGERS)}.", autocompletion=_events
    ),
) -> None:
    """What the hooks of a CLI call.

    Reads JSON on standard input. Never fails and never blocks a session.

    \b
    Example:
      echo '{"cwd": "/home/me/shop", "session_id": "x"}' | memd hook session-start
    """
    from memd.hooks import entry

    if sys.stdin.isatty():
        reporter()("reads what a client tells its hooks from standard input (end: Control-D)")
    raise typer.Exit(entry.main([event], sys.stdin.buffer, sys.stdout, os.environ))


@app.command()
def curate() -> None:
    """The built-in curator: no model, explicit statements only.

    Sorts notes and what was stated outright by rule. Reads a prompt on standard input and
    answers as any curator does.

    \b
    To use it, in config.json:
      {"curator_cmd": ["memd", "curate"]}
    """
    from memd.curator import builtin

    if sys.stdin.isatty():
        reporter()("reads a prompt from standard input, up to its end (Control-D)")
    raise typer.Exit(builtin.main(sys.stdin.buffer, sys.stdout.buffer))


@app.command()
def demo() -> None:
    """Show all of memd at work in a throw-away home.

    The session is a bundled one, the curator the built-in one: nothing is sent anywhere.

    \b
    Example:
      memd demo
    """
    from memd.cli import demo as demonstration

    demonstration.run()


def _runtime(*, quiet: bool = False) -> Runtime:
    from memd import runtime

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
