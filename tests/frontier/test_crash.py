"""What a kill between two steps, a page that kills, and a clock that is set leave of the frontier's promises."""

from __future__ import annotations

import asyncio
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skitter.errors import MachineError
from skitter.frontier.decide import NOTHING, Asked, after_robots, slowed_ahead
from skitter.messages import Errand, Failure, Fetched, Kind, Lease, Outcome
from skitter.politeness.delay import Pace
from skitter.settings import DAY
from skitter.shard.records import HostRecord
from skitter.shard.writer import Shard
from tests.frontier.test_frontier import SETTINGS, Crawler, found

YEAR = 365 * DAY


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path / "first")
    yield crawler
    crawler.frontier.close()


def killed(crawler: Crawler) -> Crawler:
    """Returns a crawler that goes on from what is on disk at this moment, as after `kill -9`."""
    copy = crawler.directory.with_name("after")
    shutil.copytree(crawler.directory, copy)
    return Crawler(copy, crawler.settings, crawler.clock)


def leased_page(crawler: Crawler) -> Lease:
    crawler.frontier.discover([found("http://a.org/1"), found("http://a.org/2")])
    lease = crawler.next_page()
    assert lease is not None
    return lease


SLOWING = {
    "429 with an instruction": (Failure(Kind.TOO_MANY_REQUESTS, retry_after=500.0), 500.0),
    "503 with an instruction": (Failure(Kind.UNAVAILABLE, retry_after=77.0), 77.0),
    "429 without one": (Failure(Kind.TOO_MANY_REQUESTS), 10.0),
    "a reset": (Failure(Kind.RESET), 2.0),
}


@pytest.mark.parametrize(("failure", "wait"), SLOWING.values(), ids=SLOWING)
def test_an_answer_that_was_stored_but_not_settled_is_heeded_after_a_kill(
    failure: Failure, wait: float, crawler: Crawler
) -> None:
    lease = leased_page(crawler)
    asked = crawler.clock.now
    crawler.frontier.slow_ahead(lease, asked, failure)
    after = killed(crawler)
    again = after.next_page()
    after.frontier.close()
    assert again is not None
    assert again.href == lease.href, "it was not settled, so it is fetched again"
    assert after.clock.now >= asked + wait


