"""What a worker is made of, by the settings that the crawl's API told it; its address guard is its own operator's."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from skitter.clock import Clock
from skitter.dns.guard import Guard
from skitter.dns.resolver import Resolver
from skitter.errors import OperatorError
from skitter.fetch.fetcher import HttpFetcher
from skitter.fetch.identity import sender, user_agent
from skitter.fetch.signing import signs_by
from skitter.messages import Lease
from skitter.node.addresses import AddressLimit
from skitter.node.build import archive_of, plugins_of
from skitter.ports import Archive, Fetcher
from skitter.ports import Resolver as AnyResolver
from skitter.reading.keeping import refuses
from skitter.reading.meaning import Rules
from skitter.settings import PluginSettings, Settings
from skitter.url.canon import Canon
from skitter.url.scope import Scope

if TYPE_CHECKING:  # few crawls have any
    from skitter.plugins.chain import Plugins

MOST_CLIENTS = 64
"""Nodes that one worker works for, in this run and any before it."""


class Own(NamedTuple):
    """What is the worker's own, whatever the crawl's settings say."""

    name: str
    directory: Path
    allow_private: bool = False
    allow_nets: Sequence[str] = ()
    hosts_file: str = ""
    key_file: str = ""  # what requests are signed with
    plugins: str = ""  # the folder of plug-ins that are no packages; without it there are none such


class WorkerParts(NamedTuple):
    """The parts of a worker."""

    resolver: AnyResolver
    guard: Guard
    limit: AddressLimit
    fetcher: Fetcher
    archive: Archive
    rules: Rules
    clock: Clock
    plugins: Plugins | None = None


@contextlib.asynccontextmanager
async def opened(
    settings: Settings, own: Own, seat: tuple[int, int], clock: Clock, check: Callable[[Lease], None]
) -> AsyncIterator[WorkerParts]:
    """Yields the parts of a worker, open. `seat` is which of how many nodes it has these for."""
    dns = structs.replace(settings.dns, hosts_file=own.hosts_file, servers=(), share=False)
    identity = structs.replace(settings.identity, key_file=own.key_file)  # no file of ours that an API names is read
    settings = structs.replace(settings, dns=dns, plugins=plugins_here(settings.plugins, own), identity=identity)
    guard = Guard(own.allow_private, own.allow_nets, only_loopback=not settings.identity.contact)
    # A writer for each: whoever opens an archive mends the files that one of its name left, which is nobody else now.
    number, seats = seat
    heir_of = [writer_of(own.name, other) for other in range(number + seats, MOST_CLIENTS, seats)]
    archive = archive_of(own.directory, settings, clock, node=writer_of(own.name, number), heir_of=heir_of)
    fetcher = HttpFetcher(
        settings.fetch,
        user_agent=user_agent(settings),
        refusal=guard.refusal,
        clock=clock,
        sender=sender(settings),
        sign=signs_by(settings, clock),
        refuses=refuses(settings.content.types),
        check=check,
    )
    resolver = Resolver(settings.dns, clock)
    rules = Rules(settings, Canon(settings.url), Scope(settings.scope))
    limit = AddressLimit(settings.politeness.address_rate, clock)
    async with archive, fetcher, resolver, plugins_of(settings) as plugins:
        yield WorkerParts(resolver, guard, limit, fetcher, archive, rules, clock, plugins)


def plugins_here(told: PluginSettings, own: Own) -> PluginSettings:
    """Returns the plug-ins of a crawl as they are loaded here: an API must not choose which files of ours are run."""
    for name in told.use:
        if ":" in name and not own.plugins:
            right = f"the crawl uses {name}, a file of its own: name the folder where you have it, or install it"
            raise OperatorError("--plugins", None, right)
    return structs.replace(told, folder=own.plugins)


def writer_of(name: str, number: int) -> str:
    """Returns by what name a worker writes what it fetches for one of its nodes."""
    return f"w{name}-{number}" if number else f"w{name}"
