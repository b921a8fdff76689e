"""Pages that wait for a browser: settled as they were read, listed best first, queued within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from skitter.frontier import rendering
from skitter.frontier.again import looked_at
from skitter.messages import Errand, Failure, Kind, Lease, Outcome, Rendering, Said, State, Stored
from skitter.schedule.change import Change
from skitter.settings import HOUR, RenderSettings
from skitter.shard.records import RenderNote, UrlRecord
from tests.frontier.test_frontier import SETTINGS, Crawler, found

FAILED = Failure(Kind.BROWSER_FAILED, "it died")


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    crawler = Crawler(tmp_path, structs.replace(SETTINGS, render=RenderSettings(budget=0.5)))
    crawler.frontier.rendering.is_able = lambda: True
    yield crawler
    crawler.frontier.close()


def record(crawler: Crawler, href: str) -> UrlRecord:
    one = found(href)
    known = crawler.frontier._shards.of(one.host).url(one.fingerprint)
    assert known is not None
    return known


def note(crawler: Crawler, href: str) -> RenderNote:
    known = record(crawler, href).render
    assert known is not None
    return known


def settle(crawler: Crawler, **facts: Any) -> Lease:
    lease = crawler.next_page()
    assert lease is not None
    crawler.done(lease, **facts)
    crawler.frontier.committer.commit()
    return lease


def discover(crawler: Crawler, *hrefs: str) -> None:
    crawler.frontier.discover([found(href) for href in hrefs])
    crawler.frontier.committer.commit()


def test_a_page_in_need_is_done_as_it_was_read_and_then_queued_for_a_browser(crawler: Crawler) -> None:
    discover(crawler, "http://a.org/1")
    assert settle(crawler, need="empty").errand is Errand.PAGE
    assert record(crawler, "http://a.org/1").state is State.DONE
    assert note(crawler, "http://a.org/1").waiting
    held = crawler.frontier.statistics()
    assert (held.to_render, held.states["done"]) == (1, 1)
    assert crawler.frontier.has_waiting(), "a crawl does not end before it was rendered"
    lease = settle(crawler, rendering=Rendering("empty", words=100, links=3, cost=0.2))
    assert (lease.errand, lease.etag) == (Errand.RENDER, None)
    seen = note(crawler, "http://a.org/1")
    assert (seen.words, seen.links, seen.is_next, seen.waiting) == (100, 3, True, b"")
    assert record(crawler, "http://a.org/1").state is State.DONE
    assert crawler.frontier.statistics().to_render == 0
    assert crawler.next_page() is None


def test_without_a_browser_it_waits_and_keeps_nobody(crawler: Crawler) -> None:
    crawler.frontier.rendering.is_able = lambda: False
    discover(crawler, "http://a.org/1")
    settle(crawler, need="empty")
    assert crawler.next_page() is None
    assert not crawler.frontier.has_waiting()
    before = crawler.frontier.statistics()
    crawler.clock.now += HOUR
    assert (before.to_render, crawler.frontier.statistics().render_age - before.render_age) == (1, HOUR)


@pytest.mark.parametrize("is_empty", [True, False])
def test_one_that_waits_for_a_browser_says_nothing_for_its_host_and_one_that_has_none_does(
    crawler: Crawler, is_empty: bool
) -> None:
    discover(crawler, "http://a.org/1")
    settle(crawler, need="empty", is_empty=is_empty, said=Said(words=100))
    domain = crawler.frontier._shards.of("a.org").domain("a.org")
    assert domain is not None
    assert domain.good == (0 if is_empty else 1)


def test_the_budget_is_a_share_of_the_pages(crawler: Crawler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "FIRST", 0)
    hrefs = [f"http://h{number}.org/" for number in range(6)]
    discover(crawler, *hrefs)
    errands = [settle(crawler, need="empty").errand for _ in hrefs]
    while (lease := crawler.next_page()) is not None:
        errands.append(lease.errand)
        crawler.done(lease, rendering=Rendering("empty"))
        crawler.frontier.committer.commit()
    assert errands.count(Errand.PAGE) == 6
    # Half of what was fetched, of which renderings are a part: 3 of 6, 4 of 9, 5 of 10, 6 of 12.
    assert 3 <= errands.count(Errand.RENDER) <= 6


def test_a_browser_that_fails_costs_one_try_and_the_page_stays(crawler: Crawler) -> None:
    discover(crawler, "http://a.org/1")
    settle(crawler, need="empty")
    for tries, wait in ((1, HOUR), (2, 8 * HOUR)):
        settle(crawler, rendering=Rendering("empty", failure=FAILED))
        known = record(crawler, "http://a.org/1")
        assert (known.state, known.failure, note(crawler, known.href).tries) == (State.SCHEDULED, None, tries)
        assert known.due == pytest.approx(crawler.clock.now + wait, abs=5)
        crawler.clock.now = known.due + 1 if known.due else 0.0
    settle(crawler, rendering=Rendering("empty", failure=FAILED))
    known = record(crawler, "http://a.org/1")
    assert (known.state, note(crawler, known.href).is_next) == (State.DONE, False)
    host = crawler.frontier.host("a.org")
    assert host is not None
    assert host.record.rendered == {}, "a failure teaches nothing"


def test_a_shape_that_needs_browsers_is_rendered_at_once(crawler: Crawler) -> None:
    discover(crawler, *(f"http://a.org/p{number}" for number in range(3)))
    while (lease := crawler.next_page()) is not None:
        is_rendering = lease.errand is Errand.RENDER
        crawler.done(lease, **({"rendering": Rendering("empty", 50, 2)} if is_rendering else {"need": "empty"}))
        crawler.frontier.committer.commit()
    discover(crawler, "http://a.org/p77", "http://a.org/about")
    errands = {lease.href: lease.errand for lease in (settle(crawler), settle(crawler))}
    assert errands == {"http://a.org/p77": Errand.RENDER, "http://a.org/about": Errand.PAGE}


SHOWN = Rendering("empty", words=100, links=3)


@pytest.mark.parametrize(
    ("facts", "change", "is_kept"),
    [
        ({"rendering": SHOWN, "sketch": b"old"}, Change.NONE, False),
        ({"rendering": SHOWN, "sketch": b"new"}, Change.REWRITTEN, False),  # though the same was sent
        ({"rendering": SHOWN, "sketch": b"old", "digest": "other"}, Change.BYTES, False),
        ({"sketch": b"nothing", "is_empty": True}, Change.NONE, True),  # read without a browser: it tells nothing
        ({"sketch": b"nothing", "is_empty": True, "digest": "other"}, Change.BYTES, True),
        ({"rendering": Rendering("empty", failure=FAILED), "sketch": b"nothing", "is_empty": True}, Change.NONE, True),
    ],
)
def test_a_page_of_browsers_has_changed_if_what_it_says_there_has(
    facts: dict[str, Any], change: Change, is_kept: bool
) -> None:
    lease = Lease("http://a.org/1", "a.org", Errand.RENDER, 0.0)
    stored = Stored(facts.pop("digest", "sent"), "f", 0, 1, False)
    outcome = Outcome(lease, 200.0, 100.0, 200, stored=stored, said=Said(9, 2**63 - 1, b""), **facts)
    url = UrlRecord("http://a.org/1", "a.org", State.DONE, 0.0, 0, 0.5, last_fetched=1.0, digest="sent", sketch=b"old")
    url = structs.replace(url, render=RenderNote("empty", at=1.0))
    told = looked_at(outcome, url)
    assert told["change"] is change
    assert ("sketch" not in told) is is_kept
