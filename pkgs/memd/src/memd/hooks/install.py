"""memd's hooks in Claude Code's settings, with nothing else in that file changed.

Format: https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from typing import Any, Final

from memd.errors import UsageFault
from memd.hooks import jsontext
from memd.hooks.detach import own_command
from memd.hooks.rewrite import NIX_STORE, Outcome, rewrite
from memd.hooks.wired import MANAGED_DIR, OURS, doubles

EVENTS: Final = {
    "SessionStart": ("session-start", 60),
    "SessionEnd": ("session-end", 10),
    "PreCompact": ("pre-compact", 10),
}
"""memd's word and the time-out in seconds, by the client's word. Older clients ignore every
hook of a file that names an event they do not know: no other event may come in here."""


def run(
    claude_dir: str, *, remove: bool = False, argv0: str = "", managed_dir: str = MANAGED_DIR
) -> list[str]:
    """What `memd install-hooks` does; lines that tell it. Raises UsageFault.

    `argv0` is the program to write down, this one's by default.
    """
    settings = os.path.join(claude_dir, "settings.json")
    others = doubles(claude_dir, managed_dir)
    if remove:
        said = "taken out of" if uninstall(settings) == "changed" else "were not in"
        return [f"hooks {said} {settings}", *(f"hooks are still in {path}" for path in others)]
    if others:
        raise UsageFault(
            f"{others[0]}: has memd's hooks already; nothing is changed, a second set would tell "
            "every session everything twice"
        )
    done = install(settings, command(argv0 or sys.argv[0], os.environ.get("PATH", os.defpath)))
    return [f"hooks {'are in' if done == 'changed' else 'were already in'} {settings}"]


def install(settings_path: str, command: str) -> Outcome:
    """Have memd run at the three events; `command` is a shell's words for memd itself.

    Raises UsageFault, with what to paste, for a file that cannot be changed safely.
    """
    if "/.cache/" in command:
        raise UsageFault(f"{command}: goes when the cache is cleared; install memd for good first")
    if not OURS.search(f"{command} hook session-start"):
        raise UsageFault(f"{command}: has to be named memd, or its hooks are not found again")
    remedy = f"mend that, or paste this into it yourself: {json.dumps({'hooks': hooks(command)})}"
    return rewrite(settings_path, lambda text: _with_hooks(text, command), remedy)


def uninstall(settings_path: str) -> Outcome:
    """Take out every hook that runs memd. Raises UsageFault."""
    remedy = "mend that, or take out the hooks that run `memd hook ...` yourself"
    return rewrite(settings_path, _without_hooks, remedy)


def hooks(command: str) -> dict[str, list[dict[str, object]]]:
    """The `hooks` object of a settings file or of a plugin's hooks.json."""
    return {event: [_group(command, event)] for event in EVENTS}


def command(argv0: str, search_path: str) -> str:
    """A shell's words that start memd in years to come, given its `sys.argv[0]` of now.

    A path into the Nix store goes stale with the next update: the profile's is better.
    """
    script = os.path.abspath(argv0)
    if script.startswith(NIX_STORE):
        found = os.path.abspath(shutil.which("memd", path=search_path) or script)
        script = script if found.startswith(NIX_STORE) else found
    is_program = os.access(script, os.X_OK) and not script.endswith(".py")
    return shlex.join((script,) if is_program else own_command(argv0))


# --- the text of the settings --------------------------------------------------------


def _with_hooks(text: str, command: str) -> str:
    text = text if text.strip() else "{}\n"
    if "hooks" not in _document(text):
        text = jsontext.appended(text, (), {}, key="hooks")
    for event in EVENTS:
        text = _with_hook(text, event, command)
    return text


def _with_hook(text: str, event: str, command: str) -> str:
    found = _document(text)["hooks"]
    mine = list(_mine(found, event))
    group = _group(command, event)
    if event not in found:
        return jsontext.appended(text, ("hooks",), [group], key=event)
    if not mine:
        return jsontext.appended(text, ("hooks", event), group)
    for path in reversed(mine[1:]):
        text = _without(text, path)
    # Whatever else somebody set there (a matcher, a time-out) stays.
    (hook,) = group["hooks"]
    place = (*mine[0], "command")
    old = _value(_document(text), place)
    return text if old == hook["command"] else jsontext.replaced(text, place, hook["command"])


def _without_hooks(text: str) -> str:
    if not text.strip():
        return text
    while mine := _all_mine(_document(text)):
        text = _without(text, mine[-1])
    return text


def _without(text: str, path: jsontext.Path) -> str:
    """Without the hook at `path`, and without what is empty after that."""
    text = jsontext.removed(text, path)
    # The list within its group, the list of groups, the object of all hooks.
    for looked_at, gone in ((4, 3), (2, 2), (1, 1)):
        if _value(_document(text), path[:looked_at]):
            break
        text = jsontext.removed(text, path[:gone])
    return text


def _group(command: str, event: str) -> dict[str, Any]:
    word, timeout = EVENTS[event]
    hook = {"type": "command", "command": f"{command} hook {word}", "timeout": timeout}
    return {"hooks": [hook]}


def _all_mine(document: dict[str, Any]) -> list[jsontext.Path]:
    found = document.get("hooks", {})
    return [path for event in found for path in _mine(found, event)]


def _mine(found: dict[str, Any], event: str) -> Iterator[jsontext.Path]:
    """Where memd's own hooks are for an event."""
    for g, group in enumerate(found.get(event, [])):
        entries = group.get("hooks") if isinstance(group, dict) else None
        for h, hook in enumerate(entries if isinstance(entries, list) else []):
            said = hook.get("command") if isinstance(hook, dict) else None
            if isinstance(said, str) and OURS.search(said):
                yield ("hooks", event, g, "hooks", h)


def _value(document: Any, path: jsontext.Path) -> Any:
    for key in path:
        document = document[key]
    return document


def _document(text: str) -> dict[str, Any]:
    """Raises ValueError saying why hooks cannot be put into it."""
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"is not valid JSON ({where}: {error.msg})") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("is not a JSON object")
    found = document.get("hooks", {})
    if not isinstance(found, dict) or not all(isinstance(v, list) for v in found.values()):
        raise ValueError("has `hooks` of a shape that Claude Code does not know")
    return document


def _no_constant(name: str) -> None:
    raise ValueError(f"is not valid JSON ({name} is no number)")
