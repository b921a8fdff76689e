"""What a frontier says that it has done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs
from xxhash import xxh64_hexdigest

from skitter.frontier.tally import Tallied, Tally
from skitter.messages import Discovered, Errand, Failure, Kind, Said
from skitter.settings import DAY, ScheduleSettings
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
        leases={"robots": 1, "page": 1},
        skipped={"robots_disallow": 7},
        robots={"rules": 1},
        lookups={"request": 1, "memory": 8},
    )


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
    crawler.frontier.expire(lease)
    assert tallied(crawler).expired == 1
    assert tallied(crawler).failures == {"lease_expired": 1}


def test_a_robots_lease_that_outlives_its_end_is_no_failure_of_a_page(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.lease()
    assert lease is not None
    assert lease.errand is Errand.ROBOTS
    crawler.clock.now = lease.ends
    crawler.frontier.expire(lease)
    assert (tallied(crawler).expired, tallied(crawler).failures) == (1, {})


def test_a_page_that_the_process_before_us_died_with(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/x")])
    lease = crawler.next_page()
    assert lease is not None
    crawler.reopen()
    crawler.frontier.discover([])
    assert crawler.frontier._shards.of("a.org").number == lease.shard
    crawler.frontier.count_crash(lease.shard, lease.fingerprint)
    assert tallied(crawler).failures == {"crashed_us": 1}


def test_robots_txt_is_looked_up_in_memory_then_in_the_store_then_asked_for(crawler: Crawler) -> None:
    crawler.robots = b"User-agent: *\nDisallow: /no"
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(3))
    crawler.crawl()
    assert tallied(crawler).lookups == {"request": 1, "memory": 3}
    crawler.reopen()
    crawler.frontier.discover(found(f"http://a.org/more/{number}") for number in range(2))
    crawler.crawl()
    assert tallied(crawler).lookups == {"store": 1, "memory": 1}
    crawler.clock.now += 2 * DAY
    crawler.frontier.discover([found("http://a.org/late")])
    crawler.crawl()
    assert tallied(crawler).lookups == {"store": 1, "memory": 2, "request": 1}, "it was too old"
    assert tallied(crawler).robots == {"rules": 1}


def test_a_trap_counts_once_and_its_urls_each(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://{host}.org/{name}/in?n=0") for host in "ab" for name in ("cal", "list"))
    while (lease := crawler.next_page()) is not None:
        is_maze = lease.host == "a.org"
        crawler.done(
            lease, said=Said(brief="same" if is_maze else lease.href), links=more(lease.href) if is_maze else []
        )
    assert tallied(crawler).traps == {"shape": 2}
    assert tallied(crawler).skipped["trap"] == crawler.states()["skipped"] > 20


def test_a_host_that_is_a_trap_as_a_whole_counts_once(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/a/")])
    while (lease := crawler.next_page()) is not None:
        words = [word(lease.href + str(number)) for number in range(2)]
        crawler.done(
            lease, said=Said(brief="same"), links=[inside(f"http://a.org/{w}/in/{w}", lease.href) for w in words]
        )
    assert tallied(crawler).traps == {"host": 1}
    assert tallied(crawler).skipped["trap"] > 0


def word(text: str) -> str:
    return xxh64_hexdigest(text.encode()).translate(str.maketrans("0123456789", "ghijklmnop"))


def more(href: str) -> list[Discovered]:
    """Returns links from a page of a maze to two more."""
    start, _, number = href.rpartition("=")
    return [inside(f"{start}={int(number) * 2 + step}", href) for step in (1, 2)]


def inside(href: str, parent: str) -> Discovered:
    return structs.replace(found(href), parent=parent)


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


def test_a_back_off_that_is_longer_is_what_is_waited_out(crawler: Crawler) -> None:
    crawler.robots = b"User-agent: *\nCrawl-delay: 7"
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(2))
    lease = crawler.next_page()
    assert lease is not None
    assert tallied(crawler).crawl_delays == 1, "after the robots.txt"
    crawler.done(lease, failure=Failure(Kind.TOO_MANY_REQUESTS), status=429)
    assert tallied(crawler).crawl_delays == 1, "14 s from now on"


def test_a_request_on_behalf_of_another_host_is_paced_too(crawler: Crawler) -> None:
    crawler.robots = b"User-agent: *\nCrawl-delay: 7"
    crawler.frontier.discover([found("http://a.org/x")])
    crawler.crawl()
    before = tallied(crawler).crawl_delays
    crawler.clock.now += 60
    lease = crawler.frontier.reserve("a.org")
    assert not isinstance(lease, float)
    crawler.frontier.release(lease, crawler.clock.now)
    assert tallied(crawler).crawl_delays == before + 1


def test_the_states_of_each_shard_add_up(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://h{number}.org/") for number in range(40))
    lease = crawler.next_page()
    assert lease is not None
    held = crawler.frontier.statistics()
    assert len(held.by_shard) > 1
    assert (held.states["leased"], held.states["queued"]) == (1, 39)
    for state, count in held.states.items():
        assert sum(states[state] for states in held.by_shard.values()) == count


RECRAWL = structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True))


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, RECRAWL)
    yield crawler
    crawler.frontier.close()


def lag(crawler: Crawler) -> float:
    return crawler.frontier.statistics().recrawl_lag


def next_due(crawler: Crawler) -> float:
    crawler.frontier.committer.commit()
    due = crawler.frontier.statistics().next_due
    assert due is not None
    return due


def scheduled(crawler: Crawler, *paths: str) -> None:
    """Fetches pages for the first time; each is to be seen again."""
    for path in paths:
        crawler.frontier.discover([found(f"http://{path}")])
        lease = crawler.next_page()
        assert lease is not None
        crawler.done(lease)
    assert crawler.states() == {"scheduled": len(paths)}


def test_a_recrawl_lags_from_when_it_was_due_until_its_visit(again: Crawler) -> None:
    scheduled(again, "a.org/x")
    due = next_due(again)
    again.clock.now = due - 10
    again.tick()
    assert lag(again) == 0
    again.clock.now = due + 90
    again.tick()
    assert again.states() == {"queued": 1}
    assert lag(again) == pytest.approx(90, abs=0.01), "it waits for its turn"
    again.clock.now = due + 5000
    lease = again.next_page()
    assert lease is not None
    assert lag(again) == pytest.approx(again.clock.now - due, abs=0.01), "it is on its way"
    again.done(lease)
    again.frontier.committer.commit()
    assert lag(again) == 0


def test_the_oldest_recrawl_counts_also_after_a_restart(again: Crawler) -> None:
    scheduled(again, "a.org/x", "b.org/y", "a.org/z")
    due = next_due(again)
    again.clock.now = due + 5000
    again.tick()
    assert lag(again) == pytest.approx(5000, abs=0.01)
    again.reopen()
    again.frontier.discover([found("http://a.org/new"), found("http://b.org/new")])  # opens both stores
    assert lag(again) == pytest.approx(5000, abs=0.01)
    lags = []
    while (lease := again.next_page()) is not None and len(lags) < 5:
        again.done(lease)
        again.frontier.committer.commit()
        lags.append(lag(again))
    assert lags[-1] == 0
    assert lags[0] > 0


def test_a_retry_is_no_recrawl(again: Crawler) -> None:
    again.frontier.discover([found("http://a.org/x")])
    lease = again.next_page()
    assert lease is not None
    again.done(lease, failure=Failure(Kind.SERVER_ERROR), status=500, stored=None)
    again.clock.now = next_due(again) + 90
    assert lag(again) == 0
    again.tick()
    assert (again.states(), lag(again)) == ({"queued": 1}, 0)


def test_a_recrawl_that_failed_was_made(again: Crawler) -> None:
    scheduled(again, "a.org/x")
    again.clock.now = next_due(again) + 90
    lease = again.next_page()
    assert lease is not None
    again.done(lease, failure=Failure(Kind.SERVER_ERROR), status=500, stored=None)
    again.frontier.committer.commit()
    assert lag(again) == 0


def test_a_recrawl_that_robots_txt_forbids_by_now_does_not_lag(again: Crawler) -> None:
    scheduled(again, "a.org/x")
    again.robots = b"User-agent: *\nDisallow: /"
    again.clock.now = next_due(again) + 2 * DAY  # what robots.txt said before has ended by then
    assert again.next_page() is None
    again.frontier.committer.commit()
    assert (again.states(), lag(again)) == ({"skipped": 1}, 0)


def test_the_margin_is_the_least_of_this_minute_and_the_one_before() -> None:
    tally = Tally()
    assert tally.margin is None
    tally.spaced(0.0, 1.0, 5.0)  # its first visit
    assert tally.margin is None
    tally.spaced(3.0, 1.0, 6.0)
    tally.spaced(4.0, 1.0, 5.5)
    assert tally.margin == 0.5
    tally.spaced(10.0, 1.0, 61.0)
    assert tally.margin == 0.5
    tally.spaced(60.0, 1.0, 125.0)
    assert tally.margin == 50.0
    tally.spaced(125.0, 10.0, 130.0)
    assert tally.margin == -5.0
    tally.spaced(130.0, 1.0, 600.0)
    assert tally.margin == 469.0
