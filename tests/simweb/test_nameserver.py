"""What the name server is told to say, it says: to our own resolver, which asks as any other would."""

from __future__ import annotations

import asyncio

import pytest

from skitter.dns.resolver import MAX_ADDRESSES, Resolver
from skitter.messages import Kind
from skitter.ports import Resolved
from skitter.settings import DnsSettings
from skitter.simweb.nameserver import FAILING, SILENT, UNKNOWN, Entry, NameServer, Record, Table, found, zone
from skitter.simweb.settings import WorldSettings
from skitter.simweb.world import World

THOUSAND = [f"127.30.{number // 250}.{number % 250 + 1}" for number in range(1000)]

ANSWERS: dict[str, tuple[Entry, list[str] | Kind]] = {
    "an address": (found("127.20.0.1"), ["127.20.0.1"]),
    "both kinds": (found("127.20.0.1", "2001:db8::1"), ["127.20.0.1", "2001:db8::1"]),
    "an alias": (found("b.test", "c.test", "127.20.0.1"), ["127.20.0.1"]),
    "private": (found("10.0.0.1"), ["10.0.0.1"]),
    "a thousand": (found(*THOUSAND), THOUSAND[:MAX_ADDRESSES]),
    "aliases in a circle": (found("b.test", "a.test", "b.test"), Kind.DNS_UNKNOWN),
    "no address": (Record(), Kind.DNS_UNKNOWN),
    "unknown": (UNKNOWN, Kind.DNS_UNKNOWN),
    "failing": (FAILING, Kind.DNS_FAILED),
    "silent": (SILENT, Kind.DNS_FAILED),
}


async def told(server: NameServer, name: str) -> list[str] | Kind:
    """Returns what a resolver without a memory makes of a name."""
    async with Resolver(DnsSettings(servers=(server.address,), timeout=1.0), lambda: 0.0) as resolver:
        answer = await resolver.resolve(name)
        return list(answer.addresses) if isinstance(answer, Resolved) else answer.kind


def serving(table: Table, *names: str) -> tuple[list[list[str] | Kind], NameServer]:
    async def main() -> tuple[list[list[str] | Kind], NameServer]:
        async with NameServer(table) as server:
            return [await told(server, name) for name in names], server

    return asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_what_is_in_the_table_is_told(entry: Entry, expected: list[str] | Kind) -> None:
    assert serving({"a.test": entry}, "a.test")[0] == [expected]


def test_answers_change_from_question_to_question_and_the_last_one_stays() -> None:
    entry = [found("127.20.0.1"), UNKNOWN, found("10.0.0.1")]
    answers, server = serving({"a.test": entry}, "a.test", "a.test", "a.test", "a.test")
    assert answers == [["127.20.0.1"], Kind.DNS_UNKNOWN, ["10.0.0.1"], ["10.0.0.1"]]
    assert server.asked == {("a.test", "A"): 4, ("a.test", "AAAA"): 4}


def test_a_question_that_is_repeated_by_tcp_counts_once() -> None:
    answers, server = serving({"a.test": [found(*THOUSAND), UNKNOWN]}, "a.test", "a.test")
    assert answers == [THOUSAND[:MAX_ADDRESSES], Kind.DNS_UNKNOWN]
    assert server.asked["a.test", "A"] == 2


def test_a_type_goes_before_its_name() -> None:
    assert serving({"a.test": found("127.20.0.1"), ("a.test", "A"): UNKNOWN}, "a.test")[0] == [Kind.DNS_UNKNOWN]


def test_the_names_of_a_world_are_found_at_their_addresses() -> None:
    world = World(WorldSettings(hosts=3))
    site = world.site(2)
    answers, _ = serving(zone(world), site.name, f"www.{site.name}", "nobody.sim.test")
    assert answers == [[site.address], [site.address], Kind.DNS_UNKNOWN]
