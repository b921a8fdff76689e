"""Links that are for shards of other nodes, on their way there: sent until they are acknowledged, then forgotten.

At least once: if either side dies in between, they are sent again. Applied once, since a URL is new only once.
"""

from __future__ import annotations

import asyncio

from skitter.frontier.committer import Committer
from skitter.node.owners import Owners
from skitter.ports import Bus, FrameHandler, Links
from skitter.shard.outbox import Outbox

AT_ONCE = 200
"""Parcels in one frame, at the most."""
LOOK_EVERY = 0.05


class Delivery:
    """Empties the outbox. `to_ourselves` takes what is for shards that have become our own."""

    def __init__(
        self, outbox: Outbox, bus: Bus, owners: Owners, committer: Committer, to_ourselves: FrameHandler
    ) -> None:
        self._outbox = outbox
        self._bus = bus
        self._owners = owners
        self._committer = committer
        self._to_ourselves = to_ourselves
        self.sent = 0  # parcels that others have acknowledged

    async def keep_delivering(self) -> None:
        """Delivers for as long as the node lives, to each node by itself: one that is away holds nobody up."""
        async with asyncio.TaskGroup() as group:
            for node in range(self._owners.nodes):
                group.create_task(self._keep_delivering_to(node))

    async def _keep_delivering_to(self, node: int) -> None:
        while True:
            for shard in self._outbox.destinations():
                if self._owners.of_shard(shard) == node:
                    await self._deliver(node, shard)
            await asyncio.sleep(LOOK_EVERY)

    async def _deliver(self, node: int, shard: int) -> None:
        while parcels := self._outbox.pending(shard, AT_ONCE):
            frame = Links(shard, [parcel.links for parcel in parcels])
            is_ours = node == self._owners.number
            answer = await self._to_ourselves(frame) if is_ours else await self._bus.send(node, frame)
            if answer != 0:
                return  # the node is away, or the shard has gone elsewhere: it is tried again
            self.sent += len(parcels)
            self._outbox.delivered(shard, parcels)
            await self._committer.wait_durable()
