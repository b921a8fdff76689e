"""What robots.txt forbade is looked at again when it changes; however much that is, and across a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.frontier import requeue
from skitter.settings import DAY
from tests.frontier.test_frontier import Crawler, found

FORBIDDEN = [f"http://a.org/no/{number}" for number in range(7)]


@pytest.fixture
def crawler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crawler:
    """A crawl that was forbidden some pages of a.org, and looks at two of them at a time."""
    monkeypatch.setattr(requeue, "RECHECKED_AT_A_TIME", 2)
    crawler = Crawler(tmp_path)
    crawler.robots = b"User-agent: *\nDisallow: /no"
    crawler.frontier.discover(found(href) for href in [*FORBIDDEN, "http://a.org/yes"])
    assert crawler.crawl() == ["http://a.org/yes"]
    assert crawler.states() == {"done": 1, "skipped": len(FORBIDDEN)}
    return crawler


def ask_again(crawler: Crawler, robots: bytes) -> None:
    """Lets robots.txt grow old, so that the next page needs it anew."""
    crawler.robots = robots
    crawler.clock.now += 2 * DAY
    crawler.frontier.discover([found("http://a.org/late")])


def test_what_is_allowed_by_now_is_fetched(crawler: Crawler) -> None:
    ask_again(crawler, b"")
    assert sorted(crawler.crawl()) == sorted([*FORBIDDEN, "http://a.org/late"])
    assert crawler.states() == {"done": len(FORBIDDEN) + 2}
    crawler.frontier.close()


def test_what_is_still_forbidden_is_not(crawler: Crawler) -> None:
    ask_again(crawler, b"User-agent: *\nDisallow: /no\nAllow: /no/3")
    assert sorted(crawler.crawl()) == ["http://a.org/late", "http://a.org/no/3"]
    assert crawler.states() == {"done": 3, "skipped": len(FORBIDDEN) - 1}
    ask_again(crawler, b"User-agent: *\nDisallow: /no/5")
    crawler.frontier.discover([found("http://a.org/later")])
    assert sorted(crawler.crawl()) == sorted({*FORBIDDEN, "http://a.org/later"} - {FORBIDDEN[3], FORBIDDEN[5]})
    crawler.frontier.close()


def test_the_look_goes_on_after_a_restart(crawler: Crawler) -> None:
    ask_again(crawler, b"")
    lease = crawler.lease()
    while lease is None:
        crawler.clock.now += 1
        lease = crawler.lease()
    crawler.answer_robots(lease)
    crawler.frontier.committer.commit()
    for _ in range(2):
        crawler.tick()
    assert 0 < crawler.states()["skipped"] < len(FORBIDDEN)
    crawler.reopen()
    assert sorted(crawler.crawl()) == sorted([*FORBIDDEN, "http://a.org/late"])
    crawler.frontier.close()
