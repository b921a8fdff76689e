"""How busy hosts are of late, and which are listed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from skitter.node.busiest import BUSIEST, busiest
from skitter.node.rates import SPAN, HostRates
from tests.frontier.test_frontier import SETTINGS, SHARDS, Virtual, found
from tests.frontiers import opened_frontier

BEGAN = SPAN * 60_000_000


def asked(host: str, every: float, seconds: float, rates: HostRates | None = None) -> HostRates:
    """Counts requests from BEGAN on."""
    rates = rates or HostRates()
    for number in range(round(seconds / every)):
        rates.count(host, BEGAN + number * every)
    return rates


@pytest.mark.parametrize("every", [0.5, 1.0, 10.0])
@pytest.mark.parametrize("seconds", [90.0, 110.0, 119.0, 1000.0])
def test_a_host_that_is_asked_at_a_steady_pace_has_that_rate(every: float, seconds: float) -> None:
    rate = asked("a.org", every, seconds).of("a.org", BEGAN + seconds)
    assert rate == pytest.approx(1 / every, abs=1.5 / SPAN)


def test_what_is_long_ago_does_not_count() -> None:
    rates = asked("a.org", 1.0, 1000.0)
    ended = BEGAN + 1000.0
    assert rates.of("a.org", ended + SPAN) < 0.9
    assert rates.of("a.org", ended + 2 * SPAN) == 0.0
    assert asked("a.org", 1.0, 1000.0).of("a.org", ended + 5 * SPAN) == 0.0, "nobody looked meanwhile"


def test_a_total_is_no_rate() -> None:
    rates = asked("old.org", 1.0, 600.0)
    for number in range(20):
        rates.count("new.org", BEGAN + 700 + number)
    assert rates.busiest(5, BEGAN + 720) == ["new.org"]


def test_a_first_request_is_no_burst() -> None:
    assert asked("a.org", 0.1, 0.2).of("a.org", BEGAN + 0.2) < 0.1


def test_the_busiest_come_first() -> None:
    rates = HostRates()
    for number in range(30):
        asked(f"h{number:02}.org", 60.0 / (number + 1), 60.0, rates)
    assert rates.busiest(3, BEGAN + 59) == ["h29.org", "h28.org", "h27.org"]


def test_nothing_is_kept_of_hosts_that_are_asked_no_more() -> None:
    rates = HostRates()
    for number in range(1000):
        rates.count(f"h{number}.org", BEGAN + number)
    assert len(rates._running) + len(rates._before) <= 2 * SPAN


def test_however_many_hosts_are_asked_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skitter.node.rates.MOST", 100)
    rates = HostRates()
    for number in range(5000):
        rates.count(f"h{number}.org", BEGAN + SPAN * number / 2500)
        rates.count("busy.org", BEGAN + SPAN * number / 2500)
    assert len(rates._running) == len(rates._before) == 100
    assert rates.busiest(1, BEGAN + 2 * SPAN - 1) == ["busy.org"]
    assert rates.of("busy.org", BEGAN + 2 * SPAN - 0.001) == pytest.approx(5000 / 60, rel=0.01)


def test_the_list_is_of_hosts_in_memory_with_what_they_used_today(tmp_path: Path) -> None:
    clock = Virtual()
    frontier = opened_frontier(tmp_path, SETTINGS, range(SHARDS), clock, random.Random(7).random)
    frontier.discover(found(f"http://h{number}.org/") for number in range(20))
    frontier.tick()
    rates = HostRates()
    for number in range(20):
        for _ in range(number):
            rates.count(f"h{number}.org", clock.now)
    for _ in range(99):
        rates.count("of-another-node.org", clock.now)
    lines = busiest(frontier, rates, clock.now)
    assert [line.host for line in lines] == [f"h{number}.org" for number in range(19, 20 - BUSIEST, -1)]
    assert (lines[0].rate, lines[0].delay) == (rates.of("h19.org", clock.now), 1.0)
    assert (lines[0].quota_used, lines[0].quota_allowed) == (0, SETTINGS.frontier.daily_quota)
    frontier.close()
