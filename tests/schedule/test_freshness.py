"""How fresh the copies are: expected by the belief, measured by lot."""

from __future__ import annotations

import math
import random

import pytest
from msgspec import structs

from skitter.schedule.belief import believed, certain, likelihood, normal, packed, packed_evidence
from skitter.schedule.freshness import (
    ALLOWED,
    QUANTILES,
    REMEMBERED,
    Foretold,
    Freshness,
    Measured,
    Sampled,
    expected,
    quantile,
    together,
    told,
    with_check,
)
from skitter.schedule.policy import first_market
from skitter.schedule.recrawl import HostClass
from skitter.schedule.usual import Votes, guess
from skitter.settings import DAY

NOW = 1.7e9
NEWS, GENERIC, DORMANT = HostClass
DAILY = packed(certain(1 / DAY))


def rate_of(belief: bytes) -> float:
    """Returns the rate of the ladder that a belief is certain of."""
    from skitter.schedule.belief import mean_rate, unpacked

    return mean_rate(unpacked(belief))


def test_every_class_is_allowed_some_time() -> None:
    assert set(ALLOWED) == set(HostClass)


def test_the_number_is_what_the_belief_says_by_class_and_in_all() -> None:
    old, new = Sampled(NOW - DAY, DAILY, GENERIC), Sampled(NOW, DAILY, NEWS)
    found = expected([(30.0, [old, new, old]), (10.0, [new])], Measured(), NOW)
    fresh = math.exp(-rate_of(DAILY) * DAY)
    assert found.classes["generic"].ratio == pytest.approx(fresh, rel=0.02)
    assert (found.classes["news"].ratio, found.classes["news"].pages) == (1.0, pytest.approx(20))
    assert found.whole.pages == pytest.approx(40), "each sample stands for its shard"
    assert found.whole.ratio == pytest.approx((20 + 20 * fresh) / 40, rel=0.02)


def test_what_was_signalled_is_hardly_fresh_and_a_host_that_tells_all_is() -> None:
    silent, telling = (Sampled(NOW - DAY, DAILY, GENERIC, hidden) for hidden in (1.0, 0.1))
    told_of = Sampled(NOW - DAY, DAILY, GENERIC, 0.1, 0.05)
    ratios = [expected([(1.0, [page])], Measured(), NOW).whole.ratio for page in (silent, telling, told_of)]
    assert ratios[1] > 0.85 > ratios[0] > 0.2 > 0.05 > ratios[2]


def test_the_budget_is_for_copies_that_lack_an_old_change() -> None:
    just, late = Sampled(NOW - DAY, DAILY, GENERIC), Sampled(NOW - 30 * DAY, DAILY, GENERIC)
    fine = expected([(20.0, [just] * 20)], Measured(), NOW).whole
    assert (fine.timely, fine.budget_left) == (pytest.approx(20), pytest.approx(1.0))
    spent = expected([(20.0, [just] * 19 + [late])], Measured(), NOW).whole
    assert spent.budget_left == pytest.approx(0.0, abs=0.01)
    assert expected([(20.0, [late] * 20)], Measured(), NOW).whole.budget_left < -10


def test_the_error_covers_the_truth_as_often_as_it_says() -> None:
    dice, covered = random.Random(5), 0
    for _ in range(400):
        measured = Measured()
        for _ in range(100):
            measured = with_check(measured, dice.random() < 0.9, NOW)
        found = told(measured)
        assert found is not None
        covered += abs(found[0] - 0.9) <= found[1]
    assert 0.92 <= covered / 400 <= 0.98
    assert told(Measured()) is None


def test_older_visits_count_less() -> None:
    measured = Measured(REMEMBERED, 0.0)
    for _ in range(4000):
        measured = with_check(measured, True, NOW)
    assert measured.fresh / measured.visits > 0.6


def test_ages_are_told_in_even_steps() -> None:
    pages = [Sampled(NOW - number, DAILY, GENERIC) for number in range(1, 1001)]
    found = expected([(1000.0, pages)], Measured(), NOW)
    assert len(found.ages) == QUANTILES
    assert quantile(found.ages, 0.5) == pytest.approx(500, rel=0.06)
    assert quantile(found.ages, 0.9) == pytest.approx(900, rel=0.06)
    assert quantile([], 0.5) == 0.0


