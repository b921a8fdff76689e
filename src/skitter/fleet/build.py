"""The wiring of a node of a fleet: the twin of `node.build`, with its shards in Kafka."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

from msgspec import Struct

from skitter.bus.kafka import KafkaBroker
from skitter.clock import Clock
from skitter.config.buckets import parse_address
from skitter.dns.guard import Guard
from skitter.dns.resolver import Resolver
from skitter.fetch.fetcher import HttpFetcher
from skitter.fetch.identity import sender, user_agent
from skitter.fetch.signing import signs_by
from skitter.fleet.alone import NoInbox, nobody_owns
from skitter.fleet.asking import Asking
from skitter.fleet.checkpointing import Checkpointing, DiskBucket
from skitter.fleet.facts import Facts, tell_places
from skitter.fleet.fence import Fence, FencedFetcher
from skitter.fleet.file import FleetSection
from skitter.fleet.holdings import Holdings
from skitter.fleet.losses import Losses, SafeFiles, disk_of
from skitter.fleet.moving import Moving
from skitter.fleet.pages import TellingArchive
from skitter.fleet.run import FleetNode
from skitter.fleet.tenures import Tenures
from skitter.frontier.frontier import Frontier
from skitter.messages import Url
from skitter.node.addresses import AddressLimit
from skitter.node.build import archive_of, browsing_of, plugins_of, shared_names, warcinfo
from skitter.node.counters import Counters
from skitter.node.crash_marker import opened_crash_marker
from skitter.node.node import Node
from skitter.node.papers import papers_of
from skitter.node.parts import Parts
from skitter.node.reservations import Reservations
from skitter.node.status import NodeStatus
from skitter.reading.keeping import refuses
from skitter.reading.meaning import Rules
from skitter.robots.answer import fetch_limits
from skitter.shard.checkpoint.checkpoints import Checkpoints
from skitter.shard.log.journal import Journal
from skitter.shard.log.ownership import LEASE
from skitter.shard.log.store import LogStores
from skitter.shard.log.tenancy import Tenancy
from skitter.shard.rocks import RocksStores
from skitter.shard.unsafe import Unsafe
from skitter.store.blobs.opening import open_blobs
from skitter.url.canon import Canon
from skitter.url.routes import Routes
from skitter.url.scope import Scope
from skitter.work.browsers import Browsers
from skitter.work.desk import Desk
from skitter.work.regions import Regions


class Plan(Struct, frozen=True):
    """Which node to be: its name, its folder, and what its fleet crawls."""

    name: str
    directory: Path
    facts: Facts
    routes: Routes
    fleet: FleetSection
    locked_at: float  # since when nobody else is at work in the folder
    has_desk: bool = False  # workers elsewhere may have leases


@contextlib.asynccontextmanager
async def built(
    plan: Plan, broker: KafkaBroker, inbox: NoInbox, clock: Clock, report: Callable[[NodeStatus], None]
) -> AsyncIterator[tuple[FleetNode, list[str]]]:
    """Yields a node with all its parts open, and what was recovered on the way. No shard is its own yet."""
    directory, settings, routes = plan.directory, plan.facts.settings, plan.routes
    work = settings.work
    canon, owners = Canon(settings.url), nobody_owns(routes)
    seeds = [url for url in map(canon, plan.facts.seeds) if isinstance(url, Url)]
    nameless = not settings.identity.contact
    guard = Guard(settings.dns.allow_private, settings.dns.allow_nets, only_loopback=nameless)
    tenancies: dict[int, Tenancy] = {}
    fence = Fence(tenancies, routes.shard_of, clock)
    bus = Asking(broker, routes.destination_of, tenancies, fence, clock)
    unsafe = Unsafe(disk_of(directory)) if settings.bucket.address else None
    safe = SafeFiles(broker, unsafe, directory, lambda: range(routes.count())) if unsafe is not None else None
    archive = archive_of(directory, settings, clock, node=plan.name, on_safe=None if safe is None else safe.tell)
    fetcher = HttpFetcher(
        settings.fetch,
        user_agent=user_agent(settings),
        refusal=guard.refusal,
        clock=clock,
        for_robots=fetch_limits(settings.fetch, settings.robots),
        sender=sender(settings),
        sign=signs_by(settings, clock),
        refuses=refuses(settings.content.types),
        check=fence.check,
    )
    resolver = Resolver(settings.dns, clock, shared_names(directory, settings.dns))
    below = RocksStores(directory, settings.frontier.store_memory, is_logged=True)
    stores, journal = LogStores(below), Journal(broker)
    browsers = Browsers(settings.render, clock) if plan.has_desk and settings.render.mode != "never" else None
    browsing_in = browsing_of(settings, browsers)
    async with archive, fetcher, resolver, plugins_of(settings) as plugins, browsing_in as browsing:
        frontier = Frontier(stores, routes, settings, (), clock, journal=journal, unsafe=unsafe)
        marking = opened_crash_marker(directory, 0)
        with contextlib.closing(frontier), papers_of(settings.content) as papers, marking as marker:
            checkpointing = _checkpointing(plan, broker, below, clock)
            moving = Moving(broker, routes, clock, frontier.forget_seen, partial(tell_places, broker))
            holdings = Holdings(
                plan.name,
                broker,
                below,
                stores,
                journal,
                tenancies,
                fence,
                clock,
                left=marker.left(),
                prepare=None if checkpointing is None else checkpointing.prepare,
                asking=bus,
                moving=moving,
                tenures=Tenures.in_folder(directory, plan.locked_at),
            )
            marker.drop()
            parts = Parts(
                frontier,
                resolver,
                guard,
                AddressLimit(settings.politeness.address_rate, clock),
                bus,
                Reservations(frontier, bus, owners.of_host, clock, for_others=LEASE),
                FencedFetcher(fetcher, fence),
                TellingArchive(archive, broker, plan.name) if plan.fleet.pages else archive,
                inbox,
                Rules(settings, canon, Scope(settings.scope, seeds, routes.domains)),
                marker,
                Counters(),
                clock,
                time.thread_time,
                lambda _, error: traceback.print_exception(error),
                lambda changed: archive.describe(warcinfo(changed)),
                Desk(Regions(work.regions), work.here, clock, fence.left) if plan.has_desk else None,
                plugins,
                browsing,
                papers,
                browsers,
            )
            node = Node(owners, parts, report, None)
            losses = Losses(plan.name, unsafe.disk, plan.fleet.lost_seconds, clock) if unsafe is not None else None
            one = FleetNode(node, frontier, holdings, journal, moving, checkpointing, losses)
            yield one, [str(mended) for mended in archive.recovered]


def _checkpointing(plan: Plan, broker: KafkaBroker, below: RocksStores, clock: Clock) -> Checkpointing | None:
    if not plan.fleet.checkpoints:
        return None
    blobs = open_blobs(parse_address(plan.fleet.checkpoints, "fleet.checkpoints"))
    # By its beginning too: a fleet that was made anew under the same name has nothing to do with the one before.
    crawl = f"{plan.fleet.name}@{plan.facts.created}"
    checkpoints = Checkpoints(blobs, crawl, plan.directory / "run" / "checkpoints")
    bucket = DiskBucket(checkpoints, plan.directory)
    return Checkpointing(bucket, broker, below, plan.fleet.checkpoint_seconds, clock)
