"""Ask again after a failure that may pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from memd.errors import BackendError, CuratorError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
DELAYS = (3.0, 7.0)
"""Seconds before the second and the third attempt."""


def ask_until_usable(
    ask_once: Callable[[], T],
    *,
    attempts: int = 3,
    sleep: Callable[[float], None],
    delays: Sequence[float] = DELAYS,
) -> T:
    """What the first of at most `attempts` calls returns that raises no CuratorError.

    Raises the error of the last attempt; at once what is no CuratorError, and a
    BackendError that will not pass.
    """
    for delay in delays[: attempts - 1]:
        try:
            return ask_once()
        except CuratorError as error:
            if isinstance(error, BackendError) and not error.passing:
                raise
        sleep(delay)
    return ask_once()
