"""A fleet of real processes on a real broker: whatever is killed, nothing is lost, and no host is asked too soon.

Nodes are killed, one with its disk, all at once, and the broker; one stands still longer than its lease, one leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType

import pytest

from skitter.bus.kafka import KafkaBroker
from skitter.bus.topics import ends_of
from skitter.ports import LOG
from skitter.shard.log.codec import Release, Take
from skitter.shard.log.ownership import Standing, after
from skitter.shard.log.tenancy import read, replay
from skitter.shard.reader import ShardReader
from skitter.shard.records import URLS, UrlRecord
from skitter.sim.disk import MemoryDisk
from skitter.sim.life import Life
from skitter.sim.stores import MemoryStores
from skitter.simweb.judge import repeated
from skitter.simweb.settings import WorldSettings
from skitter.url.domains import Domains
from skitter.url.keys import host_of
from skitter.url.routes import Routes
from tests.faults.crawler import Web, counts_add_up, served
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker

DELAY = 0.5
STALL = 0.25
_names = count()


class Logs:
    """What the logs of a fleet come to."""

    def __init__(self, bootstrap: str, name: str, shards: int) -> None:
        self.urls: list[UrlRecord] = []
        self.by_shard: dict[int, list[UrlRecord]] = {}
        self.broken: Counter[int] = Counter()  # tenures that were not released, by shard
        asyncio.run(self._read({"bootstrap.servers": bootstrap}, name, shards))

    async def _read(self, client: dict[str, str], name: str, shards: int) -> None:
        stores = MemoryStores(MemoryDisk(), Life("reader"))
        ends = ends_of(client, name, LOG, shards)
        async with KafkaBroker(client, name) as broker:
            for shard, end in enumerate(ends):
                store = stores.open(shard)
                await replay(broker, shard, store, end)
                reader = ShardReader(shard, store)
                records = [URLS.decode(raw) for _, raw in reader.iterate(b"u")]
                counts_add_up(reader, records)
                self.urls += records
                self.by_shard[shard] = records
                await self._count_broken(broker, shard, end)

    async def _count_broken(self, broker: KafkaBroker, shard: int, end: int) -> None:
        standing, start = Standing(), 0
        while start < end:
            for offset, record in await read(broker, shard, start, end):
                self.broken[shard] += isinstance(record, Take) and bool(standing.owner)
                standing, _ = after(standing, record)
                start = offset + 1
        assert standing == Standing() or not isinstance(record, Release)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with served(tmp_path, WorldSettings(seed=5, hosts=30, pages_per_host=16)) as web:
        # All hosts are the operator's: of a domain that nobody vouches for, the one page that it may have at first
        # counts as used if its node is killed in the middle of it, and there is no other before the next day.
        web.seeds = web.world.homes()
        yield web


@pytest.fixture
def fleet(tmp_path: Path, broker: Broker, web: Web) -> Iterator[Fleet]:
    name = f"processes{next(_names)}"
    with contextlib.closing(Fleet(tmp_path, broker.bootstrap, name)) as fleet:
        fleet.init(web, DELAY)
        yield fleet


@pytest.mark.slow
def test_whatever_is_killed_nothing_is_lost_and_no_host_is_asked_too_soon(
    fleet: Fleet, broker: Broker, web: Web
) -> None:
    fleet.start("a", "b", "c")
    wait_for(lambda: len(web.requests()) > 20, 40, fleet.logs)
    stopping = threading.Thread(target=fleet.stop, args=("a", 15.0))
    stopping.start()
    time.sleep(2)
    fleet.kill("b", disk=True)
    fleet.start("b")
    time.sleep(6)
    assert fleet.leave("c") == 0, fleet.logs()
    fleet.start("c")
    time.sleep(3)
    broker.kill()
    broker.start()
    stopping.join()
    time.sleep(4)
    for name in "abc":
        fleet.kill(name)
    fleet.start("a", "b", "c")
    wait_for(lambda: not missed(web), 90, fleet.logs)
    for name in "abc":
        assert fleet.leave(name) == 0, fleet.logs()
    judge(fleet, web, Logs(broker.bootstrap, fleet.name, fleet.shards))


def missed(web: Web) -> set[str]:
    """What should have been asked for and was not."""
    return set(web.findings().missed(web.truth()))


def judge_log(web: Web, delay: float = DELAY) -> None:
    """Asserts what the server's own log proves."""
    findings = web.findings()
    assert not missed(web)
    assert not findings.uncalled(web.truth(patient=True))
    assert not findings.forbidden
    assert not findings.before_robots
    assert {host: visits.most_at_once for host, visits in findings.hosts.items() if visits.most_at_once > 1} == {}
    assert (early := findings.too_early(delay, STALL)) == {}, early


def judge(
    fleet: Fleet, web: Web, logs: Logs, *, delay: float = DELAY, lost: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Asserts what the server's log and the shards' prove. `lost`: pages whose capture was lost with a disk."""
    judge_log(web, delay)
    assert len({url.href for url in logs.urls}) == len(logs.urls)
    # A page is fetched again only if its tenure was not released: one of each host at the most.
    routes = Routes(Domains.from_frozen(fleet.domains()), fleet.shards)
    again = Counter(host_of(request.url) for request in repeated(web.requests()))
    for url, times in lost.items():
        again[host_of(url)] -= times
    for host, times in again.items():
        assert times <= logs.broken[routes.shard_of(host)], f"{host}: {times}, {logs.broken}"
