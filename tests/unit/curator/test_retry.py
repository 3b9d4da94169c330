"""What is asked again, how often, and after how long."""

from __future__ import annotations

import pytest

from memd.curator.retry import ask_until_usable
from memd.errors import BackendError, MemdError, Rejected, UnusableReply

FOR_NOW = BackendError("busy", passing=True)
FOR_GOOD = BackendError("missing", passing=False)
GARBLED = UnusableReply("garbled")
REFUSED = Rejected("shrinks")


class Curator:
    """Answers with the next of `outcomes`; errors are raised."""

    def __init__(self, *outcomes: object) -> None:
        self.outcomes = list(outcomes)
        self.slept: list[float] = []

    def ask_once(self) -> object:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def ask(self, **options: int) -> object:
        return ask_until_usable(self.ask_once, sleep=self.slept.append, **options)


def test_a_usable_answer_is_asked_for_once() -> None:
    curator = Curator("answer", "never reached")
    assert (curator.ask(), curator.slept) == ("answer", [])


@pytest.mark.parametrize("error", [FOR_NOW, GARBLED, REFUSED])
def test_two_retries_are_spread_over_ten_seconds(error: Exception) -> None:
    curator = Curator(error, error, "answer")
    assert (curator.ask(), curator.slept) == ("answer", [3.0, 7.0])


@pytest.mark.parametrize("error", [FOR_NOW, GARBLED, REFUSED])
def test_the_last_failure_is_the_one_that_is_told(error: Exception) -> None:
    curator = Curator(GARBLED, FOR_NOW, error, "never reached")
    with pytest.raises(type(error)) as raised:
        curator.ask()
    assert raised.value is error
    assert curator.slept == [3.0, 7.0]


@pytest.mark.parametrize("error", [FOR_GOOD, MemdError("limit reached")])
def test_what_will_not_pass_is_not_tried_again(error: Exception) -> None:
    curator = Curator(error, "never reached")
    with pytest.raises(type(error)):
        curator.ask()
    assert curator.slept == []


def test_a_single_attempt_does_not_wait() -> None:
    curator = Curator(FOR_NOW, "never reached")
    with pytest.raises(BackendError):
        curator.ask(attempts=1)
    assert curator.slept == []
