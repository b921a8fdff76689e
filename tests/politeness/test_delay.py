from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.politeness.delay import (
    GOOD_IN_A_ROW,
    Pace,
    answered_badly,
    answered_well,
    base_delay,
    delay_of,
    next_visit,
    slowed,
)
from skitter.settings import PolitenessSettings

BASES = st.sampled_from([0.0, 0.1, 1.0, 10.0]) | st.floats(0, 3600)
PACES = st.builds(Pace, st.just(0.0) | st.floats(1, 3600), st.integers(0, GOOD_IN_A_ROW - 1))


@pytest.mark.parametrize(
    ("default", "crawl_delay", "agreed", "base"),
    [
        pytest.param(1, None, None, 1, id="default"),
        pytest.param(0, None, None, 0, id="none at all"),
        pytest.param(1, 5, None, 5, id="robots asks for more"),
        pytest.param(1, 0.5, None, 1, id="robots allows less than our default"),
        pytest.param(1, 1e9, None, 600, id="absurd, bounded: rarely, never dropped"),
        pytest.param(1, math.inf, None, 600, id="infinite"),
        pytest.param(1, math.nan, None, 600, id="no number: in doubt slower"),
        pytest.param(1, -3, None, 1, id="negative"),
        pytest.param(1, None, 0.1, 0.1, id="agreed, below the default"),
        pytest.param(1, 5, 0.1, 0.1, id="agreed, below robots"),
        pytest.param(1, 5, 20, 20, id="agreed, slower than both"),
    ],
)
def test_base_delay(default: float, crawl_delay: float | None, agreed: float | None, base: float) -> None:
    chosen = PolitenessSettings(delay=default)
    assert base_delay(chosen, max_crawl_delay=600, crawl_delay=crawl_delay, agreed=agreed) == base


@pytest.mark.parametrize(
    ("base", "max_delay", "delays"),
    [
        pytest.param(1, 3600, [2, 4, 8, 16], id="doubles"),
        pytest.param(1, 5, [2, 4, 5, 5], id="up to the most"),
        pytest.param(0, 3600, [2, 4, 8, 16], id="from a second, where there was none"),
        pytest.param(0.1, 3600, [2, 4, 8, 16], id="an agreed rate too"),
        pytest.param(30, 10, [30, 30, 30, 30], id="never below what robots asks for"),
    ],
)
def test_slowed(base: float, max_delay: float, delays: list[float]) -> None:
    pace = Pace()
    assert delay_of(pace, base) == base
    for delay in delays:
        pace = slowed(pace, base, max_delay)
        assert delay_of(pace, base) == delay


@pytest.mark.parametrize(
    ("base", "delays"),
    [
        pytest.param(1, [8, 4, 2, 1, 1], id="to the default"),
        pytest.param(3, [8, 4, 3, 3], id="to a base that is no half of it"),
        pytest.param(0, [8, 4, 2, 1, 0, 0], id="to nothing"),
        pytest.param(0.1, [8, 4, 2, 1, 0.1, 0.1], id="to an agreed rate"),
        pytest.param(20, [20, 20], id="was below the base already"),
    ],
)
def test_good_answers_halve_the_delay_slowly(base: float, delays: list[float]) -> None:
    pace = Pace(backoff=8)
    for delay in delays:
        for _ in range(GOOD_IN_A_ROW):
            assert delay_of(pace, base) == delay
            pace = answered_well(pace, base)
    assert pace == Pace()


def test_at_the_base_nothing_is_left_to_remember() -> None:
    assert answered_well(Pace(backoff=2, good=GOOD_IN_A_ROW - 1), base=1) == Pace()


def test_only_good_answers_in_a_row_count() -> None:
    pace = Pace(backoff=8)
    for answer in ([True] * 9 + [False]) * 5:
        pace = answered_well(pace, 1) if answer else answered_badly(pace)
    assert pace == Pace(backoff=8)
    assert slowed(Pace(8, good=9), 1, 3600) == Pace(16)


@settings(max_examples=100, deadline=None)
@given(PACES, BASES, st.floats(1, 7200))
def test_bounds(pace: Pace, base: float, max_delay: float) -> None:
    delay = delay_of(pace, base)
    slower, faster = slowed(pace, base, max_delay), answered_well(pace, base)
    assert delay_of(slower, base) >= base
    assert delay_of(slower, base) <= max(base, max_delay)
    assert delay_of(slower, base) >= min(delay, max_delay)
    assert base <= delay_of(faster, base) <= delay
    assert delay_of(answered_badly(pace), base) == delay


@settings(max_examples=50, deadline=None)
@given(BASES, st.floats(1, 7200))
def test_enough_good_answers_always_lead_back_to_the_base(base: float, max_delay: float) -> None:
    pace = Pace()
    for _ in range(15):
        pace = slowed(pace, base, max_delay)
    for _ in range(15 * GOOD_IN_A_ROW):
        pace = answered_well(pace, base)
    assert pace == Pace()


def test_a_pace_survives_a_restart() -> None:
    pace = Pace(backoff=0.1 + 0.2, good=3)
    assert msgspec.json.decode(msgspec.json.encode(pace), type=Pace) == pace


@pytest.mark.parametrize(
    ("last", "delay", "asleep_until", "then"),
    [
        pytest.param(100, 2, 0, 102, id="rests"),
        pytest.param(100, 0, 0, 100, id="no delay"),
        pytest.param(100, 2, 500, 500, id="asleep for longer"),
        pytest.param(100, 2, 101, 102, id="wakes, then rests on"),
    ],
)
def test_next_visit(last: float, delay: float, asleep_until: float, then: float) -> None:
    assert next_visit(last, delay, asleep_until) == then


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 4e9), st.floats(0, 86400))
def test_next_visit_is_never_early_not_by_a_rounding(last: float, delay: float) -> None:
    then = next_visit(last, delay)
    assert then - last >= delay
    assert then - last <= delay + 1e-6
