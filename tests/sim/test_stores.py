"""What the twin of the stores adds to its contract: deaths at every place, and faults."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from skitter.errors import MachineError
from skitter.sim.disk import DiskFaults, MemoryDisk
from skitter.sim.life import Fate, Killed, Life
from skitter.sim.loop import SimLoop
from skitter.sim.stores import MemoryStore, MemoryStores


def put(store: MemoryStore, **entries: bytes) -> None:
    batch = store.batch()
    for key, value in entries.items():
        batch.put(key.encode(), value)
    store.write(batch)


def reborn(disk: MemoryDisk, shard: int = 0) -> MemoryStore:
    return MemoryStores(disk, Life("next")).open(shard)


@pytest.mark.parametrize(("place", "left"), [("store.write", [b"a"]), ("store.written", [b"a", b"b", b"c"])])
def test_a_death_leaves_all_of_a_batch_or_nothing(place: str, left: list[bytes]) -> None:
    disk, life = MemoryDisk(), Life("one")
    store = MemoryStores(disk, life).open(0)
    put(store, a=b"")
    life.meet(Fate(place, 2))
    with pytest.raises(Killed):
        put(store, b=b"", c=b"")
    assert [key for key, _ in reborn(disk).iterate(b"")] == left


def test_the_dead_write_nothing() -> None:
    disk, life = MemoryDisk(), Life("one")
    stores = MemoryStores(disk, life)
    store = stores.open(0)
    life.kill()
    with pytest.raises(Killed):
        put(store, a=b"")
    with pytest.raises(Killed):
        store.write_beside("f", b"x")
    with pytest.raises(Killed):
        stores.open(1)
    after = reborn(disk)
    with pytest.raises(Killed):
        store.close()  # it is not theirs to close any more
    assert list(after.iterate(b"")) == []
    assert after.read_beside("f") is None
    with pytest.raises(MachineError):
        reborn(disk)


def test_two_lives_that_want_one_store_are_noted() -> None:
    disk, first = MemoryDisk(), Life("first")
    MemoryStores(disk, first).open(0)
    with pytest.raises(MachineError, match="in use"):
        reborn(disk)
    assert disk.clashes == ["next opened shard 0 of first"]
    first.kill()
    reborn(disk)
    assert len(disk.clashes) == 1


def test_a_write_that_fails_writes_nothing() -> None:
    disk = MemoryDisk(DiskFaults(failing_writes=frozenset({2})))
    store = MemoryStores(disk, Life("one")).open(0)
    put(store, a=b"1")
    with pytest.raises(MachineError, match="can't be written"):
        put(store, a=b"2", b=b"2")
    assert list(store.iterate(b"")) == [(b"a", b"1")]
    put(store, a=b"3")
    assert store.get(b"a") == b"3"


def test_a_sync_takes_its_time_and_may_fail() -> None:
    disk = MemoryDisk(DiskFaults(sync_takes=7.0, failing_syncs=frozenset({2})))
    store = MemoryStores(disk, Life("one")).open(0)

    async def main() -> float:
        await store.sync()
        with pytest.raises(MachineError):
            await store.sync()
        return asyncio.get_running_loop().time()

    with contextlib.closing(SimLoop()) as loop:
        assert loop.run_until_complete(main()) == 14.0


def test_a_file_beside_the_store_may_be_torn_or_refused() -> None:
    disk, life = MemoryDisk(), Life("one")
    store = MemoryStores(disk, life).open(0)
    life.meet(Fate("file.torn", 1))
    with pytest.raises(Killed):
        store.write_beside("f", b"abcd")
    after = reborn(disk)
    assert after.read_beside("f") == b"ab"
    disk.faults.keeps_files = False
    assert not after.write_beside("f", b"xyz")
    assert after.read_beside("f") == b"ab"


def test_who_iterates_costs_no_copy_once_it_is_done() -> None:
    store = reborn(MemoryDisk())
    put(store, a=b"", b=b"")
    kept = store._opened()._now
    next(store.iterate(b""))
    list(store.iterate(b""))
    put(store, c=b"")
    assert store._opened()._now is kept
    held = store.iterate(b"")
    put(store, d=b"")
    assert store._opened()._now is not kept
    assert [key for key, _ in held] == [b"a", b"b", b"c"]
