"""The wiring of a simulated node: the twin of `node.build`, in the same order of things."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import AsyncIterator, Callable
from random import Random

from skitter.dns.guard import Guard
from skitter.frontier.frontier import Frontier
from skitter.messages import Lease, Url
from skitter.node.addresses import AddressLimit
from skitter.node.counters import Counters
from skitter.node.crash_marker import counted_crash
from skitter.node.node import Node
from skitter.node.parts import Parts
from skitter.node.reservations import Reservations
from skitter.node.status import NodeStart, NodeStatus
from skitter.reading.meaning import Rules
from skitter.settings import Settings
from skitter.sim.archive import MemoryArchive
from skitter.sim.bus import MemoryBus
from skitter.sim.desk import MemoryInbox, MemoryMarker
from skitter.sim.life import Life
from skitter.sim.machine import Machine
from skitter.sim.stores import MemoryStores
from skitter.url.canon import Canon
from skitter.url.scope import Scope


@contextlib.asynccontextmanager
async def built(
    machine: Machine, life: Life, start: NodeStart, report: Callable[[NodeStatus], None]
) -> AsyncIterator[tuple[Node, list[str]]]:
    """Yields a node of a life with all its parts open, and what was recovered on the way."""
    settings, clock = start.settings, machine.clock.steady()
    owners = machine.owners_for(start.number)
    canon = Canon(settings.url)
    seeds = [url for url in map(canon, start.seeds) if isinstance(url, Url)]
    bus = MemoryBus(machine.net, life)
    roll = Random(machine.random.random()).random  # noqa: S311 (repeatable on purpose)
    stores = MemoryStores(machine.disk, life)
    frontier = Frontier(stores, machine.routes, settings, owners.owned(), clock, roll)
    with contextlib.closing(frontier):
        marker = MemoryMarker(machine.desk, life)
        notes = counted_crash(marker, frontier)
        parts = Parts(
            frontier,
            machine.resolver(life, clock),
            Guard(settings.dns.allow_private, settings.dns.allow_nets),
            AddressLimit(settings.politeness.address_rate, clock),
            bus,
            Reservations(frontier, bus, owners.of_host, clock),
            machine.fetcher(life, clock),
            MemoryArchive(machine.shelf, life),
            MemoryInbox(machine.desk, life),
            Rules(settings, canon, Scope(settings.scope, seeds, machine.routes.domains)),
            marker,
            Counters(),
            clock,
            no_time,
            lambda lease, error: note_bug(machine, lease, error),
            tell_nobody,
            browsing=machine.browsing(life),
        )
        node = Node(owners, parts, report, start.budget)
        node.take_mode(start.mode)
        machine.running[start.number] = node, life
        try:
            async with bus.receiving(node.answer):
                yield node, notes
        finally:
            if machine.running.get(start.number, (None, None))[1] is life:
                del machine.running[start.number]


async def tell_nobody(_: Settings) -> None:
    """A shelf in memory says nothing of settings."""


def note_bug(machine: Machine, lease: Lease, error: Exception) -> None:
    """A real node says it and goes on; here it is what we look for."""
    told = "".join(traceback.format_exception(error)[-3:])
    machine.troubles.append(f"carrying {lease.href} broke node {lease.shard}: {told}")


def no_time() -> float:
    """What a simulated node's thinking takes: measured time would differ from run to run."""
    return 0.0
