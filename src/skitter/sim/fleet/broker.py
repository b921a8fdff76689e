"""The twin of `ports.Broker`: one life's way to the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

from skitter.errors import MachineError
from skitter.ports import LINKS
from skitter.sim.fleet.cluster import TIMEOUT, Cluster
from skitter.sim.life import Life

HEARTBEAT = 0.5
POLL = 0.1
MOST = 7
"""Records that are read at a time, at the most: few, so that whoever reads has to read on."""


class MemoryBroker:
    """See `ports.Broker`."""

    def __init__(self, cluster: Cluster, life: Life) -> None:
        self._cluster = cluster
        self._life = life
        self._wanted: frozenset[int] = frozenset()
        self._held: frozenset[int] = frozenset()
        self._following: dict[int, asyncio.Task[None]] = {}
        self._member: asyncio.Task[None] | None = None
        self._lost: MachineError | None = None  # links that we were to follow

    async def __aenter__(self) -> MemoryBroker:
        self._member = asyncio.create_task(self._keep_heartbeats())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._member is not None
        self._member.cancel()
        for partition in list(self._following):
            self.unfollow(partition)
        self._cluster.leave(self._life)

    def leave(self) -> None:
        """Leaves the group."""
        assert self._member is not None
        self._member.cancel()
        self._wanted = frozenset()
        self._cluster.leave(self._life)

    async def append(self, topic: str, partition: int, record: bytes) -> int | None:
        """Returns the offset of a record, None if nobody can say."""
        self._life.at("broker.append")
        if self._lost is not None:
            raise self._lost
        answer: asyncio.Future[int] = self._cluster.loop.create_future()
        self._cluster.send(topic, partition, record, self._life, answer)
        try:
            async with asyncio.timeout(TIMEOUT):
                offset = await answer
        except TimeoutError:
            return None
        self._life.at("broker.acked")
        return offset

    async def read(self, topic: str, partition: int, start: int, end: int) -> Sequence[tuple[int, bytes]]:
        """Returns records from `start` on, some of those before `end`."""
        await asyncio.sleep(self._cluster.travel_time())
        while not self._cluster.is_reached_by(self._life.node):
            await asyncio.sleep(POLL)
        entries = self._cluster.partitions[topic, partition]
        assert start < end <= len(entries), "only what was written can be read"
        if (gone := self._gone(topic, partition, start)) is not None:
            raise gone
        last = min(end, start + self._cluster.some(MOST))
        return [(offset, entries[offset].raw) for offset in range(start, last)]

    def follow(self, partition: int, start: int, take: Callable[[int, bytes], None]) -> None:
        """Hands the links of a shard to `take`."""
        assert partition not in self._following
        self._following[partition] = asyncio.create_task(self._keep_following(partition, start, take))

    def unfollow(self, partition: int) -> None:
        """Ends `follow`."""
        task = self._following.pop(partition, None)
        if task is not None:
            task.cancel()

    async def _keep_following(self, partition: int, place: int, take: Callable[[int, bytes], None]) -> None:
        while True:
            await self._cluster.wait_grown(LINKS, partition, place)
            if self._cluster.is_reached_by(self._life.node):
                self._lost = self._lost or self._gone(LINKS, partition, place)
                if self._lost is not None:
                    return
                entries = self._cluster.partitions[LINKS, partition]
                for offset in range(place, min(len(entries), place + self._cluster.some(MOST))):
                    take(offset, entries[offset].raw)
                    place = offset + 1
            await asyncio.sleep(POLL)

    def _gone(self, topic: str, partition: int, place: int) -> MachineError | None:
        if place >= (begins := self._cluster.begins.get((topic, partition), 0)):
            return None
        self._cluster.gone.append(f"{self._life.name} wants {topic} {partition} from {place} on, not from {begins}")
        return MachineError(f"the records before {begins} are gone", f"{topic} {partition} at {place}", "None.")

    async def begins(self, topic: str, partition: int) -> int:
        """Returns the offset of the first record that is still there."""
        await asyncio.sleep(self._cluster.travel_time())
        while not self._cluster.is_reached_by(self._life.node):
            await asyncio.sleep(POLL)
        return self._cluster.begins.get((topic, partition), 0)

    async def trim(self, topic: str, partition: int, before: int) -> None:
        """Lets go of the records before an offset, if the brokers are reached."""
        self._life.at("broker.trim")
        if self._cluster.is_reached_by(self._life.node):
            self._cluster.trim(topic, partition, before)

    def wanted(self) -> frozenset[int]:
        """Returns the shards that the group wanted us to own when we last heard of it."""
        return self._wanted

    def given_up(self, shards: Collection[int]) -> None:
        """Tells the group, with the next heartbeat, what we own."""
        self._held = frozenset(shards)

    async def _keep_heartbeats(self) -> None:
        while True:
            wanted = self._cluster.heartbeat(self._life, self._held)
            if wanted is not None:
                self._wanted = wanted
            await asyncio.sleep(HEARTBEAT)
