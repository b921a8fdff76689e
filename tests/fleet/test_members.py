"""Members of the group by their names, on a real broker: who comes back, who goes, and who is there twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import count

import pytest
from confluent_kafka import Consumer, Message

from skitter.bus import kafka, membership
from skitter.bus.kafka import KafkaBroker
from skitter.bus.topics import make_topics
from skitter.errors import MachineError
from skitter.ports import LINKS, LOG
from tests.ports.test_broker import LONG, until
from tests.servers.kafka import Broker

SHARDS = 4
ALL = frozenset(range(SHARDS))
_fleets = count()


@pytest.fixture
def play(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Awaitable[None]]], None]:
    """Runs a play with what makes a member of that name. A member that says nothing is waited for in vain."""
    monkeypatch.setattr(kafka, "SESSION", 300.0)
    client, fleet = {"bootstrap.servers": broker.bootstrap}, f"members{next(_fleets)}"
    make_topics(client, fleet, SHARDS, 1)
    return lambda acts: asyncio.run(acts(lambda name: KafkaBroker(client, fleet, name)))


@pytest.mark.slow
def test_who_comes_back_has_its_shards_and_who_was_there_under_its_name_ends(play: Callable[..., None]) -> None:
    async def acts(member: Callable[[str], KafkaBroker]) -> None:
        async with member("a") as one:
            await until(lambda: one.wanted() == ALL)
            async with member("a") as other:
                await until(lambda: other.wanted() == ALL)
                with pytest.raises(MachineError, match="another process has come to the fleet as a"):
                    await _append_for_ever(one)
                await until(lambda: other.wanted() == ALL)
                assert await other.append(LOG, 0, b"still here") is not None

    play(acts)


@pytest.mark.slow
def test_who_is_turned_away_by_a_ghost_comes_again(
    play: Callable[..., None], broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a broker does that has come back without our id, and with that of the process before us."""
    made: list[dict[str, object]] = []

    def consumer(settings: dict[str, object]) -> Consumer:
        made.append(settings)
        return Consumer(settings)

    monkeypatch.setattr(membership, "Consumer", consumer)

    async def acts(member: Callable[[str], KafkaBroker]) -> None:
        async with member("a") as one:
            await until(lambda: one.wanted() == ALL)
            await asyncio.to_thread(_haunt, made[0])
            await until(lambda: len(made) == 2 and one.wanted() == ALL)
            assert await one.append(LOG, 0, b"still here") is not None

    play(acts)


def _haunt(settings: dict[str, object]) -> None:
    """Joins the group under a name, and is gone: a member with a name tells nobody."""
    ghost, had = Consumer(settings), list[object]()
    ghost.subscribe([str(settings["group.id"]) + ".links"], on_assign=lambda *_: had.append(_))
    while not had:
        ghost.poll(0.1)
    ghost.close()


@pytest.mark.slow
def test_the_group_hears_of_it_when_a_member_leaves_for_good(play: Callable[..., None]) -> None:
    async def acts(member: Callable[[str], KafkaBroker]) -> None:
        async with member("a") as one, member("b") as other:
            one.given_up(())
            other.given_up(())
            await until(lambda: one.wanted() and other.wanted() and one.wanted() | other.wanted() == ALL)
            one.leave()
            await until(lambda: other.wanted() == ALL)

    play(acts)


class Stuck(Consumer):
    """As librdkafka's has been seen after a broker was killed: it brings nothing any more."""

    def consume(self, *_: object) -> list[Message]:
        time.sleep(kafka.POLL)
        return []


@pytest.mark.slow
def test_a_consumer_that_brings_nothing_of_what_is_there_is_made_anew(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[type[Consumer]] = []

    def consumer(settings: dict[str, object]) -> Consumer:
        made.append(Stuck if len(made) < 2 else Consumer)  # those that replay, and read links
        return made[-1](settings)

    monkeypatch.setattr(kafka, "Consumer", consumer)
    monkeypatch.setattr(kafka, "SILENT", 0.5)

    async def acts(member: Callable[[str], KafkaBroker]) -> None:
        async with member("a") as one:
            assert await one.append(LOG, 1, b"written") == 0
            assert await one.read(LOG, 1, 0, 1) == [(0, b"written")]
            assert await one.append(LINKS, 2, b"sent") == 0
            heard: list[tuple[int, bytes]] = []
            one.follow(2, 0, lambda offset, raw: heard.append((offset, raw)))
            await until(lambda: heard == [(0, b"sent")])

    play(acts)
    assert made.count(Stuck) == 2


async def _append_for_ever(broker: KafkaBroker) -> None:
    async with asyncio.timeout(LONG):
        while True:
            await broker.append(LOG, 0, b"still there?")
            await asyncio.sleep(0.1)
