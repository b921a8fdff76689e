"""What hosts are worth by the nightly look: in their records, their quotas and the order in which they come in."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from skitter.ports import HostRank
from skitter.schedule.priority import front_class
from skitter.shard import keys
from skitter.shard.records import HostRecord
from tests.frontier.test_frontier import SETTINGS, Crawler, found

GOOD, POOR = "good.org", "poor.org"
PAGES = 4


def crawler_at_work(directory: Path, daily_quota: int = 1000) -> Crawler:
    """Returns a crawl of two hosts, each of which was visited once."""
    frontier = structs.replace(SETTINGS.frontier, daily_quota=daily_quota)
    crawler = Crawler(directory, structs.replace(SETTINGS, frontier=frontier))
    for name in (GOOD, POOR):
        crawler.frontier.operator.rank([(name, 0.9)])
        crawler.frontier.discover(found(f"http://{name}/{page}", priority=0.5) for page in range(PAGES))
    for _ in range(2):
        lease = crawler.next_page()
        assert lease is not None
        crawler.done(lease)
    return crawler


def ranked(crawler: Crawler) -> None:
    crawler.frontier.operator.rank((), [HostRank(GOOD, 0.9), HostRank(POOR, 0.01), HostRank("never.org", 0.5)])
    crawler.frontier.committer.commit()


def record(crawler: Crawler, name: str) -> HostRecord | None:
    return crawler.frontier._shards.of(name).host(name)


def test_it_reaches_the_records_of_hosts_that_were_visited(tmp_path: Path) -> None:
    crawler = crawler_at_work(tmp_path)
    ranked(crawler)
    in_memory, on_disk = crawler.frontier.host(POOR), record(crawler, POOR)
    assert in_memory is not None
    assert on_disk is not None
    assert in_memory.record.worth == on_disk.worth == 0.01
    assert record(crawler, "never.org") is None, "a record would say that it was visited"
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease)
    crawler.reopen()
    crawler.frontier.operator.rank((), [HostRank(POOR, 0.02)])
    crawler.reopen()
    again = record(crawler, POOR)
    assert again is not None
    assert again.worth == 0.02, "also while it is not in memory"


def test_a_poor_host_has_a_smaller_part_of_the_daily_quota(tmp_path: Path) -> None:
    crawler = crawler_at_work(tmp_path, daily_quota=300)
    ranked(crawler)
    good, poor = crawler.frontier.host(GOOD), crawler.frontier.host(POOR)
    assert good is not None
    assert poor is not None
    assert (crawler.frontier.quota_of(good), crawler.frontier.quota_of(poor)) == (270, 6)
    first_day = int(crawler.clock.now // 86400)
    crawler.frontier.discover(found(f"http://{POOR}/more/{page}") for page in range(20))
    crawler.crawl()
    assert sum(at // 86400 == first_day and host == POOR for at, host, _ in crawler.requests) == 6


def test_a_host_that_waits_is_passed_over_once_it_is_worth_less(tmp_path: Path) -> None:
    crawler = crawler_at_work(tmp_path)
    ranked(crawler)
    crawler.reopen()  # now both wait as good as they were when they came
    crawler.tick()
    assert crawler.frontier.host(GOOD) is not None
    assert crawler.frontier.host(POOR) is None
    shard = crawler.frontier._shards.of(POOR)
    crawler.frontier.committer.commit()
    waiting = [keys.rank_and_host(key) for key, _ in shard.iterate(keys.hosts_prefix(POOR))]
    assert waiting == [(front_class(0.5 * 0.01), POOR)]
    assert len(crawler.crawl()) == 2 * PAGES - 2, "and nothing of it is lost"


def test_without_a_look_no_host_is_passed_over(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path)
    crawler.frontier.discover(found(f"http://{name}/", priority=0.5) for name in (GOOD, POOR))
    crawler.tick()
    assert all(crawler.frontier.host(name) is not None for name in (GOOD, POOR))
