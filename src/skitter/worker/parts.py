"""What a worker is made of, by the settings that the crawl's API told it; its address guard is its own operator's."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from skitter.clock import Clock
from skitter.dns.guard import Guard
from skitter.dns.resolver import Resolver
from skitter.fetch.fetcher import HttpFetcher
from skitter.fetch.identity import sender, user_agent
from skitter.messages import Lease
from skitter.node.addresses import AddressLimit
from skitter.node.build import archive_of
from skitter.ports import Archive, Fetcher
from skitter.ports import Resolver as AnyResolver
from skitter.reading.meaning import Rules
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.scope import Scope


class Own(NamedTuple):
    """What is the worker's own, whatever the crawl's settings say."""

    name: str
    directory: Path
    allow_private: bool = False
    allow_nets: Sequence[str] = ()
    hosts_file: str = ""


class WorkerParts(NamedTuple):
    """The parts of a worker."""

    resolver: AnyResolver
    guard: Guard
    limit: AddressLimit
    fetcher: Fetcher
    archive: Archive
    rules: Rules
    clock: Clock


@contextlib.asynccontextmanager
async def opened(
    settings: Settings, own: Own, clock: Clock, check: Callable[[Lease], None]
) -> AsyncIterator[WorkerParts]:
    """Yields the parts of a worker, open."""
    dns = structs.replace(settings.dns, hosts_file=own.hosts_file, servers=(), share=False)
    settings = structs.replace(settings, dns=dns)
    guard = Guard(own.allow_private, own.allow_nets, only_loopback=not settings.identity.contact)
    archive = archive_of(own.directory, settings, clock, node=f"w{own.name}")
    fetcher = HttpFetcher(
        settings.fetch,
        user_agent=user_agent(settings),
        refusal=guard.refusal,
        clock=clock,
        sender=sender(settings),
        check=check,
    )
    resolver = Resolver(settings.dns, clock)
    rules = Rules(settings, Canon(settings.url), Scope(settings.scope))
    limit = AddressLimit(settings.politeness.address_rate, clock)
    async with archive, fetcher, resolver:
        yield WorkerParts(resolver, guard, limit, fetcher, archive, rules, clock)
