"""The twin of Kafka: partitions that survive everything, and a group that shares the shards among its members.

What is on its way to it arrives late, after its sender has given up, or after its death; what it answers may come late
or never. A member that is not heard of for a session is taken for dead, and does not know it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextvars import copy_context
from random import Random

from msgspec import Struct, field

from skitter.sim.life import Life
from skitter.sim.loop import SimLoop

SESSION = 6.0
TIMEOUT = 15.0
"""Seconds after which a client no longer waits to hear that its record is there."""
LOST_WITH_ITS_SENDER = 0.5
"""Of the records that a process had sent and that were not there yet when it died, those that never come."""
STRAY = 30.0
"""Seconds that a record may be on its way, at the most."""


class ClusterFaults(Struct):
    """How often what goes wrong, each from 0 to 1, and when nobody is reached: from, until."""

    delay: float = 0.01
    late: float = 0.0  # records that are on their way for long
    ack_lost: float = 0.0
    down: list[tuple[float, float]] = []
    cut: dict[int, list[tuple[float, float]]] = {}  # by node


class Entry(Struct, frozen=True):
    """A record of a partition, whose it is, and when it came."""

    raw: bytes
    life: Life
    at: float


class Member(Struct):
    """A member of the group, as the group knows it."""

    seen: float
    held: frozenset[int] = frozenset()
    assigned: frozenset[int] = field(default_factory=frozenset)


class Cluster:
    """All partitions of a fleet, and its group."""

    def __init__(self, loop: SimLoop, shards: int, seed: int = 0, faults: ClusterFaults | None = None) -> None:
        self.loop = loop
        self.shards = shards
        self.faults = faults or ClusterFaults()
        self.partitions: defaultdict[tuple[str, int], list[Entry]] = defaultdict(list)
        self.gone: list[str] = []  # records that somebody still wanted, and that were let go of
        self.begins: dict[tuple[str, int], int] = {}  # what comes before was let go of
        self.members: dict[Life, Member] = {}
        self._waiting: dict[tuple[str, int], list[asyncio.Future[None]]] = {}
        self._random = Random(seed)  # noqa: S311 (repeatable on purpose)
        self._outside = copy_context()
        self._up_since = 0.0

    def __repr__(self) -> str:
        return f"<Cluster: {sum(map(len, self.partitions.values()))} records, {len(self.members)} members>"

    def happens(self, odds: float) -> bool:
        """Draws whether something with these odds happens."""
        return odds > 0 and self._random.random() < odds

    def travel_time(self) -> float:
        """Draws how long something is on its way."""
        return self.faults.delay * self._random.random()

    def some(self, most: int) -> int:
        """Draws a number up to `most`, at least one."""
        return self._random.randint(1, most)

    def is_down(self) -> bool:
        """Whether nobody is answered now."""
        now = self.loop.time()
        return any(since <= now < until for since, until in self.faults.down)

    def is_reached_by(self, node: int) -> bool:
        """Whether a node and the brokers hear each other now."""
        now = self.loop.time()
        return not self.is_down() and not any(since <= now < until for since, until in self.faults.cut.get(node, ()))

    # Records

    def send(self, topic: str, partition: int, raw: bytes, life: Life, answer: asyncio.Future[int]) -> None:
        """Puts a record on its way. `answer` hears of its offset, if anybody ever does."""
        takes = self.travel_time()
        if self.happens(self.faults.late):
            takes += STRAY * self._random.random()
        until = self.loop.time() + STRAY
        self.loop.call_later(takes, self._arrive, (topic, partition), raw, life, answer, until, context=self._outside)

    def _arrive(
        self, where: tuple[str, int], raw: bytes, life: Life, answer: asyncio.Future[int], until: float
    ) -> None:
        if not self.is_reached_by(life.node):
            # A dead process sends nothing again; one that has given up may have something in its buffers.
            if not life.is_dead and self.loop.time() < until:
                self.loop.call_later(0.5, self._arrive, where, raw, life, answer, until, context=self._outside)
            return
        if life.is_dead and self._random.random() < LOST_WITH_ITS_SENDER:
            return
        entries = self.partitions[where]
        entries.append(Entry(raw, life, self.loop.time()))
        self._wake(where)
        if not self.happens(self.faults.ack_lost):
            self._answer(len(entries) - 1, life, answer)

    def _answer(self, offset: int, life: Life, answer: asyncio.Future[int]) -> None:
        if not self.is_reached_by(life.node):
            self.loop.call_later(0.5, self._answer, offset, life, answer, context=self._outside)
            return
        self.loop.call_later(self.travel_time(), _told, answer, offset, context=self._outside)

    def put(self, topic: str, partition: int, raw: bytes) -> None:
        """Adds a record, as somebody outside does whom nothing befalls."""
        self.partitions[topic, partition].append(Entry(raw, self.loop.outside, self.loop.time()))
        self._wake((topic, partition))

    async def wait_grown(self, topic: str, partition: int, place: int) -> None:
        """Returns when a partition has a record at `place`."""
        while len(self.partitions[topic, partition]) <= place:
            grown: asyncio.Future[None] = self.loop.create_future()
            self._waiting.setdefault((topic, partition), []).append(grown)
            await grown

    def _wake(self, where: tuple[str, int]) -> None:
        for grown in self._waiting.pop(where, ()):
            if not grown.done():
                grown.set_result(None)

    def trim(self, topic: str, partition: int, before: int) -> None:
        """Lets go of the records before an offset; whoever judges still sees them."""
        where = topic, partition
        self.begins[where] = max(self.begins.get(where, 0), min(before, len(self.partitions[where])))

    # The group

    def heartbeat(self, life: Life, held: frozenset[int]) -> frozenset[int] | None:
        """Hears that a member is alive, and what it holds; returns what it should. None if the two are cut off."""
        now = self.loop.time()
        if self.is_down():
            self._up_since = now
        if not self.is_reached_by(life.node):
            return None
        member = self.members.setdefault(life, Member(now))
        member.seen, member.held = now, held
        self._assign(now)
        return member.assigned

    def leave(self, life: Life) -> None:
        """Hears that a member goes."""
        self.members.pop(life, None)

    def _assign(self, now: float) -> None:
        for life, member in list(self.members.items()):
            if now - max(member.seen, self._up_since) > SESSION:
                del self.members[life]
        members = sorted(self.members.items(), key=lambda one: one[0].name)
        for place, (_, member) in enumerate(members):
            theirs: set[int] = set()
            for _, other in members:
                theirs.update(*((other.held, other.assigned) if other is not member else ()))
            target = frozenset(range(place, self.shards, len(members)))
            member.assigned = target - theirs


def _told(answer: asyncio.Future[int], offset: int) -> None:
    if not answer.done():
        answer.set_result(offset)
