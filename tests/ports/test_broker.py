"""The contract of the engine of a fleet: for Kafka, and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from typing import Any

import pytest

from skitter.bus.kafka import KafkaBroker
from skitter.bus.topics import make_topics
from skitter.errors import MachineError
from skitter.ports import LINKS, LOG, Broker
from skitter.sim.fleet.broker import MemoryBroker
from skitter.sim.fleet.cluster import Cluster
from skitter.sim.loop import SimLoop

SHARDS = 4
LONG = 60.0
_fleets = count()

Join = Callable[[], contextlib.AbstractAsyncContextManager[Broker]]
Play = Callable[[Join], Awaitable[None]]


def in_memory(play: Play) -> None:
    with contextlib.closing(SimLoop(1)) as loop:
        cluster = Cluster(loop, SHARDS, 1)

        def join() -> contextlib.AbstractAsyncContextManager[Broker]:
            return MemoryBroker(cluster, loop.begin("one"))

        loop.run_until_complete(play(join))


@pytest.fixture(params=["memory", pytest.param("kafka", marks=pytest.mark.slow)])
def run(request: pytest.FixtureRequest) -> Iterator[Callable[[Play], None]]:
    """Runs a play with what makes another member of the same fleet."""
    if request.param == "memory":
        yield in_memory
        return
    client = {"bootstrap.servers": request.getfixturevalue("broker").bootstrap}

    def in_kafka(play: Play) -> None:
        fleet = f"contract{next(_fleets)}"
        make_topics(client, fleet, SHARDS, 1)
        asyncio.run(play(lambda: _lasting(KafkaBroker(client, fleet))))

    yield in_kafka


@contextlib.asynccontextmanager
async def _lasting(broker: KafkaBroker) -> AsyncIterator[Broker]:
    async with broker:
        yield broker


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(LONG):
        while not holds():
            await asyncio.sleep(0.05)


async def read_all(broker: Broker, start: int, end: int) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    while start < end:
        found += await broker.read(LOG, 1, start, end)
        start = found[-1][0] + 1
    return found


def test_offsets_count_on_by_one_and_records_stay(run: Callable[[Play], None]) -> None:
    async def play(join: Join) -> None:
        async with join() as one, join() as other:
            assert [await one.append(LOG, 1, b"a"), await other.append(LOG, 1, b"b")] == [0, 1]
            assert await one.append(LOG, 2, b"elsewhere") == 0
            assert [await one.append(LOG, 1, bytes([number])) for number in range(20)] == list(range(2, 22))
            everything = [(0, b"a"), (1, b"b"), *((number + 2, bytes([number])) for number in range(20))]
            assert await read_all(other, 0, 22) == everything
            assert await read_all(other, 1, 3) == everything[1:3]
            assert await read_all(other, 5, 9) == everything[5:9]

    run(play)


def test_links_are_followed_from_a_place_on(run: Callable[[Play], None]) -> None:
    async def play(join: Join) -> None:
        found: list[tuple[int, bytes]] = []
        async with join() as one, join() as other:
            for number in range(5):
                assert await one.append(LINKS, 3, bytes([number])) == number
            other.follow(3, 2, lambda offset, raw: found.append((offset, raw)))
            await until(lambda: len(found) == 3)
            await one.append(LINKS, 0, b"not followed")
            await one.append(LINKS, 3, b"more")
            await until(lambda: len(found) == 4)
            other.unfollow(3)
            await one.append(LINKS, 3, b"too late")
            other.follow(3, 1, lambda offset, raw: found.append((offset, raw)))
            await until(lambda: len(found) == 4 + 6)
        assert found[:4] == [(2, b"\2"), (3, b"\3"), (4, b"\4"), (5, b"more")]
        assert found[4:] == [(1, b"\1"), *found[:4], (6, b"too late")]

    run(play)


def test_members_share_the_shards_and_none_is_wanted_of_two(run: Callable[[Play], None]) -> None:
    async def play(join: Join) -> None:
        async with join() as one:
            await until(lambda: one.wanted() == frozenset(range(SHARDS)))
            one.given_up(range(SHARDS))
            async with join() as other:
                await until(lambda: len(one.wanted()) == SHARDS // 2)
                await asyncio.sleep(2)
                assert not other.wanted(), "they are not given up yet"
                one.given_up(one.wanted())
                await until(lambda: len(other.wanted()) == SHARDS // 2)
                assert not one.wanted() & other.wanted()
                other.given_up(())
            await until(lambda: one.wanted() == frozenset(range(SHARDS)))

    run(play)


async def append_for_ever(broker: Broker) -> None:
    while True:
        await broker.append(LINKS, 2, b"")
        await asyncio.sleep(0.1)


def test_who_is_to_follow_links_that_were_let_go_of_is_told(run: Callable[[Play], None]) -> None:
    async def play(join: Join) -> None:
        async with join() as broker:
            assert isinstance(broker, KafkaBroker | MemoryBroker)
            for number in range(3):
                await broker.append(LINKS, 1, b"%d" % number)
            await broker.trim(LINKS, 1, 2)
            assert await broker.begins(LINKS, 1) == 2
            heard: list[int] = []
            broker.follow(1, 0, lambda offset, _: heard.append(offset))
            with pytest.raises(MachineError, match=r"gone|no longer"):
                await asyncio.wait_for(append_for_ever(broker), LONG)
            assert heard == []

    run(play)
