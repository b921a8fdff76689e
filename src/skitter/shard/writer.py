"""One shard, open for its one writer.

Writes are gathered in two batches. *Arrivals* are URLs newly discovered; *settlements* are what came of leases. All
arrivals of a node are committed before any settlement, so that a page is never settled before its links are safe.
`frontier.committer` alone commits. A batch is written whole or not at all, and then it survives our death.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

import msgspec

from skitter.errors import OperatorError, SkitterError
from skitter.judge.dust import Rule
from skitter.judge.host import HostJudgement
from skitter.judge.mirror import Mirror, holds
from skitter.messages import Reason, State
from skitter.ports import Batch, ShardStore, Stores
from skitter.schedule.budget import DomainRecord
from skitter.schedule.freshness import Sampled
from skitter.schedule.priority import turn_of_rank
from skitter.shard import keys
from skitter.shard.filter import BandFilter, UrlFilter
from skitter.shard.hostcounts import PLACE, HostCounts
from skitter.shard.reader import ShardReader
from skitter.shard.records import (
    DOMAINS,
    DUST,
    HOSTS,
    JUDGEMENTS,
    METAS,
    MIRRORS,
    ROBOTS,
    SAMPLE,
    SHARES,
    STATES,
    TRIMMED,
    TRIMMED_BYTES,
    URLS,
    DustRecord,
    HostRecord,
    Meta,
    RobotsRecord,
    UrlRecord,
)
from skitter.shard.times import TimeList
from skitter.shard.unsafe import Unsafe

FIRST_SLICE = 1000
"""URLs that a filter which has to be built is begun with: that of a new or small shard is whole at once."""

DUSTY = 1000
"""Hosts of a shard whose URLs are told apart by rules of their own, and mirrors; some 500 bytes each."""

MOST_COUNTED = 100_000
"""Pages that wait for a browser which are counted when a shard is opened, at the most: some 50 ms."""

PUT_ASIDE = (Reason.ROBOTS_DISALLOW, Reason.TRAP, Reason.DUST, Reason.DENIED_BY_PATTERN, Reason.OUT_OF_SCOPE)
"""Why URLs are skipped that are looked at again when that may have changed."""

Put: TypeAlias = Callable[[bytes, bytes], None]


class Shard(ShardReader):
    """The store of one shard. What is noted is durable once it is committed; what is read is as of the last commit."""

    def __init__(
        self, stores: Stores, number: int, shards: int, now: float, domain_of: Callable[[str], str] = str
    ) -> None:
        self.domain_of = domain_of
        self._store: ShardStore = stores.open(number)
        super().__init__(number, self._store)
        self._arrivals = self._store.batch()
        self._settlements = self._store.batch()
        self._pending: dict[bytes, UrlRecord] = {}
        self._domains: dict[str, DomainRecord] = {}  # that have changed: many links may speak for one before a commit
        self._awaiting: set[bytes] = set()  # put into the arrivals already: links come in clusters
        self._arrived: Counter[State] = Counter()
        self._settled: Counter[State] = Counter()
        self._stored: dict[str, bytes] = {}  # fingerprints of pages that are settled, by their archive file
        self.unsafe: Unsafe | None = None  # in a fleet whose archive goes to a bucket
        try:
            self._begin(stores, shards, now)
        except SkitterError:
            self._store.close()  # else nobody could open it again
            raise

    def _begin(self, stores: Stores, shards: int, now: float) -> None:
        self._counts = STATES.decode(self._store.get(keys.COUNTS))
        self._host_counts = HostCounts(lambda host: STATES.decode(self._store.get(keys.counts_key(host))))
        self._purged = self.purged()
        self._trimmed = self.trimmed()
        self.share = self._kept_share = self.kept_share()
        self.sample = self.kept_sample()
        self.last_sampled = max(self.sample, default=b"")
        self.opened_at = now
        self.is_draining = False  # it is to be closed: nothing more of it is leased
        self.lease_until = float("inf")  # in a fleet, as long as it is ours for certain
        self.due = TimeList(self, b"d")  # retries and re-crawls
        self.ended = TimeList(self, b"e")  # dead URLs, since when they are
        self._late = TimeList(self, b"l")  # re-crawls that are queued, since when they are due
        self._asleep = TimeList(self, b"s")
        self._reviews = TimeList(self, b"k")
        self.dust = {key[1:].decode(): DUST.decode(raw).rules for key, raw in islice(self.iterate(b"z"), DUSTY)}
        mirrors = ((key[1:].decode(), MIRRORS.decode(raw)) for key, raw in self.iterate(b"a"))
        self.mirrors = dict(islice(((host, one) for host, one in mirrors if holds(one)), DUSTY))
        self.to_render = sum(1 for _ in islice(self.iterate(keys.RENDER), MOST_COUNTED))
        self.bands = BandFilter(stores)
        self.filter = UrlFilter(stores, sum(self._counts))
        self.meta = self._opened(shards, now)
        # Not from the clock: were that set back between two runs, a serial could be given twice and a URL be lost.
        self._serial = self.meta.opened << 44
        self._put_all_out()
        self.rechecks = {key[1:].decode(): after for key, after in self.iterate(b"y")}
        self.build_filter(FIRST_SLICE)
        self.build_filter(FIRST_SLICE)  # that of bands

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

    # Reading

    def counts(self) -> Counter[State]:
        """Returns how many URLs are in each state, what is not yet committed included."""
        together = STATES.by_state(self._counts)
        for changes in (self._arrived, self._settled):
            for state, number in changes.items():
                together[state] += number
        return together

    def count_of(self, state: State) -> int:
        """Returns how many URLs are in one state, what is not yet committed included."""
        return self._counts[PLACE[state]] + self._arrived[state] + self._settled[state]

    def url(self, fingerprint: bytes) -> UrlRecord | None:
        """Returns what is known of a URL, what is not yet committed included."""
        pending = self._pending.get(fingerprint)
        return pending if pending is not None else super().url(fingerprint)

    def domain(self, domain: str) -> DomainRecord | None:
        """Returns what is known of a domain, what is not yet committed included."""
        return self._domains.get(domain) or super().domain(domain)

    def get(self, key: bytes) -> bytes | None:
        """Returns an entry as it was last committed."""
        return self._store.get(key)

    def get_many(self, keys: list[bytes]) -> list[bytes | None]:
        """Returns entries as they were last committed."""
        return self._store.get_many(keys)

    def has_url(self, fingerprint: bytes) -> bool:
        """Whether the URL is known; one that was trimmed is not, and may be found anew."""
        pending = self._pending.get(fingerprint)
        if pending is not None:
            return pending is not TRIMMED
        return self._store.get(keys.url_key(fingerprint)) not in (None, TRIMMED_BYTES)

    def has_new(self, host: str) -> bool:
        """Whether URLs of the host have arrived that are not yet committed: its queue can't be read before they are."""
        return self._host_counts.has_arrived(host)

    # Writing

    def arrive(self, fingerprint: bytes, record: UrlRecord) -> None:
        """Adds a URL that was never seen before, or is not known any more."""
        if self._trimmed and not self.filter.rules_out(fingerprint) and self.url(fingerprint) is TRIMMED:
            self._count_trimmed(self._arrivals, -1)
            self._arrived[State.DEAD] -= 1
            self._host_counts.revived(record.host)
        else:
            self._host_counts.arrived(record.host)
        self._pending[fingerprint] = record
        self.filter.add(fingerprint)
        self._arrivals.put(keys.url_key(fingerprint), URLS.encode(record))
        self._arrivals.put(record.queue, fingerprint)
        self._arrived[record.state] += 1

    def await_window(self, rank: int, host: str) -> None:
        """Notes that a host which is not in memory has something queued."""
        domain = self.domain_of(host)
        key = keys.host_waiting_key(domain, rank, host)
        if key not in self._awaiting:
            self._awaiting.add(key)
            # With the arrivals, since it must be there as soon as they are; and with the settlements, among which a
            # note may be that the host came in under this key.
            self._arrivals.put(key, b"")
            self._settlements.put(key, b"")
            self.await_turn(turn_of_rank(rank), domain)

    def await_turn(self, turn: int, domain: str) -> None:
        """Notes that hosts of a domain may be brought in. In both batches, as `await_window`."""
        for batch in (self._arrivals, self._settlements):
            batch.put(keys.waiting_key(turn, domain), b"")

    def change_url(self, fingerprint: bytes, before: UrlRecord, after: UrlRecord) -> None:
        """Replaces a URL's record and moves it between queue, due list and forbidden list as its fields say."""
        batch = self._settlements
        self._pending[fingerprint] = after
        batch.put(keys.url_key(fingerprint), URLS.encode(after))
        if before.queue != after.queue:
            if before.queue:
                batch.delete(before.queue)
            if after.queue:
                batch.put(after.queue, fingerprint)
        if before.due != after.due:
            self.due.move(before.due, after.due, fingerprint)
        if before.render is not after.render:
            self._move_rendering(fingerprint, before, after)
        if before.late != after.late:
            self._late.move(before.late, after.late, fingerprint)
        if before.state is not after.state:
            self._move(fingerprint, before, after)

    def _move_rendering(self, fingerprint: bytes, before: UrlRecord, after: UrlRecord) -> None:
        old = before.render.waiting if before.render is not None else b""
        new = after.render.waiting if after.render is not None else b""
        if old == new:
            return
        self.to_render += bool(new) - bool(old)
        if old:
            self._settlements.delete(old)
        if new:
            self._settlements.put(new, fingerprint)

    def _move(self, fingerprint: bytes, before: UrlRecord, after: UrlRecord) -> None:
        self._settled[before.state] -= 1
        self._settled[after.state] += 1
        self._host_counts.moved(after.host, before.state, after.state)
        if after.state is State.DEAD:
            self.ended.put(after.failed_at or 0.0, fingerprint)
        elif before.state is State.DEAD:
            self.ended.delete(before.failed_at or 0.0, fingerprint)
        if _is_forbidden(after):
            self._settlements.put(keys.forbidden_key(after.host, fingerprint), b"")
        elif _is_forbidden(before):
            self._settlements.delete(keys.forbidden_key(after.host, fingerprint))

    def bring_in(self, waiting_key: bytes, rank: int, host: str) -> None:
        """Notes that a host that waited is in memory now."""
        self._awaiting.discard(waiting_key)
        self._settlements.delete(waiting_key)
        self._settlements.put(keys.inside_key(host), bytes((rank,)))

    def wait_lower(self, waiting_key: bytes, rank: int, host: str) -> None:
        """Notes that a host which waits has another rank now."""
        self._awaiting.discard(waiting_key)
        self._settlements.delete(waiting_key)
        self.await_window(rank, host)

    def bring_in_early(self, host: str) -> None:
        """Notes that a host which did not wait is in memory: from now on URLs may arrive for it, and wait for nobody.

        With the arrivals, since it must be there as soon as they are; and with the settlements, among which a note
        may be that it went out.
        """
        for batch in (self._arrivals, self._settlements):
            batch.put(keys.inside_key(host), b"\0")

    def put_out(self, host: str, asleep_until: float | None = None, rank: int = 0) -> None:
        """Notes that a host is no longer in memory: it has nothing queued, or is asleep until its time comes."""
        self._settlements.delete(keys.inside_key(host))
        if asleep_until is not None:
            self._asleep.put(asleep_until, host.encode(), bytes((rank,)))

    def take_waking(self, now: float, limit: int) -> list[tuple[str, int]]:
        """Removes and returns hosts whose sleep is over, with their ranks, at most `limit`. All must be committed."""
        return [(host.decode(), _rank_of(rank)) for host, rank in self._asleep.take(now, limit)]

    def take_reviews(self, now: float, limit: int) -> list[str]:
        """Removes and returns hosts whose closed corners are to be looked at again, at most `limit`. As above."""
        return [host.decode() for host, _ in self._reviews.take(now, limit)]

    def await_review(self, host: str, at: float) -> None:
        """Notes when the closed corners of a host are to be looked at again."""
        self._reviews.put(at, host.encode())

    def next_time(self) -> float:
        """Returns when the next of what waits for its time is due."""
        return min(self.due.first, self._asleep.first, self._reviews.first)

    def oldest_late(self) -> float:
        """Returns since when the re-crawl that has waited longest in its queue is due; infinity if none waits."""
        return self._late.seek(record.late for record in self._pending.values() if record.late is not None)

    def recheck_forbidden(self, host: str, after: bytes | None = b"") -> None:
        """Notes how far the look at what was put aside has come; None: to its end."""
        if after is None:
            self.rechecks.pop(host, None)
            self._settlements.delete(keys.recheck_key(host))
        else:
            self.rechecks[host] = after
            self._settlements.put(keys.recheck_key(host), after)

    def trim(self, fingerprint: bytes) -> None:
        """Forgets all of a dead URL but that it is one."""
        before = self.url(fingerprint)
        assert before is not None
        self.change_url(fingerprint, before, TRIMMED)
        self.ended.delete(before.failed_at or 0.0, fingerprint)
        self._settlements.delete(keys.signature_key(fingerprint))
        self._count_trimmed(self._settlements, 1)

    def _count_trimmed(self, batch: Batch, more: int) -> None:
        self._trimmed += more
        batch.put(keys.TRIMMED, self._trimmed.to_bytes(8, "big"))

    def count_purged(self) -> None:
        """Counts a URL that was purged from its queue."""
        self._purged += 1
        self._settlements.put(keys.PURGED, self._purged.to_bytes(8, "big"))

    async def compact(self) -> None:
        """Returns when what was deleted or replaced takes no room on the disk any more."""
        await self._store.compact()

    def put_host(self, record: HostRecord) -> None:
        """Replaces a host's record."""
        self._settlements.put(keys.host_key(record.host), HOSTS.encode(record))

    def put_domain(self, record: DomainRecord) -> None:
        """Replaces a domain's record."""
        self._domains[record.domain] = record

    def put_judgement(self, host: str, judged: HostJudgement) -> None:
        """Replaces what judging a host's pages has brought."""
        self._settlements.put(keys.judgement_key(host), JUDGEMENTS.encode(judged))

    def put_dust(self, host: str, rules: tuple[Rule, ...]) -> None:
        """Replaces the rules on what of a host's URLs makes no difference; those of too many hosts are not used."""
        if rules and len(self.dust) < DUSTY:
            self.dust[host] = rules
        elif not rules:
            self.dust.pop(host, None)
        self._settlements.put(keys.dust_key(host), DUST.encode(DustRecord(rules)))

    def put_mirror(self, host: str, mirror: Mirror) -> None:
        """Replaces what is known of the host that one is a mirror of; too many are not used."""
        if not holds(mirror):
            self.mirrors.pop(host, None)
        elif host in self.mirrors or len(self.mirrors) < DUSTY:
            self.mirrors[host] = mirror
        self._settlements.put(keys.mirror_key(host), MIRRORS.encode(mirror))

    def put_sampled(self, fingerprint: bytes, page: Sampled) -> None:
        """Puts a page into the sample, or replaces what is known of it there."""
        self.sample[fingerprint] = page
        self.last_sampled = max(self.last_sampled, fingerprint)
        self._settlements.put(keys.sample_key(fingerprint), SAMPLE.encode(page))

    def drop_sampled(self, fingerprint: bytes) -> None:
        """Takes a page out of the sample."""
        del self.sample[fingerprint]
        self.last_sampled = max(self.sample, default=b"")
        self._settlements.delete(keys.sample_key(fingerprint))

    def put_robots(self, origin: str, record: RobotsRecord) -> None:
        """Replaces an origin's robots.txt."""
        self._settlements.put(keys.robots_key(origin), ROBOTS.encode(record))

    def put_band(self, key: bytes, value: bytes) -> None:
        """Replaces what is kept under a band."""
        self.put_bands([key], value)

    def put_bands(self, keys: list[bytes], value: bytes) -> None:
        """Replaces what is kept under several bands by the same."""
        self.bands.add_keys(keys)
        put = self._settlements.put
        for key in keys:
            put(key, value)

    def note_stored(self, file: str, fingerprint: bytes) -> None:
        """Notes, where that matters, which archive file a page is in that is settled."""
        if self.unsafe is not None:
            self._stored[file] = self._stored.get(file, b"") + fingerprint

    def forget_unsafe(self, file: str) -> list[tuple[bytes, bytes]]:
        """Removes all that is noted of an archive file, and returns it. Everything must be committed."""
        found = list(self.iterate(keys.unsafe_prefix(file)))
        for key, _ in found:
            self._settlements.delete(key)
        return found

    def put(self, key: bytes, value: bytes) -> None:
        """Writes an entry along with the settlements."""
        self._settlements.put(key, value)

    def delete(self, key: bytes) -> None:
        """Removes an entry along with the settlements."""
        self._settlements.delete(key)

    # Committing: for the committer alone

    def is_dirty(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._domains) or not (self._arrivals.is_empty() and self._settlements.is_empty())

    def commit_arrivals(self) -> None:
        """Makes everything discovered so far survive our death."""
        if self._arrivals.is_empty():
            return
        batch, self._arrivals = self._arrivals, self._store.batch()
        self._put_counts(self._arrived, batch.put)
        for key, value in self._host_counts.take_arrived():
            batch.put(key, value)
        self._store.write(batch)
        self._awaiting.clear()

    def commit_settlements(self) -> None:
        """Makes everything settled so far survive our death. Arrivals must have been committed."""
        assert self._arrivals.is_empty(), "links are safe before their page is settled"
        for domain, record in self._domains.items():
            self._settlements.put(keys.domain_key(domain), DOMAINS.encode(record))
        self._domains.clear()
        if not self._settlements.is_empty():
            batch, self._settlements = self._settlements, self._store.batch()
            self._put_counts(self._settled, batch.put)
            if self.share is not self._kept_share:
                # In the batch that has changed it: what a page was counted with is in its record, and neither is lost.
                batch.put(keys.SHARE, SHARES.encode(self.share))
                self._kept_share = self.share
            for key, value in self._host_counts.take_moved():
                batch.put(key, value)
            self._put_stored(batch.put)
            self._store.write(batch)
        self._pending.clear()

    def _put_stored(self, put: Put) -> None:
        if self.unsafe is not None:
            for file, value in self.unsafe.noted(self.number, self._stored):
                put(keys.unsafe_key(file, self.next_serial()), value)
        self._stored.clear()

    async def sync(self) -> None:
        """Returns when what was committed is on the disk: then it survives a power cut."""
        await self._store.sync()

    def _put_counts(self, changes: Counter[State], put: Put) -> None:
        for state, number in changes.items():
            self._counts[PLACE[state]] += number
        if changes:
            put(keys.COUNTS, STATES.encode(self._counts))
            changes.clear()

    # Opening and closing

    def build_filter(self, limit: int) -> int:
        """Adds up to `limit` URLs or bands to a filter that is not whole; returns how many were looked at."""
        if self.filter.is_building and self.filter.is_begun(is_committed=not self.is_dirty()):
            return self._build(self.filter, b"u", limit)
        return self._build(self.bands, b"n", limit) if self.bands.is_building else 0

    def _build(self, filter_: UrlFilter, prefix: bytes, limit: int) -> int:
        found = [key[1:] for key, _ in self.scan(prefix, after=prefix + filter_.built_to, limit=limit)]
        filter_.build(found, is_last=len(found) < limit)
        return len(found)

    def keep_filter(self) -> None:
        """Saves the filter for the next opening. Everything must be committed, and nothing may be written after it."""
        digest = self.filter.save(self._store)
        if digest:
            self._put_meta(msgspec.structs.replace(self.meta, filter=digest))

    def close(self) -> None:
        """Closes without committing anything more."""
        self.filter.drop()
        self.bands.drop()
        self._store.close()

    def _put_all_out(self) -> None:
        # Whoever was in memory when the last run ended still has something queued, or will be found to have nothing.
        batch = self._store.batch()
        for key, value in self.iterate(b"i"):
            batch.delete(key)
            host, rank = key[1:].decode(), _rank_of(value)
            domain = self.domain_of(host)
            batch.put(keys.host_waiting_key(domain, rank, host), b"")
            batch.put(keys.waiting_key(turn_of_rank(rank), domain), b"")
        if not batch.is_empty():
            self._store.write(batch)

    def _opened(self, shards: int, now: float) -> Meta:
        raw = self._store.get(keys.META)
        meta = Meta(self.number, shards, now) if raw is None else METAS.decode(raw)
        if meta.shards != shards:
            right = f"this crawl was created with {meta.shards}, which can't be changed"
            raise OperatorError("frontier.shards", shards, right)
        # The filter is the one of this moment: what is written from now on is not in its file.
        self.filter.load(self._store, meta.filter)
        meta = msgspec.structs.replace(meta, opened=meta.opened + 1, filter=b"")
        self._put_meta(meta)
        return meta

    def _put_meta(self, meta: Meta) -> None:
        batch = self._store.batch()
        batch.put(keys.META, METAS.encode(meta))
        self._store.write(batch)


def _is_forbidden(record: UrlRecord) -> bool:
    return record.state is State.SKIPPED and record.reason in PUT_ASIDE


def _rank_of(value: bytes) -> int:
    return value[0] if value else 0
