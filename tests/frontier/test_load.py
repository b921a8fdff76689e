"""A host that takes long to answer is asked again no sooner than so many times as long: in virtual time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.frontier.policies import RobotsOutcome
from skitter.inspection.hosts import host_look
from skitter.messages import Errand, Failure, Fetched, Kind, Lease, Outcome, Probed, State
from skitter.settings import Settings
from tests.frontier.test_crash import killed, leased_page
from tests.frontier.test_frontier import SETTINGS, Crawler, found


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path / "first")
    yield crawler
    crawler.frontier.close()


def asked_again(crawler: Crawler) -> float:
    """Returns when the host is asked for the next page."""
    assert crawler.next_page() is not None
    return crawler.clock.now


def answered(crawler: Crawler, lease: Lease, took: float, **facts: object) -> float:
    """Settles a lease whose answer took so long, and returns when it was asked."""
    began = crawler.clock.now
    crawler.clock.now += took
    crawler.done(lease, began=began, took=took, **facts)
    return began


@pytest.mark.parametrize(
    ("took", "due"),
    [(0.3, 1.0), (0.6, 1.2), (5.0, 10.0), (300.0, 300.0)],
    ids=["quick: its delay", "slow", "very slow", "a large file: the longest wait was over before it was"],
)
def test_a_slow_host_rests_for_twice_as_long_as_it_took(took: float, due: float, crawler: Crawler) -> None:
    began = answered(crawler, leased_page(crawler), took)
    assert asked_again(crawler) - began == pytest.approx(due, abs=0.02)
    assert crawler.clock.now >= began + due


def test_a_quick_answer_ends_it(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(3))
    lease = crawler.next_page()
    assert lease is not None
    answered(crawler, lease, 20.0)
    lease = crawler.next_page()
    assert lease is not None
    began = answered(crawler, lease, 0.01)
    assert asked_again(crawler) - began == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("factor", [0.0, 4.0])
def test_the_factor_can_change_at_run_time(factor: float, crawler: Crawler) -> None:
    began = answered(crawler, leased_page(crawler), 5.0)
    crawler.frontier.committer.commit()
    politeness = structs.replace(SETTINGS.politeness, load_factor=factor)
    crawler.frontier.take_settings(structs.replace(SETTINGS, politeness=politeness))
    assert asked_again(crawler) - began == pytest.approx(max(5.0, factor * 5.0), abs=0.02)


def test_an_agreed_delay_does_not_make_a_loaded_host_quick(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    crawler.frontier.operator.agree("a.org", 0.1)
    began = answered(crawler, lease, 3.0)
    assert asked_again(crawler) >= began + 6.0


def test_a_failure_that_took_long_counts_as_well(crawler: Crawler) -> None:
    failure = Failure(Kind.READ_TIMEOUT, "no first byte")
    began = answered(crawler, leased_page(crawler), 20.0, failure=failure, status=0, stored=None)
    assert asked_again(crawler) >= began + 40.0


def test_a_slow_robots_txt_counts_as_well(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/1")])
    lease = crawler.lease()
    assert lease is not None
    assert lease.errand is Errand.ROBOTS
    began = crawler.clock.now
    crawler.clock.now += 7.0
    fetched = Fetched(lease, began, crawler.clock.now, "127.0.0.1", status=404)
    policy = crawler.frontier.judge_robots(lease, fetched)
    crawler.frontier.settle(RobotsOutcome(lease, crawler.clock.now, fetched, policy))
    assert asked_again(crawler) >= began + 14.0


@pytest.mark.parametrize("what", ["probed", "parts"])
def test_a_slow_probe_or_part_counts_as_well(what: str, crawler: Crawler) -> None:
    lease = leased_page(crawler)
    later = Probed(crawler.clock.now + 2.0, took=6.0)
    answered(crawler, lease, 0.1, **{what: later if what == "probed" else (later,)})
    assert asked_again(crawler) >= later.began + 12.0


def test_a_slow_answer_on_behalf_of_another_host_counts_as_well(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/1")])
    crawler.clock.now += 10
    lease = crawler.frontier.reserve("a.org")
    assert not isinstance(lease, float)
    crawler.frontier.release(lease, crawler.clock.now, took=9.0)
    released = crawler.clock.now
    assert asked_again(crawler) >= released + 18.0


def test_it_is_kept_over_a_restart(crawler: Crawler) -> None:
    began = answered(crawler, leased_page(crawler), 20.0)
    crawler.reopen()
    assert asked_again(crawler) >= began + 40.0


def test_an_answer_that_was_stored_but_not_settled_is_heeded_after_a_kill(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    began = crawler.clock.now
    crawler.clock.now += 20.0
    crawler.frontier.slow_ahead(lease, began, None, took=20.0)
    after = killed(crawler)
    assert asked_again(after) >= began + 40.0
    after.frontier.close()


def test_what_was_asked_of_us_is_heeded_after_a_lease_that_ended(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    failure = Failure(Kind.TOO_MANY_REQUESTS, retry_after=5000.0)
    crawler.frontier.slow_ahead(lease, crawler.clock.now, failure)
    told = crawler.clock.now
    crawler.clock.now = lease.ends + 1
    crawler.frontier.expire(lease)
    assert asked_again(crawler) >= told + 5000.0


def looked(crawler: Crawler, settings: Settings = SETTINGS) -> tuple[float, str, float]:
    host = crawler.frontier.host("a.org")
    assert host is not None
    look = host_look(host.record, (), Counter({State.QUEUED: 1}), settings, 0.0)
    return look.delay, look.delay_because, look.took


def test_it_is_told_why_the_host_waits(crawler: Crawler) -> None:
    answered(crawler, leased_page(crawler), 5.0)
    assert looked(crawler) == (10.0, "load", 5.0)


def test_a_lease_that_nobody_answered_says_nothing_of_load(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    crawler.frontier.settle(Outcome(lease, crawler.clock.now, failure=Failure(Kind.DNS_FAILED)))
    host = crawler.frontier.host("a.org")
    assert host is not None
    assert host.record.took == 0.0
