"""The contract of the stores of shards, for RocksDB and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.errors import MachineError
from skitter.ports import ShardStore, Stores
from skitter.shard.rocks import RocksStores
from skitter.sim.disk import MemoryDisk
from skitter.sim.life import Life
from skitter.sim.stores import MemoryStores

SIZE = 4 * 1024**2
KINDS = ["rocks", "memory"]
Make = Callable[[], Stores]


@contextlib.contextmanager
def made(kind: str, folder: Path) -> Iterator[Make]:
    """Yields what makes the stores of another process, in the same crawl."""
    if kind == "memory":
        disk, life = MemoryDisk(), Life("one")
        yield lambda: MemoryStores(disk, life, SIZE)
    else:
        yield lambda: RocksStores(folder, SIZE)


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    with made(request.param, tmp_path) as make:
        yield make


@pytest.fixture
def store(make: Make) -> Iterator[ShardStore]:
    with contextlib.closing(make().open(3)) as store:
        yield store


def put(store: ShardStore, entries: dict[bytes, bytes]) -> None:
    batch = store.batch()
    for key, value in entries.items():
        batch.put(key, value)
    store.write(batch)


def test_what_is_there_is_there_after_it_was_compacted(store: ShardStore) -> None:
    put(store, {b"a": b"1", b"b": b"2"})
    batch = store.batch()
    batch.delete(b"a")
    store.write(batch)
    asyncio.run(store.compact())
    assert list(store.iterate(b"")) == [(b"b", b"2")]


def test_there_is_some_room(make: Make) -> None:
    assert make().room() > 0


def test_what_was_written_is_there(store: ShardStore) -> None:
    put(store, {b"a": b"1", b"b": b""})
    assert [store.get(key) for key in (b"a", b"b", b"c")] == [b"1", b"", None]
    assert store.get_many([b"c", b"a", b"b", b"a"]) == [None, b"1", b"", b"1"]
    assert store.get_many([]) == []
    put(store, {b"a": b"2"})
    assert store.get(b"a") == b"2"


def test_a_batch_is_nothing_before_it_is_written(store: ShardStore) -> None:
    put(store, {b"a": b"1"})
    batch = store.batch()
    assert batch.is_empty()
    batch.put(b"b", b"2")
    assert not batch.is_empty()
    batch.delete(b"a")
    assert list(store.iterate(b"")) == [(b"a", b"1")]
    store.write(batch)
    assert list(store.iterate(b"")) == [(b"b", b"2")]


def test_of_changes_to_one_key_the_last_counts(store: ShardStore) -> None:
    batch = store.batch()
    for key, value in ((b"a", b"1"), (b"b", b"1")):
        batch.put(key, value)
        batch.delete(key)
    batch.put(b"b", b"2")
    batch.delete(b"never there")
    store.write(batch)
    assert list(store.iterate(b"")) == [(b"b", b"2")]


PREFIXES = {
    "all of a prefix, in order": (b"q", b"", [b"q", b"q\x00", b"qa", b"qb", b"q\xff"]),
    "those after a key that is there": (b"q", b"qa", [b"qb", b"q\xff"]),
    "those after a key that is not there": (b"q", b"qaa", [b"qb", b"q\xff"]),
    "those after the prefix itself": (b"q", b"q", [b"q\x00", b"qa", b"qb", b"q\xff"]),
    "after the last": (b"q", b"q\xff", []),
    "after something before the prefix": (b"qa", b"a", [b"qa"]),
    "after something behind the prefix": (b"qa", b"r", []),
    "a prefix that nothing has": (b"x", b"", []),
    "a prefix that ends high": (b"q\xff", b"", [b"q\xff"]),
    "a prefix that is high": (b"\xff", b"", [b"\xff", b"\xff\xff"]),
}


@pytest.mark.parametrize("case", PREFIXES)
def test_entries_come_by_prefix_and_in_order(store: ShardStore, case: str) -> None:
    prefix, after, wanted = PREFIXES[case]
    keys = (b"\xff\xff", b"r", b"q", b"q\xff", b"qb", b"a", b"qa", b"q\x00", b"\xff", b"p\xff")
    put(store, {key: key[::-1] for key in keys})
    assert list(store.iterate(prefix, after)) == [(key, key[::-1]) for key in wanted]


def test_who_iterates_sees_the_moment_in_which_it_began(store: ShardStore) -> None:
    put(store, {b"a1": b"", b"a3": b"", b"a5": b""})
    begun, not_begun = store.iterate(b"a"), store.iterate(b"a")
    assert next(begun) == (b"a1", b"")
    batch = store.batch()
    batch.put(b"a2", b"new")
    batch.put(b"a3", b"changed")
    batch.delete(b"a5")
    store.write(batch)
    assert [key for key, _ in begun] == [b"a3", b"a5"]
    assert list(not_begun) == [(b"a1", b""), (b"a3", b""), (b"a5", b"")]
    assert list(store.iterate(b"a")) == [(b"a1", b""), (b"a2", b"new"), (b"a3", b"changed")]


def test_whoever_opens_it_next_sees_what_was_written(make: Make) -> None:
    with contextlib.closing(make().open(3)) as store:
        put(store, {b"a": b"1"})
        store.batch().put(b"b", b"2")
        asyncio.run(store.sync())
    with contextlib.closing(make().open(3)) as store:
        assert list(store.iterate(b"")) == [(b"a", b"1")]


def test_stores_know_nothing_of_one_another(make: Make) -> None:
    stores = make()
    with contextlib.closing(stores.open(3)) as store, contextlib.closing(stores.open(4)) as other:
        put(store, {b"a": b"1"})
        assert other.get(b"a") is None


def test_a_store_is_open_once(make: Make) -> None:
    with contextlib.closing(make().open(3)), pytest.raises(MachineError):
        make().open(3)
    make().open(3).close()


def test_a_store_is_made_when_it_is_first_opened(make: Make) -> None:
    stores = make()
    assert not stores.is_made(3)
    stores.open(3).close()
    assert stores.is_made(3)
    assert make().is_made(3)
    assert not make().is_made(4)


def test_a_file_lies_beside_a_store(make: Make) -> None:
    with contextlib.closing(make().open(3)) as store:
        assert store.read_beside("filter") is None
        assert store.write_beside("filter", b"x" * 100)
        assert store.write_beside("filter", b"y" * 10)
        assert store.read_beside("filter") == b"y" * 10
        assert list(store.iterate(b"")) == []
    with contextlib.closing(make().open(3)) as store:
        assert store.read_beside("filter") == b"y" * 10


def test_filters_share_a_memory(make: Make) -> None:
    stores = make()
    assert not stores.take_memory(SIZE + 1)
    assert stores.take_memory(SIZE // 4)
    taken = 1
    while stores.take_memory(SIZE // 4):
        taken += 1
        assert taken <= 4
    stores.give_memory_back(SIZE // 4)
    assert stores.take_memory(SIZE // 4)
    assert not stores.take_memory(SIZE // 4)


KEYS = st.binary(min_size=1, max_size=3)
CHANGES = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=3)), max_size=8)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_map_in_order(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp(kind)
    shards = iter(range(10_000))
    with made(kind, folder) as make:

        @given(st.lists(CHANGES, max_size=5), KEYS, st.just(b"") | KEYS)
        def check(batches: list[list[tuple[bytes, bytes | None]]], prefix: bytes, after: bytes) -> None:
            model: dict[bytes, bytes] = {}
            with contextlib.closing(make().open(next(shards))) as store:
                for changes in batches:
                    batch = store.batch()
                    for key, value in changes:
                        if value is None:
                            batch.delete(key)
                            model.pop(key, None)
                        else:
                            batch.put(key, value)
                            model[key] = value
                    store.write(batch)
                wanted = [(key, model[key]) for key in sorted(model) if key.startswith(prefix) and key > after]
                assert list(store.iterate(prefix, after)) == wanted

        check()
