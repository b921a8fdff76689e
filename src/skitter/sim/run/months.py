"""Months of a crawl that never ends, in virtual time: the real frontier, without a node around it.

A node looks at the time twenty times a second, which is too often for months. Here whoever plays the node goes from one
moment at which something is due to the next: it resolves, leases, answers from a web that changes, settles. Politeness
is the frontier's own. A kill drops all that was not committed, and the next life opens the same stores.
"""

from __future__ import annotations

import contextlib
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from skitter.frontier.frontier import Frontier
from skitter.frontier.policies import RobotsOutcome
from skitter.messages import Discovered, Errand, Failure, Fetched, Kind, Lease, Outcome, Said, Stored
from skitter.schedule.freshness import Freshness
from skitter.settings import Settings
from skitter.sim.disk import MemoryDisk
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.stores import MemoryStores
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.keys import fingerprint
from skitter.url.routes import Routes

ALLOW_ALL = b"User-agent: *\nAllow: /\n"
TAKES = 0.2
"""Seconds from a request to its answer."""
BEGIN = 1.75e9


class Changing(NamedTuple):
    """A page, and when it changes; each change is another text."""

    href: str
    changes: Sequence[float]

    def version(self, at: float) -> int:
        """Returns how often it has changed by then."""
        return bisect_right(self.changes, at)


Lists = Callable[[str, float], Sequence[Discovered] | None]
"""From a URL and a time to what it leads to; None: it is no list."""


class Asked(NamedTuple):
    """One request."""

    at: float
    href: str
    is_again: bool


class Months:
    """A crawl of a web that changes. `pages` are all that there are from the start."""

    def __init__(self, settings: Settings, pages: Mapping[str, Changing], lists: Lists, seed: int = 0) -> None:
        self.now = BEGIN
        self.asked: list[Asked] = []
        self.copies: dict[str, int] = {}  # the version of each page that we have
        self._settings, self._pages, self._lists = settings, pages, lists
        self._dice = random.Random(seed)  # noqa: S311
        self._loop = SimLoop(seed, until=1e12)
        self.disk = MemoryDisk()
        self._routes = Routes(Domains(), settings.frontier.shards)
        self._life: Life | None = None
        self.lives = 0
        self.frontier = self._opened()

    def close(self) -> None:
        """Ends it."""
        self.frontier.close()
        self._loop.close()

    def seed(self, hrefs: Sequence[str]) -> None:
        """Offers where to begin."""
        for href in hrefs:
            self.frontier.discover([offered(href)])

    def kill(self) -> None:
        """Ends the life of the node where it is, and begins the next."""
        assert self._life is not None
        self._life.leave()
        self.frontier = self._opened()

    def run(self, until: float) -> None:
        """Goes on until then."""
        while self.now < until:
            for name in self.frontier.tick():
                self.frontier.resolved(name)
            lease = self.frontier.lease_nowait()
            if lease is None:
                self.now = min(until, max(self.now + 0.05, self._next_at()))
            else:
                self._carry(lease)

    def truth(self) -> float:
        """Returns the share of copies that are what their pages show."""
        fresh = sum(self._pages[href].version(self.now) == version for href, version in self.copies.items())
        return fresh / max(1, len(self.copies))

    def told(self) -> Freshness:
        """Returns what the crawler says of them."""
        return self.frontier.statistics().freshness

    def _opened(self) -> Frontier:
        self.lives += 1
        self._life = self._loop.begin(f"life {self.lives}", 0)
        stores = MemoryStores(self.disk, self._life)
        shards = range(self._settings.frontier.shards)
        return Frontier(stores, self._routes, self._settings, shards, lambda: self.now, self._dice.random)

    def _next_at(self) -> float:
        times = [shard.next_time() for shard in self.frontier._shards.opened.values()]
        return min([self.frontier.next_at() or float("inf"), *times])

    def _carry(self, lease: Lease) -> None:
        began = self.now
        self.now += TAKES * self._dice.random()
        if lease.errand is Errand.ROBOTS:
            fetched = Fetched(lease, began, self.now, status=200, body=ALLOW_ALL)
            self.frontier.settle(RobotsOutcome(lease, self.now, fetched, self.frontier.judge_robots(lease, fetched)))
            return
        self.asked.append(Asked(began, lease.href, lease.last_fetched is not None))
        self.frontier.settle(self._outcome(lease, began))

    def _outcome(self, lease: Lease, began: float) -> Outcome:
        links = self._lists(lease.href, began)
        page = self._pages.get(lease.href)
        if page is None and links is None:
            return Outcome(lease, self.now, began, 404, Failure(Kind.GONE))
        version = page.version(began) if page is not None else len(self.asked)
        if page is not None:
            self.copies[lease.href] = version
        # A clock on the page: the bytes are others at each visit.
        stored = Stored(f"sha256:{lease.href} {began}", "f", 0, 1)
        said = Said(words=50, simhash=int.from_bytes(sha256(f"{lease.href} {version}".encode()).digest()[:8], "big"))
        sketch = said.simhash.to_bytes(8, "big")[:4]
        return Outcome(
            lease, self.now, began, 200, stored=stored, sketch=sketch, said=said, links=links or (), listed=""
        )


@contextlib.contextmanager
def months(settings: Settings, pages: Mapping[str, Changing], lists: Lists, seed: int = 0) -> Iterator[Months]:
    """Gives a crawl, and ends it."""
    crawl = Months(settings, pages, lists, seed)
    try:
        yield crawl
    finally:
        crawl.close()


def offered(href: str, depth: int = 1, priority: float = 0.5) -> Discovered:
    """Returns a URL as it is offered to its shard."""
    url = Canon()(href)
    assert not isinstance(url, str), href
    return Discovered(url.href, url.host, fingerprint(url.key), depth, priority)


def poisson(dice: random.Random, rate: float, begin: float, end: float) -> list[float]:
    """Returns when something happens that does so at random, at a rate a second."""
    times, at = list[float](), begin + dice.expovariate(rate)
    while at < end:
        times.append(at)
        at += dice.expovariate(rate)
    return times
