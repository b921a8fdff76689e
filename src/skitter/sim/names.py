"""The twin of `ports.Resolver`: names of a world, asked for once at a time, with what is wrong with some of them."""

from __future__ import annotations

import asyncio

from skitter.clock import Clock
from skitter.messages import Failure, Kind
from skitter.ports import Resolution, Resolved, ResolverStatistics
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.world import World

TAKES = 0.02
GOOD_FOR, BAD_FOR = 3600.0, 30.0


class Names:
    """The names that one life knows, see `ports.Resolver`."""

    def __init__(self, world: World, loop: SimLoop, life: Life, clock: Clock) -> None:
        self._world = world
        self._loop = loop
        self._life = life
        self._clock = clock
        self._addresses = {site.name: site.address for site in world.sites.values()}
        self._known: dict[str, tuple[Resolution, float]] = {}
        self._under_way: dict[str, asyncio.Task[Resolution]] = {}
        self._asked = self._hits = self._joined = self._unknown = self._failed = 0

    def resolve_nowait(self, name: str) -> Resolution | None:
        """Returns what is known of `name`; None: it has to be asked for."""
        known = self._known.get(name)
        if known is None or known[1] <= self._clock():
            return None
        self._hits += 1
        return known[0]

    async def resolve(self, name: str) -> Resolution:
        """Returns the addresses of `name`, or why there are none."""
        known = self.resolve_nowait(name)
        if known is not None:
            return known
        task = self._under_way.get(name)
        if task is None:
            task = self._under_way[name] = asyncio.create_task(self._ask(name))
            task.add_done_callback(lambda _: self._under_way.pop(name))
        else:
            self._joined += 1
        return await asyncio.shield(task)

    async def _ask(self, name: str) -> Resolution:
        self._life.at("dns.ask")
        self._asked += 1
        await asyncio.sleep(TAKES)
        answer = self._answer(name)
        self._unknown += isinstance(answer, Failure) and answer.kind is Kind.DNS_UNKNOWN
        self._failed += isinstance(answer, Failure) and answer.kind is Kind.DNS_FAILED
        until = answer.expires if isinstance(answer, Resolved) else self._clock() + BAD_FOR
        self._known[name] = (answer, until)
        return answer

    def _answer(self, name: str) -> Resolution:
        wrong = self._world.dns_at(name, self._loop.time())
        if wrong is not None:
            return wrong
        address = self._addresses.get(name.removeprefix("www."))
        if address is None:
            return Failure(Kind.DNS_UNKNOWN, f"nobody is called {name}")
        return Resolved((address,), self._clock() + GOOD_FOR)

    def statistics(self) -> ResolverStatistics:
        """Returns the counts so far."""
        return ResolverStatistics(
            self._asked, self._hits, self._joined, self._unknown, self._failed, len(self._known), len(self._under_way)
        )
