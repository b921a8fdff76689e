"""What a node has done since its start, as plain numbers.

Every field of `Counted` is a number, or numbers by name: two of them are added up field by field (`progress.added`).
Sizes are counted by bucket; a bucket goes by its place in the table, the one after the last takes what is larger.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from skitter.messages import Errand, Fetched, Headers, Kind, Reason, header_values, is_first_visit
from skitter.node.rates import HostRates

if TYPE_CHECKING:  # whoever only adds numbers up must not wait for the parsers
    from skitter.frontier.statistics import FrontierStatistics
    from skitter.plugins.plugin import PluginStatistics
    from skitter.ports import ArchiveStatistics, ResolverStatistics
    from skitter.reading.meaning import Reading

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
BYTES = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, 4_000_000, 10_000_000)
LINKS = (0, 1, 5, 10, 25, 50, 100, 250, 500, 1000)

TURNED_AWAY = frozenset({429, 503})
"""Answers of hosts that we ask for too much."""

_REMEMBERED = 256  # values of Content-Type: most servers send one of a few
LONGEST_TYPE = 100  # what is remembered of one: anything may be sent
CONTENT_TYPES = frozenset(
    (
        *("text/html", "application/xhtml+xml", "text/plain", "application/pdf", "application/json", "text/css"),
        *("text/xml", "application/xml", "application/rss+xml", "application/atom+xml", "text/csv", "text/markdown"),
        *("text/javascript", "application/javascript", "application/octet-stream", "application/zip"),
        *("image/jpeg", "image/png", "image/gif", "image/webp", "image/svg+xml", "audio/mpeg", "video/mp4"),
    )
)
"""Counted by name. All others are `other`: what servers make up must not become names without end."""


class Ended(StrEnum):
    """How a fetch ended, as it is counted."""

    OK = "ok"  # answered with a 2xx or 304
    REDIRECTED = "redirected"
    ERROR = "error"  # answered with any other status
    BROKEN = "broken"  # the request went out; no answer came, or none that could be read
    NO_CONNECTION = "no_connection"  # dialled in vain
    NOT_TRIED = "not_tried"  # nobody was dialled: there is no address, or none that we may connect to


# Failures before anybody is dialled. The dialler asks the guard too: what it refuses is not dialled either.
_NOT_TRIED = frozenset({Kind.DNS_UNKNOWN, Kind.DNS_FAILED, Kind.ADDRESS_REFUSED, Kind.ROBOTS_UNREADABLE})


def ended(fetched: Fetched) -> Ended:
    """Returns how a fetch ended."""
    if fetched.address is None:
        was_tried = fetched.failure is None or fetched.failure.kind not in _NOT_TRIED
        return Ended.NO_CONNECTION if was_tried else Ended.NOT_TRIED
    if fetched.failure is not None:
        return Ended.BROKEN
    if 200 <= fetched.status < 300 or fetched.status == 304:
        return Ended.OK
    return Ended.REDIRECTED if 300 <= fetched.status < 400 else Ended.ERROR


class Counted(Struct, frozen=True):
    """The counters at one moment."""

    pages: int
    received: int  # bytes, as they came over the wire
    requests: int  # that went out
    robots: int
    sitemaps: int
    links: int  # to follow
    statuses: dict[int, int]
    failures: dict[str, int]
    fetch_seconds: float
    fetches: dict[str, int] = {}  # by errand and how they ended: `page ok`
    fetch_buckets: dict[int, int] = {}
    page_bytes: int = 0  # bodies of pages that came with a 2xx, decoded
    page_buckets: dict[int, int] = {}
    outlinks: int = 0  # of HTML pages that came with a 2xx, before scope and dedup
    outlink_buckets: dict[int, int] = {}
    hops: dict[int, int] = {}  # pages that came with a 2xx, by the redirects that led there
    content_types: dict[str, int] = {}
    refused: dict[str, int] = {}  # links, by why they were not followed
    malformed: dict[str, int] = {}  # HTML pages that came with a 2xx, by what is wrong with them
    # From the other parts of the node
    leases: dict[str, int] = {}
    expired: int = 0
    skipped: dict[str, int] = {}
    traps: dict[str, int] = {}
    robots_lookups: dict[str, int] = {}
    robots_read: dict[str, int] = {}
    crawl_delays: int = 0
    loads: int = 0
    seen: dict[str, int] = {}
    purposes: dict[str, int] = {}  # leases of pages: discovery, refresh
    gained: dict[str, float] = {}  # importance, by purpose
    captures: dict[str, int] = {}
    written: int = 0  # bytes of WARC
    sent: int = 0  # of these, safe in a bucket
    dns: dict[str, int] = {}
    plugin_calls: dict[str, int] = {}  # by plug-in and how they ended: `language ok`
    plugin_seconds: dict[str, float] = {}


class Counters:
    """Counts what is carried."""

    def __init__(self) -> None:
        self.pages = self.received = self.requests = self.robots = self.sitemaps = self.links = 0
        self.fetch_seconds = 0.0
        self.page_bytes = self.outlinks = 0
        self.statuses: Counter[int] = Counter()
        self.failures: Counter[str] = Counter()
        self.fetches: Counter[tuple[Errand, Ended]] = Counter()
        self.refused: Counter[Reason] = Counter()
        self.malformed: Counter[str] = Counter()
        self.rates = HostRates()
        self.turned_away = HostRates()
        self.hops: Counter[int] = Counter()
        self.content_types: Counter[str] = Counter()
        self.fetch_buckets = [0] * (len(SECONDS) + 1)
        self.page_buckets = [0] * (len(BYTES) + 1)
        self.outlink_buckets = [0] * (len(LINKS) + 1)

    def fetched(self, fetched: Fetched) -> None:
        """Counts a fetch that has come back, be it without anybody having been asked, whatever becomes of it later."""
        self.fetches[fetched.lease.errand, ended(fetched)] += 1
        if fetched.address is None:
            return
        seconds = fetched.ended - fetched.began
        self.requests += 1
        self.rates.count(fetched.lease.host, fetched.began)
        self.received += len(fetched.response_head) + len(fetched.payload)
        self.fetch_seconds += seconds
        self.fetch_buckets[bisect_left(SECONDS, seconds)] += 1
        if fetched.status:
            self.statuses[fetched.status] += 1
            if fetched.status in TURNED_AWAY:
                self.turned_away.count(fetched.lease.host, fetched.began)

    def carried(self, fetched: Fetched, reading: Reading) -> None:
        """Counts a page or sitemap."""
        if fetched.status and is_first_visit(fetched.lease):
            self.pages += 1
            if 200 <= fetched.status < 300 and reading.failure is None:
                self._read(fetched, reading)
        if fetched.lease.errand in (Errand.SITEMAP, Errand.FEED):
            self.sitemaps += 1
        if reading.failure is not None:
            self.failures[reading.failure.kind.value] += 1
        self.links += len(reading.found) + reading.known
        if reading.refused:
            self.refused.update(reading.refused.values())

    def asked_robots(self) -> None:
        """Counts a question for robots.txt."""
        self.robots += 1

    def _read(self, fetched: Fetched, reading: Reading) -> None:
        size = len(fetched.body)
        self.page_bytes += size
        self.page_buckets[bisect_left(BYTES, size)] += 1
        self.hops[len(fetched.lease.chain)] += 1
        self.content_types[_content_type(fetched.headers)] += 1
        if reading.encoding:  # it was read as HTML
            links = len(reading.links)
            self.outlinks += links
            self.outlink_buckets[bisect_left(LINKS, links)] += 1
            if reading.malformed:
                self.malformed.update(reading.malformed)

    def counted(self) -> Counted:
        """Returns the numbers so far."""
        return Counted(
            self.pages,
            self.received,
            self.requests,
            self.robots,
            self.sitemaps,
            self.links,
            dict(self.statuses),
            dict(self.failures),
            self.fetch_seconds,
            {f"{errand} {how}": count for (errand, how), count in self.fetches.items()},
            dict(enumerate(self.fetch_buckets)),
            self.page_bytes,
            dict(enumerate(self.page_buckets)),
            self.outlinks,
            dict(enumerate(self.outlink_buckets)),
            dict(self.hops),
            dict(self.content_types),
            {reason.value: count for reason, count in self.refused.items()},
            dict(self.malformed),
        )


def with_parts(
    counted: Counted, frontier: FrontierStatistics, dns: ResolverStatistics, archive: ArchiveStatistics
) -> Counted:
    """Returns the numbers with those that the other parts of the node have counted themselves."""
    done, seen = frontier.tallied, frontier.seen
    return structs.replace(
        counted,
        failures=dict(Counter(counted.failures) + Counter(done.failures)),
        leases=done.leases,
        expired=done.expired,
        skipped=done.skipped,
        traps=done.traps,
        robots_lookups=done.lookups,
        robots_read=done.robots,
        crawl_delays=done.crawl_delays,
        loads=done.loads,
        seen={
            "memory": seen.in_memory,
            "store": seen.in_store,
            "filter": seen.new - seen.false_positives,
            "false_positive": seen.false_positives,
        },
        purposes=frontier.shared.leased,
        gained=frontier.shared.gained,
        captures={"response": archive.responses, "revisit": archive.revisits, "failure": archive.failures},
        written=archive.bytes_written,
        sent=archive.sent_bytes,
        dns={
            "cache": dns.hits,
            "server": dns.asked,
            "joined": dns.joined,
            "shared": dns.told,
            "stale": dns.stale,
            "unanswered": dns.unanswered,
            "unknown": dns.unknown,
            "failed": dns.failed,
        },
    )


def with_plugins(counted: Counted, plugins: Mapping[str, PluginStatistics]) -> Counted:
    """Returns the numbers with those of plug-ins."""
    calls = {f"{name} {how}": count for name, one in plugins.items() for how, count in one.calls.items()}
    return structs.replace(
        counted, plugin_calls=calls, plugin_seconds={name: one.seconds for name, one in plugins.items()}
    )


def _content_type(headers: Headers) -> str:
    values = header_values(headers, "content-type")
    return _counted_type(values[0][:LONGEST_TYPE]) if values else "none"


@lru_cache(maxsize=_REMEMBERED)
def _counted_type(value: str) -> str:
    name = value.partition(";")[0].strip().lower()
    return name if name in CONTENT_TYPES else "other"
