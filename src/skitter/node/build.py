"""The wiring: the one place that knows which class fills which part of a node."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from skitter import __version__
from skitter.bus.local import LocalBus
from skitter.bus.talk import talking
from skitter.clock import Clock, steady_clock
from skitter.dns.guard import Guard
from skitter.dns.resolver import Resolver
from skitter.dns.shared import SharedAnswers
from skitter.fetch.fetcher import HttpFetcher
from skitter.fetch.identity import sender, user_agent
from skitter.fetch.signing import signs_by
from skitter.folder.inbox import FolderInbox
from skitter.folder.lent import forget_lent, is_lent, note_lent
from skitter.folder.routesfile import read_routes
from skitter.folder.sockets import desk_path, socket_path
from skitter.frontier.frontier import Frontier
from skitter.messages import Url
from skitter.node.addresses import AddressLimit
from skitter.node.counters import Counters
from skitter.node.crash_marker import counted_crash, opened_crash_marker
from skitter.node.node import Node
from skitter.node.owners import Owners
from skitter.node.papers import papers_of
from skitter.node.parts import Parts
from skitter.node.rendering.anywhere import Anywhere
from skitter.node.rendering.browsing import Browsing
from skitter.node.reservations import Reservations
from skitter.node.status import NodeStart, NodeStatus
from skitter.reading.keeping import refuses
from skitter.reading.meaning import Rules
from skitter.render.pool import Pool
from skitter.robots.answer import fetch_limits
from skitter.settings import DnsSettings, Settings
from skitter.shard.rocks import RocksStores
from skitter.store.archive import Archive
from skitter.url.canon import Canon
from skitter.url.scope import Scope
from skitter.work.browsers import Browsers
from skitter.work.desk import GRACE, Desk
from skitter.work.messages import Asked
from skitter.work.regions import Regions

if TYPE_CHECKING:
    from skitter.plugins.chain import Plugins
    from skitter.store.shipping.archive import ShippedArchive

MOST_NODES = 4096
SHARED_NAMES = 1_000_000
"""Names that the nodes of a machine share; some 100 bytes each, on the disk."""


@contextlib.asynccontextmanager
async def built(
    start: NodeStart, report: Callable[[NodeStatus], None], clock: Clock | None = None
) -> AsyncIterator[tuple[Node, list[str]]]:
    """Yields a node with all its parts open, and what was recovered on the way."""
    directory, settings = Path(start.directory), start.settings
    routes = read_routes(directory)
    owners = Owners(start.number, start.nodes, routes)
    clock = clock or steady_clock()
    canon = Canon(settings.url)
    seeds = [url for url in map(canon, start.seeds) if isinstance(url, Url)]
    # Links may lead from this machine to anywhere: whoever has not said who they are stays on it.
    nameless = not settings.identity.contact
    guard = Guard(settings.dns.allow_private, settings.dns.allow_nets, only_loopback=nameless)
    # An earlier run may have had more nodes than this one.
    heir_of = [f"n{number}" for number in range(start.number + start.nodes, MOST_NODES, start.nodes)]
    archive = archive_of(
        directory,
        settings,
        clock,
        node=f"n{start.number}",
        heir_of=heir_of,
        copies_merged=start.number == 0,
        share=start.nodes,
    )
    fetcher = HttpFetcher(
        settings.fetch,
        user_agent=user_agent(settings),
        refusal=guard.refusal,
        clock=clock,
        for_robots=fetch_limits(settings.fetch, settings.robots),
        sender=sender(settings),
        sign=signs_by(settings, clock),
        refuses=refuses(settings.content.types),
    )
    resolver = Resolver(settings.dns, clock, shared_names(directory, settings.dns))
    bus = LocalBus(start.number, partial(socket_path, directory))
    stores = RocksStores(directory, settings.frontier.store_memory)
    lend = partial(note_lent, directory, start.number)
    work = settings.work
    desk = Desk(Regions(work.regions), work.here, clock, on_first=lend) if start.has_desk else None
    browsers = Browsers(settings.render, clock) if start.has_desk and settings.render.mode != "never" else None
    browsing_in = browsing_of(settings, browsers)
    async with archive, fetcher, resolver, bus, plugins_of(settings) as plugins, browsing_in as browsing:
        frontier = Frontier(stores, routes, settings, owners.owned(), clock)
        marking = opened_crash_marker(directory, start.number)
        with contextlib.closing(frontier), papers_of(settings.content) as papers, marking as marker:
            notes = [str(mended) for mended in archive.recovered] + counted_crash(marker, frontier)
            parts = Parts(
                frontier,
                resolver,
                guard,
                AddressLimit(settings.politeness.address_rate, clock),
                bus,
                Reservations(frontier, bus, owners.of_host, clock),
                fetcher,
                archive,
                FolderInbox(directory),
                Rules(settings, canon, Scope(settings.scope, seeds, routes.domains)),
                marker,
                Counters(),
                clock,
                time.thread_time,
                lambda _, error: traceback.print_exception(error),
                lambda changed: archive.describe(warcinfo(changed)),
                desk,
                plugins,
                browsing,
                papers,
                browsers,
            )
            node = Node(owners, parts, report, start.budget)
            node.take_mode(start.mode)
            if is_lent(directory):
                node.rest_until = clock() + GRACE
            async with bus.receiving(node.answer), _desk_of(node, directory, start):
                yield node, notes
            if desk is not None and desk.is_empty:
                forget_lent(directory, start.number, start.nodes)


@contextlib.asynccontextmanager
async def browsing_of(settings: Settings, browsers: Browsers | None = None) -> AsyncIterator[Browsing | None]:
    """Yields what pages in browsers take, here or elsewhere, if any are wanted. The first page starts a browser."""
    if settings.render.mode == "never":
        yield None
        return
    async with Pool(settings.render, agent=user_agent(settings)) as pool:
        yield Browsing(pool if browsers is None else Anywhere(pool, browsers), settings.render.script_cache)


def _desk_of(node: Node, directory: Path, start: NodeStart) -> AbstractAsyncContextManager[None]:
    """Returns where a node answers workers elsewhere, if it does."""
    if not start.has_desk:
        return contextlib.nullcontext()
    return talking(desk_path(directory, start.number), partial(_replied, node))


async def _replied(node: Node, question: bytes) -> bytes:
    return msgspec.msgpack.encode(await node.answer_worker(msgspec.msgpack.decode(question, type=Asked)))


def archive_of(
    directory: Path,
    settings: Settings,
    clock: Clock,
    *,
    node: str,
    heir_of: Sequence[str] = (),
    copies_merged: bool = False,
    share: int = 1,
    on_safe: Callable[[str], Awaitable[None]] | None = None,
) -> Archive | ShippedArchive:
    """Returns the archive of a node, in its folder or on to a bucket."""
    bucket, store = settings.bucket, settings.store
    if bucket.address:
        size, age = min(store.roll_bytes, bucket.roll_bytes), min(store.roll_seconds, bucket.roll_seconds)
        store = structs.replace(store, roll_bytes=size, roll_seconds=age)
    write = partial(Archive, directory, store, node=node, facts=warcinfo(settings), clock=clock, heir_of=heir_of)
    if not bucket.address:
        return write()
    # Here and not above: a crawl into a folder does not wait for what it does not need.
    from skitter.config.buckets import parse_address
    from skitter.store.blobs.opening import open_blobs
    from skitter.store.bodies.heads import Heads
    from skitter.store.bodies.memory import Bodies
    from skitter.store.shipping.archive import ShippedArchive
    from skitter.store.shipping.shipper import Shipper

    archive = write(bodies=lambda: Bodies(directory, Heads(directory / "bodies", node)))
    shipper = Shipper(
        directory,
        open_blobs(parse_address(bucket.address, "bucket.address")),
        bucket,
        node=node,
        heir_of=heir_of,
        copies_merged=copies_merged,
        growing=archive.growing,
        clock=clock,
        share=share,
        **({} if on_safe is None else {"on_safe": on_safe}),
    )
    return ShippedArchive(archive, shipper, bucket.closing_seconds)


@contextlib.asynccontextmanager
async def plugins_of(settings: Settings) -> AsyncIterator[Plugins | None]:
    """Yields the plug-ins that are in use, open. OperatorError if one can't be loaded."""
    if not settings.plugins.use:
        yield None
        return
    from skitter.plugins.chain import opened  # here: few crawls have any

    with opened(settings.plugins) as plugins:
        yield plugins


def shared_names(directory: Path, settings: DnsSettings) -> SharedAnswers | None:
    """Returns the names that the nodes of a machine have looked up, if they share them."""
    if not settings.share:
        return None
    return SharedAnswers(directory / "run" / "names.sqlite", SHARED_NAMES, settings.stale)


def warcinfo(settings: Settings) -> dict[str, str]:
    """Returns what each WARC file says of the crawl."""
    return {
        "software": f"Skitter/{__version__}",
        "format": "WARC File Format 1.1",
        "http-header-user-agent": user_agent(settings),
        "operator": settings.identity.contact,
        "robots": f"RFC 9309 as `{settings.identity.robots_token}`; unreadable means forbidden",
        "configuration": msgspec.json.encode(settings).decode(),  # on one line, and `audit` can read it
    }
