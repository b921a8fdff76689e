"""Steps go out one after the other; what a lost shard was to get goes to whoever owns it now."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest

from skitter.errors import MachineError
from skitter.messages import State
from skitter.ports import LINKS, LOG
from skitter.shard import keys
from skitter.shard.log import codec, links
from skitter.shard.log.codec import LogRecord, Take, Written
from skitter.shard.log.journal import Journal
from skitter.shard.log.store import LogStore, position_of
from skitter.shard.log.tenancy import Tenancy, release, replay, take
from skitter.shard.records import URLS, UrlRecord
from skitter.sim.disk import MemoryDisk
from skitter.sim.fleet.broker import MemoryBroker
from skitter.sim.fleet.cluster import TIMEOUT, Cluster, ClusterFaults
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop
from skitter.sim.stores import MemoryStore, MemoryStores


class Bench:
    """A cluster, and one life with a journal."""

    def __init__(self, loop: SimLoop) -> None:
        self.loop = loop
        self.cluster = Cluster(loop, 4, 1, ClusterFaults())
        self.life = loop.begin("one")
        self.broker = MemoryBroker(self.cluster, self.life)
        self.journal = Journal(self.broker)
        self.disk = MemoryDisk()

    def below(self, shard: int, life: Life | None = None) -> MemoryStore:
        return MemoryStores(self.disk, life or self.life).open(shard)

    async def taken(self, shard: int) -> tuple[LogStore, Tenancy]:
        below = self.below(shard)
        tenancy = await take(self.broker, shard, "one", below, self.loop.time)
        assert tenancy is not None
        store = LogStore(shard, below, self.journal.top)
        self.journal.tenancies[store] = tenancy
        return store, tenancy

    def log(self, shard: int) -> list[LogRecord]:
        found = [codec.decode(entry.raw) for entry in self.cluster.partitions[LOG, shard]]
        return [record for record in found if not isinstance(record, codec.Unreadable)]


def run(play: Callable[[Bench], Awaitable[None]]) -> None:
    async def whole() -> None:
        bench = Bench(loop)
        sending = asyncio.create_task(bench.journal.keep_sending())
        await play(bench)
        sending.cancel()

    with contextlib.closing(SimLoop(1)) as loop:
        loop.run_until_complete(whole())


def put(store: LogStore, key: bytes, value: bytes) -> None:
    batch = store.batch()
    batch.put(key, value)
    store.write(batch)


def test_what_is_behind_a_barrier_is_sent_when_all_before_it_is_safe() -> None:
    async def play(bench: Bench) -> None:
        (one, _), (other, _) = await bench.taken(1), await bench.taken(2)
        put(one, b"link", b"")
        bench.journal.barrier()
        put(other, b"page", b"")
        bench.journal.when_safe(lambda: None)
        bench.cluster.faults.cut[bench.life.node] = [(0.0, 3.0)]
        await asyncio.sleep(2.9)
        assert [len(bench.log(1)), len(bench.log(2))] == [1, 1], "the takes alone"
        assert (other.get(b"page"), other.below.get(b"page")) == (b"", None)
        await asyncio.sleep(2)
        first, second = bench.cluster.partitions[LOG, 1][1], bench.cluster.partitions[LOG, 2][1]
        assert first.at < second.at
        assert other.below.get(b"page") == b""

    run(play)


def test_one_record_for_each_shard_and_step_and_commits_without_arrivals_share_one() -> None:
    async def play(bench: Bench) -> None:
        store, tenancy = await bench.taken(1)
        for number in range(3):
            bench.journal.barrier()
            put(store, b"page", bytes([number]))
            bench.journal.when_safe(lambda: None)
        await bench.journal.wait_safe()
        assert bench.log(1)[1:] == [Written(tenancy.id, {b"page": b"\2"})]

    run(play)


def test_who_waits_goes_on_when_all_of_it_is_safe() -> None:
    async def play(bench: Bench) -> None:
        store, _ = await bench.taken(1)
        put(store, b"a", b"1")
        said: list[bytes | None] = []
        bench.journal.when_safe(lambda: said.append(store.below.get(b"a")))
        put(store, b"a", b"2")
        await bench.journal.wait_safe()
        assert said == [b"2"]
        assert store.layers.all == []

    run(play)


def test_how_far_links_were_read_is_written_with_what_came_of_them() -> None:
    async def play(bench: Bench) -> None:
        store, tenancy = await bench.taken(1)
        store.links_read = 5
        bench.journal.when_safe(lambda: None)
        await bench.journal.wait_safe()
        assert bench.log(1)[-1] == Written(tenancy.id, {}, 5)
        await bench.journal.wait_safe()
        assert len(bench.log(1)) == 2, "and not again"
        assert position_of(store.below).links == 5

    run(play)


def test_links_of_a_lost_shard_go_to_whoever_owns_it_now() -> None:
    async def play(bench: Bench) -> None:
        store, tenancy = await bench.taken(1)
        bench.cluster.put(LOG, 1, codec.encode(Take(b"x" * 16, "another")))
        lost: list[LogStore] = []
        bench.journal.on_lost = lost.append
        url = UrlRecord("http://a.test/", "a.test", State.QUEUED, 1.0, 2, 0.5, parent="http://b.test/")
        put(store, keys.url_key(b"f" * 16), URLS.encode(url))
        await bench.journal.wait_safe()
        assert tenancy.is_lost
        assert lost == [store]
        assert store.below.get(keys.url_key(b"f" * 16)) is None
        message = links.decode(bench.cluster.partitions[LINKS, 1][0].raw)
        assert isinstance(message, links.Found)
        assert [(one.href, one.fingerprint, one.depth, one.parent) for one in message.links] == [
            ("http://a.test/", b"f" * 16, 2, "http://b.test/")
        ]

    run(play)


def test_a_record_that_nobody_can_tell_of_ends_the_tenure() -> None:
    async def play(bench: Bench) -> None:
        _, tenancy = await bench.taken(1)
        bench.cluster.faults.ack_lost = 1.0
        assert await tenancy.append(Written(tenancy.id)) is None
        assert tenancy.is_lost
        assert bench.loop.time() >= TIMEOUT
        bench.cluster.faults.ack_lost = 0.0
        assert not await release(tenancy)

    run(play)


def test_a_losers_late_record_changes_nothing() -> None:
    async def play(bench: Bench) -> None:
        _, tenancy = await bench.taken(1)
        for _ in range(20):
            bench.cluster.put(LOG, 1, codec.encode(Written(b"x" * 16, {b"a": b"void"})))
        assert await tenancy.append(Written(tenancy.id)) == 21
        assert not tenancy.is_lost
        fresh = MemoryStores(MemoryDisk(), bench.life).open(1)
        await replay(bench.broker, 1, fresh, 22)
        assert fresh.get(b"a") is None

    run(play)


def test_a_start_is_a_replay_of_what_counts() -> None:
    async def play(bench: Bench) -> None:
        store, tenancy = await bench.taken(1)
        for number in range(30):
            put(store, bytes([number]), b"here")
            await bench.journal.wait_safe()
        await release(tenancy)
        bench.cluster.put(LOG, 1, codec.encode(Written(tenancy.id, {b"late": b""})))
        fresh = MemoryStores(MemoryDisk(), bench.life).open(1)
        again = await take(bench.broker, 1, "one", fresh, bench.loop.time)
        assert again is not None
        assert again.tenure.begins <= bench.loop.time(), "it was released: nobody has to be waited for"
        assert [key for key, _ in fresh.iterate(b"") if key != keys.LOG] == [bytes([number]) for number in range(30)]

    run(play)


def test_a_log_that_runs_backwards_is_refused_in_words() -> None:
    async def play(bench: Bench) -> None:
        store, tenancy = await bench.taken(1)
        put(store, b"a", b"1")
        await bench.journal.wait_safe()
        bench.cluster.partitions[LOG, 1].clear()
        with pytest.raises(MachineError, match="the log runs backwards: shard 1"):
            await tenancy.append(Written(tenancy.id))
        store.below.close()
        with pytest.raises(MachineError, match="the store has come to 2, and the log to 1"):
            await take(bench.broker, 1, "one", bench.below(1), bench.loop.time)

    run(play)


def test_a_record_of_another_version_stops_the_replay_in_words() -> None:
    async def play(bench: Bench) -> None:
        bench.cluster.put(LOG, 1, b"\x09what")
        with pytest.raises(MachineError, match=r"shard 1, offset 0: it is of version 9"):
            await take(bench.broker, 1, "one", bench.below(1), bench.loop.time)

    run(play)
