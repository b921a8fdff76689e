"""The WebSub hub that a host names is kept with it."""

from __future__ import annotations

from pathlib import Path

from tests.frontier.test_frontier import Crawler, found


def test_the_last_hub_that_was_named_is_kept(tmp_path: Path) -> None:
    crawler = Crawler(tmp_path)
    crawler.frontier.discover([found(f"http://a.org/{n}") for n in range(3)])
    for hub in ("https://one.test/", "https://two.test/", ""):
        lease = crawler.next_page()
        assert lease is not None
        crawler.done(lease, hub=hub)
    crawler.reopen()
    record = crawler.frontier._shards.of("a.org").host("a.org")
    assert record is not None
    assert record.hub == "https://two.test/"
    crawler.frontier.close()
