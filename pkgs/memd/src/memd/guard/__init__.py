"""Every invariant of memory: the last word on what a model proposes.

One module per invariant; pure functions over values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memd import prompt
from memd.errors import Rejected
from memd.frontmatter import REQUIRED, is_valid
from memd.guard import bodies, budget, echo, elision, growth, mistakes, shrink
from memd.model import MISTAKES, Memory, MemoryUpdate, Reply
from memd.oneline import subject
from memd.sections import earliest_date

_SUMMARY_CHARS = 200


def judge(
    memory: Memory,
    reply: Reply,
    *,
    budgets: Mapping[str, int],
    today: str,
    session_date: str,
    shown: str,
) -> MemoryUpdate:
    """What of a reply may be written, within budget; the same for the same arguments.

    `memory` and `budgets` (characters of body) have every memory file, dates are ISO,
    `shown` is the text of the prompt. Entries that the model left without a date get the
    session's, or today's where that one is later or no date. Raises Rejected, in one line
    that names the guard with the file, never the content.
    """
    day = session_date if earliest_date(session_date) == session_date <= today else today
    old = {name: file.body for name, file in memory.items()}
    new = bodies.proposed(memory, reply, day)
    if entries := mistakes.new_entries(old[MISTAKES], reply.mistakes, day):
        new[MISTAKES] = mistakes.append(old[MISTAKES], entries)
    archive = tuple(entry for entry in reply.archive if entry.content.strip())
    contents = tuple(entry.content for entry in archive)

    _require_frontmatter(memory, new)
    growth.check(old, new, contents, budgets)
    _require_own_words(old, _said(new, reply, contents), shown)
    shrink.check(old, new, contents)
    fitted, rotated = budget.fit(_writable(memory, {**old, **new}), budgets)
    changed = {name: body for name, body in {**new, **fitted}.items() if body != old[name]}
    summary = subject(reply.summary, _SUMMARY_CHARS) or "memory updated"
    return MemoryUpdate(summary, changed, (*archive, *rotated))


def rotate(memory: Memory, budgets: Mapping[str, int]) -> MemoryUpdate:
    """Bring files over budget back within it, without a reply (idle sweeps).

    Files without valid frontmatter stay as they are.
    """
    old = {name: file.body for name, file in memory.items()}
    fitted, rotated = budget.fit(_writable(memory, old), budgets)
    names = ", ".join(fitted)
    return MemoryUpdate(f"old sections of {names} moved to the archive", fitted, rotated)


def _require_frontmatter(memory: Memory, new: Iterable[str]) -> None:
    for name in new:
        if not is_valid(memory[name].frontmatter):
            raise Rejected(
                f"reply rejected (guard 1): {name} has no valid frontmatter; put"
                f" {', '.join(REQUIRED)} between two lines of --- at its top and sync again"
            )


def _require_own_words(old: Mapping[str, str], said: Iterable[tuple[str, str]], shown: str) -> None:
    sections = prompt.parse(shown)
    memory = (*old.values(), *sections.memory.values())
    known = {line.strip() for text in (*memory, sections.notes) for line in text.split("\n")}
    echoes = echo.Shown(shown, memory, sections.sessions)
    for name, text in said:
        if elision.has_elision(text, known):
            problem = "leaves text out behind a mark"
        elif echoes.is_echoed_in(text):
            problem = "repeats the prompt"
        else:
            continue
        raise Rejected(f"reply rejected (guard 9): {name} {problem}; nothing was changed")


def _said(
    new: Mapping[str, str], reply: Reply, archive: Iterable[str]
) -> Iterator[tuple[str, str]]:
    yield from ((name, body) for name, body in new.items() if name != MISTAKES)
    yield from ((MISTAKES, text) for text in reply.mistakes)
    yield from (("archive_entries", text) for text in archive)


def _writable(memory: Memory, texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if is_valid(memory[name].frontmatter)}
