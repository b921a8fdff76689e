"""One shard on disk: the one writer of its hosts and URLs.

Writes are gathered in two batches. *Arrivals* are URLs newly discovered; *settlements* are what came of leases. All
arrivals of a node are committed before any settlement, so that a page is never settled before its links are safe.
RocksDB's own log makes each batch atomic: what was committed survives the death of the process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
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
    ReadOptions,
    WriteBatch,
    WriteBufferManager,
)

from skitter.errors import MachineError, OperatorError
from skitter.frontier import keys
from skitter.frontier.records import HOSTS, METAS, ROBOTS, URLS, HostRecord, Meta, RobotsRecord, UrlRecord
from skitter.messages import State

WRITE_BUFFER = 4 * 1024**2

ARENA = 32 * 1024
"""What a write buffer grows by. The shards of a node share one limit: in large steps, buffers that are almost empty
would use it up and be written out all the time."""

SALVAGE = "SALVAGE"
"""A file of this name in a shard's folder lets the next start go on with what is before the damage in its log."""


class StoreMemory:
    """The memory that all shards of a node share: a third for what is not yet written out, the rest for blocks read.

    Of these the filters matter most: 2.5 bytes for each URL ever discovered, asked for each new one.
    """

    def __init__(self, size: int) -> None:
        self.write_buffers = WriteBufferManager(size // 3, False)
        self.cache = Cache(size - size // 3)


def shard_path(directory: Path, number: int) -> Path:
    """Returns where a shard is kept."""
    return directory / "frontier" / f"{number:04d}"


class Shard:
    """The store of one shard, open for its one writer."""

    def __init__(self, directory: Path, number: int, shards: int, memory: StoreMemory, now: float) -> None:
        self.number = number
        self.path = shard_path(directory, number)
        self._db = _open(self.path, memory)
        self._arrivals = WriteBatch(raw_mode=True)
        self._settlements = WriteBatch(raw_mode=True)
        self._pending: dict[bytes, UrlRecord] = {}
        self._awaiting: set[bytes] = set()  # put into the arrivals already: links come in clusters
        self._arrived: Counter[State] = Counter()
        self._settled: Counter[State] = Counter()
        self._counts: Counter[State] = Counter(self._read_counts())
        self.opened_at = now
        self.next_due = self._first_time(b"d")
        self.next_waking = self._first_time(b"s")
        self.meta = self._opened(shards, now)
        # Not from the clock: were that set back between two runs, a serial could be given twice and a URL be lost.
        self._serial = self.meta.opened << 44
        self._put_all_out()

    def __repr__(self) -> str:
        return f"<Shard {self.number} of {self.meta.shards}: {dict(self.counts())}>"

    @property
    def was_used(self) -> bool:
        """Whether an earlier run may have sent requests for this shard's hosts."""
        return self.meta.opened > 1

    def next_serial(self) -> int:
        """Returns a number larger than any before it, also across restarts."""
        self._serial += 1
        return self._serial

    def counts(self) -> Counter[State]:
        """Returns how many URLs are in each state, what is not yet committed included."""
        together = Counter(self._counts)
        together.update(self._arrived)
        together.update(self._settled)
        return together

    # Reading

    def url(self, fingerprint: bytes) -> UrlRecord | None:
        """Returns what is known of a URL."""
        pending = self._pending.get(fingerprint)
        if pending is not None:
            return pending
        raw = self._get(keys.url_key(fingerprint))
        return None if raw is None else URLS.decode(raw)

    def may_have_url(self, fingerprint: bytes) -> bool:
        """Whether the URL may have been discovered. No is sure; RocksDB's filter says it without a look at the disk."""
        return fingerprint in self._pending or self._db.key_may_exist(keys.url_key(fingerprint)) is not False

    def has_url(self, fingerprint: bytes) -> bool:
        """Whether the URL was ever discovered."""
        return fingerprint in self._pending or self._get(keys.url_key(fingerprint)) is not None

    def host(self, host: str) -> HostRecord | None:
        """Returns what is known of a host, as of the last commit."""
        raw = self._get(keys.host_key(host))
        return None if raw is None else HOSTS.decode(raw)

    def robots(self, origin: str) -> RobotsRecord | None:
        """Returns the robots.txt of an origin, as of the last commit."""
        raw = self._get(keys.robots_key(origin))
        return None if raw is None else ROBOTS.decode(raw)

    def scan(self, prefix: bytes, *, after: bytes = b"", limit: int) -> list[tuple[bytes, bytes]]:
        """Returns up to `limit` committed entries that start with `prefix` and come after the key `after`."""
        found: list[tuple[bytes, bytes]] = []
        for key, value in self.iterate(prefix, after):
            found.append((key, value))
            if len(found) >= limit:
                break
        return found

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields all committed entries that start with `prefix` and come after the key `after`."""
        options = ReadOptions()
        options.set_iterate_upper_bound(_end_of(prefix))
        cursor = self._db.iter(options)
        cursor.seek(after + b"\0" if after else prefix)
        while cursor.valid():
            yield cursor.key(), cursor.value()
            cursor.next()
        try:
            cursor.status()  # the end of the entries and a block that can't be read look the same but for this
        except Exception as error:
            raise _unreadable(self.path, error) from error

    # Writing

    def arrive(self, fingerprint: bytes, record: UrlRecord) -> None:
        """Adds a URL that was never seen before."""
        self._pending[fingerprint] = record
        self._arrivals.put(keys.url_key(fingerprint), URLS.encode(record))
        self._arrivals.put(record.queue, fingerprint)
        self._arrived[record.state] += 1

    def await_window(self, front_class: int, host: str) -> None:
        """Notes that a host which is not in memory has something queued."""
        key = keys.waiting_key(front_class, host)
        if key not in self._awaiting:
            self._awaiting.add(key)
            self._arrivals.put(key, b"")

    def change_url(self, fingerprint: bytes, before: UrlRecord, after: UrlRecord) -> None:
        """Replaces a URL's record and moves it between queue and due list as its fields say."""
        batch = self._settlements
        self._pending[fingerprint] = after
        batch.put(keys.url_key(fingerprint), URLS.encode(after))
        if before.queue != after.queue:
            if before.queue:
                batch.delete(before.queue)
            if after.queue:
                batch.put(after.queue, fingerprint)
        if before.due != after.due:
            if before.due is not None:
                batch.delete(keys.due_key(before.due, fingerprint))
            if after.due is not None:
                batch.put(keys.due_key(after.due, fingerprint), b"")
                self.next_due = min(self.next_due, after.due)
        self._settled[before.state] -= 1
        self._settled[after.state] += 1

    def bring_in(self, waiting_key: bytes, host: str) -> None:
        """Notes that a host that waited is in memory now."""
        self._settlements.delete(waiting_key)
        self._settlements.put(keys.inside_key(host), b"")

    def put_out(self, host: str, asleep_until: float | None = None) -> None:
        """Notes that a host is no longer in memory: it has nothing queued, or is asleep until its time comes."""
        self._settlements.delete(keys.inside_key(host))
        if asleep_until is not None:
            self._settlements.put(keys.asleep_key(asleep_until, host), b"")
            self.next_waking = min(self.next_waking, asleep_until)

    def take_due(self, now: float, limit: int) -> list[bytes]:
        """Returns the fingerprints of URLs that are due, at most `limit`. Everything must be committed."""
        found, self.next_due = self._take(b"d", self.next_due, now, limit)
        return [what for _, what in found]

    def take_waking(self, now: float, limit: int) -> list[str]:
        """Removes and returns hosts whose sleep is over, at most `limit`. Everything must be committed."""
        found, self.next_waking = self._take(b"s", self.next_waking, now, limit)
        for key, _ in found:
            self._settlements.delete(key)
        return [what.decode() for _, what in found]

    def put_host(self, record: HostRecord) -> None:
        """Replaces a host's record."""
        self._settlements.put(keys.host_key(record.host), HOSTS.encode(record))

    def put_robots(self, origin: str, record: RobotsRecord) -> None:
        """Replaces an origin's robots.txt."""
        self._settlements.put(keys.robots_key(origin), ROBOTS.encode(record))

    def put(self, key: bytes, value: bytes) -> None:
        """Writes an entry along with the settlements."""
        self._settlements.put(key, value)

    def delete(self, key: bytes) -> None:
        """Removes an entry along with the settlements."""
        self._settlements.delete(key)

    def is_dirty(self) -> bool:
        """Whether there is anything to commit."""
        return not (self._arrivals.is_empty() and self._settlements.is_empty())

    def commit_arrivals(self) -> None:
        """Makes everything discovered so far survive our death."""
        if self._arrivals.is_empty():
            return
        self._counts.update(self._arrived)
        self._arrived = Counter()
        self._arrivals.put(keys.COUNTS, _encode_counts(self._counts))
        batch, self._arrivals = self._arrivals, WriteBatch(raw_mode=True)
        self._write(batch)
        self._awaiting.clear()

    def commit_settlements(self) -> None:
        """Makes everything settled so far survive our death. Arrivals must have been committed."""
        assert self._arrivals.is_empty(), "links are safe before their page is settled"
        if self._settlements.is_empty():
            self._pending.clear()
            return
        self._counts.update(self._settled)
        self._settled = Counter()
        self._settlements.put(keys.COUNTS, _encode_counts(self._counts))
        batch, self._settlements = self._settlements, WriteBatch(raw_mode=True)
        self._write(batch)
        self._pending.clear()

    def close(self) -> None:
        """Commits and closes."""
        self.commit_arrivals()
        self.commit_settlements()
        self._db.close()

    def abandon(self) -> None:
        """Closes without committing anything more: something before it could not be."""
        try:
            self._db.close()
        except Exception as error:
            raise self._unwritable(error) from error

    def sync(self) -> None:
        """Returns when what was committed is on the disk: then it survives a power cut. Any thread may call it."""
        try:
            self._db.flush_wal(True)
        except Exception as error:
            raise self._unwritable(error) from error

    def _first_time(self, prefix: bytes) -> float:
        first = self.scan(prefix, limit=1)
        return keys.due_of(first[0][0])[0] if first else float("inf")

    def _take(self, prefix: bytes, first: float, now: float, limit: int) -> tuple[list[tuple[bytes, bytes]], float]:
        """Returns (key, what) of the entries whose time has come, and when the next one's will."""
        if first > now:
            return [], first
        found: list[tuple[bytes, bytes]] = []
        for key, _ in self.iterate(prefix):
            at, what = keys.due_of(key)
            if at > now or len(found) >= limit:
                return found, at
            found.append((key, what))
        return found, float("inf")

    def _put_all_out(self) -> None:
        # Whoever was in memory when the last run ended still has something queued, or will be found to have nothing.
        for key, _ in self.iterate(b"i"):
            self._settlements.delete(key)
            self._settlements.put(keys.waiting_key(0, key[1:].decode()), b"")
        self.commit_settlements()

    def _get(self, key: bytes) -> bytes | None:
        try:
            found: bytes | None = self._db.get(key)
        except Exception as error:
            raise _unreadable(self.path, error) from error
        return found

    def _write(self, batch: WriteBatch) -> None:
        try:
            self._db.write(batch)
        except Exception as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: Exception) -> MachineError:
        return MachineError("the frontier can't be written", f"{self.path} ({_told(error)})", _REMEDY)

    def _read_counts(self) -> dict[State, int]:
        raw = self._get(keys.COUNTS)
        return {} if raw is None else decode_counts(raw)

    def _opened(self, shards: int, now: float) -> Meta:
        raw = self._get(keys.META)
        meta = Meta(self.number, shards, now) if raw is None else METAS.decode(raw)
        if meta.shards != shards:
            self._db.close()
            right = f"this crawl was created with {meta.shards}, which can't be changed"
            raise OperatorError("frontier.shards", shards, right)
        meta = msgspec.structs.replace(meta, opened=meta.opened + 1)
        self._db.put(keys.META, METAS.encode(meta))
        return meta


_REMEDY = "Make room or mend the disk, then start the same command again: nothing that was settled is lost."
_DAMAGED = (
    "Restore that folder from a copy, or move it away: its hosts then begin anew, and the archive is not touched."
)
_DAMAGED_LOG = (
    f"Restore that folder from a copy. Without one, make an empty file called {SALVAGE} in it and start the same "
    "command again: what is before the damage is kept, what is after it is fetched again where links lead there."
)


def open_read_only(path: Path) -> Rdict:
    """Returns the store at `path` to look at, also while a crawl is writing it."""
    options = Options(raw_mode=True)
    options.create_if_missing(False)
    return Rdict(str(path), options, access_type=AccessType.read_only())


def decode_counts(raw: bytes) -> dict[State, int]:
    """Returns what `_encode_counts` wrote."""
    return {State(name): number for name, number in msgspec.msgpack.decode(raw, type=dict[str, int]).items()}


def _encode_counts(counts: Counter[State]) -> bytes:
    return msgspec.msgpack.encode({state.value: number for state, number in counts.items() if number})


def _end_of(prefix: bytes) -> bytes:
    return prefix[:-1] + bytes((prefix[-1] + 1,))


def _open(path: Path, memory: StoreMemory) -> Rdict:
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
        raise _unopened(path, _told(error)) from error
    return store


def _unopened(path: Path, told: str) -> MachineError:
    """Returns what to say of a store that can't be opened, by what RocksDB says of it."""
    if "lock" in told.lower():
        return MachineError("the frontier is in use", str(path), "Stop the other crawl of this folder first.")
    if "Corruption" not in told:
        return MachineError("the frontier can't be opened", f"{path} ({told})", _REMEDY)
    # Tables and manifest are named in what RocksDB says; the log is not.
    is_named = ".sst" in told or "MANIFEST" in told or "CURRENT" in told
    return MachineError("the frontier is damaged", f"{path} ({told})", _DAMAGED if is_named else _DAMAGED_LOG)


def _unreadable(path: Path, error: Exception) -> MachineError:
    told = _told(error)
    is_damaged = "Corruption" in told
    what = "the frontier is damaged" if is_damaged else "the frontier can't be read"
    return MachineError(what, f"{path} ({told})", _DAMAGED if is_damaged else _REMEDY)


def _told(error: Exception) -> str:
    """Returns what RocksDB says, on one line: the last line of a node's log is what its end is told with."""
    return " ".join(str(error).split())


def _options(memory: StoreMemory) -> Options:
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
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(tables)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(WRITE_BUFFER)
    options.set_arena_block_size(ARENA)
    options.set_write_buffer_manager(memory.write_buffers)
    # Fingerprints fall everywhere, so that a merge into a level below rewrites all of it: in a shard twice as large, it
    # would cost twice as much for each URL. Runs of one size that are merged cost a little more at each doubling.
    options.set_compaction_style(DBCompactionStyle.universal())
    options.set_max_background_jobs(2)
    options.set_keep_log_file_num(1)
    options.set_max_file_opening_threads(1)  # sixteen by itself: made and ended for each of our many small stores
    options.set_skip_stats_update_on_db_open(True)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_max_open_files(256)
    return options
