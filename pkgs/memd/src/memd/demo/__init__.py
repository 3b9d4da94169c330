"""A bundled session of Claude Code, to show memd at work without one of your own."""

from __future__ import annotations

import json


def transcript(root: str, session: str, day: str) -> str:
    """The session as a client writes it, JSON lines, made in directory `root` on an ISO `day`.

    Its story: a port is taken, the shop's API moves, sqlite is chosen, a bug finds its
    cause, a task stays open. A credential in it is made up.
    """
    from importlib import resources

    text = resources.files("memd.demo").joinpath("session.jsonl").read_text("utf-8")
    for mark, value in (("{root}", root), ("{session}", session), ("{day}", day)):
        text = text.replace(mark, json.dumps(value)[1:-1])
    return text
