"""What looks at every URL of a shard is done slice by slice: pages are carried meanwhile, a kill repeats nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.folder.inbox import FolderInbox, post
from skitter.frontier.operator import SLICE
from skitter.messages import Discovered, Failure, Kind
from skitter.node.instructions import Instructions
from skitter.ports import Recrawl, Revive
from skitter.settings import FrontierSettings, PolitenessSettings
from tests.frontier.test_frontier import SETTINGS, Crawler, found

MANY = 2 * SLICE + 200


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    settings = structs.replace(
        SETTINGS, frontier=FrontierSettings(shards=1), politeness=PolitenessSettings(delay=0.0, max_tries=1)
    )
    crawler = Crawler(tmp_path, settings)
    yield crawler
    crawler.frontier.close()


def fetched(crawler: Crawler, most: int = MANY, **facts: object) -> list[str]:
    hrefs = list[str]()
    while len(hrefs) < most and (lease := crawler.next_page()) is not None:
        crawler.done(lease, **facts)
        hrefs.append(lease.href)
    return hrefs


def known(crawler: Crawler, **facts: object) -> None:
    urls: list[Discovered] = [found(f"http://h{n % 40}.org/{n}") for n in range(MANY)]
    crawler.frontier.discover(urls)
    assert len(fetched(crawler, **facts)) == MANY
    crawler.clock.now += 10


def instructions(crawler: Crawler, tmp_path: Path) -> Instructions:
    return Instructions(FolderInbox(tmp_path), crawler.frontier, lambda _: None)


@pytest.mark.slow
def test_a_recrawl_of_all_goes_on_while_pages_are_fetched(crawler: Crawler, tmp_path: Path) -> None:
    known(crawler)
    post(tmp_path, 0, Recrawl(0, at=crawler.clock.now))
    crawler.clock.now += 1
    todo = instructions(crawler, tmp_path)
    todo.carry_out([0])
    assert todo.is_busy
    assert crawler.states() == {"queued": SLICE, "done": MANY - SLICE}
    first = fetched(crawler, 100)
    assert len(first) == 100
    todo.carry_out([0])
    crawler.reopen()  # killed: the instruction is in the inbox still, and is begun anew
    todo = instructions(crawler, tmp_path)
    todo.carry_out([0])
    while todo.is_busy:
        todo.carry_out([0])
    rest = fetched(crawler)
    assert sorted(first + rest) == sorted(f"http://h{n % 40}.org/{n}" for n in range(MANY)), "each once"
    assert list(FolderInbox(tmp_path).pending([0])) == []


@pytest.mark.slow
def test_dead_urls_are_tried_again_once(crawler: Crawler, tmp_path: Path) -> None:
    gone = {"status": 404, "failure": Failure(Kind.GONE, "HTTP 404")}
    known(crawler, **gone)
    post(tmp_path, 0, Revive(0, at=crawler.clock.now))
    crawler.clock.now += 1
    tried = list[str]()
    for _ in range(3):  # killed after each slice
        todo = instructions(crawler, tmp_path)
        todo.carry_out([0])
        assert todo.is_busy
        tried += fetched(crawler, **gone)
        crawler.reopen()
    todo = instructions(crawler, tmp_path)
    todo.carry_out([0])
    while todo.is_busy:
        todo.carry_out([0])
    tried += fetched(crawler, **gone)
    assert len(tried) == len(set(tried)) == MANY


def test_one_shard_that_has_left_is_forgotten(crawler: Crawler, tmp_path: Path) -> None:
    post(tmp_path, 0, Recrawl(0))
    todo = instructions(crawler, tmp_path)
    crawler.frontier.discover([found("http://a.org/")])
    todo.carry_out([])
    assert not todo.is_busy
