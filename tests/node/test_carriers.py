"""A lease that outlives its end: its request is stopped first, and only then is its host free again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path

from skitter.dns.guard import Guard
from skitter.messages import Errand, Fetched, Lease
from skitter.node.addresses import AddressLimit
from skitter.node.carriers import Carriers
from skitter.node.counters import Counters
from skitter.node.parts import Parts
from skitter.node.reservations import Reservations
from skitter.reading.meaning import Rules
from skitter.sim.archive import MemoryArchive, MemoryShelf
from skitter.sim.bus import MemoryBus, MemoryNet
from skitter.sim.desk import Desk, MemoryInbox, MemoryMarker
from skitter.sim.grow import Shape, grow
from skitter.sim.loop import SimLoop
from skitter.sim.names import Names
from skitter.url.canon import Canon
from skitter.url.scope import Scope
from tests.frontier.test_frontier import SETTINGS, Crawler, found

WORLD = grow(1, Shape(sites=1, pages=1, is_calm=True))
PAGE = WORLD.seeds[0]
CLOSING = 2.0  # seconds that a request takes to end once it is given up


class Endless:
    """A fetcher whose requests never end by themselves."""

    def __init__(self) -> None:
        self.under_way = 0

    async def fetch(self, lease: Lease, addresses: Sequence[str]) -> Fetched:
        self.under_way += 1
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(CLOSING)
            self.under_way -= 1
        raise AssertionError((lease, addresses))


def carriers_of(crawler: Crawler, fetcher: Endless, loop: SimLoop) -> Carriers:
    life, desk = loop.begin("node"), Desk([])
    net = MemoryNet(loop, 1)
    parts = Parts(
        crawler.frontier,
        Names(WORLD, loop, life, crawler.clock),
        Guard(allow_private=True, allow_nets=()),
        AddressLimit(1000.0, crawler.clock),
        MemoryBus(net, life),
        Reservations(crawler.frontier, MemoryBus(net, life), lambda _: 0, crawler.clock),
        fetcher,
        MemoryArchive(MemoryShelf(loop), life),
        MemoryInbox(desk, life),
        Rules(SETTINGS, Canon(), Scope(SETTINGS.scope)),
        MemoryMarker(desk, life),
        Counters(),
        crawler.clock,
        lambda: 0.0,
        lambda _, error: (_ for _ in ()).throw(error),
        lambda _: asyncio.sleep(0),
    )
    return Carriers(parts, lambda _: None, lambda *_: None)


def test_the_host_is_free_only_when_the_request_has_ended(tmp_path: Path) -> None:
    crawler, fetcher, loop = Crawler(tmp_path), Endless(), SimLoop()
    crawler.frontier.discover([found(PAGE)])
    lease = crawler.next_page()
    assert lease is not None
    assert lease.errand is Errand.PAGE

    async def main() -> None:
        carriers = carriers_of(crawler, fetcher, loop)
        async with asyncio.TaskGroup() as group:
            carriers.start(lease, group)
            await asyncio.sleep(1)
            carriers.stop_ended()
            assert fetcher.under_way == 1, "its lease has not ended"
            crawler.clock.now = lease.ends
            carriers.stop_ended()
            carriers.stop_ended()
            await asyncio.sleep(CLOSING / 2)
            assert (fetcher.under_way, crawler.states()) == (1, {"leased": 1})
            await asyncio.sleep(CLOSING)
            assert (fetcher.under_way, crawler.states(), len(carriers)) == (0, {"failed": 1}, 0)

    with contextlib.closing(loop), contextlib.closing(crawler.frontier):
        loop.run_until_complete(main())


def test_what_nobody_carries_here_ends_with_its_lease(tmp_path: Path) -> None:
    crawler, loop = Crawler(tmp_path), SimLoop()
    crawler.frontier.discover([found(PAGE)])
    lease = crawler.next_page()
    assert lease is not None

    async def main() -> None:
        carriers = carriers_of(crawler, Endless(), loop)
        crawler.clock.now = lease.ends
        carriers.stop_ended()
        assert crawler.states() == {"failed": 1}

    with contextlib.closing(loop), contextlib.closing(crawler.frontier):
        loop.run_until_complete(main())
