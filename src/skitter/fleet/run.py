"""A node of a fleet at work: it leases and carries as any node does, while its shards come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import NamedTuple

from skitter.fleet.checkpointing import Checkpointing
from skitter.fleet.holdings import Holdings
from skitter.fleet.losses import Losses
from skitter.fleet.moving import Moving
from skitter.frontier.frontier import Frontier
from skitter.node.node import Node
from skitter.shard.log.journal import Journal


class FleetNode(NamedTuple):
    """A node with all that it takes to run it."""

    node: Node
    frontier: Frontier
    holdings: Holdings
    journal: Journal
    moving: Moving
    checkpointing: Checkpointing | None = None
    losses: Losses | None = None


async def run_node(one: FleetNode, notes: Collection[str]) -> None:
    """Returns when the node was told to stop and has released all its shards."""
    async with asyncio.TaskGroup() as group:
        others = [
            group.create_task(one.journal.keep_sending()),
            group.create_task(one.holdings.keep(one.node, one.frontier)),
        ]
        if one.checkpointing is not None:
            others.append(group.create_task(one.checkpointing.keep(one.journal)))
        if one.losses is not None:
            others.append(group.create_task(one.losses.keep(one.journal.broker, one.journal.tenancies)))
        leaving = group.create_task(_leave(one))
        await one.node.run(list(notes))
        await leaving
        for other in others:
            other.cancel()


async def _leave(one: FleetNode) -> None:
    """Returns when all shards are released. Each is as soon as nothing of it is under way, whatever else still is."""
    await one.node.wait_told_to_stop()
    await one.holdings.leave()
