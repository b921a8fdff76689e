"""The shares of the shards are the market: none is counted twice, and none forgotten."""

from __future__ import annotations

import math
import random

import pytest

from skitter.schedule.freshness import Foretold, Measured
from skitter.schedule.optimal import Optimal
from skitter.schedule.policy import Market, Place, Watch
from skitter.schedule.price import CHEAPEST, DEAREST
from skitter.schedule.share import (
    Share,
    capacity_for,
    joined,
    last_brought,
    opened,
    repriced,
    shared_out,
    with_step,
)
from skitter.schedule.shares import NOTHING, Brought
from skitter.schedule.trust import Trust
from skitter.schedule.usual import GUESSED, Votes
from skitter.settings import DAY

EVERY = 7 * DAY
NOW = 1.7e9


def lived(pages: int, days: int) -> tuple[Market, list[Share]]:
    """Returns the market after some pages of two shards were visited at random, and the shares."""
    dice, policy = random.Random(3), Optimal()
    market, shares = opened((), EVERY, math.inf), [Share(), Share()]
    places, watches = [Place(), Place()], list[Watch]()
    for number in range(pages):
        step = policy.fetched(float(number), 1.0, places[number % 2], market)
        watches.append(step.watch)
        shares[number % 2] = with_step(shares[number % 2], market, step.market)
        market = repriced(step.market, EVERY, math.inf)
    for visit in range(pages * days // 7):
        at, number = DAY + visit * EVERY / pages, dice.randrange(pages)
        step = policy.visited(watches[number], at, dice.random() < 0.3, 1.0, places[number % 2], market)
        watches[number], places[number % 2] = step.watch, step.place
        shares[number % 2] = with_step(shares[number % 2], market, step.market, at)
        market = repriced(step.market, EVERY, math.inf)
    return market, shares


def test_the_shares_come_to_the_market_again() -> None:
    market, shares = lived(60, 70)
    again = opened(shares, EVERY, math.inf)
    assert again.price.pages == market.price.pages == 60
    assert again.price.demand == pytest.approx(market.price.demand)
    assert again.votes.pages == pytest.approx(market.votes.pages)
    assert again.votes.rates == pytest.approx(market.votes.rates)
    assert again.price.value == pytest.approx(market.price.value), "the one that was visited last knows it"


def test_nodes_that_met_of_late_have_a_price_between_theirs() -> None:
    shares = [Share(10, price=100.0, at=NOW), Share(10, price=400.0, at=NOW - 60), Share(10, price=1e6, at=NOW - DAY)]
    assert opened(shares, EVERY, math.inf).price.value == pytest.approx(200.0)
    old = [Share(10, price=100.0), Share(10, price=400.0)]
    assert opened(old, EVERY, math.inf).price.value == pytest.approx(200.0), "shares of before times were kept"


def test_what_requests_have_brought_is_told_by_the_share_that_was_written_last() -> None:
    early, late = (Brought(2.0, 1.0), NOTHING), (Brought(3.0, 1.0), NOTHING)
    market = opened((), EVERY, math.inf)
    shares = [with_step(Share(), market, market, at, brought) for at, brought in ((NOW, late), (NOW - 1, early))]
    assert last_brought(shares) == late
    assert with_step(shares[0], market, market).brought == late, "who brings nothing changes nothing"
    assert last_brought([]) == (NOTHING, NOTHING)


def test_who_goes_takes_his_share_along() -> None:
    _, shares = lived(60, 70)
    left = opened(shares[:1], EVERY, math.inf)
    assert left.price.pages == 30
    assert left.votes.pages == pytest.approx(GUESSED + shares[0].votes.pages)


def test_there_is_a_visit_for_each_page_in_the_mean_unless_the_rate_is_limited() -> None:
    assert capacity_for(70, EVERY, math.inf) == pytest.approx(10 / DAY)
    assert capacity_for(70, EVERY, 1 / DAY) == 1 / DAY
    assert capacity_for(0, EVERY, math.inf) > 0


def test_the_price_stays_where_it_can_come_back_from() -> None:
    market = opened((), EVERY, math.inf)
    for value in (0.0, 1e300, math.inf):
        dear = Market(type(market.price)(value, 1.0), market.votes, market.trust)
        assert CHEAPEST <= repriced(dear, EVERY, math.inf).price.value <= DEAREST


def test_what_is_shared_out_and_joined_is_what_it_was() -> None:
    votes = Votes(4.0, tuple(float(number) for number in range(len(Votes().rates))))
    trust = Trust(3.0, 2.0, 1.0, has_spoken=True, lead=0.5)
    share = Share(7, 2.0, 0.5, votes, trust, Measured(4, 3, 9.0), Foretold(2, 1.5, 1, 8.0), 0.25)
    for part in (0.0, 0.3, 1.0):
        kept, given = shared_out(share, part)
        assert given.pages == round(7 * part)
        again = joined(kept, given)
        assert again.pages == share.pages
        assert again.demand == pytest.approx(share.demand)
        assert again.votes.rates == pytest.approx(share.votes.rates)
        assert again.trust.true == pytest.approx(share.trust.true)
        assert again.measured.visits == pytest.approx(share.measured.visits)
        assert again.price == pytest.approx(share.price)
