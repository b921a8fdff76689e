"""Checkpoints of a fleet's shards: taken while they are worked on, and what a node without a shard's store begins from.

A checkpoint is as good from whoever takes it: a store is never ahead of its log, so that what it holds at a place of
the log is the same everywhere, also with somebody who has lost the shard and does not know it yet. The log is trimmed
to the checkpoint before the newest: if a file of the newest is damaged, there is another way.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Protocol

from skitter.clock import Clock
from skitter.errors import BlobsError
from skitter.ports import LINKS, LOG, Stores
from skitter.shard.checkpoint.checkpoints import Checkpoints
from skitter.shard.log.journal import Journal
from skitter.shard.log.ownership import Standing
from skitter.shard.log.store import LogStore, Position, position_of, write_down
from skitter.shard.log.tenancy import Tenancy
from skitter.shard.rocks import RocksStore, shard_path

_log = logging.getLogger(__name__)

LOOK = 1.0
IDLE = 1000
"""Records that only renewed a lease, after which there is a checkpoint all the same: the log is trimmed to it."""


class Trimmed(Protocol):
    """Partitions whose beginning may be gone."""

    async def begins(self, topic: str, partition: int) -> int:
        """Returns the offset of the first record that is still there."""
        ...

    async def trim(self, topic: str, partition: int, before: int) -> None:
        """Lets go of the records before an offset, if that can be done now."""
        ...


class Checkpointing:
    """Takes checkpoints of the shards that a node holds, every so many seconds, and begins shards from them."""

    def __init__(
        self, checkpoints: Checkpoints, broker: Trimmed, below: Stores, directory: Path, every: float, clock: Clock
    ) -> None:
        self._checkpoints = checkpoints
        self._broker = broker
        self._below = below
        self._directory = directory
        self._every = every
        self._clock = clock
        self._taken: dict[LogStore, list[Position]] = {}
        self._due: dict[LogStore, float] = {}
        self.restored = self.taken = 0

    async def prepare(self, shard: int) -> None:
        """Makes the store of a shard that is to be taken one that its log goes on from. MachineError if there is none.

        What is there already is as good as a checkpoint, as long as the log reaches back to it.
        """
        self.restored += await restore_where_needed(
            self._checkpoints, self._broker, self._below, self._directory, shard
        )

    async def keep(self, journal: Journal) -> None:
        """Takes checkpoints for as long as the node lives, of one shard at a time."""
        while True:
            await asyncio.sleep(min(LOOK, self._every))
            for store in list(journal.tenancies):
                tenancy = journal.tenancies.get(store)
                if tenancy is not None and self._is_due(store, tenancy):
                    await self._take(store, caught_up(store, tenancy))
            self._taken = {store: taken for store, taken in self._taken.items() if store in journal.tenancies}
            self._due = {store: due for store, due in self._due.items() if store in journal.tenancies}

    def _is_due(self, store: LogStore, tenancy: Tenancy) -> bool:
        now = self._clock()
        if now < self._due.setdefault(store, now + self._every):
            return False
        self._due[store] = now + self._every
        taken = self._taken.get(store)
        return not taken or store.position.next > taken[-1].next or tenancy.tenure.next > taken[-1].next + IDLE

    async def _take(self, store: LogStore, position: Position) -> None:
        assert isinstance(store.below, RocksStore)
        try:
            await self._checkpoints.take(store.shard, store.below.snapshot, position.next)
            await self._checkpoints.sweep(store.shard)
        except BlobsError as error:
            _log.warning("no checkpoint of shard %d: %s", store.shard, error)
            return  # the log is kept until there is one
        self.taken += 1
        taken = self._taken.setdefault(store, [])
        taken.append(position)
        if len(taken) > 1:
            before = taken.pop(0)
            await self._broker.trim(LOG, store.shard, before.next)
            await self._broker.trim(LINKS, store.shard, before.links)


async def restore_where_needed(
    checkpoints: Checkpoints, broker: Trimmed, below: Stores, directory: Path, shard: int
) -> bool:
    """Returns whether the store of a shard was made from a checkpoint, since its log does not reach back to what is."""
    begins = await broker.begins(LOG, shard)
    if _next_of(below, shard) >= max(1, begins):
        return False
    return await checkpoints.restore(shard, shard_path(directory, shard), begins) is not None


def _next_of(below: Stores, shard: int) -> int:
    if not below.is_made(shard):
        return 0
    store = below.open(shard)
    try:
        return position_of(store).next
    finally:
        store.close()


def caught_up(store: LogStore, tenancy: Tenancy) -> Position:
    """Returns how far a store has come, past records that changed nothing, and writes that down."""
    if not store.layers.all:
        store.position = Position(tenancy.tenure.next, store.position.links, Standing(tenancy.id))
        write_down(store.below, {}, store.position)
    return store.position
