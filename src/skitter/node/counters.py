"""What a node has done since its start, as plain numbers."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from skitter.messages import Errand, Fetched
from skitter.node.reading import Reading


class Counted(Struct, frozen=True):
    """The counters at one moment."""

    pages: int
    received: int  # bytes, as they came over the wire
    requests: int
    robots: int
    sitemaps: int
    links: int  # offered
    new: int  # of them, never seen before
    statuses: dict[int, int]
    failures: dict[str, int]
    fetch_seconds: float


class Counters:
    """Counts what is carried."""

    def __init__(self) -> None:
        self.pages = self.received = self.requests = self.robots = self.sitemaps = self.links = self.new = 0
        self.fetch_seconds = 0.0
        self.statuses: Counter[int] = Counter()
        self.failures: Counter[str] = Counter()

    def carried(self, fetched: Fetched, reading: Reading, new: int) -> None:
        """Counts a page or sitemap."""
        self._requested(fetched)
        if fetched.status and fetched.lease.errand is Errand.PAGE:
            self.pages += 1
        if fetched.lease.errand is Errand.SITEMAP:
            self.sitemaps += 1
        if reading.failure is not None:
            self.failures[reading.failure.kind.value] += 1
        self.links += len(reading.found)
        self.new += new

    def asked_robots(self, fetched: Fetched) -> None:
        """Counts a request for robots.txt."""
        self._requested(fetched)
        self.robots += 1

    def _requested(self, fetched: Fetched) -> None:
        if fetched.address is None:
            return
        self.requests += 1
        self.received += len(fetched.response_head) + len(fetched.payload)
        self.fetch_seconds += fetched.ended - fetched.began
        if fetched.status:
            self.statuses[fetched.status] += 1

    def counted(self) -> Counted:
        """Returns the numbers so far."""
        return Counted(
            self.pages,
            self.received,
            self.requests,
            self.robots,
            self.sitemaps,
            self.links,
            self.new,
            dict(self.statuses),
            dict(self.failures),
            self.fetch_seconds,
        )
