"""Pages that were there and are gone: asked for again for a while, given up, trimmed, and found anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs

from skitter.messages import Failure, Kind, Lease, State
from skitter.settings import DAY, HOUR, ScheduleSettings
from skitter.shard import keys
from skitter.shard.records import TRIMMED, TRIMMED_BYTES
from skitter.shard.writer import Shard
from tests.frontier.test_frontier import SETTINGS, Crawler, found

HREF = "http://a.org/page"
URL = found(HREF)
GONE = {"failure": Failure(Kind.GONE), "status": 404, "stored": None}


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True)))
    crawler.frontier.discover([URL])
    yield crawler
    crawler.frontier.close()


def shard_of(crawler: Crawler) -> Shard:
    shards = crawler.frontier._shards
    return shards.of(URL.host)


def state(crawler: Crawler) -> State:
    record = shard_of(crawler).url(URL.fingerprint)
    assert record is not None
    return record.state


def next_page(crawler: Crawler) -> Lease:
    crawler.frontier.committer.commit()
    record = shard_of(crawler).url(URL.fingerprint)
    assert record is not None
    crawler.clock.now = max(crawler.clock.now, record.due or 0.0)
    lease = crawler.next_page()
    assert lease is not None
    return lease


def give_up(crawler: Crawler) -> float:
    """Lets the page be fetched once and be gone ever after; returns when it was given up."""
    crawler.done(next_page(crawler))
    while state(crawler) is not State.DEAD:
        crawler.done(next_page(crawler), **GONE)
        crawler.frontier.committer.commit()
    return crawler.clock.now


def wait(crawler: Crawler, until: float) -> None:
    crawler.clock.now = until
    crawler.tick()
    crawler.frontier.committer.commit()


def counted(crawler: Crawler) -> tuple[Counter[State], Counter[State]]:
    shard = shard_of(crawler)
    return +shard.counts(), +shard.host_counts(URL.host)


def test_a_page_that_was_there_is_asked_for_after_an_hour_a_day_and_a_week(crawler: Crawler) -> None:
    crawler.done(next_page(crawler))
    asked = []
    while state(crawler) is not State.DEAD:
        lease = next_page(crawler)
        asked.append(crawler.clock.now)
        crawler.done(lease, **GONE)
    gaps = [later - earlier for earlier, later in pairwise(asked)]
    assert gaps == pytest.approx([HOUR, DAY, 7 * DAY], abs=5)


def test_one_that_is_back_is_seen_again_as_before(crawler: Crawler) -> None:
    crawler.done(next_page(crawler))
    crawler.done(next_page(crawler), **GONE)
    assert state(crawler) is State.FAILED
    crawler.done(next_page(crawler))
    assert state(crawler) is State.SCHEDULED
    record = shard_of(crawler).url(URL.fingerprint)
    assert record is not None
    assert record.tries == 0


def test_one_that_never_was_there_is_given_up_at_once(crawler: Crawler) -> None:
    crawler.done(next_page(crawler), **GONE)
    assert state(crawler) is State.DEAD


def test_after_a_month_a_fingerprint_is_left_and_the_counts_add_up(crawler: Crawler) -> None:
    at = give_up(crawler)
    wait(crawler, at + 29 * DAY)
    assert shard_of(crawler).url(URL.fingerprint) is not TRIMMED
    wait(crawler, at + 31 * DAY)
    shard = shard_of(crawler)
    assert shard.get(keys.url_key(URL.fingerprint)) == TRIMMED_BYTES
    assert not list(shard.iterate(b"e"))
    assert counted(crawler) == (Counter({State.DEAD: 1}), Counter({State.DEAD: 1}))
    assert shard.trimmed() == 1
    assert crawler.frontier.operator.revive() == 0


@pytest.mark.parametrize("restarts", [False, True])
def test_a_trimmed_url_is_found_anew_by_a_link_once(crawler: Crawler, restarts: bool) -> None:
    wait(crawler, give_up(crawler) + 31 * DAY)
    if restarts:
        crawler.reopen()
    else:
        crawler.frontier._seen.forget(shard_of(crawler).number)  # it was seen long ago
    assert crawler.frontier.discover([URL]) == 1
    assert crawler.frontier.discover([URL]) == 0
    crawler.frontier.committer.commit()
    assert counted(crawler) == (Counter({State.QUEUED: 1}), Counter({State.QUEUED: 1}))
    assert shard_of(crawler).trimmed() == 0
    assert next_page(crawler).href == HREF


def test_a_dead_url_that_is_revived_is_not_trimmed(crawler: Crawler) -> None:
    at = give_up(crawler)
    assert crawler.frontier.operator.revive() == 1
    crawler.frontier.committer.commit()
    assert not list(shard_of(crawler).iterate(b"e"))
    crawler.frontier.operator.pause(URL.host)
    wait(crawler, at + 31 * DAY)
    assert state(crawler) is State.QUEUED
