"""Runs memd on its arguments, then says on stderr how many transcripts it opened."""

from __future__ import annotations

import sys
from collections.abc import Callable

from memd.__main__ import main

_count = 0


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    global _count  # noqa: PLW0603 - a hook can neither be given state nor taken out
    if event == "open" and str(arguments[0]).endswith(".jsonl"):
        _count += 1


def _run(run: Callable[[], int]) -> int:
    try:
        return run()
    finally:
        print(_count, file=sys.stderr)


sys.addaudithook(_watch)
sys.exit(_run(main))
