from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.politeness.bucket import Bucket, full, refill, span_until, take

EPOCHS = st.sampled_from([0.0, 0.1, 1e3, 1.7e9])
RATES = st.floats(0.01, 100)
BURSTS = st.floats(1, 20)
STEPS = st.lists(st.floats(-30, 30), max_size=80)


@pytest.mark.parametrize(
    ("bucket", "now", "wait", "left"),
    [
        pytest.param(Bucket(3, 100), 100, 0, Bucket(2, 100), id="full"),
        pytest.param(Bucket(1, 100), 100, 0, Bucket(0, 100), id="last token"),
        pytest.param(Bucket(0, 100), 100, 0.5, Bucket(0, 100), id="empty: nothing is taken"),
        pytest.param(Bucket(0, 100), 100.25, 0.25, Bucket(0, 100), id="half a token"),
        pytest.param(Bucket(0, 100), 100.5, 0, Bucket(0, 100.5), id="just refilled"),
        pytest.param(Bucket(0, 100), 101, 0, Bucket(1, 101), id="refilled twice"),
        pytest.param(Bucket(0, 100), 1000, 0, Bucket(2, 1000), id="refilled to the brim only"),
        pytest.param(Bucket(0, 100), 90, 10.5, Bucket(0, 100), id="clock back: wait until it has caught up"),
        pytest.param(Bucket(2, 100), 90, 0, Bucket(1, 100), id="clock back: what is there may be spent"),
        pytest.param(Bucket(1, 100), 90, 0, Bucket(0, 100), id="clock back: the last token too"),
        pytest.param(Bucket(9, 100), 100, 0, Bucket(2, 100), id="burst lowered"),
        pytest.param(Bucket(-0.5, 100), 100, 0.75, Bucket(-0.5, 100), id="debt"),
    ],
)
def test_take_at_two_a_second_and_three_saved_up(bucket: Bucket, now: float, wait: float, left: Bucket) -> None:
    assert take(bucket, now, rate=2, burst=3) == (left, wait)


def test_a_bucket_holds_one_token_at_the_least() -> None:
    assert take(full(0, burst=0.5), 0, rate=1, burst=0.5) == (Bucket(0, 0), 0)
    assert take(Bucket(0, 0), 5, rate=1, burst=0.5) == (Bucket(0, 5), 0)


def test_no_rate_means_no_more_tokens() -> None:
    empty, wait = take(full(0, burst=1), 0, rate=0, burst=1)
    assert wait == 0
    assert take(empty, 1e9, rate=0, burst=1) == (empty, math.inf)


@settings(max_examples=100, deadline=None)
@given(EPOCHS, RATES, BURSTS, STEPS)
def test_never_over_spends_in_any_window(start: float, rate: float, burst: float, steps: list[float]) -> None:
    """Where the clock goes back, a window is one of the latest time that it ever showed."""
    bucket, now, latest, taken = full(start, burst), start, start, []
    for step in steps:
        now = max(0.0, now + step / rate)
        latest = max(latest, now)
        bucket, wait = take(bucket, now, rate, burst)
        taken += [latest] if wait == 0 else []
    for first, begin in enumerate(taken):
        for last, end in enumerate(taken[first:], start=first):
            assert last - first + 1 <= burst + rate * (end - begin) + 1e-3


@settings(max_examples=100, deadline=None)
@given(EPOCHS, RATES, BURSTS, st.integers(1, 60))
def test_whoever_waits_as_asked_may_go_and_nobody_waits_longer_than_the_rate_says(
    start: float, rate: float, burst: float, takes: int
) -> None:
    bucket, now = full(start, burst), start
    for _ in range(takes):
        before = bucket
        bucket, wait = take(bucket, now, rate, burst)
        if wait:
            assert bucket == before
            now += wait
            bucket, wait = take(bucket, now, rate, burst)
        assert wait == 0
    assert now - start <= max(0.0, takes - burst) / rate + 1e-4


@settings(max_examples=100, deadline=None)
@given(st.floats(-5, 5), st.floats(0, 2e9), st.floats(0, 2e9), st.floats(0, 2e9), RATES)
def test_a_clock_that_goes_back_and_forth_earns_no_more_than_one_that_does_not(
    tokens: float, at: float, back: float, now: float, rate: float
) -> None:
    straight = refill(Bucket(tokens, at), now, rate, burst=5)
    detour = refill(refill(Bucket(tokens, at), min(at, back), rate, burst=5), now, rate, burst=5)
    assert detour == straight


@settings(max_examples=100, deadline=None)
@given(st.floats(-2e9, 2e9), st.floats(0, 2e9))
def test_span_until_is_never_short(now: float, more: float) -> None:
    then = now + more
    assert now + span_until(then, now) >= then
    assert span_until(then, now) <= (then - now) * (1 + 1e-9)
