"""Handing shards over while nodes are at work: what a fleet will do, as far as it concerns the nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from skitter.node.node import Node
from skitter.sim.life import Life
from skitter.sim.machine import Machine
from skitter.sim.processes import SimProcesses
from skitter.sim.run.trial import Fault


class Moves:
    """Moves the shards of one session. A shard is its owner's until that one has closed it, and then the next one's."""

    def __init__(self, machine: Machine, processes: SimProcesses) -> None:
        self._machine = machine
        self._processes = processes
        self._began = machine.loop.time()

    async def run(self, moves: Sequence[Fault]) -> None:
        """Returns when all are done that could be; one whose owner is away comes to nothing."""
        for move in moves:
            await asyncio.sleep(max(0.0, self._began + move.at - self._machine.loop.time()))
            # What has begun is brought to its end, be it after the session.
            await asyncio.shield(asyncio.create_task(self._move(move.number, move.node)))

    async def _move(self, shard: int, to: int) -> None:
        machine = self._machine
        owner = machine.owners[shard]
        running = machine.running.get(owner)
        if owner == to or running is None:
            return
        node, life = running
        machine.tell("trial", f"node {owner} hands shard {shard} over to node {to}")
        handing = machine.loop.create_task(node.hand_over(shard, to), context=life.context)
        assert life.death is not None
        await asyncio.wait([handing, life.death], return_when=asyncio.FIRST_COMPLETED)
        if not handing.done():
            return
        if (error := handing.exception()) is not None:
            self._fail(life, error)
            return
        machine.tell("trial", f"shard {shard} is node {to}'s")
        machine.owners[shard] = to
        for number, (other, theirs) in machine.running.items():
            machine.loop.call_soon(self._learn, other, theirs, number, shard, to, context=theirs.context)

    def _learn(self, node: Node, life: Life, number: int, shard: int, to: int) -> None:
        try:
            if number == to:
                node.take_over(shard)
            else:
                node._owners.move(shard, to)
        except Exception as error:  # noqa: BLE001 (it ends the process, as it would)
            self._fail(life, error)

    def _fail(self, life: Life, error: BaseException) -> None:
        process = self._processes.process_of(life)
        if process is not None and not life.is_dead:
            process.fail(error)