def test_nodes_are_told_as_one() -> None:
    one = expected([(30.0, [Sampled(NOW, DAILY, GENERIC)])], Measured(10, 9), NOW)
    other = expected([(10.0, [Sampled(NOW - 30 * DAY, DAILY, GENERIC)])], Measured(30, 21), NOW)
    both = together([one, other, Freshness()])
    assert (both.whole.pages, both.whole.ratio) == (pytest.approx(40), pytest.approx(0.75, abs=0.01))
    assert both.measured == Measured(40, 30)
    assert (both.ages[0], both.ages[-1]) == (0.0, pytest.approx(30 * DAY))


def seen_once(rate: float, gap: float, changed: bool) -> Sampled:
    """Returns a page that was seen again after a gap, when nothing was known of the crawl but a guess."""
    usual = normal(guess(rate).rates)
    evidence = likelihood(gap, changed)
    return Sampled(NOW - gap, packed(believed(evidence, usual)), GENERIC, evidence=packed_evidence(evidence))


def test_what_is_usual_by_now_moves_what_was_believed_of_pages_long_ago() -> None:
    dice, gap, rate = random.Random(3), 5 * DAY, 1 / (4 * DAY)
    guessed = first_market(1000 / (100 * DAY), 1000)  # pages are guessed to change once in a year
    pages = [seen_once(0.3 / (100 * DAY), gap, dice.random() > math.exp(-rate * gap)) for _ in range(1000)]
    truth = math.exp(-rate * gap)
    before = expected([(1000.0, pages)], Measured(), NOW).whole.ratio
    now = expected([(1000.0, pages)], Measured(), NOW, guessed).whole.ratio
    assert before > truth + 0.15
    assert now == pytest.approx(truth, abs=0.12)
    unseen = [Sampled(NOW - gap, b"", GENERIC) for _ in range(1000)]
    both = expected([(2000.0, pages + unseen)], Measured(), NOW, guessed).whole.ratio
    assert both == pytest.approx(truth, abs=0.12), "pages that were never seen again are taken for ones as the others"


def test_what_is_known_of_a_host_by_now_counts_for_pages_seen_long_ago() -> None:
    market = structs.replace(first_market(1000 / (10 * DAY), 1000), lead=20.0)
    quiet = Votes(50.0, tuple(50.0 * weight for weight in certain(1 / (1000 * DAY))))
    page = structs.replace(seen_once(1 / (4 * DAY), 5 * DAY, changed=True), host="a.org")
    alone, among = (
        expected([(1.0, [page])], Measured(), NOW, market, hosts=hosts).whole.ratio for hosts in ({}, {"a.org": quiet})
    )
    assert alone < 0.6
    assert among > alone + 0.2, (
        "the others of its host hardly ever change: what it was taken for is as old as its visit"
    )
    unseen = Sampled(NOW - 5 * DAY, b"", GENERIC, host="a.org")
    assert expected([(1.0, [unseen])], Measured(), NOW, market, hosts={"a.org": quiet}).whole.ratio > 0.9
    unsure = structs.replace(market, lead=-1.0)
    told_alike = expected([(1.0, [page])], Measured(), NOW, unsure, hosts={"a.org": quiet}).whole.ratio
    assert told_alike == pytest.approx(alone, abs=0.1), "until pages have shown to differ, all hosts are alike"


def test_a_page_of_before_evidence_was_kept_is_told_by_its_belief() -> None:
    market = first_market(1000 / (10 * DAY), 1000)
    one = expected([(1.0, [Sampled(NOW - DAY, DAILY, GENERIC)])], Measured(), NOW, market).whole.ratio
    assert one == pytest.approx(math.exp(-rate_of(DAILY) * DAY), abs=0.01)


def test_the_error_is_wide_while_little_is_known() -> None:
    unseen = [Sampled(NOW - DAY, b"", GENERIC)] * 50
    market = first_market(1000 / (100 * DAY), 1000)
    errors = [
        expected([(1000.0, unseen + [Sampled(NOW - DAY, DAILY, GENERIC)] * seen)], Measured(), NOW, market).error
        for seen in (0, 10, 1000)
    ]
    assert errors[0] > 0.19
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.04
    wrong = Foretold(200.0, 150.0, 120.0)  # that many less were fresh than we had thought
    assert expected([(1000.0, unseen)], Measured(), NOW, market, wrong).error >= 0.15
