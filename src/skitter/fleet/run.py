"""A node of a fleet at work: it leases and carries as any node does, while its shards come and go."""

from __future__ import annotations

import asyncio

from skitter.fleet.holdings import Holdings
from skitter.frontier.frontier import Frontier
from skitter.node.node import Node
from skitter.shard.log.journal import Journal


async def run_node(node: Node, frontier: Frontier, holdings: Holdings, journal: Journal) -> None:
    """Returns when the node was told to stop and has released all its shards."""
    async with asyncio.TaskGroup() as group:
        others = [group.create_task(journal.keep_sending()), group.create_task(holdings.keep(node, frontier))]
        await node.run([])
        await holdings.leave()
        for other in others:
            other.cancel()
