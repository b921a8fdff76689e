"""A page is due when a visit brings what it costs."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skitter.schedule.belief import LADDER, STEPS, certain, normal, still_fresh
from skitter.schedule.worth_a_visit import DOUBTED, NEVER, SOON, TOO_QUICK, gain, until_fresh, wait
from skitter.settings import DAY

STEP = st.integers(0, STEPS - 1)
PRICES = st.floats(60.0, 300 * DAY)
WEIGHTS = st.lists(st.floats(1e-6, 1), min_size=STEPS, max_size=STEPS).map(normal)


@given(STEP, PRICES)
def test_of_a_page_whose_rate_is_known_it_is_the_inverse_of_the_gain(step: int, price: float) -> None:
    rate = LADDER[step]
    time = wait(certain(rate), price)
    if rate * price >= 1:
        assert time == NEVER
    else:
        assume(rate * price < 0.999)
        x = rate * time
        assert 1 - (1 + x) * math.exp(-x) == pytest.approx(rate * price, rel=0.01)


@given(WEIGHTS, PRICES)
def test_of_any_page_a_visit_brings_its_price_when_it_is_due(weights: list[float], price: float) -> None:
    counted = normal(
        [w * (DOUBTED if rate >= TOO_QUICK / price else 1) for w, rate in zip(weights, LADDER, strict=True)]
    )
    time = wait(weights, price)
    assume(11 < time < 1e8 and time != SOON * price)
    brought = sum(weight * gain(rate * time) / rate for weight, rate in zip(counted, LADDER, strict=True))
    assert brought == pytest.approx(price, rel=0.01)


@given(STEP, PRICES, st.floats(1, 10))
def test_what_costs_more_is_done_less_often(step: int, price: float, times: float) -> None:
    weights = certain(LADDER[step])
    assert wait(weights, price * times) >= wait(weights, price) * 0.999


def test_a_page_of_no_importance_is_never_worth_it() -> None:
    assert wait(certain(1 / DAY), math.inf) == NEVER


def test_a_page_that_may_be_slow_is_looked_at_twice_in_a_row_and_not_given_up() -> None:
    either = normal([0.06 * (step == 8) + 0.94 * (step == 13) for step in range(STEPS)])
    assert wait(certain(LADDER[13]), DAY) == NEVER
    assert wait(either, DAY) == SOON * DAY


@given(WEIGHTS, st.floats(0.01, 0.99))
def test_the_age_at_which_a_copy_is_doubtful(weights: list[float], least: float) -> None:
    age = until_fresh(weights, least)
    assume(11 < age < 1e8)
    assert still_fresh(weights, age) == pytest.approx(least, abs=0.005)


@pytest.mark.parametrize(("least", "age"), [(0.0, NEVER), (1.0, 0.0), (1.5, 0.0)])
def test_always_and_never_doubtful(least: float, age: float) -> None:
    assert until_fresh(certain(1 / DAY), least) == age


@given(st.floats(0, 50), st.floats(0, 50))
def test_the_gain_grows(one: float, other: float) -> None:
    assert gain(min(one, other)) <= gain(max(one, other)) + 1e-9
