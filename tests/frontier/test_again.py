"""The crawl that comes back: what a visit, a signal, a restart and a lot leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from skitter.messages import Discovered, Errand, Failure, Kind, Lease, Said, Stored
from skitter.schedule.change import Change
from skitter.settings import DAY, HOUR, ScheduleSettings
from skitter.shard.records import UrlRecord
from tests.frontier.test_frontier import SETTINGS, Crawler, found

RECRAWL = structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True, check_share=0.0))


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, RECRAWL)
    yield crawler
    crawler.frontier.close()


def says(version: int) -> dict[str, Any]:
    """Returns what a page that says this is settled with."""
    return {
        "stored": Stored(f"sha256:{version}", "f", 0, 1),
        "sketch": version.to_bytes(4, "big"),
        "said": Said(words=50, simhash=2**64 - 1 if version % 2 else 0),
    }


def record(crawler: Crawler, url: str) -> UrlRecord:
    one = found(url)
    known = crawler.frontier._shards.of(one.host).url(one.fingerprint)
    assert known is not None
    return known


def market(crawler: Crawler) -> Any:
    return crawler.frontier._market._market


def visit(crawler: Crawler, **facts: Any) -> Lease:
    """Waits for the next page that is due, and settles it."""
    lease = crawler.next_page()
    while lease is None:
        due = crawler.frontier.statistics().next_due
        assert due is not None, "nothing is due, ever"
        crawler.clock.now = max(crawler.clock.now, due) + 1
        lease = crawler.next_page()
    crawler.done(lease, **facts)
    crawler.frontier.committer.commit()
    return lease


def test_a_change_of_the_text_is_one_and_of_the_bytes_is_none(again: Crawler) -> None:
    again.frontier.discover([found("http://a.org/x")])
    told = []
    for number, version in enumerate([1, 1, 2]):
        visit(again, **says(version) | {"stored": Stored(f"sha256:other {number}", "f", 0, 1)})
        told.append(record(again, "http://a.org/x").change)
    assert told == [None, Change.BYTES, Change.REWRITTEN]


def test_no_page_is_counted_twice_or_forgotten_by_a_restart(again: Crawler) -> None:
    again.frontier.discover([found(f"http://{name}.org/{page}") for name in "abc" for page in "xyz"])
    for number in range(30):
        visit(again, **says(number))
    before = market(again)
    assert before.price.pages == 9
    again.reopen()
    for name in "abc":
        again.frontier._shards.of(f"{name}.org")
    after = market(again)
    assert (after.price.pages, after.votes.pages) == (9, pytest.approx(before.votes.pages))
    assert after.price.demand == pytest.approx(before.price.demand)
    assert after.votes.rates == pytest.approx(before.votes.rates)
    states = again.states()
    assert states == {"scheduled": 9}, "and nothing is fetched again before it is due"
    assert again.next_page() is None


def test_a_shard_that_moves_takes_its_pages_along(again: Crawler, tmp_path: Path) -> None:
    again.frontier.discover([found(f"http://{name}.org/x") for name in "abcdefgh"])
    for _ in range(8):
        visit(again, **says(1))
    shard = again.frontier._shards.of("a.org")
    pages, number = shard.share.pages, shard.number
    again.frontier.close_shard(number)
    assert market(again).price.pages == 8 - pages
    again.frontier.add_shard(number)
    assert market(again).price.pages == 8
    assert again.states() == {"scheduled": 8}


def test_a_page_that_is_given_up_asks_for_nothing_any_more(again: Crawler) -> None:
    again.frontier.discover([found("http://a.org/x"), found("http://b.org/y")])
    visit(again, **says(1))
    visit(again, **says(1))
    while market(again).price.pages == 2:
        visit(again, status=404, stored=None, failure=Failure(Kind.GONE))
    gone = [url for url in ("http://a.org/x", "http://b.org/y") if record(again, url).watch is None]
    assert (market(again).price.pages, len(gone)) == (1, 1)


def test_one_pass_keeps_nothing_for_a_second(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, SETTINGS)
    crawler.frontier.discover([found("http://a.org/x")])
    visit(crawler, **says(1))
    one = record(crawler, "http://a.org/x")
    host = crawler.frontier._shards.of("a.org").host("a.org")
    assert host is not None
    assert (one.watch, one.sketch, one.change, host.place, crawler.states()) == (None, b"", None, None, {"done": 1})
    assert crawler.frontier._shards.of("a.org").share.pages == 0
    crawler.frontier.close()


# Lists, and what they say of pages


def listed(url: str, date: float | None) -> Discovered:
    return structs.replace(found(url), last_modified=date)


def sitemap(crawler: Crawler, *entries: Discovered) -> dict[str, Any]:
    number = crawler.led = crawler.led + 1
    return {"links": list(entries), "listed": "urlset", "stored": Stored(f"sha256:map {number}", "f", 0, 1)}


def test_a_newer_date_of_a_known_page_is_noted_and_looked_into(again: Crawler) -> None:
    again.frontier.discover([found("http://a.org/x")])
    visit(again, **says(1))
    page = record(again, "http://a.org/x")
    assert page.due is not None
    again.frontier.discover([structs.replace(found("http://a.org/map.xml"), errand=Errand.SITEMAP)])
    again.clock.now += HOUR
    visit(again, **sitemap(again, listed("http://a.org/x", again.clock.now - 60)))
    after = record(again, "http://a.org/x")
    assert after.due is not None
    assert after.due <= page.due, "whether it is due sooner depends on what came of such dates before"
    assert after.watch is not None
    assert after.watch.signals == 1
    again.frontier.committer.commit()
    again.clock.now = after.due
    while (lease := again.next_page()) is not None and lease.href != "http://a.org/x":
        again.done(lease, **sitemap(again))
    assert lease is not None
    again.done(lease, **says(2))
    again.frontier.committer.commit()
    shard = again.frontier._shards.of("a.org").host("a.org")
    assert shard is not None
    assert shard.place is not None
    assert shard.place.trust.true > 0, "and it was"


def test_a_date_that_is_known_or_of_another_host_says_nothing(again: Crawler) -> None:
    again.frontier.discover([found("http://a.org/x"), found("http://b.org/y")])
    visit(again, **says(1))
    visit(again, **says(1))
    before = [record(again, url) for url in ("http://a.org/x", "http://b.org/y")]
    again.frontier.discover([structs.replace(found("http://a.org/map.xml"), errand=Errand.SITEMAP)])
    old = again.clock.now - DAY
    again.clock.now += HOUR
    entries = [listed("http://a.org/x", old), listed("http://b.org/y", again.clock.now - 5)]
    visit(again, **sitemap(again, *entries))
    assert [record(again, url) for url in ("http://a.org/x", "http://b.org/y")] == before


def test_lists_are_read_again_by_what_they_bring_and_are_no_pages(again: Crawler) -> None:
    again.frontier.operator.pause("b.org")
    again.frontier.discover([found("http://a.org/feed")])
    visit(again, **sitemap(again) | {"listed": "feed"})
    assert record(again, "http://a.org/feed").errand is Errand.FEED
    assert market(again).price.pages == 0
    gaps = []
    for number in range(12):
        before = again.clock.now
        links = [found(f"http://b.org/{number}/{link}") for link in range(4)] if number % 2 else []
        lease = visit(again, **sitemap(again, *links) | {"listed": "feed"})
        assert lease.errand is Errand.FEED
        gaps.append(again.clock.now - before)
    assert gaps[0] == pytest.approx(HOUR, rel=0.01)
    assert gaps[1] > gaps[0], "it had brought nothing"
    brought = record(again, "http://a.org/feed").brought
    assert brought is not None
    assert sum(gaps[-4:]) / 8 == pytest.approx(brought.time / brought.links, rel=0.6), "two links a visit"


def test_a_page_that_leads_to_new_ones_is_visited_for_them(again: Crawler) -> None:
    again.frontier.operator.pause("b.org")
    again.frontier.discover([found("http://a.org/")])
    visit(again, **says(1))
    before = again.clock.now
    for number in range(8):
        before = again.clock.now
        links = [found(f"http://b.org/{number}/{link}") for link in range(20)]
        assert visit(again, **says(number) | {"links": links}).href == "http://a.org/"
    assert again.clock.now - before < 6 * HOUR, "its copy is never fresh, and not worth that"


# How fresh all of it is


def test_a_page_drawn_by_lot_is_visited_and_counted(tmp_path: Path) -> None:
    settings = structs.replace(RECRAWL, schedule=ScheduleSettings(recrawl=True, check_share=0.5))
    crawler = Crawler(tmp_path, settings)
    crawler.frontier.discover([found(f"http://{name}.org/{x}") for name in "abcd" for x in range(10)])
    visited = stale = 0
    for number in range(70):
        lease = crawler.next_page()
        if lease is None:
            break
        is_same = lease.host in ("a.org", "b.org")
        visited += lease.last_fetched is not None
        stale += lease.last_fetched is not None and not is_same
        crawler.done(lease, **says(1 if is_same else number + 1))
    crawler.frontier.committer.commit()
    crawler.clock.now += 61
    measured = crawler.frontier.statistics().freshness.measured
    assert round(measured.visits) == visited > 1, "long before any of them was due"
    assert round(measured.visits - measured.fresh) == stale > 0
    crawler.reopen()
    crawler.frontier._shards.of("a.org")
    assert crawler.frontier.statistics().freshness.measured.visits > 0
    crawler.frontier.close()


def test_the_sample_is_bounded_and_survives(again: Crawler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skitter.frontier.sampling.OF_A_SHARD", 3)
    again.frontier.discover([found(f"http://a.org/{page}") for page in range(20)])
    for _ in range(20):
        visit(again, **says(1))
    shard = again.frontier._shards.of("a.org")
    smallest = sorted(found(f"http://a.org/{page}").fingerprint for page in range(20))[:3]
    assert sorted(shard.sample) == smallest
    sample = dict(shard.sample)
    whole = again.frontier.statistics().freshness.whole
    assert whole.pages == pytest.approx(20), "it stands for all"
    again.reopen()
    assert again.frontier._shards.of("a.org").sample == sample
