"""A rate for the whole crawl: counted in virtual time, it is never exceeded, not left unused, and shared fairly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.supervisor.shares import SAVED, Shares

RATES = st.floats(0.1, 500)
NODES = 4
REPORTS = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.floats(0.001, 5), st.floats(0, 1), st.booleans()), min_size=1, max_size=100
)


class Nodes:
    """Nodes that use some part of what they are allowed before they report again; and when each request was made."""

    def __init__(self, rate: float, nodes: int = NODES) -> None:
        self.shares = Shares(rate, nodes, 0.0)
        self.made = [0] * nodes
        self.allowed = [0] * nodes
        self.log: list[tuple[float, int]] = []

    def report(self, node: int, now: float, *, part: float = 1.0, is_hungry: bool = True) -> None:
        """Makes requests at the last moment, reports, and takes the answer."""
        many = int(part * max(0, self.allowed[node] - self.made[node]))
        self.made[node] += many
        self.log.append((now, many))
        self.allowed[node] = self.shares.heard(node, now, made=self.made[node], is_hungry=is_hungry)


@given(RATES, REPORTS)
def test_in_no_window_are_there_more_requests_than_the_rate_gives(
    rate: float, reports: list[tuple[int, float, float, bool]]
) -> None:
    nodes, now = Nodes(rate), 0.0
    for node, later, part, is_hungry in reports:
        now += later
        nodes.report(node, now, part=part, is_hungry=is_hungry)
    held = sum(map(max, zip(nodes.allowed, nodes.made, strict=True))) - sum(nodes.made)
    total = held
    for at, many in reversed(nodes.log):
        total += many
        assert total <= rate * (now - at) + NODES * (2 + rate * SAVED) + 1e-6


@pytest.mark.parametrize("rate", [0.2, 1.0, 7.5, 300.0])
def test_hungry_nodes_get_all_of_it_in_equal_parts_however_often_they_report(rate: float) -> None:
    nodes = Nodes(rate, 3)
    for tick in range(1, 60_000):  # fifty minutes; one reports ten times as often as the others
        for node, every in enumerate((1, 10, 10)):
            if tick % every == 0:
                nodes.report(node, tick * 0.05)
    assert sum(nodes.made) == pytest.approx(rate * 3000, rel=0.01, abs=4)
    assert max(nodes.made) - min(nodes.made) <= 2 + rate


def test_what_idle_and_dead_nodes_do_not_need_is_for_the_others() -> None:
    nodes = Nodes(10.0, 3)
    nodes.shares.died(2)
    for tick in range(1, 200):
        nodes.report(1, tick * 0.5, is_hungry=False)
        nodes.report(0, tick * 0.5)
    assert nodes.made[0] == pytest.approx(10 * 99.5, abs=12)


def test_nobody_hoards() -> None:
    nodes = Nodes(10.0, 1)
    for tick in range(1, 1000):
        nodes.report(0, tick * 0.5, part=0.0)
    assert nodes.allowed[0] == 11, "a second's worth and one, after eight minutes without a request"


def test_what_was_made_beyond_is_a_debt() -> None:
    shares = Shares(10.0, 1, 0.0)
    assert shares.heard(0, 1.0, made=0, is_hungry=True) == 10
    assert shares.heard(0, 2.0, made=25, is_hungry=True) == 25, "fifteen more than allowed, and ten were earned"
    assert shares.heard(0, 3.0, made=25, is_hungry=True) == 30


def test_a_clock_that_goes_back_earns_nothing_twice() -> None:
    nodes = Nodes(1.0, 1)
    for at in (1.0, 0.0, 1.0, 2.0, 2.0):
        nodes.report(0, at)
    assert nodes.made == [2]


def test_another_rate_counts_from_then_on() -> None:
    nodes = Nodes(1.0, 1)
    for now in range(1, 21):
        nodes.report(0, float(now))
        if now == 10:
            nodes.shares.change(5.0, 10.0)
    assert nodes.allowed == [10 * 1 + 10 * 5]


def test_no_limit_nothing_is_told_and_a_limit_begins_with_what_was_made() -> None:
    shares = Shares(0.0, 2, 0.0)
    assert shares.heard(0, 1000.0, made=5000, is_hungry=True) == 0
    shares.change(4.0, 1000.0)
    assert shares.heard(0, 1001.0, made=6000, is_hungry=True) == 6002