def test_a_crawl_delay_that_was_stored_but_not_settled_is_heeded_after_a_kill(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/1")])
    lease = crawler.lease()
    assert lease is not None
    assert lease.errand is Errand.ROBOTS
    asked, body = crawler.clock.now, b"User-agent: *\nCrawl-delay: 30\n"
    fetched = Fetched(lease, asked, asked, status=200, body=body)
    delay = crawler.frontier.judge_robots(lease, fetched).crawl_delay
    crawler.frontier.slow_ahead(lease, asked, None, Asked("http://a.org", delay))
    after = killed(crawler)
    after.next_page()
    after.frontier.close()
    assert after.requests[0][0] >= asked + 30, "also before it is asked for robots.txt again"


@pytest.mark.parametrize("warns", [False, True], ids=["not noted", "noted"])
def test_what_was_heeded_early_counts_once(warns: bool, crawler: Crawler) -> None:
    lease = leased_page(crawler)
    failure = Failure(Kind.TOO_MANY_REQUESTS)
    if warns:
        crawler.frontier.slow_ahead(lease, crawler.clock.now, failure)
    crawler.frontier.settle(Outcome(lease, crawler.clock.now, began=crawler.clock.now, status=429, failure=failure))
    crawler.frontier.committer.commit()
    host = crawler.frontier.host("a.org")
    assert host is not None
    assert crawler.frontier.delay_of(host) == 2.0


def test_a_robots_txt_that_is_answered_does_not_make_up_for_a_429() -> None:
    host = HostRecord("a.org", 0.0, pace=Pace(backoff=2.0, good=9))
    assert after_robots(host, None, 1e9, 1e9, SETTINGS).pace == host.pace


NOT_SLOWER = {
    "a good answer": (None, NOTHING),
    "a page that is gone": (Failure(Kind.GONE), NOTHING),
    "a server error, which slows nobody by itself": (Failure(Kind.SERVER_ERROR), NOTHING),
    "a Crawl-delay that was known": (None, Asked("http://a.org", 30.0)),
    "a shorter one: it counts when it is settled": (None, Asked("http://a.org", 2.0)),
}


@pytest.mark.parametrize(("failure", "asked"), NOT_SLOWER.values(), ids=NOT_SLOWER)
def test_nothing_is_noted_early_for_an_answer_that_asks_for_nothing(failure: Failure | None, asked: Asked) -> None:
    host = HostRecord("a.org", 0.0, crawl_delays={"http://a.org": 30.0})
    assert slowed_ahead(host, failure, 1e9, 1e9, SETTINGS, asked) is None


def test_a_lease_given_back_after_its_request_keeps_the_delay(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    asked = crawler.clock.now
    crawler.frontier.give_back(lease, asked, began=asked)
    assert crawler.next_page() is not None
    assert crawler.clock.now >= asked + crawler.settings.politeness.delay


def crash_counted(crawler: Crawler, lease: Lease) -> None:
    crawler.reopen()
    assert crawler.frontier.count_crash(lease.shard, lease.fingerprint) is not None


@pytest.mark.slow
def test_a_page_that_kills_the_process_each_time_is_given_up(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/poison")])
    waits = []
    while (lease := crawler.next_page()) is not None:
        died = crawler.clock.now
        crash_counted(crawler, lease)
        due = crawler.frontier.statistics().next_due
        waits.append(None if due is None else round(due - died))
        crawler.clock.now = max(crawler.clock.now, due or 0.0)
    assert waits == [1, 8, 64, 512, None]
    assert crawler.states() == {"dead": 1}
    assert crawler.frontier.operator.revive() == 1
    assert crawler.crawl() == ["http://a.org/poison"]


def test_a_page_that_was_hit_by_a_kill_is_fetched_and_its_tries_are_as_before(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    crash_counted(crawler, lease)
    crawler.clock.now += 2
    pages = [crawler.next_page()]
    assert pages[0] is not None
    crawler.done(pages[0])
    pages.append(crawler.next_page())
    assert {page.href: page.tries for page in pages if page} == {"http://a.org/1": 0, "http://a.org/2": 0}


def test_counting_a_crash_of_what_is_not_queued_changes_nothing(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    held = (lease.shard, lease.fingerprint)
    crawler.done(lease)
    crawler.frontier.committer.commit()
    assert crawler.frontier.count_crash(*held) is None
    assert crawler.frontier.count_crash(held[0], b"0123456789abcdef") is None
    assert crawler.frontier.count_crash(4095, held[1]) is None
    assert crawler.states() == {"done": 1, "queued": 1}


def test_no_url_takes_the_place_of_another_when_the_clock_stood_still(crawler: Crawler) -> None:
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(3))
    crawler.reopen()
    crawler.frontier.discover(found(f"http://a.org/{number}") for number in range(3, 6))
    assert sorted(crawler.crawl()) == [f"http://a.org/{number}" for number in range(6)]


def sleeping(crawler: Crawler) -> None:
    lease = leased_page(crawler)
    failure = Failure(Kind.UNAVAILABLE, retry_after=DAY)
    crawler.frontier.settle(Outcome(lease, crawler.clock.now, began=crawler.clock.now, status=503, failure=failure))


def visited(crawler: Crawler) -> None:
    crawler.done(leased_page(crawler))


AHEAD: dict[str, tuple[Callable[[Crawler], None], float]] = {
    "a host that was visited rests its delay": (visited, 2.1),
    "a host that is asleep sleeps a day at most": (sleeping, DAY + 2.1),
}


@pytest.mark.parametrize(("before", "most"), AHEAD.values(), ids=AHEAD)
def test_a_clock_that_is_set_back_between_two_runs_stalls_nothing(
    before: Callable[[Crawler], None], most: float, crawler: Crawler
) -> None:
    now = crawler.clock.now
    crawler.clock.now += YEAR
    before(crawler)
    crawler.frontier.close()
    crawler.clock.now, crawler.requests = now, []
    crawler.open()
    page = crawler.next_page()
    assert page is not None
    assert crawler.requests[0][2] == "http://a.org/robots.txt", "what was read in another time is read again"
    assert crawler.clock.now - now <= most


def test_only_shards_that_were_written_to_are_brought_to_the_disk(
    crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler.frontier.discover([found("http://a.org/1")])
    crawler.frontier.committer.commit()
    synced: list[int] = []

    async def sync(shard: Shard) -> None:
        synced.append(shard.number)

    monkeypatch.setattr(Shard, "sync", sync)
    asyncio.run(crawler.frontier.committer.sync())
    assert len(synced) == 1
    crawler.frontier.committer.commit()
    asyncio.run(crawler.frontier.committer.sync())
    assert len(synced) == 1


def test_after_a_commit_that_failed_nothing_more_is_kept(crawler: Crawler) -> None:
    crawler.frontier.discover([found("http://a.org/1")])
    crawler.frontier.committer.commit()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    crawler.frontier.discover([found("http://a.org/2")])
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limit[1]))
    try:
        with pytest.raises(MachineError, match="the frontier can't be written"):
            crawler.frontier.committer.commit()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    crawler.frontier.discover([found("http://a.org/3")])
    with pytest.raises(MachineError, match="the frontier can't be written"):
        crawler.frontier.committer.commit()  # though there is room again: its links may be what was lost
    after = killed(crawler)
    assert after.states() == {"queued": 1}
    after.frontier.close()
    with pytest.raises(MachineError):
        crawler.frontier.close()
    crawler.open()
