"""A web of plays as a simulated node sees it: the twins of `ports.Resolver` and `ports.Fetcher` that answer from them.

Of each request a line is noted, and of each capture what was told of it: a crawl of a million pages fits into memory.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

from skitter.clock import Clock
from skitter.fetch.request import request_head, target_of
from skitter.messages import Failure, Fetched, Kind, Lease
from skitter.ports import Capture, Resolution, Resolved, ResolverStatistics
from skitter.sim.archive import Kept, MemoryShelf
from skitter.sim.life import Life
from skitter.sim.web import AGENT
from skitter.simweb.answer import Ask
from skitter.simweb.play import Play

TAKES = 0.05
GOOD_FOR = 86400.0

Find = Callable[[str], Play | None]
"""From a name to the host that answers to it."""


class Asked(Struct, frozen=True, gc=False):
    """One request, as the servers saw it."""

    at: float  # virtual time
    url: str
    errand: str


class Told(Struct, frozen=True, gc=False):
    """What the archive was told of one capture."""

    url: str
    errand: str
    status: int
    reasons: tuple[str, ...] = ()
    duplicate_of: str | None = None


class PlayedNames:
    """The names of a web of plays, each with an address of its own, see `ports.Resolver`."""

    def __init__(self, find: Find, clock: Clock) -> None:
        self._find = find
        self._clock = clock
        self._asked = 0

    def resolve_nowait(self, name: str) -> Resolution:
        """Returns the address of `name`: nobody has to wait for it."""
        self._asked += 1
        if self._find(name) is None:
            return Failure(Kind.DNS_UNKNOWN, f"nobody is called {name}")
        mark = zlib.crc32(name.encode())
        return Resolved((f"11.{mark >> 16 & 255}.{mark >> 8 & 255}.{mark & 255}",), self._clock() + GOOD_FOR)

    async def resolve(self, name: str) -> Resolution:
        """Returns the same."""
        return self.resolve_nowait(name)

    def statistics(self) -> ResolverStatistics:
        """Returns the counts so far."""
        return ResolverStatistics(self._asked)


class PlayedFetcher:
    """One life's way to a web of plays, see `ports.Fetcher`. All lives write one log."""

    def __init__(
        self, find: Find, life: Life, clock: Clock, log: list[Asked], asks: Counter[str], order: int = 0
    ) -> None:
        self._find = find
        self._life = life
        self._clock = clock
        self._log = log
        self._asks = asks
        self._order = order

    async def fetch(self, lease: Lease, addresses: Sequence[str]) -> Fetched:
        """Returns what the host answers, after a moment."""
        self._life.at("fetch.request")
        began, target = self._clock(), target_of(lease.href)
        self._log.append(Asked(began, lease.href, lease.errand.value))
        play, asks = self._find(target.hostname), self._asks[lease.href]
        assert play is not None, f"{target.hostname} has an address and does not answer"
        self._asks[lease.href] += 1
        answer = play(Ask(target.hostname, target.path, began, asks, origin=f"{target.scheme}://{target.authority}"))
        await asyncio.sleep(TAKES * (0.5 + zlib.crc32(lease.href.encode(), self._order) % 1000 / 1000))
        lines = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
        return Fetched(
            lease,
            began,
            self._clock(),
            addresses[0],
            request_head(target, AGENT, lease.etag, lease.last_modified),
            f"HTTP/1.1 {answer.status} So\r\n{lines}\r\n".encode(),
            answer.body,
            answer.status,
            answer.headers,
            answer.body,
        )


class NotingShelf(MemoryShelf):
    """Keeps of each capture what was told of it, and no body."""

    def __init__(self, shelf: MemoryShelf) -> None:
        super().__init__(shelf.loop, takes=shelf.takes)
        self.told: list[Told] = []

    def keep(self, kept: Kept) -> int:
        """See `MemoryShelf`."""
        self.told.append(_told(kept.capture))
        return len(self.told) - 1


def _told(capture: Capture) -> Told:
    fetched, verdict = capture.fetched, capture.verdict
    return Told(
        fetched.lease.href,
        fetched.lease.errand.value,
        fetched.status,
        tuple(map(str, verdict.reasons)),
        verdict.duplicate_of,
    )
