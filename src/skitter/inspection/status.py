"""How a crawl stands, as a whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from skitter.folder.modefile import read_mode
from skitter.inspection.folder import Folder, ShardLook
from skitter.inspection.waiting import Held, Holding
from skitter.messages import State
from skitter.schedule.freshness import (
    ALLOWED,
    WANTED,
    ClassFreshness,
    Freshness,
    Sampled,
    all_foretold,
    all_measured,
    expected,
    told,
)
from skitter.schedule.recrawl import HostClass
from skitter.schedule.share import Share as MarketShare
from skitter.schedule.share import opened
from skitter.schedule.usual import Votes
from skitter.shard import keys
from skitter.shard.records import HOSTS, HostFlag
from skitter.sinks.kept import SinkState
from skitter.store.shipping.sent import Sent, read_sent, waiting
from skitter.supervisor.lastrun import LastRun, read_last_run
from skitter.supervisor.sinking import states_in


class Hosts(Struct, frozen=True):
    """How many hosts there are, and how they are."""

    known: int
    visited: int
    asleep: int
    paused: int


class Archive(Struct, frozen=True):
    """What has been written."""

    files: int
    bytes: int


class Slo(Struct, frozen=True):
    """How far the copies of a class keep what is promised of them."""

    fresh: float  # the share that is
    allowed: float  # seconds after a change for which a copy may lack it
    timely: float  # the share that lacks no older one
    wanted: float
    budget_left: float  # 1: all are timely; less than 0: too few


class Share(Struct, frozen=True):
    """A share that was measured, with the error to either side in 95 of 100 cases."""

    ratio: float
    error: float
    visits: int


class Bucket(Struct, frozen=True):
    """WARC files that are safe in the bucket, and those that still wait here."""

    address: str
    sent: Sent
    waiting: Sent


class Status(Struct, frozen=True):
    """How a crawl stands. `pages`, `requests` and `failures` are of all its runs.

    `pages` are the answers that were good: pages, sitemaps and redirects; a 404 is among the failures.
    """

    directory: str
    created: float
    running: int | None  # the process that crawls
    seeds: int
    urls: dict[str, int]
    discovered: int
    hosts: Hosts
    pages: int
    requests: int
    failures: int
    last_request: float | None
    archive: Archive
    instructions: int  # of the operator, not yet carried out
    last_run: LastRun | None
    purged: int = 0  # URLs, from the queue: the disk ran full
    held: list[Held] = []  # queued URLs that wait for more than their turn
    freshness: Freshness | None = None  # of the copies, if pages are seen again
    slos: dict[str, Slo] = {}  # by class of host
    measured: Share | None = None  # by visits to pages drawn by lot
    bucket: Bucket | None = None  # where the archive goes, if it is no folder
    sinks: list[SinkState] = []  # as their processes said last
    to_render: int = 0  # pages that wait for a browser
    renders_since: float | None = None  # since when the one of them that is next waits
    mode: int = 0
    mode_because: str = ""  # what the mode is, and who wants it


class _Tally:
    """Adds up the hosts of all shards."""

    def __init__(self, now: float) -> None:
        self._now = now
        self.known = self.visited = self.asleep = self.paused = self.pages = self.requests = self.failures = 0
        self.last_request = 0.0

    def take(self, shard: ShardLook) -> None:
        self.known += sum(1 for _ in shard.iterate(b"c"))  # every host of which a URL was discovered
        for _, raw in shard.iterate(b"h"):
            record = HOSTS.decode(raw)
            self.visited += record.requests > 0
            self.asleep += record.troubles.asleep_until > self._now
            self.paused += bool(record.flags & HostFlag.PAUSED)
            self.pages += record.pages
            self.requests += record.requests
            self.failures += record.failures
            self.last_request = max(self.last_request, record.last_request)

    def hosts(self) -> Hosts:
        return Hosts(self.known, self.visited, self.asleep, self.paused)


def status(folder: Folder, now: float) -> Status:
    """Returns how the crawl stands."""
    states: Counter[State] = Counter()
    tally, holding, purged = _Tally(now), Holding(folder.settings.frontier.shards), 0
    samples, shares, votes = list[tuple[float, list[Sampled]]](), list[MarketShare](), dict[str, Votes]()
    waits: list[bytes] = []
    for shard in folder.shards():
        states.update(shard.counts())
        waits += [key for key, _ in shard.iterate(keys.RENDER)]
        purged += shard.purged()
        holding.take(shard, folder.settings, now)
        tally.take(shard)
        shares.append(shard.kept_share())
        samples.append((float(shares[-1].pages), list(shard.kept_sample().values())))
        votes |= shard.votes_about(samples[-1][1])
    standing = read_mode(folder.directory)
    fresh = _freshness(samples, shares, votes, folder.settings.schedule.every, now)
    return Status(
        str(folder.directory),
        folder.crawl.created,
        folder.running,
        len(folder.crawl.seeds),
        {state.value: states[state] for state in State},
        sum(states.values()),
        tally.hosts(),
        tally.pages,
        tally.requests,
        tally.failures,
        tally.last_request or None,
        _archive(folder),
        sum(1 for _ in folder.directory.glob("inbox/*/*.json")),
        read_last_run(folder.directory),
        purged,
        holding.told(),
        fresh if fresh.classes else None,
        {name: _slo(HostClass(name), one) for name, one in fresh.classes.items()},
        _measured(fresh),
        _bucket(folder),
        states_in(folder.directory, folder.settings),
        len(waits),
        keys.render_since(min(waits)) if waits else None,
        standing.mode,
        standing.words(),
    )


def _freshness(
    samples: Sequence[tuple[float, list[Sampled]]],
    shares: Sequence[MarketShare],
    votes: Mapping[str, Votes],
    every: float,
    now: float,
) -> Freshness:
    market, foretold = opened(shares, every, math.inf), all_foretold(one.foretold for one in shares)
    return expected(samples, all_measured(one.measured for one in shares), now, market, foretold, votes)


def _slo(name: HostClass, one: ClassFreshness) -> Slo:
    return Slo(one.ratio, ALLOWED[name], one.timely / one.pages, WANTED, one.budget_left)


def _measured(fresh: Freshness) -> Share | None:
    found = told(fresh.measured)
    return None if found is None else Share(*found, round(fresh.measured.visits))


def _bucket(folder: Folder) -> Bucket | None:
    address = folder.settings.bucket.address
    return Bucket(address, read_sent(folder.directory), waiting(folder.directory)) if address else None


def _archive(folder: Folder) -> Archive:
    sizes = [file.stat().st_size for file in folder.directory.glob("warc/**/*") if file.is_file()]
    return Archive(len(sizes), sum(sizes))
