"""Which name server is asked: those that answer in turn, those that are down last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skitter.dns.health import ENOUGH, FIRST, LONGEST, Health, after, order


def tried(health: Health, answers: list[bool], now: float = 0.0) -> Health:
    for is_answered in answers:
        health = after(health, is_answered=is_answered, now=now)
    return health


def test_one_that_is_silent_several_times_in_a_row_is_down_for_a_while() -> None:
    assert not tried(Health(), [False] * (ENOUGH - 1)).is_down(0.0)
    assert not tried(Health(), [False, True] * ENOUGH).is_down(0.0)
    down = tried(Health(), [False] * ENOUGH)
    assert down.is_down(FIRST - 0.1)
    assert not down.is_down(FIRST)
    assert tried(down, [True]) == Health()


def test_it_is_down_for_twice_as_long_each_time_and_never_for_ever() -> None:
    health, now, waits = tried(Health(), [False] * (ENOUGH - 1)), 0.0, list[float]()
    for _ in range(20):
        health = after(health, is_answered=False, now=now)
        assert after(health, is_answered=False, now=now) == health  # those who asked at the same time
        waits.append(health.down_until - now)
        now = health.down_until
    assert waits[:3] == [FIRST, 2 * FIRST, 4 * FIRST]
    assert waits[-1] == LONGEST


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.integers(0, 1000), st.floats(0, 100))
def test_all_are_in_the_order_and_those_that_answer_come_first(until: list[float], turn: int, now: float) -> None:
    healths = [Health(ENOUGH, at) for at in until]
    places = order(healths, turn, now)
    assert sorted(places) == list(range(len(until)))
    states = [healths[place].is_down(now) for place in places]
    assert states == sorted(states)


def test_those_that_answer_take_turns() -> None:
    healths = [Health(), Health(ENOUGH, 9.0), Health()]
    assert [order(healths, turn, 0.0)[0] for turn in (0, 1, 2, 3)] == [0, 2, 2, 0]
    assert [order([Health()] * 3, turn, 0.0)[0] for turn in (0, 1, 2, 3)] == [0, 1, 2, 0]
