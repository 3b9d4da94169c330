"""Whether Claude Code calls memd, answers it, and keeps what memd has not read yet."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from typing import Any, Final

from memd.doctor.base import Finding
from memd.hooks import wired
from memd.runtime import Runtime
from memd.state import ledger
from memd.survey import Survey

KEPT_DAYS: Final = 30
"""For how long Claude Code keeps transcripts where `cleanupPeriodDays` is not set."""
SOON_DAYS: Final = 5
_DAY: Final = 86400
_FROM_HOOKS: Final = ("session-end", "pre-compact")


def curator(rt: Runtime) -> Finding:
    trouble = rt.curator.check()
    return Finding("curator", trouble or rt.curator.describe(), is_wrong=bool(trouble))


def hooks(rt: Runtime, managed_dir: str = wired.MANAGED_DIR) -> Iterator[Finding]:
    """Present once, running a memd that is there, not switched off."""
    claude_dir = rt.config.claude_dir
    files = wired.everywhere(claude_dir, managed_dir)
    if not files:
        yield Finding("hooks", "Claude Code has none of memd: run memd install-hooks", True)
        return
    if len(files) > 1:
        said = f"they are in {' and in '.join(files)}: every session is told everything twice; "
        yield Finding("hooks", said + "memd install-hooks --remove takes out your own", True)
    for path in files:
        yield from (Finding("hooks", text, True) for text in _broken(path, rt))
    settings = _settings(claude_dir)
    if settings.get("disableAllHooks") is True:
        place = os.path.join(claude_dir, "settings.json")
        yield Finding("hooks", f"{place}: disableAllHooks is on: take it out", True)
    last = _last_fired(rt)
    yield Finding("hooks", f"in {files[0]}; last learned from one: {last or 'never so far'}")


def expiring(rt: Runtime, survey: Survey) -> Finding:
    """Sessions that the client deletes soon and that are not read to their end."""
    period = _settings(rt.config.claude_dir).get("cleanupPeriodDays", KEPT_DAYS)
    days = period if isinstance(period, (int, float)) and period > 0 else KEPT_DAYS
    before = rt.clock() - (days - SOON_DAYS) * _DAY
    found = 0
    for root, refs in survey.by_root.items():
        cursors = ledger.read(rt.paths, root).cursors
        for ref in refs:
            if ref.source == "claude-code" and ref.modified < before:
                backlog = rt.sources[ref.source].backlog(ref, cursors.get(ref.key))
                found += backlog > 0
    if not found:
        return Finding("sessions", "none is about to be deleted unread")
    said = f"{found} not read yet, and Claude Code deletes them within {SOON_DAYS} days"
    return Finding("sessions", f"{said}: run memd sweep", is_wrong=True)


def _broken(path: str, rt: Runtime) -> Iterator[str]:
    """What is wrong with the programs that a file of hooks runs."""
    search = rt.paths.env.get("PATH", os.defpath)
    for command in wired.commands(path):
        try:
            program = shlex.split(command)[0]
        except (ValueError, IndexError):
            program = ""
        if shutil.which(program, path=search) is None:
            yield f"{path}: runs {program or command}, which is not there: run memd install-hooks"
            return


def _settings(claude_dir: str) -> dict[str, Any]:
    settings = wired.document(os.path.join(claude_dir, "settings.json"))
    return settings if isinstance(settings, dict) else {}


def _last_fired(rt: Runtime) -> str:
    """ISO time of the newest distill that a hook asked for."""
    journals = (ledger.read(rt.paths, project.root).journal for project in rt.projects())
    entries = (entry for journal in journals for entry in journal)
    return max((entry.at for entry in entries if entry.trigger in _FROM_HOOKS), default="")
