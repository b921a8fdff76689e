"""Claims of sites reach the schedule: from sitemap and header to the next visit."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from skitter.messages import Discovered, Stored
from skitter.schedule.claims import By, Claim
from skitter.settings import DAY, HOUR, FrontierSettings, PolitenessSettings, ScheduleSettings, Settings
from skitter.shard.records import UrlRecord
from skitter.sim.run.months import BEGIN, Changing, months, offered
from tests.frontier.test_frontier import SETTINGS, Crawler, found

AGAIN = structs.replace(SETTINGS, schedule=ScheduleSettings(recrawl=True, check_share=0.0))


def record(crawler: Crawler, one: Discovered) -> UrlRecord:
    crawler.frontier.committer.commit()
    url = crawler.frontier._shards.of(one.host).url(one.fingerprint)
    assert url is not None
    return url


def test_a_claim_is_kept_and_a_sitemap_is_nearer_than_a_header(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, AGAIN)
    plain, listed = found("http://a.org/1"), structs.replace(found("http://a.org/2"), every=7 * DAY)
    crawler.frontier.discover([plain, listed])
    while (lease := crawler.next_page()) is not None:
        crawler.done(lease, fresh_for=HOUR)
    assert record(crawler, plain).claim == Claim(HOUR, By.HEADER)
    assert record(crawler, listed).claim == Claim(7 * DAY, By.SITEMAP)
    crawler.frontier.close()


def test_what_is_said_to_change_weekly_asks_for_more_visits_than_what_is_said_to_hardly_ever(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, AGAIN)
    claimed = [structs.replace(found(f"http://a.org/{n}"), every=every) for n, every in enumerate((7 * DAY, 365 * DAY))]
    crawler.frontier.discover(claimed)
    while (lease := crawler.next_page()) is not None:
        crawler.done(lease)
    weekly, yearly = (record(crawler, one).watch for one in claimed)
    assert weekly is not None
    assert yearly is not None
    assert weekly.demand > 1.2 * yearly.demand
    crawler.frontier.close()


def test_the_votes_of_a_host_are_those_of_its_pages(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path, AGAIN)
    crawler.frontier.discover([structs.replace(found(f"http://a.org/{n}"), every=DAY) for n in range(4)])
    for visit in range(3):
        while (lease := crawler.next_page()) is not None:
            crawler.done(lease, stored=Stored(f"d{visit}", "f", 0, 1))
        crawler.clock.now += 100 * DAY
    host = crawler.frontier._shards.of("a.org").host("a.org")
    assert host is not None
    assert host.place is not None
    assert host.place.votes.pages == pytest.approx(4.0)
    assert len(host.claims) == len(By)
    crawler.frontier.close()


def freshness(claims: dict[str, float]) -> float:
    """Returns how fresh the copies of a host were in its first weeks: half of its pages change daily, half never."""
    times = [BEGIN + n * DAY for n in range(60)]
    pages = {f"http://h.test/{n}": Changing("", times if n % 2 else ()) for n in range(60)}
    settings = Settings(
        frontier=FrontierSettings(shards=1),
        politeness=PolitenessSettings(),
        schedule=ScheduleSettings(recrawl=True, every=3 * DAY, check_share=0.0),
    )
    with months(settings, pages, lambda _href, _at: None) as crawl:
        crawl.frontier.discover([structs.replace(offered(href), every=claims.get(href)) for href in pages])
        truths = []
        for half in range(1, 61):
            crawl.run(BEGIN + half * DAY / 2)
            truths.append(crawl.truth())
    return sum(truths) / len(truths)


@pytest.mark.slow
def test_true_claims_help_and_false_ones_hardly_harm() -> None:
    true = {f"http://h.test/{n}": DAY if n % 2 else 365 * DAY for n in range(60)}
    false = dict.fromkeys(true, DAY)
    plain = freshness({})
    assert freshness(true) > plain
    assert freshness(false) > plain - 0.03
