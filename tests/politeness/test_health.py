from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Kind
from skitter.politeness.health import UNKNOWN, health_after

SCORES = st.floats(0, 1)
OUTCOMES = st.none() | st.sampled_from(Kind)


@pytest.mark.parametrize(
    ("kind", "health"),
    [
        pytest.param(None, 0.55, id="good answer"),
        pytest.param(Kind.GONE, 0.5, id="404 is the URL's"),
        pytest.param(Kind.FORBIDDEN, 0.5, id="403 is the URL's"),
        pytest.param(Kind.LEASE_EXPIRED, 0.5, id="our own fault"),
        pytest.param(Kind.SERVER_ERROR, 0.45, id="5xx"),
        pytest.param(Kind.UNAVAILABLE, 0.45, id="503"),
        pytest.param(Kind.TOO_MANY_REQUESTS, 0.45, id="429"),
        pytest.param(Kind.CONNECT_TIMEOUT, 0.45, id="time-out"),
        pytest.param(Kind.DNS_UNKNOWN, 0.45, id="no such name"),
    ],
)
def test_one_outcome(kind: Kind | None, health: float) -> None:
    assert health_after(0.5, kind) == pytest.approx(health)


def test_an_unknown_host_is_a_good_one_and_stays_so() -> None:
    assert UNKNOWN == 1
    assert health_after(UNKNOWN, None) == 1


@pytest.mark.parametrize(("kind", "end"), [(None, 1.0), (Kind.REFUSED, 0.0)], ids=["good", "bad"])
def test_the_last_outcomes_decide(kind: Kind | None, end: float) -> None:
    health = 1 - end
    for _ in range(20):
        health = health_after(health, kind)
    assert abs(health - end) < 0.15


@settings(max_examples=100, deadline=None)
@given(SCORES, OUTCOMES)
def test_stays_between_0_and_1_and_good_is_never_worse_than_bad(score: float, kind: Kind | None) -> None:
    assert 0 <= health_after(score, kind) <= 1
    assert health_after(score, Kind.REFUSED) <= score <= health_after(score, None)
    assert health_after(score, Kind.REFUSED) <= health_after(score, kind) <= health_after(score, None)


@settings(max_examples=100, deadline=None)
@given(SCORES, SCORES, OUTCOMES)
def test_keeps_the_order_of_hosts(one: float, other: float, kind: Kind | None) -> None:
    low, high = sorted((one, other))
    assert health_after(low, kind) <= health_after(high, kind)
