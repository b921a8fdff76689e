"""The twin of `fleet.checkpointing.DiskBucket`: a bucket of checkpoints that is slow, or not there, when it is to be.

As in the real one a checkpoint is there whole or not at all, is made once, and the newest few of a shard are kept.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from msgspec import Struct

from skitter.errors import BlobsError, MachineError
from skitter.ports import ShardStore
from skitter.shard.checkpoint.checkpoints import KEEP
from skitter.sim.disk import Entries, MemoryDisk
from skitter.sim.life import Life


class BucketFaults(Struct):
    """How long something takes, and when nobody is reached: from, until."""

    takes: float = 0.05
    away: list[tuple[float, float]] = []


class Depot:
    """What is in the bucket, whoever dies: stores by shard and by the place in the log that they go up to."""

    def __init__(self, every: float) -> None:
        self.every = every  # seconds from one checkpoint of a shard to the next; 0: there are none
        self.faults = BucketFaults()
        self.kept: defaultdict[int, dict[int, Entries]] = defaultdict(dict)

    def __repr__(self) -> str:
        return f"<Depot: checkpoints of {len(self.kept)} shards>"

    async def reach(self) -> None:
        """Returns after a while. BlobsError if the bucket is not there."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self.faults.takes)
        if any(since <= loop.time() < until for since, until in self.faults.away):
            raise BlobsError("away", "it can't be reached", "the bucket", "It is tried again.")

    def keep(self, shard: int, log_next: int, store: Entries) -> None:
        """Adds a checkpoint, if there is none of that place, and lets go of the oldest."""
        kept = self.kept[shard]
        kept.setdefault(log_next, store)
        for old in sorted(kept)[:-KEEP]:
            del kept[old]


class MemoryBucket:
    """One life's way to the bucket, see `fleet.checkpointing.Bucket`."""

    def __init__(self, depot: Depot, disk: MemoryDisk, life: Life) -> None:
        self._depot = depot
        self._disk = disk
        self._life = life

    def __repr__(self) -> str:
        return f"<MemoryBucket of {self._life.name}>"

    async def take(self, shard: int, _store: ShardStore, log_next: int) -> None:
        """Keeps the store of a shard as it is now, after a while."""
        snapshot = self._disk.stores[shard].copy()
        self._life.at("checkpoint.send")
        await self._depot.reach()
        self._life.at("checkpoint.manifest")
        self._depot.keep(shard, log_next, snapshot)
        self._life.at("checkpoint.taken")

    async def restore(self, shard: int, log_begins: int) -> bool:
        """Puts the newest checkpoint on the disk."""
        await self._depot.reach()
        kept = self._depot.kept[shard]
        newest = max(kept, default=0)
        if newest < log_begins:
            raise MachineError("the checkpoint is too old to be continued by the log", f"shard {shard}", "None.")
        if not kept:
            return False
        self._life.at("checkpoint.restore")
        self._disk.stores[shard] = kept[newest].copy()
        return True
