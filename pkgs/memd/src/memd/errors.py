"""What can go wrong, each kind with the exit code a person or a script sees."""

from __future__ import annotations


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


class StateError(MemdError):
    """A state file cannot be used: newer format, unreadable, disk full."""


class StoreError(MemdError):
    """A memory store cannot be read or written as it stands."""


class Untrusted(StoreError):
    """The store was not made by memd and nobody has accepted it yet."""


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
