"""The price of a visit comes to rest where pages ask for what there is, and swings if it is moved too quickly."""

from __future__ import annotations

import pytest

from skitter.schedule import price as prices
from skitter.schedule.belief import LADDER, certain
from skitter.schedule.price import CHEAPEST, DEAREST, Price, asked, first_price, joined, left, moved, round_time
from skitter.schedule.rehearsal import Rehearsal
from skitter.schedule.rules import POLICIES
from skitter.schedule.worth_a_visit import wait
from skitter.settings import DAY
from tests.schedule.histories import course_of, freshness, steady


def test_at_the_first_price_pages_ask_for_what_there_is() -> None:
    price = first_price(100 / DAY, LADDER[4], 700)
    assert round_time(joined(price, 0.0)) == pytest.approx(DAY / 100)
    assert wait(certain(LADDER[4]), price.value) == pytest.approx(7 * DAY, rel=0.01)


def test_pages_come_and_go() -> None:
    price = joined(joined(first_price(1.0, 0.1, 2), 0.5), 0.25)
    assert (price.pages, price.demand) == (2, 0.75)
    assert asked(price, 0.5, 0.1).demand == pytest.approx(0.35)
    assert left(price, 0.5).pages == 1
    assert left(left(left(price, 0.5), 0.5), 0.5) == Price(price.value, 1.0)


@pytest.mark.parametrize(
    ("demand", "late", "dearer"),
    [(2.0, 0.0, True), (0.5, 0.0, False), (1.0, 500.0, True), (1.0, -500.0, False)],
)
def test_too_many_or_late_visits_make_it_dearer(demand: float, late: float, dearer: bool) -> None:
    price = Price(100.0, 1.0, demand, 1000)
    assert (moved(price, late).value > price.value) is dearer


def test_one_visit_moves_it_by_little_and_never_out_of_bounds() -> None:
    assert moved(Price(100.0, 1.0, 1e9, 1000), 1e9).value == pytest.approx(100.0, rel=0.004)
    high, low = Price(DEAREST, 1.0, 1e9, 1), Price(CHEAPEST, 1.0, 0.0, 1)
    assert (moved(high, 1e9).value, moved(low, -1e9).value) == (DEAREST, CHEAPEST)


@pytest.mark.slow
def test_a_quick_hand_is_worse_than_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, _ = steady("lognormal", 150, years=2)
    course = course_of(pages, 0.0, 2 * 365 * DAY, 14)

    def kept() -> float:
        return freshness(course, pages, Rehearsal(course, pages, POLICIES["optimal"]()).run())

    slow = kept()
    monkeypatch.setattr(prices, "GAIN", 40 * prices.GAIN)
    monkeypatch.setattr(prices, "GAIN_LATE", 40 * prices.GAIN_LATE)
    assert kept() < slow
