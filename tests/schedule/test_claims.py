"""What sites claim is believed as far as it comes true."""

from __future__ import annotations

import random

import pytest

from skitter.schedule.belief import mean_rate
from skitter.schedule.claims import (
    By,
    Claim,
    by_headers,
    by_sitemap,
    claimed_votes,
    looked_into,
    rates_of,
    trust,
    without_votes,
)
from skitter.schedule.usual import Votes, guess, usual_rates, voted
from skitter.settings import DAY

NOW = 1.75e9
CRAWL = guess(1 / (14 * DAY))
DAILY = Claim(DAY)


@pytest.mark.parametrize(
    ("said", "until", "every"),
    [
        (["max-age=86400"], None, DAY),
        (["public, max-age=3600", "must-revalidate"], None, 3600.0),
        (['s-maxage="7200"'], NOW + 60, 7200.0),
        ([], NOW + 2 * DAY, 2 * DAY),
        ([], NOW - DAY, None),  # it has ended: the usual way to say "do not keep it"
        ([], None, None),
        (["no-store, max-age=86400"], None, None),
        (["private"], NOW + DAY, None),
        (["max-age=0"], NOW + DAY, None),
        (["max-age=31536000000"], None, None),
        (["x-max-age=5000"], None, None),
    ],
)
def test_headers(said: list[str], until: float | None, every: float | None) -> None:
    assert by_headers(said, until, NOW) == every


def test_frequencies() -> None:
    assert (by_sitemap(" Daily "), by_sitemap("often")) == (DAY, None)


def visited(claim: Claim, period: float, visits: int, every: float = 2 * DAY) -> tuple[float, ...]:
    """Returns the evidence after visits to pages that change once in a period, at random."""
    dice, scores = random.Random(3), ()
    for _ in range(visits):
        changed = dice.expovariate(1 / period) < every
        scores = looked_into(scores, claim, Votes(), CRAWL, every, changed=changed)
    return scores


def test_claims_that_come_true_are_believed_and_others_are_not() -> None:
    assert trust((), DAILY) < 0.3, "most are made up"
    assert trust(visited(DAILY, DAY, 20), DAILY) > 0.9
    assert trust(visited(DAILY, 60 * DAY, 20), DAILY) < 0.05
    assert trust(visited(Claim(365 * DAY), 300 * DAY, 60), DAILY) > 0.5, "also those that say: hardly ever"


def test_a_sitemap_that_lies_says_nothing_of_the_headers() -> None:
    scores = visited(DAILY, 60 * DAY, 20)
    assert trust(scores, Claim(DAY, By.HEADER)) == trust((), DAILY)
    scores = looked_into(scores, Claim(DAY, By.HEADER), Votes(), CRAWL, 2 * DAY, changed=True)
    assert len(scores) == len(By)


def test_a_claim_moves_what_is_usual_by_as_much_as_it_is_believed() -> None:
    host = Votes(40.0, tuple(40 * weight for weight in rates_of(Claim(100 * DAY))))
    plain = mean_rate(usual_rates(host, CRAWL))
    moved = [mean_rate(usual_rates(voted(host, claimed_votes((score,), DAILY, host)), CRAWL)) for score in (-6, 0, 6)]
    assert plain == pytest.approx(moved[0], rel=0.1)
    assert plain < moved[0] < moved[1] < moved[2]
    assert moved[2] == pytest.approx(mean_rate(rates_of(DAILY)), rel=0.05)


def test_its_votes_are_taken_out_again() -> None:
    host = Votes(40.0, tuple(40 * weight for weight in rates_of(Claim(100 * DAY))))
    claimed = claimed_votes((6.0,), DAILY, host)
    left = without_votes(voted(host, claimed), claimed)
    assert left.pages == pytest.approx(host.pages)
    assert left.rates == pytest.approx(host.rates, abs=1e-9)


def test_a_clock_that_went_back_says_nothing() -> None:
    assert looked_into((1.0,), DAILY, Votes(), CRAWL, -5.0, changed=True) == (1.0,)
