from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memd import strikes
from memd.model import CleanText, Cursor, Digest, Note
from memd.state.ledger import Ledger, SetAside, Strikes
from memd.strikes import MOST_CALLS, STRIKES

HEADING = "[session claude-code/s 2026-01-01]"
CAP = 60_000


def digest(sizes: list[int], *, until: int = 0) -> Digest:
    """A digest of spans that are this long each, line ends included."""
    text = "\n".join([HEADING, *("U" * (size - 1) for size in sizes)])
    cursors = {"claude-code/s": Cursor(str(until))}
    sessions = ("claude-code/s",)
    return Digest(CleanText(text), spans=len(sizes), sessions=sessions, cursors=cursors)


def drawn(sizes: list[int], cap: int) -> list[int]:
    """What of these fits, the first one whatever its size."""
    room, taken = cap - len(HEADING) - 1, sizes[:1]
    for size in sizes[1:]:
        if sum(taken) + size > room:
            break
        taken.append(size)
    return taken


@given(
    st.lists(st.sampled_from([20, 60, 300, 1500, 4000]), min_size=1, max_size=300), st.integers(0)
)
@example([20] * 300, 299)
@example([4000] * 14, 13)
def test_one_bad_span_costs_few_calls_and_little_else_is_set_aside(
    sizes: list[int], where: int
) -> None:
    bad = where % len(sizes)
    led, done, calls, runs = Ledger(), 0, 0, []
    while not led.aside:
        shown = drawn(sizes[done:], strikes.cap(led.strikes, CAP))
        part = digest(shown, until=done + len(shown))
        runs.append(0)
        # What does not fit into one digest with it is no part of the trouble.
        if led.strikes == Strikes() and not done <= bad < done + len(shown):
            done += len(shown)
            continue
        for _ in range(strikes.attempts(led.strikes, STRIKES)):
            calls, runs[-1] = calls + 1, runs[-1] + 1
            if done <= bad < done + len(shown):
                led = strikes.struck(led, part, "bad", "now")
            else:
                led, done = strikes.eased(led, strikes.weight(part)), done + len(shown)
                break
    assert calls <= MOST_CALLS
    assert max(runs) == STRIKES
    assert sorted(runs)[-2] <= 1
    assert done <= bad < int(led.aside[0].until)
    passed = sizes[done : int(led.aside[0].until)]
    assert len(passed) == 1 or sum(passed) <= 2000
    assert led.strikes == Strikes()


@given(st.lists(st.integers(2, 4000), min_size=1, max_size=20), st.data())
def test_the_weights_of_parts_add_up(sizes: list[int], data: st.DataObject) -> None:
    middle = data.draw(st.integers(1, len(sizes)))
    parts = [digest(part) for part in (sizes[:middle], sizes[middle:]) if part]
    assert sum(map(strikes.weight, parts)) == strikes.weight(digest(sizes)) == sum(sizes)


def test_trouble_that_was_passing_ends_with_the_last_suspect_part() -> None:
    led = Ledger()
    for _ in range(STRIKES):
        led = strikes.struck(led, digest([100] * 4), "bad", "now")
    assert led.strikes == Strikes(STRIKES, 400, "bad")
    led = strikes.eased(led, 200)
    assert led.strikes == Strikes(STRIKES + 1, 200, "bad")
    assert strikes.cap(led.strikes, CAP) == 100
    assert strikes.eased(led, 200).strikes == Strikes()


def test_a_good_reply_after_one_useless_one_ends_the_trouble() -> None:
    led = strikes.struck(Ledger(), digest([100]), "bad", "now")
    assert strikes.cap(led.strikes, CAP) == CAP
    assert strikes.attempts(led.strikes, STRIKES) == STRIKES - 1
    assert strikes.eased(led, 100).strikes == Strikes()


def test_what_is_set_aside_is_passed_and_comes_back_from_its_beginning() -> None:
    led = Ledger(
        cursors={"claude-code/s": Cursor("4"), "claude-code/t": Cursor("1")},
        aside=(SetAside("claude-code/s", Cursor("2"), Cursor("3"), "t", "r"),),
        strikes=Strikes(STRIKES, 10, "bad"),
    )
    one = Digest(
        CleanText(""), notes=(Note("n.md", "x", "f"),), notes_text=CleanText("[note]\n  x")
    )
    led = strikes.struck(led, one, "bad", "now")
    assert led.aside[1] == SetAside("inbox/n.md", None, Cursor(""), "now", "bad")
    back = strikes.taken_up(led)
    assert back.cursors == {"claude-code/s": "2", "claude-code/t": "1"}
    assert (back.aside, back.strikes) == ((), Strikes())


def test_a_session_that_had_never_been_read_is_read_from_the_start_again() -> None:
    led = Ledger()
    for _ in range(STRIKES + 1):
        led = strikes.struck(led, digest([100], until=7), "bad", "now")
    assert led.cursors == {"claude-code/s": "7"}
    assert strikes.taken_up(led).cursors == {}
