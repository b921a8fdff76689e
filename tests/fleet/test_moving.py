"""Slots go from a shard to another whoever dies at whichever record or message: then they are in one of the two, whole.

Every append of a handover is in turn the last one of its process, once written and once not; others take the shards
and go on. What the logs come to is looked at after each death: never in both, and never in none.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Sequence

import pytest

from skitter.fleet.moving import Moving
from skitter.ports import LINKS, LOG
from skitter.shard import keys
from skitter.shard.log import codec, links
from skitter.shard.log.codec import Release, Unreadable, Written
from skitter.shard.log.layers import Layer
from skitter.shard.log.ownership import Standing, after
from skitter.shard.log.store import LogStore
from skitter.shard.log.tenancy import take
from skitter.shard.moving import bundles
from skitter.shard.moving.record import ID, Asked, Bundle, HandedOver, bundle_prefix, decode_moves, encode_moves
from skitter.sim.disk import Entries, MemoryDisk
from skitter.sim.life import Life
from skitter.sim.stores import MemoryStores
from skitter.url.routes import Place, Routes
from tests.shard.moving.test_bundles import ROUTES, all_of, one_of_each, shard_with

A, B = 0, 1
GOING, STAYING, THERE = "a.test", "b.test", "c.test"
HANDOVER = bytes(ID)


class Killed(Exception):  # noqa: N818 (it is no error)
    pass


class Logs:
    """Partitions, and a process that dies at its append number `last`: after it, or before."""

    def __init__(self, last: int, *, is_written: bool) -> None:
        self.partitions: defaultdict[tuple[str, int], list[bytes]] = defaultdict(list)
        self._last = last
        self._is_written = is_written
        self.appends = 0

    async def append(self, topic: str, partition: int, record: bytes) -> int | None:
        self.appends += 1
        if self.appends != self._last or self._is_written:
            self.partitions[topic, partition].append(record)
        if self.appends == self._last:
            raise Killed
        return len(self.partitions[topic, partition]) - 1

    async def read(self, topic: str, partition: int, start: int, end: int) -> Sequence[tuple[int, bytes]]:
        return [(at, self.partitions[topic, partition][at]) for at in range(start, end)]

    def entries(self, shard: int) -> Entries:
        """What the log of a shard comes to."""
        entries, standing = Entries(), Standing()
        for raw in self.partitions[LOG, shard]:
            record = codec.decode(raw)
            assert not isinstance(record, Unreadable)
            standing, counts = after(standing, record)
            if counts and isinstance(record, Written):
                entries.apply(list(record.changes.items()))
        return entries


async def own(logs: Logs, shard: int) -> None:
    """Takes a shard on a machine that has nothing, takes what is in its links, and does all that is to be done."""
    stores, clock = MemoryStores(MemoryDisk(), Life("owner")), lambda: 1.0
    below = stores.open(shard)
    tenancy = await take(logs, shard, "owner", below, clock)  # type: ignore[arg-type]
    assert tenancy is not None
    store = LogStore(shard, below, lambda _: Layer())
    routes = Routes(ROUTES.domains, 1)
    moving = Moving(logs, routes, clock, lambda _: None)  # type: ignore[arg-type]
    assert await moving.work(store, tenancy)
    kept: dict[bytes, bytes | None] = {}
    waiting = logs.partitions[LINKS, shard][store.links_read :]
    for raw in waiting:
        message = links.decode(raw)
        assert isinstance(message, Bundle | HandedOver | Asked)
        moving.take(store, message, kept.__setitem__)
    if waiting:
        offset = await tenancy.append(Written(tenancy.id, kept, store.links_read + len(waiting)))
        assert offset is not None
        store.write_through(kept, offset, tenancy.id)
        assert await moving.work(store, tenancy)
    await tenancy.append(Release(tenancy.id))


def begun(last: int, *, is_written: bool) -> Logs:
    logs = Logs(0, is_written=is_written)

    async def fill() -> None:
        for shard, hosts in ((A, (GOING, STAYING)), (B, (THERE,))):
            below = MemoryStores(MemoryDisk(), Life("first")).open(shard)
            tenancy = await take(logs, shard, "first", below, lambda: 0.0)  # type: ignore[arg-type]
            assert tenancy is not None
            await tenancy.append(Written(tenancy.id, dict(all_of(shard_with(*hosts)))))
            await tenancy.append(Release(tenancy.id))
        await logs.append(LINKS, A, links.encode(Asked(HANDOVER, B, [ROUTES.slot_of(GOING)])))

    asyncio.run(fill())
    logs.appends, logs._last = 0, last
    return logs


def whose(logs: Logs) -> set[int]:
    """The shards that would work on the slot if they were opened now, by what their logs say."""
    slot, found = ROUTES.slot_of(GOING), set()
    for shard in (A, B):
        moves = decode_moves(logs.entries(shard).get(keys.MOVES))
        place = moves.places.get(slot)
        if (place.shard == shard) if place is not None else shard == A:
            found.add(shard)
    return found


def crawled_to_its_end(logs: Logs) -> None:
    for shard in (A, B, A, B, A, B):
        with contextlib.suppress(Killed):
            asyncio.run(own(logs, shard))
        assert len(whose(logs)) <= 1, "two would work on the slot"


def known(entries: Entries) -> dict[bytes, bytes]:
    return {key: value for key, value in all_of(entries).items() if not key.startswith(b"m")}


@pytest.mark.parametrize("is_written", [True, False])
def test_whoever_dies_when_slots_are_in_one_shard_whole(monkeypatch: pytest.MonkeyPatch, *, is_written: bool) -> None:
    monkeypatch.setattr(bundles, "MOST_BYTES", 100)  # some bundles
    whole = begun(0, is_written=True)
    crawled_to_its_end(whole)
    assert whole.appends > 20
    for last in range(1, whole.appends + 1):
        logs = begun(last, is_written=is_written)
        crawled_to_its_end(logs)
        assert known(logs.entries(A)) == known(shard_with(STAYING)), last
        assert known(logs.entries(B)) == known(shard_with(THERE)) | known(one_of_each(GOING)), last
        for shard, hosts in ((A, (STAYING,)), (B, (THERE, GOING))):
            assert logs.entries(shard).get(keys.COUNTS) == shard_with(*hosts).get(keys.COUNTS), last
        assert whose(logs) == {B}
        assert not list(logs.entries(B).iterate(bundle_prefix(HANDOVER)))


def test_slots_that_have_gone_on_are_asked_for_where_they_are() -> None:
    logs = begun(0, is_written=True)
    crawled_to_its_end(logs)
    asyncio.run(logs.append(LINKS, A, links.encode(Asked(bytes([1]) * ID, 2, [ROUTES.slot_of(GOING)]))))
    crawled_to_its_end(logs)
    asyncio.run(own(logs, 2))
    assert known(logs.entries(2)) == known(one_of_each(GOING))
    assert known(logs.entries(B)) == known(shard_with(THERE))


def test_what_can_t_move_is_left_where_it_is() -> None:
    logs = begun(0, is_written=True)
    logs.partitions[LINKS, A] = [links.encode(Asked(HANDOVER, A)), links.encode(Asked(bytes([1]) * ID, B, [1]))]
    crawled_to_its_end(logs)
    moves = decode_moves(logs.entries(A).get(keys.MOVES))
    assert not moves.is_pending
    assert known(logs.entries(A)) == known(shard_with(GOING, STAYING))
    assert encode_moves(moves)


def test_who_knows_better_says_so_again_and_nobody_says_what_is_old() -> None:
    """Of a slot the topic keeps what was said last: a node that comes late must not leave others with an old place."""
    said: list[dict[int, Place]] = []
    routes = Routes(ROUTES.domains, 3)
    moving = Moving(
        Logs(0, is_written=True), routes, lambda: 1.0, lambda _: None, lambda some, _: said.append(dict(some))
    )  # type: ignore[arg-type]
    slot = routes.slot_of(GOING)
    moving.hear({slot: Place(2, 1)})
    moving.correct({slot: Place(1, 2)})
    moving.correct({slot: Place(2, 1)})
    moving.correct({slot: Place(3, 0)})
    assert said == [{slot: Place(2, 1)}, {}, {}]
    assert not moving._is_news(slot, Place(1, 2), 0)
    assert moving._is_news(slot, Place(2, 1), 0)
