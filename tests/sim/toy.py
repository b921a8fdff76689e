"""A crawler of fifty lines, to try the simulated web with: polite, patient, and forgetful of nothing."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque

from msgspec.structs import replace

from skitter.messages import Discovered, Errand, Fetched, Lease, Url
from skitter.ports import Capture, Resolved
from skitter.reading.meaning import Rules
from skitter.reading.read import read, robots_failure_of, robots_redirect
from skitter.robots.answer import Policy, decide
from skitter.settings import ScopeSettings, Settings
from skitter.sim.archive import MemoryArchive, MemoryShelf
from skitter.sim.clock import MachineClock
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.names import Names
from skitter.sim.web import MemoryWeb, WebFetcher
from skitter.sim.world import World
from skitter.url.canon import Canon
from skitter.url.keys import host_of, name_of, origin_of
from skitter.url.scope import Scope

SETTINGS = Settings(scope=ScopeSettings(reach="any", max_depth=1000))
DELAY = 5.0  # of a host to begin with, which is more than any Crawl-delay of a simulated web; each failure doubles it


class Toy:
    """Crawls all that can be reached, one host at a time each, and forgets those that fail."""

    def __init__(self, world: World, loop: SimLoop, life: Life) -> None:
        clock = MachineClock(loop).steady()
        self.web, self.shelf = MemoryWeb(world, loop), MemoryShelf(loop)
        self._fetcher = WebFetcher(self.web, life, clock)
        self._archive = MemoryArchive(self.shelf, life)
        self._names = Names(world, loop, life, clock)
        self._rules = Rules(SETTINGS, Canon(), Scope(SETTINGS.scope))
        self._clock = clock
        self._queues: dict[str, deque[Discovered]] = defaultdict(deque)
        self._policies: dict[str, Policy] = {}
        self._busy: set[str] = set()
        self._delays: dict[str, float] = defaultdict(lambda: DELAY)
        self._alone: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.seen: set[str] = set()
        for seed in world.seeds:
            url = self._rules.canon(seed)
            assert isinstance(url, Url)
            self._offer(Discovered(url.href, url.host, b"", 0, 1.0))

    def _offer(self, one: Discovered) -> None:
        url = self._rules.canon(one.href)
        assert isinstance(url, Url)
        if url.key not in self.seen:
            self.seen.add(url.key)
            self._queues[one.host].append(one)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            while self._busy or any(self._queues.values()):
                for host, queue in list(self._queues.items()):
                    if queue and host not in self._busy:
                        self._busy.add(host)
                        group.create_task(self._visit(host, queue.popleft()))
                await asyncio.sleep(1)

    async def _visit(self, host: str, one: Discovered) -> None:
        policy = None
        for _ in range(3):  # its host may be so slow that the first answer is too old when its turn comes
            policy = self._policies.get(origin_of(one.href))
            if policy is None or policy.is_due(self._clock()):
                await self._ask_robots(host, origin_of(one.href), policy)
        if policy is not None and not policy.is_due(self._clock()) and policy.allows(one.href):
            fetched = await self._fetch(Lease(one.href, host, one.errand, 0.0, chain=one.chain))
            reading = read(fetched, self._rules)
            for found in reading.found:
                self._offer(found)
            if reading.better is not None:
                self._queues[host].append(Discovered(reading.better, host, b"", 0, 1.0))
        self._busy.discard(host)

    async def _ask_robots(self, host: str, origin: str, policy: Policy | None) -> None:
        asked = Lease(f"{origin}/robots.txt", host, Errand.ROBOTS, 0.0)
        fetched = await self._fetch(asked)
        while isinstance(url := robots_redirect(fetched, self._rules), Url):
            asked = replace(asked, href=url.href, host=url.host, chain=(*asked.chain, asked.href))
            fetched = await self._fetch(asked)
        fetched = replace(fetched, failure=robots_failure_of(fetched, self._rules))
        policy = decide(fetched, policy, now=fetched.ended, token="skitter", settings=SETTINGS.robots)
        self._policies[origin] = policy
        for url in policy.rules.sitemaps:
            self._offer(Discovered(url, host_of(url), b"", 0, 1.0, errand=Errand.SITEMAP))

    async def _fetch(self, lease: Lease) -> Fetched:
        resolved = await self._names.resolve(name_of(lease.href))
        if not isinstance(resolved, Resolved):
            return Fetched(lease, self._clock(), self._clock(), failure=resolved)
        async with self._alone[lease.host]:
            fetched = await self._fetcher.fetch(lease, resolved.addresses)
            await self._archive.append(Capture(fetched))
            if fetched.failure is not None or fetched.status >= 400:
                self._delays[lease.host] *= 2
                await asyncio.sleep(20)  # longer than any Retry-After
            await asyncio.sleep(max(self._delays[lease.host], fetched.took))  # and so twice as long as it took
        return fetched
