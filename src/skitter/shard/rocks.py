"""The stores of shards in RocksDB, one for each, and the memory that all stores of a node share. See `ports.Stores`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, cast

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    Checkpoint,
    DBCompactionStyle,
    DBCompressionType,
    DBRecoveryMode,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
    WriteBufferManager,
    WriteOptions,
)

from skitter.ports import Batch
from skitter.shard.broken import SALVAGE, unopened, unreadable, unwritable
from skitter.shard.keys import end_of

WRITE_BUFFER = 4 * 1024**2

ARENA = 32 * 1024
"""What a write buffer grows by. The shards of a node share one limit: in large steps, buffers that are almost empty
would use it up and be written out all the time."""


RUNS = 8
"""Sorted runs of a store before some are merged."""


class RocksStores:
    """The stores of a crawl in `directory`.

    Of `memory` bytes a third is for what is not yet written out, the rest for blocks that were read. Of the rest, the
    filters of the shards may take up to a half as they grow.
    """

    def __init__(self, directory: Path, memory: int, *, is_logged: bool = False) -> None:
        self._directory = directory
        self._is_logged = is_logged  # elsewhere: what is not written out at our death is replayed
        self._write_buffers = WriteBufferManager(memory // 3, False)
        self._reading = memory - memory // 3
        self._filters = 0
        self._cache = Cache(self._reading)

    def is_made(self, shard: int) -> bool:
        """Whether the shard's store was ever opened by anybody."""
        return shard_path(self._directory, shard).exists()

    def open(self, shard: int) -> RocksStore:
        """Returns the store of a shard, made if there is none. MachineError if it is damaged or another has it open."""
        path = shard_path(self._directory, shard)
        db = _opened(path, _options(self._cache, self._write_buffers))
        if self._is_logged:
            db.set_write_options(_unlogged())
        return RocksStore(path, db, is_logged=self._is_logged)

    def room(self) -> float:
        """Returns how many bytes are free to us where the stores are."""
        try:
            about = os.statvfs(self._directory)
        except OSError:
            return float("inf")
        return about.f_bavail * about.f_frsize

    def take_memory(self, size: int) -> bool:
        """Takes so many bytes from the blocks for a filter; False if the filters have had their part."""
        if self._filters + size > self._reading // 2:
            return False
        self._set_filters(self._filters + size)
        return True

    def give_memory_back(self, size: int) -> None:
        """Undoes `take_memory`."""
        self._set_filters(self._filters - size)

    def _set_filters(self, size: int) -> None:
        self._filters = size
        self._cache.set_capacity(self._reading - size)


class RocksStore:
    """One store, open for its one writer."""

    def __init__(self, path: Path, db: Rdict, *, is_logged: bool = False) -> None:
        self.path = path
        self._db = db
        self._is_logged = is_logged
        self._compacting = Lock()

    def __repr__(self) -> str:
        return f"<RocksStore {self.path}>"

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of an entry."""
        try:
            found: bytes | None = self._db.get(key)
        except Exception as error:
            raise unreadable(self.path, error) from error
        return found

    def get_many(self, keys: list[bytes]) -> list[bytes | None]:
        """Returns the values of entries, in the order of their keys."""
        try:
            found = cast("list[bytes | None]", self._db.get(cast("list[Any]", keys)))
        except Exception as error:
            raise unreadable(self.path, error) from error
        return found

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries that start with `prefix`, in order: all, or those whose key comes after `after`."""
        return entries(self._db, self.path, prefix, after)

    def batch(self) -> Batch:
        """Returns an empty batch."""
        batch: Batch = WriteBatch(raw_mode=True)
        return batch

    def write(self, batch: Batch) -> None:
        """Writes all of `batch`, at once or not at all: RocksDB's own log sees to that."""
        try:
            self._db.write(cast("WriteBatch", batch))
        except Exception as error:
            raise unwritable(self.path, error) from error

    async def sync(self) -> None:
        """Returns when what was written before is on the disk. A thread waits for it, and nobody else."""
        await _in_a_thread(self._sync)

    async def compact(self) -> None:
        """Returns when all of the store is rewritten without what was deleted or replaced; a thread does it."""
        await _in_a_thread(self._compact)

    def read_beside(self, name: str) -> bytes | None:
        """Returns a file in the store's folder."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def write_beside(self, name: str, content: bytes) -> bool:
        """Writes a file into the store's folder; False if it could not be, for one because the disk is full."""
        try:
            (self.path / name).write_bytes(content)
        except OSError:
            return False
        return True

    def snapshot(self, folder: Path) -> None:
        """Makes a folder with all that was written so far, which is a store too: links to tables, in milliseconds."""
        try:
            Checkpoint(self._db).create_checkpoint(str(folder))
        except Exception as error:
            raise unwritable(self.path, error) from error

    def close(self) -> None:
        """Lets go of the store, when it is not being compacted any more."""
        with self._compacting:
            try:
                if self._is_logged:
                    self._db.flush(True)
                self._db.close()
            except Exception as error:
                raise unwritable(self.path, error) from error

    def _compact(self) -> None:
        with self._compacting:
            try:
                self._db.compact_range(None, None)
            except Exception as error:
                raise unwritable(self.path, error) from error

    def _sync(self) -> None:
        try:
            self._db.flush_wal(True)
        except Exception as error:
            raise unwritable(self.path, error) from error


