"""What a shard's store says, for its writer and for whoever only looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol

from skitter.judge.host import NOTHING_JUDGED, HostJudgement
from skitter.judge.mirror import Mirror
from skitter.messages import State
from skitter.schedule.budget import DomainRecord
from skitter.schedule.freshness import Sampled
from skitter.schedule.share import Share
from skitter.schedule.usual import Votes
from skitter.shard import keys
from skitter.shard.records import (
    DOMAINS,
    HOSTS,
    JUDGEMENTS,
    MIRRORS,
    ROBOTS,
    SAMPLE,
    SHARES,
    STATES,
    URLS,
    HostRecord,
    RobotsRecord,
    UrlRecord,
)


class Readable(Protocol):
    """A store that can be read, see `ports.ShardStore`."""

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of an entry."""
        ...

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries that start with `prefix`, in order: all, or those whose key comes after `after`."""
        ...


class ShardReader:
    """Records of one shard, as of the last commit."""

    def __init__(self, number: int, store: Readable) -> None:
        self.number = number
        self._readable = store
        self.iterate = store.iterate

    def url(self, fingerprint: bytes) -> UrlRecord | None:
        """Returns what is known of a URL."""
        raw = self._readable.get(keys.url_key(fingerprint))
        return None if raw is None else URLS.decode(raw)

    def host(self, host: str) -> HostRecord | None:
        """Returns what is known of a host, if it was ever visited."""
        raw = self._readable.get(keys.host_key(host))
        return None if raw is None else HOSTS.decode(raw)

    def domain(self, domain: str) -> DomainRecord | None:
        """Returns what is known of a domain."""
        raw = self._readable.get(keys.domain_key(domain))
        return None if raw is None else DOMAINS.decode(raw)

    def judgement(self, host: str) -> HostJudgement:
        """Returns what judging a host's pages has brought so far."""
        raw = self._readable.get(keys.judgement_key(host))
        return NOTHING_JUDGED if raw is None else JUDGEMENTS.decode(raw)

    def mirror(self, host: str) -> Mirror | None:
        """Returns what is known of the host that one is a mirror of."""
        raw = self._readable.get(keys.mirror_key(host))
        return None if raw is None else MIRRORS.decode(raw)

    def robots(self, origin: str) -> RobotsRecord | None:
        """Returns the robots.txt of an origin, if it was ever asked for."""
        raw = self._readable.get(keys.robots_key(origin))
        return None if raw is None else ROBOTS.decode(raw)

    def counts(self) -> Counter[State]:
        """Returns how many URLs are in each state."""
        return STATES.by_state(STATES.decode(self._readable.get(keys.COUNTS)))

    def trimmed(self) -> int:
        """Returns how many dead URLs there are of which nothing else is known."""
        return int.from_bytes(self._readable.get(keys.TRIMMED) or b"", "big")

    def purged(self) -> int:
        """Returns how many URLs were purged from its queues, ever."""
        return int.from_bytes(self._readable.get(keys.PURGED) or b"", "big")

    def kept_share(self) -> Share:
        """Returns what its pages came to in the market, as of the last commit."""
        raw = self._readable.get(keys.SHARE)
        return Share() if raw is None else SHARES.decode(raw)

    def kept_sample(self) -> dict[bytes, Sampled]:
        """Returns the pages that tell how fresh its copies are, as of the last commit."""
        return {key[1:]: SAMPLE.decode(raw) for key, raw in self.iterate(b"f")}

    def votes_about(self, sample: Iterable[Sampled]) -> dict[str, Votes]:
        """Returns the votes of the hosts that pages of a sample are on."""
        hosts = {name: self.host(name) for name in {page.host for page in sample if page.host}}
        return {name: host.place.votes for name, host in hosts.items() if host is not None and host.place is not None}

    def host_counts(self, host: str) -> Counter[State]:
        """Returns how many URLs of a host are in each state."""
        return STATES.by_state(STATES.decode(self._readable.get(keys.counts_key(host))))

    def scan(self, prefix: bytes, *, after: bytes = b"", limit: int) -> list[tuple[bytes, bytes]]:
        """Returns up to `limit` entries that start with `prefix` and come after the key `after`."""
        return list(islice(self.iterate(prefix, after), limit))
