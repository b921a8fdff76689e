"""Pages that say the same: told within a domain, by the first one or by their own word, and never as a chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.messages import Lease, Reason, State, Url, Verdict
from skitter.parse.shingles import said_of
from skitter.reading.meaning import Reading
from skitter.url.canon import Canon
from tests.frontier.test_frontier import Crawler, found

TEXT = " ".join(f"word{number} is said" for number in range(200))


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path)
    yield crawler
    crawler.frontier.close()


def text(changed: int = 0, of: str = "word") -> str:
    """Returns the text with so many of its 200 sentences changed."""
    return " ".join(f"{'other' if number < changed else of}{number} is said" for number in range(200))


def fetch(crawler: Crawler, href: str, says: str, canonical: str | None = None) -> Verdict:
    crawler.frontier.discover([found(href, depth=0)])
    lease = crawler.next_page()
    assert lease is not None
    assert lease.href == href
    return settle(crawler, lease, says, canonical)


def settle(crawler: Crawler, lease: Lease, says: str, canonical: str | None = None) -> Verdict:
    url = None if canonical is None else Canon()(canonical)
    assert url is None or isinstance(url, Url)
    reading = crawler.frontier.judge(lease, Reading(said=said_of(says), canonical=url))
    crawler.done(lease, said=reading.said, verdict=reading.verdict, canonical=canonical)
    crawler.frontier.committer.commit()
    return reading.verdict


def test_a_page_that_says_the_same_is_told_with_the_one_that_was_first(crawler: Crawler) -> None:
    assert fetch(crawler, "http://a.test/1", text()) == Verdict()
    copy = fetch(crawler, "http://m.a.test/2", text(changed=2))
    assert (copy.duplicate_of, copy.reasons, copy.follow) == ("http://a.test/1", [Reason.NEAR_DUPLICATE], True)
    assert "http://a.test/1" in copy.evidence[Reason.NEAR_DUPLICATE]


def test_another_domain_and_another_text_are_no_copies(crawler: Crawler) -> None:
    fetch(crawler, "http://a.test/1", text())
    assert fetch(crawler, "http://b.test/1", text()).duplicate_of is None
    assert fetch(crawler, "http://a.test/2", text(of="thing")).duplicate_of is None


def test_a_chain_of_small_steps_does_not_lead_away(crawler: Crawler) -> None:
    """Each page is like the one before it, but the copies of the first are compared with the first alone."""
    told = [fetch(crawler, f"http://a.test/{step}", text(changed=step * 6)).duplicate_of for step in range(12)]
    firsts = [step for step, of in enumerate(told) if of is None]
    assert len(firsts) > 2
    assert all(of is None or int(of.rpartition("/")[2]) in firsts for of in told)


def test_the_same_page_again_is_no_copy_of_itself(crawler: Crawler) -> None:
    fetch(crawler, "http://a.test/1", text())
    crawler.frontier.discover([found("http://a.test/2")])
    crawler.reopen()
    lease = crawler.next_page()
    assert lease is not None
    settle(crawler, lease, text(of="thing"))
    assert fetch(crawler, "http://a.test/3", text(of="thing")).duplicate_of == "http://a.test/2"


def test_a_page_that_names_another_one_is_its_copy_if_they_say_the_same(crawler: Crawler) -> None:
    fetch(crawler, "http://a.test/first", text())
    fetch(crawler, "http://a.test/page", text(changed=40))
    assert (
        fetch(crawler, "http://a.test/1", text(changed=38), "http://a.test/page").duplicate_of == "http://a.test/page"
    )
    assert fetch(crawler, "http://a.test/2", text(of="thing"), "http://a.test/page").duplicate_of is None


def test_a_page_that_came_first_is_the_copy_if_it_names_the_other(crawler: Crawler) -> None:
    fetch(crawler, "http://a.test/print", text(), canonical="http://a.test/page")
    assert fetch(crawler, "http://a.test/page", text()).duplicate_of is None
    crawler.frontier.discover([found("http://a.test/print?x=1")])
    shard = crawler.frontier._shards.of("a.test")
    record = shard.url(found("http://a.test/print").fingerprint)
    assert record is not None
    assert (record.duplicate_of, record.state) == ("http://a.test/page", State.DONE)
    assert fetch_next(crawler, text()).duplicate_of == "http://a.test/page"


def fetch_next(crawler: Crawler, says: str) -> Verdict:
    lease = crawler.next_page()
    assert lease is not None
    return settle(crawler, lease, says)
