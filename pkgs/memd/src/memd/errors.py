"""What can go wrong, each kind with the exit code a person or a script sees."""

from __future__ import annotations

import errno

_REMEDIES = {
    errno.EACCES: "; see who may use it",
    errno.EROFS: "; it has to be writable",
    errno.ENOSPC: "; make room there",
}


def in_words(error: Exception) -> str:
    """One line for people; of an error of the system the path, the reason and the remedy."""
    if not isinstance(error, OSError):
        return str(error)
    place = error.filename or "reading or writing"
    return f"{place}: {error.strerror or error}{_REMEDIES.get(error.errno or 0, '')}"


class MemdError(Exception):
    """A known failure: one line that names the thing and the remedy."""

    exit_code = 1


class UsageFault(MemdError):
    """A command was given something it cannot work with."""

    exit_code = 2


class ConfigError(MemdError):
    """The configuration is invalid; `problems` holds every fault found, one line each."""

    exit_code = 2

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    @property
    def in_short(self) -> str:
        """One sentence for the person behind a session."""
        return (
            f"The configuration of memd is invalid: {self.problems[0]} "
            "(memd config check lists all problems)."
        )


class StateError(MemdError):
    """A state file cannot be used: newer format, unreadable, disk full."""


class StoreError(MemdError):
    """A memory store cannot be read or written as it stands."""


class Untrusted(StoreError):
    """The store was not made by memd and nobody has accepted it yet."""

    exit_code = 2

    def __init__(self, store: str, root: str) -> None:
        super().__init__(
            f"{store}: was not made by memd here; look at it, then accept it with memd trust {root}"
        )


class CuratorError(MemdError):
    """No usable answer came from the curator; nothing was consumed."""

    exit_code = 3


class BackendError(CuratorError):
    """The backend itself failed: missing, ended with an error, timed out, reported an error."""

    def __init__(self, message: str, *, passing: bool = True) -> None:
        super().__init__(message)
        self.passing = passing
        """Whether the same call may succeed a few seconds later."""


class UnusableReply(CuratorError):
    """The backend answered, but not with one JSON object of the agreed shape."""


class Rejected(CuratorError):
    """The reply has the agreed shape and breaks a guard."""
