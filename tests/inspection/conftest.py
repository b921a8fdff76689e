"""A crawl's folder made by the frontier itself, without a web."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from skitter.config.load import load
from skitter.folder.routesfile import read_routes
from skitter.frontier.frontier import Frontier
from skitter.frontier.policies import RobotsOutcome
from skitter.inspection.folder import Folder
from skitter.messages import Discovered, Errand, Failure, Fetched, Lease, Outcome, State, Stored, Url
from skitter.settings import Settings
from skitter.supervisor import begin as crawl
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from tests.frontiers import opened_frontier

BEGAN = 1_800_000_000.0
ROBOTS = b"User-agent: *\nDisallow: /private\nCrawl-delay: 3\nSitemap: http://a.org/map.xml\n"


class Crawler(NamedTuple):
    """A frontier with a clock in hand, and what a node does with it."""

    directory: Path
    settings: Settings
    frontier: Frontier
    clock: list[float]

    def find(self, text: str, parent: str | None = None, depth: int = 0, errand: Errand = Errand.PAGE) -> None:
        url = Canon(self.settings.url)(text)
        assert isinstance(url, Url)
        self.frontier.discover([Discovered(url.href, url.host, fingerprint(url.key), depth, 0.5, parent, errand)])
        self.frontier.committer.commit()

    def lease(self) -> Lease:
        for _ in range(1000):
            for name in self.frontier.tick():
                self.frontier.resolved(name)
            if (lease := self.frontier.lease_nowait()) is not None:
                return lease
            self.clock[0] += 1.0
        raise AssertionError("nothing can be leased")

    def answer_robots(self, status: int = 200, body: bytes = ROBOTS) -> None:
        lease = self.lease()
        assert lease.errand is Errand.ROBOTS
        now = self.clock[0]
        fetched = Fetched(lease, now, now, address="127.0.0.1", status=status, body=body)
        self.frontier.settle(RobotsOutcome(lease, now, fetched, self.frontier.judge_robots(lease, fetched)))
        self.frontier.committer.commit()

    def again(self, text: str) -> None:
        """Queues a page that is done once more, as a re-crawl does."""
        url = Canon(self.settings.url)(text)
        assert isinstance(url, Url)
        shard, mark = self.frontier._shards.of(url.host), fingerprint(url.key)
        before = shard.url(mark)
        assert before is not None
        shard.change_url(mark, before, structs.replace(before, state=State.SCHEDULED, due=self.clock[0]))
        self.frontier.committer.commit()

    def answer(
        self,
        status: int = 200,
        failure: Failure | None = None,
        stored: Stored = Stored("sha256:abc", "one.warc.gz", 77, 10),  # noqa: B008 (it is frozen)
    ) -> str:
        lease = self.lease()
        assert lease.errand is not Errand.ROBOTS
        now = self.clock[0]
        self.frontier.settle(Outcome(lease, now, began=now, status=status, failure=failure, stored=stored))
        self.frontier.committer.commit()
        return lease.href

    def now(self) -> float:
        return self.clock[0]


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    """A crawl of a.org that has just begun; its writer stays open, as while a crawl runs."""
    settings = load(flags={"identity.contact": "me@a.org", "frontier.shards": 8}).settings
    clock = [BEGAN]
    crawl.begin(tmp_path, ["http://a.org/"], settings, BEGAN)
    frontier = opened_frontier(
        tmp_path, settings, range(8), lambda: clock[0], lambda: 0.5, routes=read_routes(tmp_path)
    )
    made = Crawler(tmp_path, settings, frontier, clock)
    made.find("http://a.org/")
    yield made
    frontier.close()


@pytest.fixture
def folder(crawler: Crawler) -> Iterator[Callable[[], Folder]]:
    """Opens the folder anew, as each command does."""
    opened: list[Folder] = []

    def open_folder() -> Folder:
        opened.append(Folder(crawler.directory))
        return opened[-1]

    yield open_folder
    for one in opened:
        with one:
            pass
