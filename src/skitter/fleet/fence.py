"""The fence: no request starts, and none stays under way, for a shard that is not ours for certain.

It is asked at the last moment, when the request is about to be written: a process that was stopped in the meantime, for
however long, finds out there. What is under way when a lease ends is cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from skitter.clock import Clock
from skitter.messages import Failure, Fetched, Kind, Lease
from skitter.ports import Fetcher
from skitter.shard.log.tenancy import Tenancy

MARGIN = 0.3
"""Seconds before the end of a lease in which nothing starts any more: a loop may be late by so much."""


class Fence:
    """Who may fetch. `tenancies` are the shards that we hold, by their numbers."""

    def __init__(self, tenancies: Mapping[int, Tenancy], shard_of: Callable[[str], int], clock: Clock) -> None:
        self._tenancies = tenancies
        self._shard_of = shard_of
        self._clock = clock
        self._under_way: dict[int, set[asyncio.Task[object]]] = {}
        self._granted: dict[str, float] = {}  # hosts of other nodes that we may ask, and until when
        self.cuts = 0

    def is_open(self, shard: int) -> bool:
        """Whether requests to hosts of a shard may start, and be under way."""
        tenancy = self._tenancies.get(shard)
        return tenancy is not None and tenancy.may_fetch(self._clock() + MARGIN)

    def grant(self, host: str, until: float) -> None:
        """Lets a host of another node be asked until then."""
        self._granted[host] = until

    def revoke(self, host: str) -> None:
        """Ends `grant`."""
        self._granted.pop(host, None)

    def granted(self, host: str) -> float | None:
        """Returns for how long a host of another node may be asked; None if it was not granted."""
        until = self._granted.get(host)
        return None if until is None else until - self._clock()

    def left(self, shard: int) -> float:
        """Returns for how long hosts of a shard may be asked by workers elsewhere: they end before we must."""
        tenancy = self._tenancies.get(shard)
        return 0.0 if tenancy is None else tenancy.tenure.until() - self._clock() - MARGIN

    def check(self, lease: Lease) -> None:
        """Cancels whoever is about to send a request that may not start. The host asked counts, not the one leased."""
        left = self.granted(lease.host)
        if not (left > 0 if left is not None else self.is_open(self._shard_of(lease.host))):
            self.cuts += 1
            raise asyncio.CancelledError

    def cut(self, shard: int) -> None:
        """Cancels what is under way to hosts of a shard."""
        for task in self._under_way.pop(shard, ()):
            self.cuts += 1
            task.cancel()

    async def fetch(self, lease: Lease, addresses: Sequence[str], fetcher: Fetcher) -> Fetched:
        """Returns what `fetcher` brings, unless the fence closes meanwhile."""
        self.check(lease)
        if (left := self.granted(lease.host)) is not None:
            return await self._fetch_granted(lease, addresses, fetcher, left)
        task, shard = asyncio.current_task(), self._shard_of(lease.host)
        assert task is not None
        tasks = self._under_way.setdefault(shard, set())
        tasks.add(task)
        try:
            return await fetcher.fetch(lease, addresses)
        finally:
            tasks.discard(task)

    async def _fetch_granted(self, lease: Lease, addresses: Sequence[str], fetcher: Fetcher, left: float) -> Fetched:
        """Returns what came in time: a host that is slower than that is taken for one that does not answer."""
        began = self._clock()
        try:
            async with asyncio.timeout(left):
                return await fetcher.fetch(lease, addresses)
        except TimeoutError:
            return Fetched(lease, began, self._clock(), failure=Failure(Kind.READ_TIMEOUT))


class FencedFetcher:
    """A fetcher behind the fence, see `ports.Fetcher`. The fetcher itself asks `check` before it writes a request."""

    def __init__(self, fetcher: Fetcher, fence: Fence) -> None:
        self._fetcher = fetcher
        self._fence = fence

    async def fetch(self, lease: Lease, addresses: Sequence[str]) -> Fetched:
        """Returns what came back; is cancelled if the shard is not ours for certain, now or meanwhile."""
        return await self._fence.fetch(lease, addresses, self._fetcher)
