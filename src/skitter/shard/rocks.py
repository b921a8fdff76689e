"""How the store of a shard is opened, and the memory that all stores of a node share."""

from __future__ import annotations

from pathlib import Path

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    DBCompactionStyle,
    DBCompressionType,
    DBRecoveryMode,
    Options,
    Rdict,
    WriteBufferManager,
)

from skitter.shard.broken import SALVAGE, unopened

WRITE_BUFFER = 4 * 1024**2

ARENA = 32 * 1024
"""What a write buffer grows by. The shards of a node share one limit: in large steps, buffers that are almost empty
would use it up and be written out all the time."""


RUNS = 8
"""Sorted runs of a store before some are merged."""


class StoreMemory:
    """The memory that all shards of a node share: a third for what is not yet written out, the rest for blocks read.

    Of the rest, the filters of the shards may take up to a half as they grow.
    """

    def __init__(self, size: int) -> None:
        self.write_buffers = WriteBufferManager(size // 3, False)
        self._reading = size - size // 3
        self._filters = 0
        self.cache = Cache(self._reading)

    def take(self, size: int) -> bool:
        """Takes so many bytes from the blocks for a filter; False if the filters have had their part."""
        if self._filters + size > self._reading // 2:
            return False
        self._set_filters(self._filters + size)
        return True

    def give_back(self, size: int) -> None:
        """Undoes `take`."""
        self._set_filters(self._filters - size)

    def _set_filters(self, size: int) -> None:
        self._filters = size
        self.cache.set_capacity(self._reading - size)


def shard_path(directory: Path, number: int) -> Path:
    """Returns where a shard is kept."""
    return directory / "frontier" / f"{number:04d}"


def open_store(path: Path, memory: StoreMemory) -> Rdict:
    """Returns the store at `path`, which is made if there is none."""
    salvage = path / SALVAGE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        options = _options(memory)
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


def open_read_only(path: Path) -> Rdict:
    """Returns the store at `path` to look at, also while a crawl is writing it."""
    options = Options(raw_mode=True)
    options.create_if_missing(False)
    return Rdict(str(path), options, access_type=AccessType.read_only())


def _options(memory: StoreMemory) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(_tables(memory))
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(WRITE_BUFFER)
    options.set_arena_block_size(ARENA)
    options.set_write_buffer_manager(memory.write_buffers)
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


def _tables(memory: StoreMemory) -> BlockBasedOptions:
    tables = BlockBasedOptions()
    tables.set_block_cache(memory.cache)
    tables.set_bloom_filter(10, False)
    # Filters and indexes count towards the cache, in small pieces: the filter of a large table, in one piece, does not
    # fit into a slice of the cache and would be read from the file at every check.
    tables.set_cache_index_and_filter_blocks(True)
    tables.set_index_type(BlockBasedIndexType.two_level_index_search())
    tables.set_partition_filters(True)
    tables.set_pin_top_level_index_and_filter(True)
    tables.set_pin_l0_filter_and_index_blocks_in_cache(True)
    return tables
