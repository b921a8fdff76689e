"""What a frontier says that it has done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.frontier.tally import Tallied
from skitter.messages import Failure, Kind, Reason
from skitter.settings import ScheduleSettings
from tests.frontier.test_frontier import SETTINGS, Crawler, found


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    yield crawler
    crawler.frontier.close()


def tallied(crawler: Crawler) -> Tallied:
    return crawler.frontier.statistics().tallied


def test_leases_and_what_robots_txt_forbids(crawler: Crawler) -> None:
    crawler.robots = b"User-agent: *\nDisallow: /no"
    crawler.frontier.discover([*(found(f"http://a.org/no/{n}") for n in range(7)), found("http://a.org/yes")])
    crawler.crawl()
    assert tallied(crawler) == Tallied(
        leases={"robots": 1, "page": 1}, skipped={"robots_disallow": 7}, robots={"rules": 1}
    )


def test_a_page_that_is_skipped_after_all(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, reason=Reason.TRAP)
    assert tallied(crawler).skipped == {"trap": 1}


@pytest.mark.parametrize(("status", "result"), [(200, "rules"), (404, "allow_all"), (500, "failed"), (429, "failed")])
def test_what_robots_txt_came_to(crawler: Crawler, status: int, result: str) -> None:
    crawler.status = status
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.lease()
    assert lease is not None
    crawler.answer_robots(lease)
    assert tallied(crawler).robots == {result: 1}


def test_a_lease_that_outlives_its_end(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    assert tallied(crawler).expired == 0
    crawler.clock.now = lease.ends
    crawler.tick()
    assert tallied(crawler).expired == 1


@pytest.mark.parametrize(
    ("robots", "agreed", "applied"),
    [
        (b"User-agent: *\nCrawl-delay: 7", None, 4),
        (b"User-agent: *\nCrawl-delay: 0.5", None, 0),
        (b"User-agent: *\nDisallow:", None, 0),
        (b"User-agent: *\nCrawl-delay: 7", 3.0, 0),
    ],
    ids=["longer than ours", "shorter than ours", "none", "agreed otherwise"],
)
def test_requests_paced_by_a_crawl_delay(crawler: Crawler, robots: bytes, agreed: float | None, applied: int) -> None:
    crawler.robots = robots
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(3))
    if agreed is not None:
        crawler.frontier.operator.agree("a.org", agreed)
    assert len(crawler.crawl()) == 3
    assert tallied(crawler).crawl_delays == applied


def test_the_states_of_each_shard_add_up(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://h{number}.org/") for number in range(40))
    lease = crawler.next_page()
    assert lease is not None
    held = crawler.frontier.statistics()
    assert len(held.by_shard) == held.shards > 1
    assert (held.states["leased"], held.states["queued"]) == (1, 39)
    for state, count in held.states.items():
        assert sum(states[state] for states in held.by_shard.values()) == count


def test_how_long_the_earliest_is_overdue(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True)))
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    assert crawler.frontier.statistics().overdue == 0
    crawler.done(lease, failure=Failure(Kind.SERVER_ERROR), status=500, stored=None)
    crawler.frontier.commit()
    due = crawler.frontier.statistics().next_due
    assert due is not None
    crawler.clock.now = due - 10
    assert crawler.frontier.statistics().overdue == 0
    crawler.clock.now = due + 90
    assert crawler.frontier.statistics().overdue == pytest.approx(90)
    crawler.tick()
    assert crawler.frontier.statistics().overdue == 0
    crawler.frontier.close()