async def _in_a_thread(work: Callable[[], None]) -> None:
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        await working  # the store is closed next
        raise


def entries(db: Rdict, path: Path, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
    """Yields the entries of `db` that start with `prefix`: all, or those whose key comes after `after`."""
    options = ReadOptions()
    if end := end_of(prefix):
        options.set_iterate_upper_bound(end)
    cursor = db.iter(options)
    cursor.seek(max(prefix, after + b"\0") if after else prefix)
    return _walked(cursor, options, path)


def _walked(cursor: RdictIter, options: ReadOptions, path: Path) -> Iterator[tuple[bytes, bytes]]:
    # `options` is only held: the cursor reads its bound from there, and rocksdict does not see to it.
    while cursor.valid():
        yield cursor.key(), cursor.value()
        cursor.next()
    try:
        cursor.status()  # the end of the entries and a block that can't be read look the same but for this
    except Exception as error:
        raise unreadable(path, error) from error
    del options


def shard_path(directory: Path, number: int) -> Path:
    """Returns where a shard is kept."""
    return directory / "frontier" / f"{number:04d}"


def _opened(path: Path, options: Options) -> Rdict:
    salvage = path / SALVAGE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # By itself RocksDB opens a damaged log as far as it is good, and says nothing of what it leaves out.
        options.set_wal_recovery_mode(
            DBRecoveryMode.point_in_time() if salvage.exists() else DBRecoveryMode.tolerate_corrupted_tail_records()
        )
        # Named as a column family too: else a store that exists is opened as its OPTIONS file says, which knows neither
        # our cache nor our filter.
        store = Rdict(str(path), options, column_families={"default": options})
        salvage.unlink(missing_ok=True)
    except Exception as error:
        raise unopened(path, error) from error
    return store


def open_read_only(path: Path) -> RocksStore:
    """Returns the store at `path` to look at, also while a crawl is writing it. Whatever RocksDB raises is raised."""
    options = Options(raw_mode=True)
    options.create_if_missing(False)
    # As small as can be: whoever looks opens many, for a moment each. By itself RocksDB starts sixteen threads for it.
    options.set_max_file_opening_threads(1)
    options.set_max_open_files(64)
    options.set_skip_stats_update_on_db_open(True)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_write_buffer_size(WRITE_BUFFER)
    options.set_arena_block_size(ARENA)
    return RocksStore(path, Rdict(str(path), options, access_type=AccessType.read_only()))


def _options(cache: Cache, write_buffers: WriteBufferManager) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(_tables(cache))
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(WRITE_BUFFER)
    options.set_arena_block_size(ARENA)
    options.set_write_buffer_manager(write_buffers)
    # Fingerprints fall everywhere, so that a merge into a level below rewrites all of it: in a shard twice as large, it
    # would cost twice as much for each URL. Runs of one size that are merged cost a little more at each doubling.
    options.set_compaction_style(DBCompactionStyle.universal())
    # Eight runs are merged at a time, not four: each URL is rewritten less often. To look one up takes longer for it,
    # which our own filter leaves for few to do.
    options.set_level_zero_file_num_compaction_trigger(RUNS)
    options.set_max_background_jobs(2)
    options.set_keep_log_file_num(1)
    options.set_max_file_opening_threads(1)  # sixteen by itself: made and ended for each of our many small stores
    options.set_skip_stats_update_on_db_open(True)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_max_open_files(256)
    return options


def _unlogged() -> WriteOptions:
    options = WriteOptions()
    options.disable_wal = True  # type: ignore[assignment, method-assign]  # its stub is of an older version
    return options


def _tables(cache: Cache) -> BlockBasedOptions:
    tables = BlockBasedOptions()
    tables.set_block_cache(cache)
    tables.set_bloom_filter(10, False)
    # Filters and indexes count towards the cache, in small pieces: the filter of a large table, in one piece, does not
    # fit into a slice of the cache and would be read from the file at every check.
    tables.set_cache_index_and_filter_blocks(True)
    tables.set_index_type(BlockBasedIndexType.two_level_index_search())
    tables.set_partition_filters(True)
    tables.set_pin_top_level_index_and_filter(True)
    tables.set_pin_l0_filter_and_index_blocks_in_cache(True)
    return tables
