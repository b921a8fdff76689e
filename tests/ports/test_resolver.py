"""The contract of the resolver, for name servers and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias

import pytest

from skitter.dns.resolver import Resolver
from skitter.messages import Failure, Kind
from skitter.ports import Resolved
from skitter.ports import Resolver as ResolverPort
from skitter.settings import DnsSettings
from skitter.sim.loop import SimLoop
from skitter.sim.names import Names
from skitter.sim.world import Site, World
from skitter.simweb.nameserver import SERVFAIL, NameServer, Record

KNOWN, BROKEN, UNKNOWN = "known.test", "broken.test", "unknown.test"
ADDRESS = "192.0.2.1"
NOW = 1000.0
Run: TypeAlias = Callable[[Any], Any]
Opened: TypeAlias = Callable[[], contextlib.AbstractAsyncContextManager[ResolverPort]]


@contextlib.asynccontextmanager
async def real() -> AsyncIterator[ResolverPort]:
    table = {(KNOWN, "A"): Record((ADDRESS,), 300), (KNOWN, "AAAA"): Record()}
    table |= {(BROKEN, kind): Record(rcode=SERVFAIL) for kind in ("A", "AAAA")}
    async with NameServer(table) as server:
        settings = DnsSettings(servers=(server.address,), timeout=2.0)
        async with Resolver(settings, lambda: NOW) as resolver:
            yield resolver


@pytest.fixture(params=["servers", "memory"])
def there(request: pytest.FixtureRequest) -> Iterator[tuple[Run, Opened]]:
    if request.param == "servers":
        with asyncio.Runner() as runner:
            yield runner.run, real
        return
    dns = {BROKEN: Failure(Kind.DNS_FAILED, "so it is")}
    world = World({name: Site(name, ADDRESS) for name in (KNOWN, BROKEN)}, {}, dns=dns, dns_until=100.0)
    with contextlib.closing(SimLoop()) as loop:

        @contextlib.asynccontextmanager
        async def twin() -> AsyncIterator[ResolverPort]:
            yield Names(world, loop, loop.begin("one"), lambda: NOW)

        yield loop.run_until_complete, twin
        assert loop.troubles == []


def test_a_name_is_asked_for_once_and_then_known(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as resolver:
            assert resolver.resolve_nowait(KNOWN) is None
            found = await resolver.resolve(KNOWN)
            assert isinstance(found, Resolved)
            assert found.addresses == (ADDRESS,)
            assert found.expires > NOW
            assert resolver.resolve_nowait(KNOWN) == await resolver.resolve(KNOWN) == found
            counts = resolver.statistics()
            assert (counts.asked, counts.hits, counts.kept, counts.in_flight) == (1, 2, 1, 0)

    run(story())


@pytest.mark.parametrize(("name", "kind"), [(UNKNOWN, Kind.DNS_UNKNOWN), (BROKEN, Kind.DNS_FAILED)])
def test_why_there_is_no_address_is_said_and_kept_for_a_while(there: tuple[Run, Opened], name: str, kind: Kind) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as resolver:
            found = await resolver.resolve(name)
            assert isinstance(found, Failure)
            assert found.kind is kind
            assert resolver.resolve_nowait(name) == found
            counts = resolver.statistics()
            assert (counts.unknown, counts.failed) == (kind is Kind.DNS_UNKNOWN, kind is Kind.DNS_FAILED)

    run(story())


def test_those_who_ask_together_share_a_question(there: tuple[Run, Opened]) -> None:
    run, opened = there

    async def story() -> None:
        async with opened() as resolver:
            asking = [asyncio.create_task(resolver.resolve(KNOWN)) for _ in range(3)]
            await asyncio.sleep(0)
            assert resolver.statistics().in_flight == 1
            asking[0].cancel()  # which does not harm the others
            found = await asyncio.gather(*asking[1:])
            assert [one.addresses for one in found if isinstance(one, Resolved)] == [(ADDRESS,)] * 2
            assert (resolver.statistics().asked, resolver.statistics().joined) == (1, 2)

    run(story())
