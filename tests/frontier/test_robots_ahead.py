"""robots.txt is asked for ahead of its end, and only whether it has changed: pages do not wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.frontier.policies import RobotsOutcome
from skitter.messages import Errand, Failure, Fetched, Kind, Lease
from skitter.robots.answer import AHEAD
from skitter.settings import DAY, HOUR
from tests.frontier.test_frontier import SETTINGS, Crawler, found

RULES = b"User-agent: *\nDisallow: /private\n"
TAGGED = (("ETag", '"v1"'), ("Last-Modified", "Mon, 16 Nov 2026 10:00:00 GMT"))
RIPE = DAY * (1 - AHEAD)


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    crawler.frontier.discover([found(f"http://a.org/{number}") for number in range(200)])
    yield crawler
    crawler.frontier.close()


def answer(crawler: Crawler, lease: Lease, status: int = 200, **facts: object) -> None:
    assert lease.errand is Errand.ROBOTS
    now = crawler.clock.now
    said = {"headers": TAGGED, "body": RULES, **facts} if status == 200 else facts
    fetched = Fetched(lease, now, now, address="127.0.0.1", status=status, **said)  # type: ignore[arg-type]
    outcome = RobotsOutcome(lease, now, fetched, crawler.frontier.judge_robots(lease, fetched))
    crawler.frontier.settle(outcome)
    crawler.frontier.committer.commit()


def next_lease(crawler: Crawler) -> Lease:
    for _ in range(100):
        if (lease := crawler.lease()) is not None:
            return lease
        crawler.clock.now += 1.0
    raise AssertionError("nothing can be leased")


def read_first(crawler: Crawler, **facts: object) -> float:
    """Returns when robots.txt was read for the first time; a page is fetched after it."""
    first = next_lease(crawler)
    assert (first.etag, first.last_modified) == (None, None)
    answer(crawler, first, **facts)
    at = crawler.clock.now
    crawler.done(next_lease(crawler))
    crawler.frontier.committer.commit()
    return at


def test_it_is_asked_for_ahead_of_its_end_and_pages_follow(crawler: Crawler) -> None:
    read = read_first(crawler)
    crawler.clock.now = read + RIPE - 60
    page = next_lease(crawler)
    assert page.errand is Errand.PAGE
    crawler.done(page)
    crawler.clock.now = read + RIPE + 1
    again = next_lease(crawler)
    assert (again.errand, again.etag, again.last_modified) == (Errand.ROBOTS, *(value for _, value in TAGGED))
    answer(crawler, again, 304)
    crawler.clock.now = read + DAY + HOUR
    assert next_lease(crawler).errand is Errand.PAGE, "a 304 renews it"


def test_the_rules_of_before_hold_after_a_304_and_a_restart(crawler: Crawler) -> None:
    read = read_first(crawler)
    crawler.frontier.discover([found("http://a.org/private/x", priority=0.99)])
    crawler.clock.now = read + RIPE + 1
    answer(crawler, next_lease(crawler), 304)
    crawler.reopen()
    crawler.clock.now += 10
    page = next_lease(crawler)
    assert (page.errand, "private" in page.href) == (Errand.PAGE, False)
    crawler.done(page)
    crawler.clock.now += RIPE
    assert next_lease(crawler).etag == '"v1"', "it is asked with the same ETag again"


def test_a_failure_ahead_of_the_end_stops_no_page(crawler: Crawler) -> None:
    read = read_first(crawler)
    crawler.clock.now = read + RIPE + 1
    again = next_lease(crawler)
    answer(crawler, again, 503, failure=Failure(Kind.UNAVAILABLE, "HTTP 503"))
    crawler.clock.now = read + RIPE + 200
    assert next_lease(crawler).errand is Errand.PAGE, "the last rules hold until a day after they were read"


def test_never_are_rules_used_a_day_after_they_were_read(crawler: Crawler) -> None:
    read = read_first(crawler)
    crawler.clock.now = read + RIPE + 1
    while crawler.clock.now < read + DAY + 2 * HOUR:
        lease = crawler.lease()
        if lease is None:
            crawler.clock.now += 30
        elif lease.errand is Errand.ROBOTS:
            answer(crawler, lease, 503, failure=Failure(Kind.UNAVAILABLE, "HTTP 503"))
        else:
            assert crawler.clock.now < read + DAY
            crawler.done(lease)


def test_what_a_redirect_led_to_is_not_asked_for_by_its_mark(crawler: Crawler) -> None:
    first = next_lease(crawler)
    led = structs.replace(first, href="http://b.org/robots.txt", chain=(first.href,))
    now = crawler.clock.now
    fetched = Fetched(led, now, now, address="127.0.0.1", status=200, headers=TAGGED, body=RULES)
    crawler.frontier.settle(RobotsOutcome(first, now, fetched, crawler.frontier.judge_robots(first, fetched)))
    crawler.frontier.committer.commit()
    crawler.clock.now += RIPE + 1
    again = next_lease(crawler)
    assert (again.errand, again.etag, again.last_modified) == (Errand.ROBOTS, None, None)


def test_rules_that_were_cut_are_asked_for_whole(crawler: Crawler) -> None:
    read = read_first(crawler, truncated="length")
    crawler.clock.now = read + RIPE + 1
    again = next_lease(crawler)
    assert (again.errand, again.etag) == (Errand.ROBOTS, None)


def test_a_host_with_a_long_delay_is_asked_for_pages_too(tmp_path: Path) -> None:
    slow = structs.replace(SETTINGS, politeness=structs.replace(SETTINGS.politeness, delay=HOUR))
    crawler = Crawler(tmp_path, slow)
    crawler.frontier.discover([found(f"http://a.org/{number}") for number in range(20)])
    errands = []
    for _ in range(8):
        while (lease := crawler.lease()) is None:
            crawler.clock.now += 60
        errands.append(lease.errand)
        if lease.errand is Errand.ROBOTS:
            answer(crawler, lease, headers=(("Cache-Control", "max-age=4000"),))
        else:
            crawler.done(lease)
    assert errands == [Errand.ROBOTS, Errand.PAGE] * 4
    crawler.frontier.close()
