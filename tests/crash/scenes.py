"""What is stopped: one piece of work each, the next run, and whether that made the same of it."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crash.world import Outcome, World, let_two_hours_pass, outcome

from memd import onboard
from memd.hooks import entry
from memd.paths import PRIVATE_VARIABLE, store_of
from memd.state import registry
from memd.sweep import sweep


@dataclass(frozen=True)
class Scene:
    """What is done, what the next run is, and which projects it is about."""

    work: Callable[[], object]
    again: Callable[[], object]
    """Also where the work had come to nothing."""
    roots: tuple[str, ...]
    after: Callable[[], object] = lambda: None
    """The next run once the work was done: nothing of that is made again."""


def syncing(world: World) -> Scene:
    root = _known(world, "app")
    sync = functools.partial(world.sync, root)
    return Scene(sync, sync, (root,), sync)


def sweeping(world: World) -> Scene:
    # What stops in git are made good is shown by the other scenes.
    config = dataclasses.replace(world.rt.config, git_commit=False)
    world.rt = dataclasses.replace(world.rt, config=config)
    onboard.init_global(world.rt)
    roots = (_known(world, "one"), _known(world, "two"))
    world.note(world.rt.config.global_root, "FACT-global")
    again = functools.partial(sweep, world.rt)
    return Scene(again, again, roots, again)


def sweeping_what_is_new(world: World) -> Scene:
    root = world.repository("app")
    world.session(root, "FACT-session-app")
    again = functools.partial(sweep, world.rt)
    return Scene(again, again, (root,), again)


def initialising(world: World, *, backfill: bool = False) -> Scene:
    root = world.repository("app")
    world.session(root, "FACT-older")

    def work() -> object:
        return onboard.init(world.rt, root, backfill=backfill)

    return _then_sync(world, work, root)


def filling_up(world: World) -> Scene:
    return initialising(world, backfill=True)


def filling_up_what_is_known(world: World) -> Scene:
    scene = initialising(world)
    scene.work()
    root = scene.roots[0]

    def work() -> object:
        return onboard.init(world.rt, root, backfill=True)

    return _then_sync(world, work, root)


def noting(world: World) -> Scene:
    root = _known(world, "app")

    def again() -> None:
        if not _has_note(root, "FACT-late"):
            world.note(root, "FACT-late")
        world.sync(root)

    def work() -> object:
        return world.note(root, "FACT-late")

    return Scene(work, again, (root,), lambda: world.sync(root))


def excluding(world: World) -> Scene:
    root = _known(world, "app")
    registry.exclude(world.rt.paths, str(world.top / "before"), undo=False)
    shut = str(world.top / "shut")

    def work() -> None:
        registry.exclude(world.rt.paths, shut, undo=False)

    def again() -> None:
        assert registry.read(world.rt.paths).excluded[:1] == (str(world.top / "before"),)
        work()
        world.sync(root)

    return Scene(work, again, (root,), lambda: world.sync(root))


def hiding(world: World) -> Scene:
    root = _known(world, "app")
    log = world.session(root, "FACT-private-app")
    call = json.dumps({"session_id": log.stem, "transcript_path": str(log), "cwd": root})
    env = {**world.rt.paths.env, PRIVATE_VARIABLE: "1"}

    def work() -> object:
        return entry.main(["session-end"], io.BytesIO(call.encode()), None, env)

    return _then_sync(world, work, root)


SCENES = (
    syncing,
    sweeping,
    sweeping_what_is_new,
    initialising,
    filling_up,
    filling_up_what_is_known,
    noting,
    excluding,
    hiding,
)


def undisturbed(world: World, what: Scene) -> Outcome:
    """What the work and the next run make of the world, which is saved before that."""
    world.save()
    what.work()
    what.after()
    expected = outcome(world, what.roots)
    assert expected["problems"] == ()
    return expected


def differences(
    world: World, what: Scene, expected: Outcome, where: str, *, is_done: bool = False
) -> list[str]:
    """What the next run makes otherwise than a run without a stop; asks more, or again."""
    before = world.shown()
    accepted = {root: world.accepted(root) for root in what.roots}
    for root in what.roots:
        let_two_hours_pass(root)
    (what.after if is_done else what.again)()
    found = outcome(world, what.roots)
    keys = [key for key in expected | found if expected.get(key) != found.get(key)]
    wrong = [f"{where}: {key}: {found.get(key)!r}, not {expected.get(key)!r}" for key in keys]
    more = world.shown()[len(before) :]
    # What was asked before the stop is asked again unless its reply had been accepted.
    wrong += [f"{where}: asked more than twice: {s}" for s in more if more.count(s) > 1]
    wrong += [f"{where}: paid twice: {s}" for s in more if _is_done(s, accepted)]
    return wrong


def _is_done(shown: list[str], accepted: dict[str, bool]) -> bool:
    roots = [root for root, done in accepted.items() if done]
    return any(fact.endswith(f"-{Path(root).name}") for fact in shown for root in roots)


def _then_sync(world: World, work: Callable[[], object], root: str) -> Scene:
    def sync() -> object:
        return world.sync(root)

    return Scene(work, lambda: (work(), sync()), (root,), sync)


def _known(world: World, name: str) -> str:
    """A project with a session and a note that are new."""
    root = world.repository(name)
    onboard.init(world.rt, root)
    world.session(root, f"FACT-session-{name}")
    world.note(root, f"FACT-note-{name}")
    return root


def _has_note(root: str, text: str) -> bool:
    return any(text in path.read_text() for path in Path(store_of(root), "inbox").iterdir())
