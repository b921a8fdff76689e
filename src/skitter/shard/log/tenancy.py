"""Holding one shard: a `take`, the replay of its log, and records that each prove that it is still ours."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.ports import LOG, Broker, ShardStore
from skitter.shard.log import codec
from skitter.shard.log.codec import ID, LogRecord, Release, Take, Unreadable, Written
from skitter.shard.log.ownership import NONE, Backwards, Gap, Tenure, after, taken, with_gap, written
from skitter.shard.log.store import Position, position_of, write_down

REMEDY = (
    "The topics of this fleet are not those that the node's folder was written with. If they were made anew, start "
    "with an empty folder; else restore them."
)


class Tenancy:
    """A shard that we hold, until it is released or lost. One record is under way at a time."""

    def __init__(self, broker: Broker, shard: int, tenure: Tenure, clock: Clock) -> None:
        self._broker = broker
        self._clock = clock
        self._turn = asyncio.Lock()  # offsets are compared in the order in which records were sent
        self.shard = shard
        self.tenure = tenure
        self.is_lost = False
        self.last_sent = clock()

    def __repr__(self) -> str:
        return f"<Tenancy of shard {self.shard}: {'lost' if self.is_lost else self.tenure}>"

    @property
    def id(self) -> bytes:
        """The id that all our records carry."""
        return self.tenure.id

    def may_fetch(self, now: float) -> bool:
        """Whether requests may start and be under way."""
        return not self.is_lost and self.tenure.may_fetch(now)

    @property
    def is_busy(self) -> bool:
        """Whether a record is under way: it renews the lease as well as any other."""
        return self._turn.locked()

    async def append(self, record: LogRecord) -> int | None:
        """Returns the offset of a record that counts for certain; None: the shard is lost, and the record is void.

        Also if nobody can say: then we hold the shard no more, and whoever takes it next finds out.
        """
        raw = codec.encode(record)
        async with self._turn:
            if self.is_lost:
                return None
            self.last_sent = sent = self._clock()
            offset = await self._broker.append(LOG, self.shard, raw)
            proven = None if offset is None else await self._proven(offset, sent)
            if proven is None:
                self.is_lost = True
                return None
            self.tenure = proven
            return offset

    async def renew(self) -> None:
        """Proves that the shard is ours, with a record that says nothing else."""
        await self.append(Written(self.id))

    async def _proven(self, offset: int, sent: float) -> Tenure | None:
        found = written(self.tenure, offset, sent)
        if isinstance(found, Backwards):
            raise _not_ours(self.shard, f"offset {found.offset} came after {found.known}")
        if isinstance(found, Gap):
            return with_gap(self.tenure, await self._between(found), offset, sent)
        return found

    async def _between(self, gap: Gap) -> list[LogRecord]:
        found: list[tuple[int, LogRecord]] = []
        while (start := found[-1][0] + 1 if found else gap.start) < gap.end:
            found += await read(self._broker, self.shard, start, gap.end)
        return [record for _, record in found]


async def take(
    broker: Broker,
    shard: int,
    node: str,
    below: ShardStore,
    clock: Clock,
    ours: Mapping[bytes, float] = NONE,
    note: Callable[[bytes], None] = lambda _: None,
) -> Tenancy | None:
    """Returns a shard taken, with its store replayed to where that happened; None if the log does not answer.

    `ours`: ids of tenures that have stopped for certain, and when the next may begin. `note` hears of the id first.
    """
    record = Take(os.urandom(ID), node)
    note(record.id)
    sent = clock()
    offset = await broker.append(LOG, shard, codec.encode(record))
    if offset is None:
        return None
    heard = clock()
    position = await replay(broker, shard, below, offset)
    tenure = taken(record, offset, sent=sent, heard=heard, before=position.owner, ours=ours)
    return Tenancy(broker, shard, tenure, clock)


async def replay(broker: Broker, shard: int, below: ShardStore, end: int) -> Position:
    """Returns how a shard stands before the record at `end`; `below` holds then all that counts up to there."""
    position = position_of(below)
    if position.next > end:
        raise _not_ours(shard, f"the store has come to {position.next}, and the log to {end}")
    while position.next < end:
        for offset, record in await read(broker, shard, position.next, end):
            standing, counts = after(position.owner, record)
            is_change = counts and isinstance(record, Written)
            changes = record.changes if is_change and isinstance(record, Written) else {}
            links = record.links if is_change and isinstance(record, Written) else None
            position = Position(offset + 1, position.links if links is None else links, standing)
            if changes or links is not None:
                write_down(below, changes, position)
    write_down(below, {}, position)
    return position


async def read(broker: Broker, shard: int, start: int, end: int) -> list[tuple[int, LogRecord]]:
    """Returns records of a shard's log from `start` on, some or all of those before `end`, with their offsets."""
    found = []
    for offset, raw in await broker.read(LOG, shard, start, end):
        record = codec.decode(raw)
        if isinstance(record, Unreadable):
            where = f"shard {shard}, offset {offset}: {record.why}"
            raise MachineError("a record of the log can't be read", where, "Start the Skitter that wrote it.")
        found.append((offset, record))
    return found


async def release(tenancy: Tenancy) -> bool:
    """Says that we have stopped: nothing of the shard may be under way. Returns whether the log has it."""
    return await tenancy.append(Release(tenancy.id)) is not None


def _not_ours(shard: int, what: str) -> MachineError:
    return MachineError("the log runs backwards", f"shard {shard}: {what}", REMEDY)
