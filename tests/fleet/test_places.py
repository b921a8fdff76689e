"""Where slots are said to be: the last move counts, whoever speaks last."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from skitter.bus.kafka import KafkaBroker
from skitter.bus.table import Table
from skitter.bus.topics import CRAWL, make_topics
from skitter.fleet.facts import places_in, tell_places
from skitter.url.routes import Place
from tests.servers.kafka import Broker


@pytest.mark.slow
def test_a_shard_that_gave_a_slot_away_long_ago_does_not_have_the_last_word(broker: Broker) -> None:
    client, fleet = {"bootstrap.servers": broker.bootstrap}, "places"
    make_topics(client, fleet, 2, 1)

    async def tell() -> None:
        async with KafkaBroker(client, fleet, "a") as teller:
            for place in (Place(2, 1), Place(3, 0), Place(2, 1)):
                tell_places(teller, {7: place}, {})

    asyncio.run(tell())
    with contextlib.closing(Table(client, fleet, CRAWL)) as table:
        table.refresh()
        assert dict(places_in(table)) == {7: Place(3, 0)}
