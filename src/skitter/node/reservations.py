"""Requests to a host that are not of its own queue: the robots.txt of another host redirects to it, or a page of
another host asks for something there, in a browser.

They too must keep the host's delay and be its only request at the time. So the host is reserved with whoever owns it,
this node or another, and given back with the time of the request.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable

from skitter.clock import Clock
from skitter.frontier.decide import NOTHING, Asked
from skitter.frontier.frontier import Frontier
from skitter.messages import Failure, Lease
from skitter.ports import FORBIDDEN, UNKNOWN, Bus, Release, Reserve
from skitter.url.keys import origin_of

PATIENCE = 120.0
"""A host that is not to be had for so long is given up for now."""

AGAIN = 1.0
"""A host is asked for again after this at the latest: it may be free sooner than was thought."""


class Visit:
    """One request to a host that is not of its own queue. Whoever makes it says what went wrong, if anything did."""

    def __init__(self, *, is_granted: bool) -> None:
        self.is_granted = is_granted
        self.refusal = 0.0  # FORBIDDEN or UNKNOWN, if robots.txt is why it is not granted
        self.failure: Failure | None = None
        self.asked = NOTHING  # by a robots.txt of the host, if it was for one
        self.took = 0.0  # seconds, of its answer


class Reservations:
    """Reserves hosts, for us and for the other nodes. `owner` says which node a host belongs to.

    `for_others`: seconds that another node may have one of ours, if not as long as a lease is.
    """

    def __init__(
        self,
        frontier: Frontier,
        bus: Bus,
        owner: Callable[[str], int],
        clock: Clock,
        for_others: float | None = None,
    ) -> None:
        self._for_others = for_others
        self._frontier = frontier
        self._bus = bus
        self._owner = owner
        self._clock = clock
        self._held: dict[str, Lease] = {}

    @contextlib.asynccontextmanager
    async def visiting(
        self, host: str, patience: float = PATIENCE, href: str = "", *, knows: bool = False
    ) -> AsyncIterator[Visit]:
        """Holds a host for one request, if it is to be had. What its answer asks of us is durable afterwards.

        With `href`, only if robots.txt allows it, as far as the owner of the host knows; see `ports.Reserve`.
        """
        answer = await self._wait(Reserve(host, href, knows), patience)
        visit = Visit(is_granted=answer == 0.0)
        visit.refusal = min(0.0, answer)
        try:
            yield visit
        finally:
            if visit.is_granted and self._frontier.owns(host):
                self.release(host, self._clock(), visit.failure, visit.asked, visit.took)
                await self._frontier.committer.wait_durable()
            elif visit.is_granted:
                done = Release(host, self._clock(), visit.failure, *visit.asked, visit.took)
                await self._bus.send(self._owner(host), done)

    def reserve(self, wanted: Reserve, *, for_other: bool = False) -> float:
        """Reserves one of our own hosts; returns 0, or how long to wait before asking again, or FORBIDDEN, UNKNOWN."""
        host = wanted.host
        if wanted.href:
            policy = self._frontier.policy(origin_of(wanted.href), host)
            if policy is None and not wanted.knows:
                return UNKNOWN
            if policy is not None and not policy.allows(wanted.href):
                return FORBIDDEN
        got = self._frontier.reserve(host, for_other=for_other, seconds=self._for_others if for_other else None)
        if isinstance(got, float):
            return got
        self._held[host] = got
        return 0.0

    def release(
        self, host: str, began: float, failure: Failure | None = None, asked: Asked = NOTHING, took: float = 0.0
    ) -> None:
        """Gives one of our own hosts back after a request."""
        lease = self._held.pop(host, None)
        if lease is not None:
            self._frontier.release(lease, began, failure, asked, took)

    async def _wait(self, wanted: Reserve, patience: float) -> float:
        """Returns 0 when the host is held, what robots.txt says against that, or infinity: it is not to be had."""
        until = self._clock() + patience
        while self._clock() < until:
            wait = await self._ask(wanted)
            if wait is not None and (wait <= 0 or wait == math.inf):
                return wait  # infinity: of another node, which nobody here can ask
            await asyncio.sleep(AGAIN if wait is None else min(wait, AGAIN))
        return math.inf

    async def _ask(self, wanted: Reserve) -> float | None:
        if self._frontier.owns(wanted.host):
            return self.reserve(wanted)
        return await self._bus.send(self._owner(wanted.host), wanted)
