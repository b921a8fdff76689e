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
from rocksdict import ReadOptions, WriteBatch

from skitter.errors import OperatorError
from skitter.messages import State
from skitter.shard import keys
from skitter.shard.broken import unreadable, unwritable
from skitter.shard.filter import UrlFilter
from skitter.shard.records import HOSTS, METAS, ROBOTS, URLS, HostRecord, Meta, RobotsRecord, UrlRecord
from skitter.shard.rocks import StoreMemory, open_store, shard_path

SLICE = 1000
"""URLs that a filter which has to be built is begun with: that of a new or small shard is whole at once."""


class Shard:
    """The store of one shard, open for its one writer."""

    def __init__(self, directory: Path, number: int, shards: int, memory: StoreMemory, now: float) -> None:
        self.number = number
        self.path = shard_path(directory, number)
        self._db = open_store(self.path, memory)
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
        self.filter = UrlFilter(memory)
        self.meta = self._opened(shards, now)
        # Not from the clock: were that set back between two runs, a serial could be given twice and a URL be lost.
        self._serial = self.meta.opened << 44
        self._put_all_out()
        self.build_filter(SLICE)

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
            raise unreadable(self.path, error) from error

    # Writing

    def arrive(self, fingerprint: bytes, record: UrlRecord) -> None:
        """Adds a URL that was never seen before."""
        self._pending[fingerprint] = record
        self.filter.add(fingerprint)
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
        self._arrivals.put(keys.COUNTS, self._counted(self._arrived))
        batch, self._arrivals = self._arrivals, WriteBatch(raw_mode=True)
        self._write(batch)
        self._awaiting.clear()

    def commit_settlements(self) -> None:
        """Makes everything settled so far survive our death. Arrivals must have been committed."""
        assert self._arrivals.is_empty(), "links are safe before their page is settled"
        if self._settlements.is_empty():
            self._pending.clear()
            return
        self._settlements.put(keys.COUNTS, self._counted(self._settled))
        batch, self._settlements = self._settlements, WriteBatch(raw_mode=True)
        self._write(batch)
        self._pending.clear()

    def build_filter(self, limit: int) -> int:
        """Adds up to `limit` URLs to a filter that is not whole; returns how many were looked at."""
        if not self.filter.is_building:
            return 0
        found = [key[1:] for key, _ in self.scan(b"u", after=keys.url_key(self.filter.built_to), limit=limit)]
        self.filter.build(found, is_last=len(found) < limit)
        return len(found)

    def keep_filter(self) -> None:
        """Saves the filter for the next opening. Everything must be committed, and nothing may be written after it."""
        digest = self.filter.save(self.path)
        if digest:
            self._put_meta(msgspec.structs.replace(self.meta, filter=digest))

    def close(self) -> None:
        """Commits and closes."""
        self.commit_arrivals()
        self.commit_settlements()
        self.keep_filter()
        self.abandon()

    def abandon(self) -> None:
        """Closes without committing anything more: something before it could not be."""
        self.filter.drop()
        try:
            self._db.close()
        except Exception as error:
            raise unwritable(self.path, error) from error

    def sync(self) -> None:
        """Returns when what was committed is on the disk: then it survives a power cut. Any thread may call it."""
        try:
            self._db.flush_wal(True)
        except Exception as error:
            raise unwritable(self.path, error) from error

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
            raise unreadable(self.path, error) from error
        return found

    def _write(self, batch: WriteBatch) -> None:
        try:
            self._db.write(batch)
        except Exception as error:
            raise unwritable(self.path, error) from error

    def _counted(self, changes: Counter[State]) -> bytes:
        """Moves changes into the counts, and returns the counts as they are kept."""
        for state, number in changes.items():
            self._counts[state] += number
        changes.clear()
        return _COUNTS.encode({state: number for state, number in self._counts.items() if number})

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
        # The filter is the one of this moment: what is written from now on is not in its file.
        self.filter.load(self.path, meta.filter)
        meta = msgspec.structs.replace(meta, opened=meta.opened + 1, filter=b"")
        self._put_meta(meta)
        return meta

    def _put_meta(self, meta: Meta) -> None:
        try:
            self._db.put(keys.META, METAS.encode(meta))
        except Exception as error:
            raise unwritable(self.path, error) from error


_COUNTS = msgspec.msgpack.Encoder()


def decode_counts(raw: bytes) -> dict[State, int]:
    """Returns how many URLs are in each state, from what a shard keeps of it."""
    return {State(name): number for name, number in msgspec.msgpack.decode(raw, type=dict[str, int]).items()}


def _end_of(prefix: bytes) -> bytes:
    return prefix[:-1] + bytes((prefix[-1] + 1,))
