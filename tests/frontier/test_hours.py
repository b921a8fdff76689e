"""Hosts are visited at the hours that they are kept for, however late their turn comes."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import structs

from skitter.frontier.decide import host_delay
from skitter.inspection.hosts import host_look
from skitter.inspection.standing import Standing
from skitter.messages import State
from skitter.settings import Settings
from skitter.shard.records import HostRecord
from tests.frontier.test_frontier import SETTINGS, Crawler, found

HOST = "a.de"


def with_hours(*rows: str) -> Settings:
    return structs.replace(SETTINGS, politeness=structs.replace(SETTINGS.politeness, delay=1.0, hours=rows))


def hour(moment: float) -> int:
    return datetime.fromtimestamp(moment, UTC).hour


def pages(crawler: Crawler, many: int) -> list[float]:
    crawler.frontier.discover([found(f"http://{HOST}/{number}") for number in range(many)])
    crawler.crawl()
    return [at for at, host, _ in crawler.requests if host == HOST]


def test_a_host_that_is_shut_is_left_alone_until_it_opens(tmp_path: Path) -> None:
    # It is 22:13 when this begins. No request, not even for robots.txt, is made before noon of the next day.
    crawler = Crawler(tmp_path, with_hours("de 13:00-12:00 UTC never"))
    assert hour(crawler.clock.now) == 22
    asked = pages(crawler, 5)
    assert {hour(at) for at in asked} == {12}
    crawler.frontier.close()


def test_the_crawl_goes_on_with_what_is_left_when_it_opens_again(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, with_hours("de 12:01-12:00 UTC never"))
    asked = pages(crawler, 100)
    assert len([at for at, _, href in crawler.requests if "robots" not in href]) == 100
    assert {(hour(at), datetime.fromtimestamp(at, UTC).minute) for at in asked} == {(12, 0)}
    assert len({int(at // 86400) for at in asked}) >= 2, "a minute a day is not enough for all"
    crawler.frontier.close()


def test_a_slow_hour(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, with_hours("de 20:00-24:00 UTC 7", "org 20:00-24:00 UTC 70"))
    asked = pages(crawler, 5)
    gaps = [later - before for before, later in pairwise(asked)]
    assert all(7 <= gap < 8 for gap in gaps), gaps
    crawler.frontier.close()


def test_a_host_whose_turn_comes_after_it_was_shut_waits(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, with_hours("de 23:00-05:00 UTC never"))
    crawler.frontier.discover([found(f"http://{HOST}/1")])
    crawler.tick()
    crawler.clock.now += 3600  # it was ready at once, and nobody had time for it
    assert crawler.lease() is None
    asked = pages(crawler, 1)
    assert {hour(at) for at in asked} == {5}
    crawler.frontier.close()


def test_hours_that_change_count_at_once(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, with_hours())
    crawler.frontier.discover([found(f"http://{HOST}/1")])
    crawler.tick()
    crawler.frontier.take_settings(with_hours("de 00:00-24:00 UTC never"))
    assert crawler.lease() is None
    crawler.frontier.take_settings(with_hours())
    assert crawler.lease() is not None
    crawler.frontier.close()


def test_what_is_said_of_a_host_at_such_an_hour() -> None:
    now = 1_700_000_000.0  # 22:13
    urls = Counter({State.QUEUED: 3})
    record = HostRecord(HOST, now, requests=1, last_request=now - 1)

    def look(*rows: str) -> tuple[Standing, float, str]:
        found = host_look(record, [], urls, with_hours(*rows), now)
        return found.standing, found.delay, found.delay_because

    assert look() == (Standing.READY, host_delay(record, with_hours()), "default")
    assert look("de 20:00-24:00 UTC 7") == (Standing.READY, 7.0, "hours")
    shut = host_look(record, [], urls, with_hours("de 20:00-24:00 UTC never"), now)
    assert shut.standing is Standing.OFF_HOURS
    assert shut.next_at is not None
    assert hour(shut.next_at) == 0
    assert msgspec.json.encode(shut)
