"""Where the hooks of a CLI come in: JSON on stdin, an answer or nothing on stdout.

On the session-start path: imports nothing but `json`, `os` and light memd modules.
"""

from __future__ import annotations

import json
import os

from memd.errors import MemdError
from memd.paths import GUARD_VARIABLE, PRIVATE_VARIABLE, Paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from logging import Logger
    from typing import IO, Any

PAYLOAD_LIMIT = 16 << 20
"""Bytes of JSON that a client may send."""
_LONGEST_ID = 100
_ID_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class Call:
    """What a client says of the session that its hook runs for; "" for what it leaves out."""

    __slots__ = ("directory", "session", "transcript")

    def __init__(self, directory: str, session: str = "", transcript: str = "") -> None:
        self.directory = directory
        """Absolute path of where the session was launched."""
        self.session = session
        """The client's id, made fit for a file name."""
        self.transcript = transcript
        """Absolute path; the file need not exist."""


def main(
    argv: Sequence[str], stdin: IO[Any] | None, stdout: IO[str] | None, env: Mapping[str, str]
) -> int:
    """Serve one hook; `argv` is the event. Always 0: to the clients, 2 means to block.

    `stdin` is a binary file or a text file around one.
    """
    if env.get(GUARD_VARIABLE):
        return 0
    try:
        text = _answer(argv, stdin, env)
        if text and stdout:
            stdout.write(text + "\n")
            stdout.flush()
    except (MemdError, OSError) as error:
        _log(env).error("hook %s: %s", " ".join(argv), error)
    except Exception:  # noqa: BLE001 - the boundary: a bug here must not break the session
        _log(env).exception("hook %s", " ".join(argv))
    return 0


def _answer(argv: Sequence[str], stdin: IO[Any] | None, env: Mapping[str, str]) -> str:
    paths = Paths(env)
    payload = _payload(stdin)
    call = call_from(payload, env)
    if env.get(PRIVATE_VARIABLE, "0") not in ("", "0"):
        from memd.state import private

        for session in _ids(payload, env):
            private.remember(paths, session)
    elif list(argv) == ["session-start"]:
        if call.directory:
            from memd.hooks import session_start

            return _json(session_start.context(paths, call))
    elif list(argv) in (["session-end"], ["pre-compact"]):
        if call.directory or call.transcript:
            from memd.hooks import session_end

            session_end.start_sync(paths, call, argv[0])
    else:
        _log(env).error("hook %s: no such event", " ".join(argv))
    return ""


def _json(context: str) -> str:
    if not context:
        return ""
    output = {"hookEventName": "SessionStart", "additionalContext": context}
    return json.dumps({"hookSpecificOutput": output})


def _payload(stdin: IO[Any] | None) -> Mapping[str, object]:
    """The JSON object on `stdin`; an empty one for anything else."""
    data = getattr(stdin, "buffer", stdin).read(PAYLOAD_LIMIT + 1) if stdin else b""
    try:
        payload = json.loads(data) if len(data) <= PAYLOAD_LIMIT else {}
    except (ValueError, RecursionError):
        payload = {}
    return payload if isinstance(payload, dict) else {}


def call_from(payload: Mapping[str, object], env: Mapping[str, str]) -> Call:
    """What a client's JSON and the environment that it gives its hooks say together."""
    session = payload.get("session_id")
    session = session if isinstance(session, str) else ""
    directory = _absolute(payload.get("cwd"))
    # `cwd` follows the agent around; this variable stays, and a client below another one
    # that does not set it itself inherits it together with the other one's session id.
    launched_in = _absolute(env.get("CLAUDE_PROJECT_DIR"))
    if env.get("CLAUDE_CODE_SESSION_ID", session) == session and os.path.isdir(launched_in):
        directory = launched_in
    name = "".join(c if c in _ID_CHARACTERS else "_" for c in session[:_LONGEST_ID])
    return Call(directory, name, _absolute(payload.get("transcript_path")))


def _ids(payload: Mapping[str, object], env: Mapping[str, str]) -> Iterator[str]:
    """Whatever names the session: one name too many costs nothing, none costs a secret."""
    transcript = os.path.basename(_absolute(payload.get("transcript_path")))
    said = (payload.get("session_id"), transcript.removesuffix(".jsonl"))
    names = [name for name in said if isinstance(name, str) and name]
    # The variable may be that of a client around this one.
    yield from names or filter(None, [env.get("CLAUDE_CODE_SESSION_ID")])


def _absolute(value: object) -> str:
    """A path that the system can be asked about, "" for any other value."""
    try:
        usable = isinstance(value, str) and os.path.isabs(value) and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        usable = False
    return str(value) if usable else ""


def _log(env: Mapping[str, str]) -> Logger:
    from memd.log import logger

    return logger(Paths(env))
