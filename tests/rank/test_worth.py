"""Worth: what raises it and what lowers it, and that each has its line in a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.rank.worth import (
    BASE,
    FAULTS,
    REASONS,
    SEED,
    WEIGHTS,
    Signals,
    closed,
    earned_by,
    quality,
    reasons_of,
    worth_of,
)

UNKNOWN = Signals()
HONEST = Signals(
    in_degree=6, vouchers=5, hangers_on=1, supporters=30, pagerank=3, trust=3, harmonic=0.4, pages=100, urls=100
)
FARMED = Signals(in_degree=41, vouchers=2, ring=39, supporters=20, pagerank=1, trust=0.1, harmonic=0.5)

share = st.floats(0, 1)
count = st.integers(0, 10**6)


@st.composite
def any_signals(draw: st.DrawFn) -> Signals:
    vouchers, hangers_on, ring = draw(count), draw(count), draw(count)
    return Signals(
        in_degree=vouchers + hangers_on + ring,
        nofollow=draw(count),
        vouchers=vouchers,
        hangers_on=hangers_on,
        ring=ring,
        supporters=draw(count),
        pagerank=draw(st.floats(0, 1e7)),
        trust=draw(st.floats(0, 1e7)),
        harmonic=draw(share),
        pages=draw(count),
        urls=draw(count),
        duplicates=draw(share),
        soft_404=draw(share),
        thin=draw(share),
        errors=draw(share),
        is_mirror=draw(st.booleans()),
        is_seed=draw(st.booleans()),
    )


def test_who_is_worth_what() -> None:
    assert worth_of(FARMED) < 0.2 <= worth_of(UNKNOWN) < 0.3 < 0.6 < worth_of(HONEST)
    assert worth_of(UNKNOWN._replace(is_seed=True)) == SEED
    assert worth_of(HONEST._replace(is_mirror=True)) == worth_of(HONEST) / 2
    assert worth_of(HONEST._replace(soft_404=1.0)) < 0.6 * worth_of(HONEST)


def test_one_link_from_a_good_site_is_worth_more_than_none_and_less_than_five() -> None:
    one = Signals(in_degree=1, vouchers=1, supporters=6, pagerank=0.5, trust=0.5, harmonic=0.2)
    assert worth_of(UNKNOWN) + 0.1 < worth_of(one) < worth_of(HONEST) - 0.1


def test_a_host_has_half_of_what_its_domain_has_earned() -> None:
    assert worth_of(UNKNOWN, 0.8) == pytest.approx((BASE + 0.8) / 2)
    assert worth_of(UNKNOWN._replace(soft_404=1.0, pages=10**6), 0.8) == pytest.approx((BASE + 0.8) / 4, abs=1e-4)


def test_two_friends_are_no_ring() -> None:
    assert closed(Signals(in_degree=4, vouchers=2, ring=2)) == 0
    assert closed(Signals(in_degree=1, ring=1)) == 0.25
    assert closed(Signals(in_degree=39, ring=39)) == 1


@given(any_signals(), st.none() | share)
def test_it_is_from_0_to_1(signals: Signals, domain: float | None) -> None:
    assert 0 <= worth_of(signals, domain) <= 1
    assert worth_of(signals._replace(is_seed=True), domain) >= SEED
    assert set(reasons_of(signals)) <= REASONS.keys()


@given(any_signals(), st.sampled_from(["supporters", "pagerank", "trust", "vouchers"]))
def test_who_is_better_supported_is_not_worth_less(signals: Signals, which: str) -> None:
    more = signals._replace(**{which: getattr(signals, which) + 1})
    if which == "vouchers":
        more = more._replace(in_degree=more.in_degree + 1)
    assert earned_by(more) >= earned_by(signals) - 1e-12


@given(any_signals(), st.sampled_from(sorted(FAULTS)))
def test_a_fault_is_no_merit(signals: Signals, fault: str) -> None:
    assert quality(signals._replace(**{fault: 1.0})) <= quality(signals._replace(**{fault: 0.0}))


def test_the_tables_are_whole() -> None:
    assert BASE + sum(WEIGHTS.values()) == pytest.approx(1)
    assert {*WEIGHTS, *FAULTS} <= set(Signals._fields)
    assert FAULTS.keys() <= REASONS.keys()


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_is_given(reason: str) -> None:
    signals = {
        "seed": Signals(is_seed=True),
        "vouched": HONEST,
        "unknown": UNKNOWN,
        "nofollow": Signals(nofollow=1),
        "ring": FARMED,
        "mirror": Signals(is_mirror=True),
    }
    one = signals[reason] if reason in signals else UNKNOWN._replace(**{reason: 0.5})
    assert reason in reasons_of(one)
    assert reason not in reasons_of(Signals(in_degree=2, vouchers=2)._replace(is_seed=False))
