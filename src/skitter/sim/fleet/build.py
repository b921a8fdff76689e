"""The wiring of a simulated node of a fleet: the twin of `fleet.build`, in the same order of things."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from random import Random

from skitter.dns.guard import Guard
from skitter.fleet.alone import NoInbox, nobody_owns
from skitter.fleet.asking import Asking
from skitter.fleet.checkpointing import Checkpointing
from skitter.fleet.fence import Fence, FencedFetcher
from skitter.fleet.holdings import Holdings
from skitter.fleet.moving import Moving
from skitter.fleet.run import FleetNode
from skitter.fleet.tenures import Tenures
from skitter.frontier.frontier import Frontier
from skitter.messages import Url
from skitter.node.addresses import AddressLimit
from skitter.node.counters import Counters
from skitter.node.node import Node
from skitter.node.parts import Parts
from skitter.node.reservations import Reservations
from skitter.reading.meaning import Rules
from skitter.shard.log.journal import Journal
from skitter.shard.log.ownership import LEASE
from skitter.shard.log.store import LogStores
from skitter.shard.log.tenancy import Tenancy
from skitter.sim.archive import MemoryArchive
from skitter.sim.build import no_time, note_bug, tell_nobody
from skitter.sim.desk import MemoryMarker
from skitter.sim.disk import MemoryDisk
from skitter.sim.fleet.broker import MemoryBroker
from skitter.sim.fleet.bucket import Depot, MemoryBucket
from skitter.sim.fleet.cluster import Cluster
from skitter.sim.life import Life
from skitter.sim.machine import Machine
from skitter.sim.stores import MemoryStores
from skitter.sim.web import WebFetcher
from skitter.url.canon import Canon
from skitter.url.routes import Routes
from skitter.url.scope import Scope


@contextlib.asynccontextmanager
async def built(
    machine: Machine, cluster: Cluster, depot: Depot, disk: MemoryDisk, life: Life
) -> AsyncIterator[FleetNode]:
    """Yields a node of a life with all its parts open."""
    settings, clock = machine.settings, machine.clock.steady()
    routes = Routes(machine.routes.domains, machine.routes.shards)  # what it hears of slots that move is its own
    routes.is_fixed = False
    canon = Canon(settings.url)
    seeds = [url for url in map(canon, machine.world.seeds) if isinstance(url, Url)]
    roll = Random(machine.random.random()).random  # noqa: S311 (repeatable on purpose)
    owners = nobody_owns(routes)
    tenancies: dict[int, Tenancy] = {}
    fence = Fence(tenancies, routes.shard_of, clock)
    below = MemoryStores(disk, life)
    stores = LogStores(below)
    async with MemoryBroker(cluster, life) as broker:
        journal, bus = Journal(broker), Asking(broker, routes.destination_of, tenancies, fence, clock)
        frontier = Frontier(stores, routes, settings, (), clock, roll, journal)
        with contextlib.closing(frontier):
            marker = MemoryMarker(machine.desk, life)
            moving = Moving(broker, routes, clock, frontier.forget_seen)
            bucket = MemoryBucket(depot, disk, life)
            checkpointing = Checkpointing(bucket, broker, below, depot.every, clock) if depot.every else None
            known = (life.name, broker, below, stores, journal, tenancies, fence, clock)
            prepare = None if checkpointing is None else checkpointing.prepare
            tenures = Tenures(dict.fromkeys(disk.tenures, clock() + LEASE), disk.tenures.append)
            holdings = Holdings(*known, left=marker.left(), prepare=prepare, asking=bus, moving=moving, tenures=tenures)
            marker.drop()
            parts = Parts(
                frontier,
                machine.resolver(life, clock),
                Guard(settings.dns.allow_private, settings.dns.allow_nets),
                AddressLimit(settings.politeness.address_rate, clock),
                bus,
                Reservations(frontier, bus, owners.of_host, clock, for_others=LEASE),
                FencedFetcher(WebFetcher(machine.web, life, clock, fence.check), fence),
                MemoryArchive(machine.shelf, life),
                NoInbox(),
                Rules(settings, canon, Scope(settings.scope, seeds, routes.domains)),
                marker,
                Counters(),
                clock,
                no_time,
                lambda lease, error: note_bug(machine, lease, error),
                tell_nobody,
                browsing=machine.browsing(life),
            )
            node = Node(owners, parts, lambda _: None, None)
            yield FleetNode(node, frontier, holdings, journal, moving, checkpointing)
