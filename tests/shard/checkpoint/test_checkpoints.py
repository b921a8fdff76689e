"""A shard that is gone with its disk comes back from a bucket, as it was at one place of its log."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rocksdict import WriteOptions

from skitter.config.buckets import parse_address
from skitter.errors import BlobsError, MachineError, OperatorError
from skitter.shard.checkpoint import checkpoints as module
from skitter.shard.checkpoint.checkpoints import Checkpoints
from skitter.shard.checkpoint.manifest import Manifest, decode, encode, file_folder, manifest_key
from skitter.shard.rocks import RocksStore, RocksStores, shard_path
from skitter.store.blobs.blobs import ObstoreBlobs
from skitter.store.blobs.opening import open_blobs
from tests.servers.proxy import Proxy, proxied
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.slow
MEMORY = 4 * 1024**2
SHARD = 7
_prefixes = itertools.count()


class World:
    """Machines with a folder each, and a bucket that they share."""

    def __init__(self, folder: Path, s3: S3Server, proxy: Proxy) -> None:
        self._folder = folder
        self._machines = itertools.count()
        self.proxy = proxy
        through = {**s3.environment, "AWS_ENDPOINT_URL": proxy.endpoint}
        self.blobs = open_blobs(parse_address(f"s3://{s3.bucket}/checkpoints/{next(_prefixes)}"), through)

    def machine(self, crawl: str = "ours") -> tuple[Path, Checkpoints]:
        folder = self._folder / str(next(self._machines))
        folder.mkdir()
        return folder, Checkpoints(self.blobs, crawl, folder / "scratch")


@pytest.fixture
def world(tmp_path: Path, s3: S3Server) -> Iterator[World]:
    with proxied(s3.port) as proxy:
        yield World(tmp_path, s3, proxy)


@pytest.fixture
def run() -> Iterator[Callable[[Any], Any]]:
    with asyncio.Runner() as runner:
        yield runner.run


def opened(folder: Path) -> RocksStore:
    return RocksStores(folder, MEMORY).open(SHARD)


def put(store: RocksStore, numbers: range, value: bytes = b"") -> None:
    batch = store.batch()
    for number in numbers:
        batch.put(b"u%08d" % number, value or os.urandom(100))
    store.write(batch)


def entries(store: RocksStore) -> list[tuple[bytes, bytes]]:
    return list(store.iterate(b"u"))


def sent(proxy: Proxy) -> int:
    return sum(line.startswith("PUT") and "/files/" in line for line in proxy.asked)


def test_a_shard_comes_back_as_it_was(world: World, run: Callable[[Any], Any]) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(2000))
    was = entries(store)
    taken = run(checkpoints.take(SHARD, store.snapshot, 41))
    put(store, range(5000, 5010))  # after it: this is in the log alone
    store.close()
    assert taken.next == 41
    other, elsewhere = world.machine()
    restored = run(elsewhere.restore(SHARD, shard_path(other, SHARD), 41))
    assert restored == taken
    back = opened(other)
    assert entries(back) == was
    put(back, range(9000, 9100))  # it goes on from there
    run(elsewhere.take(SHARD, back.snapshot, 52))
    back.close()
    assert not list((folder / "scratch").iterdir())


def test_what_was_written_without_a_log_of_its_own_is_in_it(world: World, run: Callable[[Any], Any]) -> None:
    """In a fleet the log is elsewhere: what RocksDB holds in memory alone must be in the checkpoint."""
    folder, checkpoints = world.machine()
    store = opened(folder)
    unlogged = WriteOptions()
    unlogged.disable_wal = True
    batch = store.batch()
    batch.put(b"u1", b"in memory alone")
    store._db.write(batch, unlogged)
    run(checkpoints.take(SHARD, store.snapshot, 1))
    store.close()
    other, elsewhere = world.machine()
    run(elsewhere.restore(SHARD, shard_path(other, SHARD), 0))
    back = opened(other)
    assert back.get(b"u1") == b"in memory alone"
    back.close()


def test_only_files_that_are_new_are_sent(world: World, run: Callable[[Any], Any]) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(20_000))
    first = run(checkpoints.take(SHARD, store.snapshot, 1))
    world.proxy.asked.clear()
    put(store, range(20_000, 20_010))
    second = run(checkpoints.take(SHARD, store.snapshot, 2))
    store.close()
    tables = [{file.sha256 for file in one.files if file.name.endswith(".sst")} for one in (first, second)]
    assert tables[0] < tables[1]
    assert sent(world.proxy) == len({file.sha256 for file in second.files} - {file.sha256 for file in first.files})


def test_two_files_of_one_name_are_two(world: World, run: Callable[[Any], Any]) -> None:
    """Both owners go on from one checkpoint, and both make a table with the next number."""
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(100))
    run(checkpoints.take(SHARD, store.snapshot, 1))
    other, elsewhere = world.machine()
    run(elsewhere.restore(SHARD, shard_path(other, SHARD), 0))
    heir = opened(other)
    put(store, range(100, 200), b"of the one that is gone")
    put(heir, range(100, 200), b"of the one that goes on")
    run(checkpoints.take(SHARD, store.snapshot, 5))
    run(elsewhere.take(SHARD, heir.snapshot, 9))
    was = entries(heir)
    store.close()
    heir.close()
    third, again = world.machine()
    run(again.restore(SHARD, shard_path(third, SHARD), 0))
    last = opened(third)
    assert entries(last) == was
    last.close()


def test_a_checkpoint_that_is_cut_off_is_none(world: World, run: Callable[[Any], Any]) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(100))
    first = run(checkpoints.take(SHARD, store.snapshot, 1))
    put(store, range(100, 3000))
    world.proxy.fault, world.proxy.only = 503, "/files/"
    with pytest.raises(BlobsError):
        run(checkpoints.take(SHARD, store.snapshot, 2))
    world.proxy.fault = 0
    assert run(checkpoints.newest(SHARD)) == first
    assert run(checkpoints.take(SHARD, store.snapshot, 3)).next == 3
    store.close()


def test_a_shard_that_never_had_one_begins_with_its_log(world: World, run: Callable[[Any], Any]) -> None:
    folder, checkpoints = world.machine()
    assert run(checkpoints.restore(SHARD, shard_path(folder, SHARD), 0)) is None
    with pytest.raises(MachineError, match="too old to be continued"):
        run(checkpoints.restore(SHARD, shard_path(folder, SHARD), 17))


def test_a_checkpoint_that_the_log_does_not_continue_is_refused(world: World, run: Callable[[Any], Any]) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(10))
    run(checkpoints.take(SHARD, store.snapshot, 30))
    store.close()
    other, elsewhere = world.machine()
    with pytest.raises(MachineError, match=r"ends at 30, the log begins at 31"):
        run(elsewhere.restore(SHARD, shard_path(other, SHARD), 31))
    assert not shard_path(other, SHARD).exists()


def test_one_of_another_crawl_or_version_is_refused(world: World, run: Callable[[Any], Any]) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(10))
    taken = run(checkpoints.take(SHARD, store.snapshot, 1))
    store.close()
    other, foreign = world.machine("theirs")
    with pytest.raises(OperatorError, match="of another crawl"):
        run(foreign.restore(SHARD, shard_path(other, SHARD), 0))
    newer = msgspec.json.encode({**msgspec.to_builtins(taken), "version": 2, "next": 5})
    run(world.blobs.put(manifest_key(SHARD, 5), newer))
    with pytest.raises(OperatorError, match=r"another version of Skitter \(2\)"):
        run(checkpoints.restore(SHARD, shard_path(other, SHARD), 0))


@pytest.mark.parametrize("how", ["gone", "cut", "changed"])
def test_a_damaged_file_makes_the_one_before_serve(world: World, run: Callable[[Any], Any], how: str) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    put(store, range(100))
    run(checkpoints.take(SHARD, store.snapshot, 1))
    was = entries(store)
    put(store, range(100, 200))
    newest = run(checkpoints.take(SHARD, store.snapshot, 2))
    store.close()
    older = run(checkpoints._read(SHARD, manifest_key(SHARD, 1)))
    victim = next(file for file in newest.files if file not in older.files and file.name.endswith(".sst"))
    key = f"{file_folder(SHARD)}/{victim.sha256}"
    content = run(world.blobs.get(key))
    changed = {"cut": content[:-1], "changed": content[:-1] + bytes([content[-1] ^ 1])}
    run(world.blobs.delete(key) if how == "gone" else world.blobs.put(key, changed[how]))
    other, elsewhere = world.machine()
    assert run(elsewhere.restore(SHARD, shard_path(other, SHARD), 1)).next == 1
    back = opened(other)
    assert entries(back) == was
    back.close()
    third, again = world.machine()
    with pytest.raises(MachineError, match="missing or damaged"):
        run(again.restore(SHARD, shard_path(third, SHARD), 2))


def test_what_no_checkpoint_names_is_swept_when_it_is_old(
    world: World, run: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, checkpoints = world.machine()
    store = opened(folder)
    for number in range(4):
        put(store, range(number * 100, number * 100 + 100))
        asyncio.run(store.compact())
        run(checkpoints.take(SHARD, store.snapshot, number))
    was = entries(store)
    store.close()

    async def files(blobs: ObstoreBlobs) -> set[str]:
        return {blob.key async for blob in blobs.list(file_folder(SHARD))}

    before = run(files(world.blobs))
    assert run(checkpoints.sweep(SHARD)) == 2, "manifests alone: a file that is young may be of one being taken"
    assert run(files(world.blobs)) == before
    monkeypatch.setattr(module, "YOUNG", -60.0)
    assert run(checkpoints.sweep(SHARD)) > 0
    named = {
        file.sha256 for number in (2, 3) for file in run(checkpoints._read(SHARD, manifest_key(SHARD, number))).files
    }
    assert {key.rpartition("/")[2] for key in run(files(world.blobs))} == named
    other, elsewhere = world.machine()
    run(elsewhere.restore(SHARD, shard_path(other, SHARD), 0))
    back = opened(other)
    assert entries(back) == was
    back.close()


@given(st.binary())
def test_no_bytes_make_a_manifest_do_harm(raw: bytes) -> None:
    with pytest.raises((MachineError, OperatorError)):
        decode(raw, manifest_key(SHARD, 1), crawl="ours", shard=SHARD)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", "", ".hidden", "a\0b"])
def test_a_manifest_does_not_name_files_elsewhere(name: str) -> None:
    file = {"name": name, "size": 1, "sha256": "0" * 64}
    whole = msgspec.convert({"version": 1, "crawl": "ours", "shard": SHARD, "next": 1, "files": [file]}, Manifest)
    with pytest.raises(MachineError, match="as none is named"):
        decode(encode(whole), manifest_key(SHARD, 1), crawl="ours", shard=SHARD)
