from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.politeness.troubles import (
    ERRORS,
    FIRST_REST,
    GOOD_IN_A_ROW,
    LONGEST_REST,
    NO_TROUBLES,
    Troubles,
    answered_well,
    grown,
    out_of_reach,
    server_error,
)
from skitter.settings import DAY, HOUR

NOW = 1.7e9


def after_errors(*times: float, troubles: Troubles = NO_TROUBLES) -> Troubles:
    for at in times:
        troubles = server_error(troubles, at)
    return troubles


def after_good(times: int, troubles: Troubles) -> Troubles:
    for _ in range(times):
        troubles = answered_well(troubles)
    return troubles


@pytest.mark.parametrize(
    ("times", "asleep_until"),
    [
        pytest.param([0, 1, 2, 3], 0, id="four"),
        pytest.param([0, 1, 2, 3, 4], 4 + HOUR, id="five"),
        pytest.param([0, 1, 2, 3, DAY], 0, id="the first is a day old"),
        pytest.param([0, 1, 2, 3, DAY - 1], DAY - 1 + HOUR, id="the first is not quite a day old"),
        pytest.param([0, 1, 2, 3, DAY, DAY + 0.5], DAY + 0.5 + HOUR, id="the window slides"),
        pytest.param([100, 50, 20, 10, 0], HOUR, id="the clock goes back: they still count"),
    ],
)
def test_five_server_errors_within_a_day_put_the_host_to_sleep(times: list[float], asleep_until: float) -> None:
    begin = NOW if asleep_until else 0
    assert after_errors(*(NOW + at for at in times)).asleep_until == begin + asleep_until


def test_sleep_doubles_from_an_hour_to_a_day() -> None:
    troubles = after_errors(*[NOW] * (ERRORS - 1))
    now, sleeps = NOW, []
    for _ in range(7):
        troubles = server_error(troubles, now)
        sleeps.append((troubles.asleep_until - now) / HOUR)
        now = troubles.asleep_until
    assert sleeps == [1, 2, 4, 8, 16, 24, 24]


def test_good_answers_forgive_what_was_slept_for() -> None:
    asleep = after_errors(*[NOW] * (ERRORS + 1))
    assert asleep.sleeps == 2
    assert after_good(GOOD_IN_A_ROW - 1, asleep).sleeps == 2
    assert after_good(GOOD_IN_A_ROW, asleep) == Troubles(asleep_until=asleep.asleep_until)
    forgiven = after_good(GOOD_IN_A_ROW, asleep)
    assert after_errors(*[NOW + DAY] * (ERRORS - 1), troubles=forgiven).sleeps == 0
    assert after_errors(*[NOW + DAY] * ERRORS, troubles=forgiven).asleep_until == NOW + DAY + HOUR


def test_only_good_answers_in_a_row_forgive() -> None:
    asleep = after_good(GOOD_IN_A_ROW - 1, after_errors(*[NOW] * ERRORS))
    once_more = server_error(asleep, NOW + 1)
    assert after_good(GOOD_IN_A_ROW - 1, once_more).sleeps == 2
    assert after_good(GOOD_IN_A_ROW, once_more).sleeps == 0
    unreachable = out_of_reach(asleep, NOW + 1)
    assert after_good(GOOD_IN_A_ROW - 1, unreachable).sleeps == 1
    assert after_good(GOOD_IN_A_ROW, unreachable).sleeps == 0
    assert answered_well(unreachable).failures == 0


def test_good_answers_between_do_not_hide_five_errors_in_a_day() -> None:
    troubles = NO_TROUBLES
    for hour in range(ERRORS):
        troubles = after_good(50, server_error(troubles, NOW + hour * HOUR))
    assert troubles.asleep_until == NOW + 4 * HOUR + HOUR


def test_out_of_reach_rests_longer_each_time_in_a_row() -> None:
    troubles, rests = NO_TROUBLES, []
    for _ in range(6):
        now = max(NOW, troubles.asleep_until)
        troubles = out_of_reach(troubles, now)
        rests.append(troubles.asleep_until - now)
    assert rests == [10, 80, 640, 5120, 40960, LONGEST_REST]
    again = out_of_reach(answered_well(troubles), troubles.asleep_until)
    assert again.asleep_until == troubles.asleep_until + FIRST_REST


def test_the_host_s_own_wish_replaces_our_rest_but_never_shortens_a_sleep() -> None:
    assert out_of_reach(NO_TROUBLES, NOW, wish=7).asleep_until == NOW + 7
    assert out_of_reach(Troubles(asleep_until=NOW + 100), NOW, wish=7).asleep_until == NOW + 100


def test_a_good_answer_on_a_good_host_changes_nothing() -> None:
    assert answered_well(NO_TROUBLES) is NO_TROUBLES


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([server_error, out_of_reach, None]), st.floats(0, 2 * DAY)), max_size=60))
def test_bounds(events: list[tuple[object, float]]) -> None:
    troubles, now = NO_TROUBLES, NOW
    for event, step in events:
        now += step
        before = troubles
        troubles = event(troubles, now) if callable(event) else answered_well(troubles)
        assert before.asleep_until <= troubles.asleep_until <= max(before.asleep_until, now + DAY)
        assert len(troubles.errors) < ERRORS
        assert 0 <= troubles.good < GOOD_IN_A_ROW
    assert msgspec.json.decode(msgspec.json.encode(troubles), type=Troubles) == troubles


@pytest.mark.parametrize(
    ("times", "value"),
    [(0, 2), (1, 6), (2, 18), (3, 20), (10**9, 20)],
    ids=["first", "grown", "again", "ceiling", "huge"],
)
def test_grown(times: int, value: float) -> None:
    assert grown(2, 3, 20, times) == value
