"""The shards that a node of a fleet holds: taken when the group wants it, kept by proof, released or lost.

The group says who should own a shard; `shard.log.ownership` says who does. This brings the two together, one shard at a
time and each by itself, while the node goes on with the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.fleet.alone import ELSEWHERE
from skitter.fleet.asking import Asking
from skitter.fleet.fence import MARGIN, Fence
from skitter.fleet.moving import Moving
from skitter.fleet.tenures import Tenures
from skitter.frontier.frontier import Frontier
from skitter.node.node import Node
from skitter.ports import Broker, Instruction, ShardStore, Stores
from skitter.shard.log import links
from skitter.shard.log.codec import Unreadable
from skitter.shard.log.journal import Journal
from skitter.shard.log.ownership import LEASE
from skitter.shard.log.store import LogStore, LogStores
from skitter.shard.log.tenancy import Tenancy, release, take
from skitter.shard.moving.record import Asked, Bundle, HandedOver, Spread

LOOK = 0.05
RENEW = LEASE / 5
"""Seconds after which a shard that had nothing to write is proven to be ours by a record that says nothing."""

AGAIN = 1.0
"""Seconds after which a shard is asked for again whose log did not answer."""


class Holdings:
    """Takes, keeps and gives up shards.

    `tenancies` are those that we hold, by their numbers; `left` is the page that the process before us died with.
    `prepare` is asked before a store is opened, to make it one that its log goes on from.
    """

    def __init__(
        self,
        name: str,
        broker: Broker,
        below: Stores,
        stores: LogStores,
        journal: Journal,
        tenancies: dict[int, Tenancy],
        fence: Fence,
        clock: Clock,
        left: tuple[int, bytes] | None = None,
        prepare: Callable[[int], Awaitable[None]] | None = None,
        asking: Asking | None = None,
        *,
        moving: Moving,
        tenures: Tenures,
    ) -> None:
        self._name = name
        self._broker = broker
        self._below = below
        self._stores = stores
        self._journal = journal
        self._fence = fence
        self._clock = clock
        self._left = left
        self._prepare = prepare
        self._asking = asking
        self._group: asyncio.TaskGroup | None = None
        self._moving = moving
        self.tenancies = tenancies
        self._changing: dict[int, asyncio.Task[None]] = {}
        self._renewing: set[asyncio.Task[None]] = set()
        self._tenures = tenures
        self._broken: MachineError | None = None
        self._is_leaving = False
        self.taken = self.released = self.lost = 0
        self.again = 0  # pages queued again, since their archive file was lost

    def __repr__(self) -> str:
        return f"<Holdings: {len(self._stores.held)} opened of {len(self.tenancies)} held>"

    async def keep(self, node: Node, frontier: Frontier) -> None:
        """Brings what we hold and what the group wants together, for as long as the node lives."""
        self._journal.on_lost = lambda store: self._abandon(store, node)
        async with asyncio.TaskGroup() as group:
            self._group = group
            while True:
                if self._broken is not None:
                    raise self._broken
                self._mind_leases(frontier, group)
                self._reconcile(node, frontier, group)
                await asyncio.sleep(LOOK)

    async def leave(self) -> None:
        """Returns when all shards are released: whoever takes them need not wait. `keep` must be running."""
        self._is_leaving = True
        while self.tenancies or self._changing:
            await asyncio.sleep(LOOK)
        self._broker.given_up(())
        self._broker.leave()

    # Leases

    def _mind_leases(self, frontier: Frontier, group: asyncio.TaskGroup) -> None:
        now = self._clock()
        for shard, tenancy in self.tenancies.items():
            until = 0.0 if tenancy.is_lost else tenancy.tenure.until() - MARGIN
            frontier.lease_until(shard, until)
            if now >= until:
                self._fence.cut(shard)
            if now >= tenancy.last_sent + RENEW and not (tenancy.is_busy or tenancy.is_lost):
                task = group.create_task(tenancy.renew())
                self._renewing.add(task)
                task.add_done_callback(self._renewing.discard)

    # Who should own what, and who does

    def _reconcile(self, node: Node, frontier: Frontier, group: asyncio.TaskGroup) -> None:
        wanted = frozenset() if self._is_leaving else self._broker.wanted()
        for shard, tenancy in list(self.tenancies.items()):
            if shard in self._changing:
                continue
            if tenancy.is_lost:
                self._begin(shard, self._lose(shard, node), group)
            elif shard not in wanted:
                self._begin(shard, self._release(shard, node), group)
            elif self._moving.is_pending(self._stores.held[shard]):
                self._begin(shard, self._move(shard, node, frontier), group)
        for shard in wanted:
            if shard not in self.tenancies and shard not in self._changing:
                self._begin(shard, self._take(shard, node, frontier), group)
        self._broker.given_up([*self.tenancies, *self._changing])

    def _begin(self, shard: int, work: Coroutine[Any, Any, None], group: asyncio.TaskGroup) -> None:
        self._changing[shard] = task = group.create_task(work)
        task.add_done_callback(lambda _: self._changing.pop(shard))

    async def _take(self, shard: int, node: Node, frontier: Frontier) -> None:
        if self._prepare is not None:
            await self._prepare(shard)
        below = self._below.open(shard)
        tenancy: Tenancy | None = None
        try:
            known = self._tenures.ended, self._tenures.note
            tenancy = await take(self._broker, shard, self._name, below, self._clock, *known)
            if tenancy is not None:
                self.tenancies[shard] = tenancy  # from now on it is renewed
                await self._wait_begin(shard, tenancy)
        except BaseException:
            below.close()
            raise
        store = LogStore(shard, below, self._journal.top)
        is_ours = tenancy is not None and not tenancy.is_lost and self._is_wanted(shard)
        if tenancy is None or not is_ours or not await self._moving.work(store, tenancy):
            await self._give_back(shard, tenancy, below)
            return
        self._stores.held[shard] = store
        self._journal.tenancies[store] = tenancy
        node.take_over(shard)
        if self._left is not None and self._left[0] == shard:
            frontier.count_crash(*self._left)
            self._left = None
        self._follow(store, tenancy, node, frontier)
        self.taken += 1

    def _follow(self, store: LogStore, tenancy: Tenancy, node: Node, frontier: Frontier) -> None:
        frontier.lease_until(store.shard, tenancy.tenure.until() - MARGIN)
        self._broker.follow(store.shard, store.links_read, partial(self._take_message, store, node, frontier))

    async def _move(self, shard: int, node: Node, frontier: Frontier) -> None:
        """Closes a shard while slots come to it or leave it, and goes on with it."""
        self._broker.unfollow(shard)
        tenancy, store = self.tenancies[shard], self._stores.held[shard]
        await node.hand_over(shard, ELSEWHERE)
        await self._journal.wait_safe()
        if not tenancy.is_lost and await self._moving.work(store, tenancy):
            node.take_over(shard)
            self._follow(store, tenancy, node, frontier)

    async def _wait_begin(self, shard: int, tenancy: Tenancy) -> None:
        """Returns when the last owner has stopped for certain, or when we are to give the shard up again."""
        while self._clock() < tenancy.tenure.begins and not tenancy.is_lost and self._is_wanted(shard):
            await asyncio.sleep(min(LOOK, max(0.0, tenancy.tenure.begins - self._clock())))

    async def _give_back(self, shard: int, tenancy: Tenancy | None, below: ShardStore) -> None:
        """Ends a tenure under which nothing was done. It is not released: its last owner may still be at work."""
        below.close()
        self.tenancies.pop(shard, None)
        if tenancy is None:
            await asyncio.sleep(AGAIN)

    async def _release(self, shard: int, node: Node) -> None:
        self._broker.unfollow(shard)
        tenancy, store = self.tenancies[shard], self._stores.held[shard]
        await node.hand_over(shard, ELSEWHERE)
        await self._journal.wait_safe()
        await release(tenancy)
        self._forget(shard, store, tenancy)
        self.released += 1

    def _abandon(self, store: LogStore, node: Node) -> None:
        if self._stores.held.get(store.shard) is store:
            node.abandon(store.shard)

    async def _lose(self, shard: int, node: Node) -> None:
        self._broker.unfollow(shard)
        self._fence.cut(shard)
        tenancy, store = self.tenancies[shard], self._stores.held[shard]
        await node.lose(shard, ELSEWHERE)
        self._forget(shard, store, tenancy)
        self.lost += 1

    def _forget(self, shard: int, store: LogStore, tenancy: Tenancy) -> None:
        del self._journal.tenancies[store], self._stores.held[shard], self.tenancies[shard]
        self._moving.forget(store)
        self._tenures.ended[tenancy.id] = 0.0  # nothing of it is under way any more
        store.below.close()

    def _is_wanted(self, shard: int) -> bool:
        return not self._is_leaving and shard in self._broker.wanted()

    # What others have for a shard

    def _take_message(self, store: LogStore, node: Node, frontier: Frontier, offset: int, raw: bytes) -> None:
        message = links.decode(raw)
        found = links.instruction_of(message) if isinstance(message, links.Told) else message
        if isinstance(found, Unreadable):
            where = f"shard {store.shard}, offset {offset}: {found.why}"
            self._broken = MachineError(
                "a message of the links can't be read", where, "Start the Skitter that sent it."
            )
            return
        if isinstance(found, links.Found):
            frontier.discover_ours(store.shard, found.links)
        elif isinstance(found, links.Safe):
            frontier.operator.note_safe(store.shard, found.file)
        elif isinstance(found, links.Lost):
            self._fetch_again(store.shard, found, frontier)
        elif isinstance(found, links.Question | links.Answer):
            self._hear(found, node)
        elif isinstance(found, Bundle | HandedOver | Asked | Spread):
            self._moving.take(store, found, partial(frontier.keep, store.shard))
        else:
            self._carry_out(found, node, frontier)
        store.links_read = offset + 1
        frontier.committer.commit_soon()

    def _fetch_again(self, shard: int, lost: links.Lost, frontier: Frontier) -> None:
        """Queues pages of a file that is lost; of those that have left the shard, all others are told."""
        again = frontier.operator.fetch_again(shard, lost.file, lost.marks)
        self.again += again.queued
        if again.missing and not lost.marks:
            for other in self._moving.shards():
                if other != shard:
                    self._journal.forward(other, links.encode(links.Lost(lost.file, again.missing)))

    def _hear(self, message: links.Question | links.Answer, node: Node) -> None:
        if self._asking is None:
            return
        if isinstance(message, links.Answer):
            self._asking.heard(message)
        elif self._group is not None:
            self._group.create_task(self._asking.answer(message, node.answer))

    def _carry_out(self, instruction: Instruction, node: Node, frontier: Frontier) -> None:
        """Does what the operator wants; what is about a host that is elsewhere by now is handed on."""
        for one, shard in self._moving.sorted_out(instruction, frontier.owns):
            if shard is None:
                node.instructions.carry_out_one(one)
            else:
                self._journal.forward(shard, links.told(one))
