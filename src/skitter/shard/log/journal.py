"""The journal of a node: what is written to its shards goes to their logs, step by step, then down to their stores.

A step holds what was written between two barriers: for each shard one record, and messages for shards of other nodes.
A step is sent when all of the one before is safe. So whatever was written before a barrier is safe before anything that
came after it is even sent: links before the settlements of their pages.

If a shard is lost, what it was to have is void, and what it was to get goes to whoever owns it now (`links`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from skitter.messages import Discovered
from skitter.ports import LINKS, Broker
from skitter.shard.log.codec import Written
from skitter.shard.log.layers import Layer
from skitter.shard.log.links import messages_of, offered_again
from skitter.shard.log.store import LogStore
from skitter.shard.log.tenancy import Tenancy

PACE = 0.5
"""Seconds between two commits: the cost of a log follows its records, not its bytes."""

AGAIN = 0.5
"""Seconds after which a message that nobody has acknowledged is sent again."""


class Part:
    """What a step holds for one shard."""

    __slots__ = ("layer", "links", "store")

    def __init__(self, store: LogStore) -> None:
        self.store = store
        self.layer = Layer()
        self.links: int | None = None


class Step:
    """What is sent together, and what is to be done when all of it is safe."""

    def __init__(self) -> None:
        self.parts: dict[LogStore, Part] = {}
        self.posts: list[tuple[int, bytes]] = []  # messages for other shards
        self.then: list[Callable[[], None]] = []

    def part(self, store: LogStore) -> Part:
        """Returns what there is for a shard; made if there is nothing yet."""
        part = self.parts.get(store)
        if part is None:
            part = self.parts[store] = Part(store)
            store.layers.all.append(part.layer)
        return part


class Journal:
    """The steps of one node. `tenancies` are the shards that it holds, by their stores."""

    def __init__(self, broker: Broker, *, pace: float = PACE) -> None:
        self.pace = pace
        self.tenancies: dict[LogStore, Tenancy] = {}
        self.posted: Callable[[], dict[int, list[Discovered]]] = dict  # takes the links for shards of other nodes
        self.on_kept: Callable[[Discovered, int], None] = lambda *_: (
            None
        )  # is told of each that is safe, with its shard
        self.on_lost: Callable[[LogStore], None] = lambda _: None  # is told before anybody goes on who waited
        self.broker = broker
        self._steps: deque[Step] = deque([Step()])
        self._has_arrivals = False
        self._wanted = asyncio.Event()
        self.sent = 0  # messages for other shards that are safe

    def __repr__(self) -> str:
        return f"<Journal: {len(self._steps)} steps of {len(self.tenancies)} shards>"

    # What the stores and the committer say

    def top(self, store: LogStore) -> Layer:
        """Returns the layer that a store writes to."""
        self._has_arrivals = True
        return self._steps[-1].part(store).layer

    def forward(self, shard: int, message: bytes) -> None:
        """Has a message be safe in the links of another shard before it counts as read here."""
        self._steps[-1].posts.append((shard, message))
        self._has_arrivals = True

    def barrier(self) -> None:
        """Has all that was written so far, and all links for other nodes, be safe before anything that comes later."""
        step = self._steps[-1]
        for shard, links in self.posted().items():
            step.posts += [(shard, message) for message in messages_of(links)]
            step.then.append(lambda links=links, shard=shard: self._kept(links, shard))  # type: ignore[misc]
            self._has_arrivals = True
        if self._has_arrivals:
            self._steps.append(Step())

    def when_safe(self, then: Callable[[], None]) -> None:
        """Ends a commit: `then` is called when all that was written is safe, and what was read of links counts."""
        step = self._steps[-1]
        for store in self.tenancies:
            if store.links_read != store.links_noted:
                step.part(store).links = store.links_noted = store.links_read
        step.then.append(then)
        self._has_arrivals = False
        self._wanted.set()

    def _kept(self, links: Iterable[Discovered], shard: int) -> None:
        for link in links:
            self.on_kept(link, shard)

    # Sending

    async def keep_sending(self) -> None:
        """Sends for as long as the node lives. MachineError if a log is not the one that we know."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            due = len(self._steps)
            self._steps.append(Step())  # what is written from now on is not part of it
            for _ in range(due):
                await self._send(self._steps[0])
                self._steps.popleft()

    async def wait_safe(self) -> None:
        """Returns when all that was written so far is safe."""
        is_safe = asyncio.get_running_loop().create_future()
        self.when_safe(lambda: is_safe.set_result(None))
        await asyncio.shield(is_safe)

    async def _send(self, step: Step) -> None:
        async with asyncio.TaskGroup() as group:
            for part in step.parts.values():
                group.create_task(self._append(part))
            for shard, message in step.posts:
                group.create_task(self._post(shard, message))
        self.sent += len(step.posts)
        for then in step.then:
            then()

    async def _append(self, part: Part) -> None:
        tenancy = self.tenancies.get(part.store)
        offset = None
        if tenancy is not None:
            offset = await tenancy.append(Written(tenancy.id, part.layer, part.links))
            if offset is not None:
                part.store.lower(part.layer, offset, tenancy.id, part.links)
                return
        self.on_lost(part.store)
        for message in messages_of(offered_again(part.layer)):
            await self._post(part.store.shard, message)

    async def _post(self, shard: int, message: bytes) -> None:
        while await self.broker.append(LINKS, shard, message) is None:
            await asyncio.sleep(AGAIN)
