"""What is leased in each mode, in virtual time: less, and later all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.schedule.modes import BEST, Mode
from tests.frontier.test_frontier import Crawler, found

GOOD, POOR = BEST * 2, BEST / 2


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    yield crawler
    crawler.frontier.close()


def crawled_until(crawler: Crawler, seconds: float) -> list[str]:
    """Returns what is fetched within so many seconds."""
    until, fetched = crawler.clock.now + seconds, []
    while crawler.clock.now < until:
        lease = crawler.lease()
        if lease is None:
            at = crawler.frontier.next_at()
            crawler.clock.now = until if at is None else min(until, max(crawler.clock.now + 0.01, at))
        elif lease.errand == "robots":
            crawler.answer_robots(lease)
        else:
            fetched.append(lease.href)
            crawler.done(lease)
    return fetched


def offered(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/good", GOOD), found("http://a.org/poor", POOR)])
    crawler.frontier.discover([found("http://b.org/poor", POOR)])


def test_gently_has_the_best_pages_only_and_the_others_later(crawler: Crawler) -> None:
    offered(crawler)
    crawler.frontier.take_mode(Mode.GENTLY)
    assert crawled_until(crawler, 300) == ["http://a.org/good"]
    assert crawler.states() == {"done": 1, "queued": 2}
    crawler.frontier.take_mode(Mode.AS_SET)
    assert sorted(crawled_until(crawler, 300)) == ["http://a.org/poor", "http://b.org/poor"]


def test_known_pages_are_seen_again_and_nothing_new_is(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/known", GOOD)])
    assert crawled_until(crawler, 60) == ["http://a.org/known"]
    crawler.frontier.take_mode(Mode.KNOWN_PAGES)
    offered(crawler)
    for number in range(4):
        crawler.frontier.operator.recrawl(number)
    assert crawled_until(crawler, 300) == ["http://a.org/known"]
    assert crawler.states() == {"done": 1, "queued": 3}, "what was found is kept"
    crawler.frontier.take_mode(Mode.AS_SET)
    assert len(crawled_until(crawler, 300)) == 3


def test_hosts_that_are_held_back_cost_next_to_nothing(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://h{number}.org/poor", POOR) for number in range(20))
    crawler.frontier.take_mode(Mode.GENTLY)
    turns, until = 0, crawler.clock.now + 100
    while crawler.clock.now < until:
        assert crawler.lease() is None
        at = crawler.frontier.next_at()
        crawler.clock.now = until if at is None else max(crawler.clock.now + 0.01, at)
        turns += 1
    assert turns <= 20 * 15, "each is looked at every ten seconds"
