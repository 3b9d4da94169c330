"""What every curator backend answers."""

from __future__ import annotations

from typing import Protocol

from memd.model import CuratorReply, CuratorRequest


class Curator(Protocol):
    """A model behind one call. Untrusted: its text is parsed and judged by others."""

    def ask(self, request: CuratorRequest) -> CuratorReply:
        """One call, no retries. Raises BackendError when the backend fails and
        UnusableReply when it answers with nothing that could hold a reply."""
        ...

    def answers_as(self, model: str) -> str:
        """What a commit names as its model when `model` was asked for."""
        ...

    def describe(self) -> str:
        """For `status`: who answers and where content goes."""
        ...

    def trouble(self) -> str:
        """Why a call would fail, as far as can be seen without one; "" for no reason."""
        ...

    def check(self) -> str:
        """The same with what the backend itself can tell without a call that costs."""
        ...
