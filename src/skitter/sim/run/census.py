"""The census: what the stores of a crawl hold must fit together, at every moment at which nobody is at work.

Every URL in its own shard, and once. Queues, due lists and lists of what is forbidden have what the records say, and
nothing else. The counts of shards and hosts are those of the records. No host with something queued is forgotten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping

from skitter.messages import Kind, State, Url
from skitter.schedule.priority import is_single
from skitter.shard import keys
from skitter.shard.reader import ShardReader
from skitter.shard.records import STATES, TRIMMED, URLS, UrlRecord
from skitter.shard.writer import PUT_ASIDE
from skitter.sim.disk import Entries
from skitter.sim.ends import Ending
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from skitter.url.routes import Routes

_canon = Canon()


class Census:
    """What is found in all stores of a crawl."""

    def __init__(self, stores: Mapping[int, Entries], routes: Routes) -> None:
        self._routes = routes
        self.found: list[Ending] = []
        self.counts: Counter[State] = Counter()
        self.wrong: list[str] = []
        self.parcels = 0  # links for other nodes that were not delivered
        self._nameless = 0  # dead URLs of which nobody can say whose they are; their hosts still count them
        for shard, entries in stores.items():
            self.wrong += [f"shard {shard}: {what}" for what in self._of(shard, entries)]
        if self._nameless:
            self.wrong.append(f"of dead URLs hosts count {-self._nameless:+d} to those that are there")

    def _of(self, shard: int, entries: Entries) -> Iterator[str]:
        reader = ShardReader(shard, _Reading(entries))
        records = {key[1:]: URLS.decode(raw) for key, raw in entries.iterate(b"u", b"")}
        yield from self._misplaced(shard, records)
        yield from _mislisted(records, entries)
        states = Counter(record.state for record in records.values())
        counts = reader.counts()
        self.counts.update(counts)
        if +counts != states:
            yield f"{dict(+counts)} are counted, and {dict(states)} are there"
        yield from self._miscounted(records, entries)
        yield from _forgotten(records, entries, self._routes.domain_of)
        self.parcels += sum(1 for _ in entries.iterate(keys.OUTBOX, b""))

    def _misplaced(self, shard: int, records: Mapping[bytes, UrlRecord]) -> Iterator[str]:
        for mark, record in records.items():
            if record is TRIMMED:
                continue
            url = _canon.of_parsed(record.href)
            assert isinstance(url, Url), record.href
            self.found.append(Ending(url.key, record.state, record.failure.kind if record.failure else None))
            if fingerprint(url.key) != mark:
                yield f"{record.href} is under another URL's key"
            if self._routes.shard_of(record.host) != shard:
                yield f"{record.href} is another shard's"
            if record.failure is not None and record.failure.kind is Kind.OUR_BUG:
                yield f"{record.href} broke us: {record.failure.detail}"
            if (record.state is State.QUEUED) != bool(record.queue):
                yield f"{record.href} is {record.state.value}, and its place in the queue is {record.queue!r}"
            if (record.state in (State.FAILED, State.SCHEDULED)) != (record.due is not None):
                yield f"{record.href} is {record.state.value}, and due at {record.due}"

    def _miscounted(self, records: Mapping[bytes, UrlRecord], entries: Entries) -> Iterator[str]:
        there: defaultdict[str, Counter[State]] = defaultdict(Counter)
        for record in records.values():
            if record is TRIMMED:
                self._nameless += 1
            else:
                there[record.host][record.state] += 1
        counted = {key[1:].decode(): STATES.by_state(STATES.decode(raw)) for key, raw in entries.iterate(b"c", b"")}
        for host in sorted(there.keys() | counted.keys()):
            count = counted.get(host, Counter())
            if (more := count[State.DEAD] - there[host][State.DEAD]) > 0:
                self._nameless -= more
                count[State.DEAD] -= more
            if +count != there[host]:
                yield f"of {host} {dict(+count)} are counted, and {dict(there[host])} are there"


class _Reading:
    """Entries as a reader wants them."""

    def __init__(self, entries: Entries) -> None:
        self.get = entries.get
        self._entries = entries

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        return self._entries.iterate(prefix, after)


def _mislisted(records: Mapping[bytes, UrlRecord], entries: Entries) -> Iterator[str]:
    """Yields where a list and the records differ."""
    queued = {(record.queue, mark) for mark, record in records.items() if record.queue}
    due = {(keys.timed_key(b"d", record.due, mark), b"") for mark, record in records.items() if record.due is not None}
    forbidden = {
        (keys.forbidden_key(record.host, mark), b"")
        for mark, record in records.items()
        if record.state is State.SKIPPED and record.reason in PUT_ASIDE
    }
    queues = [(letter, {one for one in queued if one[0][:1] == letter}) for letter in keys.QUEUES]
    rendering = {(one.render.waiting, mark) for mark, one in records.items() if one.render and one.render.waiting}
    for prefix, wanted in (*queues, (b"d", due), (b"x", forbidden), (keys.RENDER, rendering)):
        listed = set(entries.iterate(prefix, b""))
        yield from (f"{key!r} is in the list and not in a record" for key, _ in sorted(listed - wanted))
        yield from (f"{key!r} is in a record and not in the list" for key, _ in sorted(wanted - listed))


def _forgotten(records: Mapping[bytes, UrlRecord], entries: Entries, domain_of: Callable[[str], str]) -> Iterator[str]:
    """Yields hosts that have something queued and that nothing would ever bring in."""
    known = {key[1:].decode() for key, _ in entries.iterate(b"i", b"")}
    known |= {keys.due_of(key)[1].decode() for key, _ in entries.iterate(b"s", b"")}
    turns = {key[2:] for key, _ in entries.iterate(b"w", b"")} | {domain_of(host).encode() for host in known}
    for key, _ in entries.iterate(b"v", b""):
        rank, host = keys.rank_and_host(key)
        # One that a single host leads to waits for its domain to earn it.
        if is_single(rank) or key[1 : key.index(b"\0")] in turns:
            known.add(host)
    for host in sorted({record.host for record in records.values() if record.queue} - known):
        yield f"{host} has something queued, and nobody waits for it"
