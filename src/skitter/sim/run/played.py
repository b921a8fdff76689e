"""One crawl of a web of plays in virtual time, to its end and without faults: what was asked for, and what was told.

The crawler is the real one, as in every simulated crawl; the hosts are those that `skitter.simweb` serves to real ones.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from skitter.clock import Clock
from skitter.ports import Fetcher, Resolver
from skitter.settings import (
    FrontierSettings,
    IdentitySettings,
    NodeSettings,
    PolitenessSettings,
    RenderSettings,
    ScopeSettings,
    Settings,
)
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.machine import Machine
from skitter.sim.played import Asked, Find, NotingShelf, PlayedFetcher, PlayedNames, Told
from skitter.sim.processes import SimProcesses
from skitter.sim.world import World
from skitter.supervisor.supervisor import Supervisor

LONGEST = 1e8

EAGER = Settings(
    identity=IdentitySettings(contact="sim@sim.test"),
    scope=ScopeSettings(reach="any"),
    politeness=PolitenessSettings(delay=0.0, address_rate=100_000),
    frontier=FrontierSettings(daily_quota=10**9),
    node=NodeSettings(linger=5.0),
    render=RenderSettings(mode="never"),
)
"""As by default, but everywhere, without a delay, a quota or a browser: what is not fetched was judged."""


class Played(Struct, frozen=True):
    """What came of a crawl."""

    ended: str
    seconds: float  # virtual
    asked: Sequence[Asked]  # in the order of time
    told: Sequence[Told]
    troubles: Sequence[str]  # what no crawl may show


def played(
    find: Find,
    seeds: Sequence[str],
    settings: Settings = EAGER,
    *,
    max_pages: int | None = None,
    max_seconds: float | None = None,
    nodes: int = 1,
    order: int = 0,
) -> Played:
    """Crawls the hosts that `find` knows, and returns what the servers and the archive saw.

    What is drawn, and how long answers take, follows from `order`: the same web in another order.
    """
    with contextlib.closing(SimLoop(order, until=LONGEST)) as loop:
        machine = _Machine(loop, find, seeds, settings, nodes, order)
        life = loop.begin("supervisor", node=-1)
        supervisor = Supervisor(
            SimProcesses(machine, life),
            Path("/sim"),
            settings,
            seeds,
            nodes,
            clock=machine.clock.steady(),
            max_pages=max_pages,
            max_seconds=max_seconds,
        )
        ending = loop.run_until_complete(loop.create_task(supervisor.run(), context=life.context))
        life.leave()
        troubles = [*machine.troubles, *machine.disk.clashes, *loop.troubles]
        return Played(str(ending), loop.time(), machine.log, machine.noting.told, troubles)


class _Machine(Machine):
    """A machine whose web are plays."""

    def __init__(
        self, loop: SimLoop, find: Find, seeds: Sequence[str], settings: Settings, nodes: int, order: int
    ) -> None:
        super().__init__(loop, World({}, {}, tuple(seeds)), settings, nodes, order)
        self.order = order
        self.log: list[Asked] = []
        self.shelf = self.noting = NotingShelf(self.shelf)
        self._find = find
        self._asks: Counter[str] = Counter()

    def resolver(self, _life: Life, clock: Clock) -> Resolver:
        """See `Machine`."""
        return PlayedNames(self._find, clock)

    def fetcher(self, life: Life, clock: Clock) -> Fetcher:
        """See `Machine`."""
        return PlayedFetcher(self._find, life, clock, self.log, self._asks, self.order)
