"""The operator has pages seen again: those that were fetched, once, and what is queued stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.messages import Errand, Failure, Kind
from tests.frontier.test_frontier import Crawler, found

PAGES = [f"http://{host}/{number}" for host in ("a.org", "b.org") for number in range(3)]


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    crawler.frontier.discover(map(found, PAGES))
    assert sorted(crawler.crawl()) == PAGES
    yield crawler
    crawler.frontier.close()


def shards(crawler: Crawler) -> list[int]:
    return sorted({crawler.frontier._shards.of(host).number for host in ("a.org", "b.org")})


def test_all_of_them_once(crawler: Crawler) -> None:
    recrawl = crawler.frontier.operator.recrawl
    assert sum(recrawl(number) for number in shards(crawler)) == 6
    assert sum(recrawl(number) for number in shards(crawler)) == 0, "they are queued already"
    assert crawler.states() == {"queued": 6}
    crawler.reopen()
    assert sorted(crawler.crawl()) == PAGES
    assert crawler.states() == {"done": 6}


def test_those_of_a_host(crawler: Crawler) -> None:
    number = crawler.frontier._shards.of("a.org").number
    assert crawler.frontier.operator.recrawl(number, "a.org") == 3
    assert sorted(crawler.crawl()) == PAGES[:3]


def test_one_url_also_if_it_was_given_up(crawler: Crawler) -> None:
    gone = found("http://a.org/gone")
    crawler.frontier.discover([gone])
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, status=404, failure=Failure(Kind.GONE, "HTTP 404"))
    assert crawler.states() == {"done": 6, "dead": 1}
    number = crawler.frontier._shards.of("a.org").number
    assert crawler.frontier.operator.recrawl(number) + crawler.frontier.operator.recrawl(number, "a.org") in (3, 6)
    crawler.crawl()
    assert crawler.states() == {"done": 6, "dead": 1}, "what was given up is seen again only if it is named"
    assert crawler.frontier.operator.recrawl(number, None, gone.fingerprint) == 1
    assert crawler.crawl() == ["http://a.org/gone"]
    assert crawler.states() == {"done": 7}


def test_what_nobody_found_is_not_there(crawler: Crawler) -> None:
    number = crawler.frontier._shards.of("a.org").number
    assert crawler.frontier.operator.recrawl(number, None, b"0" * 16) == 0
    empty = next(number for number in range(64) if number not in crawler.frontier._shards.opened)
    assert crawler.frontier.operator.recrawl(empty) == 0


def test_it_is_asked_whether_it_has_changed(crawler: Crawler) -> None:
    number = crawler.frontier._shards.of("a.org").number
    for _ in range(2):
        crawler.frontier.operator.recrawl(number, "a.org")
        lease = crawler.next_page()
        assert lease is not None
        assert lease.errand is Errand.PAGE
        assert lease.last_fetched is not None
        crawler.done(lease, etag='"1"')
        crawler.crawl()
