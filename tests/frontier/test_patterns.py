"""Patterns that change while a crawl runs reach what is queued, and what they denied can come back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.messages import Reason
from skitter.settings import DAY, ScheduleSettings, ScopeSettings
from tests.frontier.test_frontier import SETTINGS, Crawler, found

PAGES = [f"http://{host}.org/{place}" for host in ("a", "b", "c") for place in ("x/1", "x/2", "y/1")]
DENYING = structs.replace(SETTINGS, scope=ScopeSettings(deny=("/x/",)))


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    crawler.frontier.discover(map(found, PAGES))
    crawler.tick()
    yield crawler
    crawler.frontier.close()


def test_what_is_denied_is_put_aside_when_its_turn_comes(crawler: Crawler) -> None:
    crawler.frontier.take_settings(DENYING)
    assert sorted(crawler.crawl()) == [page for page in PAGES if "/y/" in page]
    assert crawler.states() == {"done": 3, "skipped": 6}
    assert crawler.frontier.statistics().tallied.skipped == {Reason.DENIED_BY_PATTERN: 6}


def test_what_is_not_allowed_any_more_is_put_aside(crawler: Crawler) -> None:
    crawler.frontier.take_settings(structs.replace(SETTINGS, scope=ScopeSettings(allow=("/y/",))))
    assert sorted(crawler.crawl()) == [page for page in PAGES if "/y/" in page]
    assert crawler.frontier.statistics().tallied.skipped == {Reason.OUT_OF_SCOPE: 6}


def test_what_is_denied_no_more_is_queued_again(crawler: Crawler) -> None:
    crawler.frontier.take_settings(DENYING)
    crawler.crawl()
    crawler.frontier.take_settings(structs.replace(SETTINGS, scope=ScopeSettings(deny=("/x/2",))))
    fetched = list[str]()
    for _ in range(5):
        fetched += crawler.crawl()
    assert sorted(fetched) == [page for page in PAGES if "/x/1" in page]
    assert crawler.states() == {"done": 6, "skipped": 3}


def test_a_seed_is_fetched_all_the_same(crawler: Crawler) -> None:
    crawler.frontier.take_settings(DENYING)
    crawler.frontier.discover([found("http://d.org/x/", depth=0)])
    assert "http://d.org/x/" in crawler.crawl()


def test_what_was_fetched_before_is_not_seen_again(tmp_path: Path) -> None:
    again = structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True, check_share=0.0))
    crawler = Crawler(tmp_path, again)
    crawler.frontier.discover(map(found, PAGES))
    crawler.crawl()
    crawler.frontier.take_settings(structs.replace(again, scope=DENYING.scope))
    crawler.clock.now += 200 * DAY
    fetched = list[str]()
    while (lease := crawler.next_page()) is not None:
        crawler.done(lease)
        fetched.append(lease.href)
    assert sorted(fetched) == [page for page in PAGES if "/y/" in page]
    crawler.frontier.close()
