"""Hosts are trusted as far as their signals came true."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.schedule.belief import LADDER, STEPS, believed, certain, mean_rate, still_fresh
from skitter.schedule.trust import DEAF, HARDLY_ANY, Heed, Trust, believe, heed, looked_into, spoken
from skitter.schedule.turn import Found, Stakes, how_likely
from skitter.settings import DAY

RATE, GAP = LADDER[5], 10 * DAY


def after_change(weights: list[float], heeded: Heed, signals: int) -> list[float]:
    stakes = Stakes(1.0, 1.0, 1.0, heeded.precision, heeded.recall)
    return believed(weights, how_likely(weights, Found(1 / RATE, True, signals), stakes))


def met(precision: float, recall: float, visits: int = 400) -> Heed:
    """Returns what is thought of a host after visits at even times, if its signals are that good."""
    dice, trust = random.Random(1), spoken(Trust())
    false = RATE * recall * (1 / precision - 1) if precision else 1 / DAY
    for _ in range(visits):
        heeded = believe(trust, Trust())
        changes = drawn(dice, RATE * GAP)
        true = sum(dice.random() < recall for _ in range(changes))
        hidden, alone = (1 - still_fresh(certain(RATE), share * GAP) for share in (heeded.hidden, 1))
        signals = true + drawn(dice, false * GAP)
        trust = looked_into(trust, heeded, signals, hidden=hidden, alone=alone, changed=changes > 0)
    return believe(trust, Trust())


def drawn(dice: random.Random, mean: float) -> int:
    count, at = 0, dice.expovariate(1)
    while at < mean:
        count, at = count + 1, at + dice.expovariate(1)
    return count


@pytest.mark.parametrize(("precision", "recall"), [(0.95, 0.95), (0.9, 0.9), (0.9, 0.5)])
def test_precision_and_recall_are_learnt(precision: float, recall: float) -> None:
    found = met(precision, recall, visits=2000)
    assert found.precision == pytest.approx(precision, abs=0.15)  # they have to beat chance, so it comes out low
    assert found.recall == pytest.approx(recall, abs=0.15)


def test_a_host_that_says_now_every_day_is_believed_nothing() -> None:
    assert met(0.0, 0.0).precision < HARDLY_ANY / 3


def test_a_host_that_never_spoke_is_not_asked() -> None:
    assert heed(Trust(), Trust(100, 90, 10, has_spoken=True)) == DEAF


def test_a_new_host_is_trusted_as_hosts_are_in_this_crawl() -> None:
    good, bad = Trust(1000, 900, 100), Trust(1000, 10, 900)
    host = spoken(Trust())
    assert heed(host, good).precision > 0.85
    assert believe(host, bad).precision < 0.05
    assert heed(host, bad) == DEAF


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 50), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_a_visit_counts_no_more_signals_than_there_were(
    precision: float, recall: float, signals: int, hidden: float, alone: float, changed: bool
) -> None:
    after = looked_into(spoken(Trust()), Heed(precision, recall), signals, hidden=hidden, alone=alone, changed=changed)
    assert after.signals == signals
    assert 0 <= after.true <= signals
    assert 0 <= after.missed <= 1 + 1e-9


def test_what_was_long_ago_fades() -> None:
    trust = looked_into(Trust(200, 200, 0), Heed(0.9, 0.9), 1, hidden=0.1, alone=0.2, changed=False)
    assert trust.signals == 101


def test_changes_that_were_signalled_are_counted_not_guessed() -> None:
    even, good = [1 / STEPS] * STEPS, Heed(0.95, 0.95)
    weights: list[float] = even
    for _ in range(30):
        weights = after_change(weights, good, 1)
    assert mean_rate(weights) == pytest.approx(RATE, rel=0.4)
    blind: list[float] = even
    for _ in range(30):
        blind = after_change(blind, DEAF, 0)
    assert mean_rate(blind) > 10 * RATE


def test_signals_with_which_visits_are_foretold_worse_are_not_gone_by() -> None:
    trust, crawl = Trust(20, 12, 4, has_spoken=True), Trust()
    believed = believe(trust, crawl)
    assert heed(trust, crawl) == believed
    for _ in range(8):  # a signal, and no change: what only true signals can make up for
        trust = looked_into(trust, believed, 1, hidden=0.1, alone=0.2, changed=False)
    assert trust.lead < 0
    assert heed(trust, crawl) == DEAF
    for _ in range(20):
        trust = looked_into(trust, believed, 1, hidden=0.1, alone=0.2, changed=True)
    assert heed(trust, crawl) != DEAF
