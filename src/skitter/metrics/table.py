"""Every metric: its name, its labels, what it means, and where in the nodes' reports it is read.

Counters are added up over the nodes. Labels are bounded: kinds and reasons come from our own tables, hosts are a few.
A number that may stay at zero for long is there from the start, so that its first rise is seen as one.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

from skitter.frontier.host import Stage
from skitter.messages import Errand, Kind, Reason
from skitter.metrics.text import Metric, Sample, histogram
from skitter.node.counters import BYTES, LINKS, SECONDS, Counted
from skitter.node.status import HostLine, NodeStatus
from skitter.supervisor.progress import NOTHING, added

MOST_HOSTS = 20
HOPS = tuple(range(11))

Labels: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = Mapping[Labels, float]


class Total(NamedTuple):
    """A counter over all nodes."""

    name: str
    meaning: str
    labels: Labels
    read: Callable[[Counted], Numbers]


class Spread(NamedTuple):
    """A histogram over all nodes."""

    name: str
    meaning: str
    bounds: Sequence[float]
    read: Callable[[Counted], tuple[Mapping[int, int], float]]  # buckets and sum


class Now(NamedTuple):
    """A number that goes up and down, or that each node has on its own."""

    name: str
    meaning: str
    labels: Labels
    read: Callable[[Sequence[NodeStatus]], Numbers]
    kind: str = "gauge"


def metrics(reports: Sequence[NodeStatus]) -> Iterator[Metric]:
    """Yields every metric, from the last report of each node."""
    counted = reduce(added, (report.counted for report in reports), NOTHING)
    for total in TOTALS:
        yield Metric(total.name, "counter", total.meaning, _samples(total.labels, total.read(counted)))
    for spread in SPREADS:
        yield Metric(spread.name, "histogram", spread.meaning, histogram(spread.bounds, *spread.read(counted)))
    for now in GAUGES:
        yield Metric(now.name, now.kind, now.meaning, _samples(now.labels, now.read(reports)))


def _samples(names: Labels, numbers: Numbers) -> list[Sample]:
    return [Sample(dict(zip(names, labels, strict=True)), value) for labels, value in numbers.items()]


def _one(value: float) -> Numbers:
    return {(): value}


def _by_name(counts: Mapping[str, int], known: Iterable[str]) -> Numbers:
    return {(name,): counts.get(name, 0) for name in dict.fromkeys([*known, *counts])}


def _by_status(counts: Mapping[int, int]) -> Numbers:
    named = Counter({"200": 0, "429": 0, "503": 0})
    for status, count in counts.items():
        named[str(status) if 100 <= status < 600 else "odd"] += count
    return {(name,): count for name, count in named.items()}


def _only(counts: Mapping[str, int], names: Iterable[str]) -> Numbers:
    return {(name,): counts.get(name, 0) for name in names}


def _hops(counts: Mapping[int, int]) -> tuple[Mapping[int, int], float]:
    buckets: Counter[int] = Counter()
    for hops, count in counts.items():
        buckets[min(hops, len(HOPS))] += count
    return buckets, sum(hops * count for hops, count in counts.items())


def _each(read: Callable[[NodeStatus], float]) -> Callable[[Sequence[NodeStatus]], Numbers]:
    return lambda reports: {(str(report.node),): float(read(report)) for report in reports}


def _frontier_urls(reports: Sequence[NodeStatus]) -> Numbers:
    return {
        (str(report.node), str(shard), state): count
        for report in reports
        for shard, states in report.frontier.by_shard.items()
        for state, count in states.items()
    }


def _hosts(reports: Sequence[NodeStatus]) -> Numbers:
    stages: Counter[str] = Counter()
    for report in reports:
        stages.update(report.frontier.stages)
    return _by_name(stages, Stage)


def _busiest(read: Callable[[HostLine], float]) -> Callable[[Sequence[NodeStatus]], Numbers]:
    def numbers(reports: Sequence[NodeStatus]) -> Numbers:
        lines = (line for report in reports for line in report.busiest)
        busiest = heapq.nlargest(MOST_HOSTS, lines, key=lambda line: line.quota_used)
        return {(line.host,): read(line) for line in busiest}

    return numbers


TOTALS = (
    Total(
        "skitter_fetches_total",
        "Requests that have come back, with an answer or without, by what they were for.",
        ("errand",),
        lambda c: _by_name(c.fetches, Errand),
    ),
    Total("skitter_pages_total", "Pages that were answered, be it with an error.", (), lambda c: _one(c.pages)),
    Total("skitter_responses_total", "Answers by HTTP status.", ("status",), lambda c: _by_status(c.statuses)),
    Total(
        "skitter_fetch_failures_total",
        "Pages and sitemaps that were not to be had, by kind of failure.",
        ("kind",),
        lambda c: _by_name(c.failures, Kind),
    ),
    Total(
        "skitter_received_bytes_total", "Bytes of answers, as they came over the wire.", (), lambda c: _one(c.received)
    ),
    Total("skitter_links_total", "Links offered to the frontier, each once a page.", (), lambda c: _one(c.links)),
    Total(
        "skitter_urls_discovered_total",
        "URLs never seen before.",
        (),
        lambda c: _one(c.seen.get("filter", 0) + c.seen.get("false_positive", 0)),
    ),
    Total(
        "skitter_seen_checks_total",
        "Checks whether a URL is new, by who knew: memory and store say seen, filter says new, false_positive is new "
        "too, but the filter did not say so and the store was read in vain.",
        ("layer",),
        lambda c: _only(c.seen, ("memory", "store", "filter", "false_positive")),
    ),
    Total(
        "skitter_urls_skipped_total",
        "URLs that were put aside unfetched, by reason.",
        ("reason",),
        lambda c: _by_name(c.skipped, Reason),
    ),
    Total("skitter_leases_total", "Leases by what they were for.", ("errand",), lambda c: _by_name(c.leases, Errand)),
    Total("skitter_leases_expired_total", "Leases that outlived their end.", (), lambda c: _one(c.expired)),
    Total(
        "skitter_robots_read_total",
        "robots.txt asked for, by what it came to; failed: nobody could say what is allowed.",
        ("result",),
        lambda c: _by_name(c.robots_read, ("rules", "allow_all", "failed")),
    ),
    Total(
        "skitter_crawl_delay_applied_total",
        "Requests after which the host's own Crawl-delay was waited out, because it is longer than ours.",
        (),
        lambda c: _one(c.crawl_delays),
    ),
    Total(
        "skitter_captures_total",
        "Fetches in the archive; revisit: the body was known and is not stored again.",
        ("kind",),
        lambda c: _only(c.captures, ("response", "revisit", "failure")),
    ),
    Total("skitter_warc_bytes_total", "Bytes of WARC written, compressed.", (), lambda c: _one(c.written)),
    Total(
        "skitter_page_content_types_total",
        "Pages that came with a 2xx, by content type.",
        ("type",),
        lambda c: _by_name(c.content_types, ("text/html", "other", "none")),
    ),
    Total(
        "skitter_dns_answers_total",
        "Names looked up, by who answered; joined: with a question that was already under way.",
        ("source",),
        lambda c: _only(c.dns, ("cache", "server", "joined")),
    ),
    Total(
        "skitter_dns_failures_total",
        "Names that servers were asked about in vain; unknown: there is no such name.",
        ("kind",),
        lambda c: _only(c.dns, ("unknown", "failed")),
    ),
)

SPREADS = (
    Spread(
        "skitter_fetch_seconds",
        "How long requests took, to the last byte.",
        SECONDS,
        lambda c: (c.fetch_buckets, c.fetch_seconds),
    ),
    Spread(
        "skitter_page_bytes",
        "Sizes of pages that came with a 2xx, decoded.",
        BYTES,
        lambda c: (c.page_buckets, c.page_bytes),
    ),
    Spread(
        "skitter_page_outlinks",
        "Links on HTML pages, before scope and dedup, embedded things included.",
        LINKS,
        lambda c: (c.outlink_buckets, c.outlinks),
    ),
    Spread("skitter_redirect_hops", "Redirects that led to a page with a 2xx.", HOPS, lambda c: _hops(c.hops)),
)

GAUGES = (
    Now(
        "skitter_frontier_urls",
        "URLs in each state, by shard and the node that has it.",
        ("node", "shard", "state"),
        _frontier_urls,
    ),
    Now("skitter_hosts", "Hosts in memory by stage.", ("stage",), _hosts),
    Now(
        "skitter_host_quota_used",
        "Requests today to the busiest hosts.",
        ("host",),
        _busiest(lambda line: line.quota_used),
    ),
    Now(
        "skitter_host_quota_allowed",
        "Requests a day that the busiest hosts may have.",
        ("host",),
        _busiest(lambda line: line.quota_allowed),
    ),
    Now(
        "skitter_host_delay_seconds",
        "The delay in force at the busiest hosts.",
        ("host",),
        _busiest(lambda line: line.delay),
    ),
    Now(
        "skitter_recrawl_lag_seconds",
        "For how long the earliest retry or re-crawl has been due.",
        (),
        lambda reports: _one(max((report.frontier.overdue for report in reports), default=0.0)),
    ),
    Now("skitter_in_flight", "Leases being carried.", ("node",), _each(lambda report: report.in_flight)),
    Now("skitter_node_up", "1 while the node lives.", ("node",), _each(lambda report: not report.stopped)),
    Now("skitter_node_idle", "1 while the node has nothing to do.", ("node",), _each(lambda report: report.idle)),
    Now(
        "skitter_node_trouble",
        "1 while the node leases nothing because its disk is full or failing.",
        ("node",),
        _each(lambda report: bool(report.trouble)),
    ),
    Now(
        "skitter_node_restarts_total",
        "Times that the node died and was started again.",
        ("node",),
        _each(lambda report: report.restarts),
        "counter",
    ),
)
