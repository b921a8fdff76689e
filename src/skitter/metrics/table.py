"""Every metric: its name, its labels, what it means, and where in the nodes' reports it is read.

Counters are added up over the nodes. Labels are bounded: kinds and reasons come from our own tables, hosts are a few.
A number that may stay at zero for long is there from the start, so that its first rise is seen as one.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from skitter.frontier.host import Stage
from skitter.messages import Errand, Kind, Reason
from skitter.metrics.text import Metric, Sample, histogram
from skitter.node.counters import BYTES, LINKS, SECONDS, Counted, Ended
from skitter.node.status import HostLine, NodeStatus
from skitter.schedule.freshness import Freshness, quantile, together, told
from skitter.schedule.shares import Purpose
from skitter.shard.writer import PUT_ASIDE
from skitter.sinks.kept import SinkState
from skitter.supervisor.progress import NOTHING, added

MOST_HOSTS = 20
HOPS = tuple(range(11))
PURPOSES = tuple(purpose.name.lower() for purpose in Purpose)
AGES = (0.5, 0.9, 0.975)
SKIPS = (*PUT_ASIDE, Reason.PURGED)
REFUSALS = (
    *(Reason.OUT_OF_SCOPE, Reason.DENIED_BY_PATTERN, Reason.TOO_DEEP, Reason.TRAP, Reason.NOFOLLOW),
    *(Reason.BAD_URL, Reason.NOT_HTTP, Reason.URL_TOO_LONG, Reason.PLUGIN),
)

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


class OfSink(NamedTuple):
    """A number that each sink has."""

    name: str
    meaning: str
    read: Callable[[SinkState], float]
    kind: str = "gauge"
    labels: Labels = ("sink",)


class Now(NamedTuple):
    """A number that goes up and down, or that each node has on its own."""

    name: str
    meaning: str
    labels: Labels
    read: Callable[[Sequence[NodeStatus]], Numbers]
    kind: str = "gauge"


SINKS = (
    OfSink("skitter_sink_up", "1 while the sink takes rows.", lambda state: float(not state.trouble)),
    OfSink("skitter_sink_rows_total", "Rows that the sink was given.", lambda state: state.rows, "counter"),
    OfSink(
        "skitter_sink_lag_captures",
        "Captures in the archive that the sink was not given yet, about: by what one takes in the archive.",
        lambda state: state.lag_captures,
    ),
    OfSink(
        "skitter_sink_lag_bytes",
        "Bytes of the archive that the sink was not given yet.",
        lambda state: state.lag_bytes,
    ),
    OfSink(
        "skitter_sink_lag_seconds",
        "Time since the newest capture that the sink was given; 0 if it has all.",
        lambda state: state.lag_seconds,
    ),
)


COMPLAINTS = ("skitter_webmaster_complaints_total", "Complaints about our visits that were told to the API.")


def metrics(reports: Sequence[NodeStatus], sinks: Sequence[SinkState] = (), complaints: int = 0) -> Iterator[Metric]:
    """Yields every metric, from the last report of each node, what each sink's process said last, and complaints."""
    counted = reduce(added, (report.counted for report in reports), NOTHING)
    for total in TOTALS:
        yield Metric(total.name, "counter", total.meaning, _samples(total.labels, total.read(counted)))
    for spread in SPREADS:
        yield Metric(spread.name, "histogram", spread.meaning, histogram(spread.bounds, *spread.read(counted)))
    for now in GAUGES:
        yield Metric(now.name, now.kind, now.meaning, _samples(now.labels, now.read(reports)))
    yield Metric(COMPLAINTS[0], "counter", COMPLAINTS[1], _samples((), _one(complaints)))
    for sunk in SINKS:
        numbers: Numbers = {(state.sink,): sunk.read(state) for state in sinks}
        yield Metric(sunk.name, sunk.kind, sunk.meaning, _samples(sunk.labels, numbers))


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


def _fetches(counts: Mapping[str, int]) -> Numbers:
    known = {(errand.value, how.value): 0 for errand in Errand for how in Ended}
    return known | {_errand_and_end(name): count for name, count in counts.items()}


def _errand_and_end(name: str) -> Labels:
    errand, _, how = name.partition(" ")
    return errand, how


def _name_and_end(name: str) -> Labels:
    plugin, _, how = name.rpartition(" ")
    return plugin, how


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
        busiest = heapq.nlargest(MOST_HOSTS, lines, key=attrgetter("rate"))
        return {(line.host,): read(line) for line in busiest}

    return numbers


def _fresh(reports: Sequence[NodeStatus]) -> Freshness:
    return together(report.frontier.freshness for report in reports)


def _ratios(fresh: Freshness) -> Numbers:
    return {(name,): found.ratio for name, found in {**fresh.classes, "all": fresh.whole}.items() if found.pages}


TOTALS = (
    Total(
        "skitter_fetches_total",
        "Fetches that have ended, by what they were for and how: ok (2xx or 304), redirected, error (other statuses), "
        "broken (a request went out, and no answer came that could be read), no_connection (dialled in vain), "
        "not_tried (nobody was dialled: no address, or none that we may connect to).",
        ("errand", "outcome"),
        lambda c: _fetches(c.fetches),
    ),
    Total(
        "skitter_pages_total",
        "Fetches of pages that were answered, be it with a redirect or an error.",
        (),
        lambda c: _one(c.pages),
    ),
    Total(
        "skitter_responses_total",
        "Answers by HTTP status, those that broke off after their head included; odd: a status that HTTP has not.",
        ("status",),
        lambda c: _by_status(c.statuses),
    ),
    Total(
        "skitter_fetch_failures_total",
        "Tries of pages and sitemaps that failed, by kind of failure; robots.txt is not among them.",
        ("kind",),
        lambda c: _by_name(c.failures, Kind),
    ),
    Total(
        "skitter_received_bytes_total",
        "Bytes of answers, heads and bodies as they came, before anything is unpacked.",
        (),
        lambda c: _one(c.received),
    ),
    Total(
        "skitter_links_total",
        "Links of pages, sitemaps and redirects that are followed, known or not, each spelling once a page.",
        (),
        lambda c: _one(c.links),
    ),
    Total(
        "skitter_links_refused_total",
        "Links of pages, sitemaps and redirects that are not followed, by reason; nofollow: the whole page asks for "
        "that. Links marked so one by one are not counted, nor those of pages that are no http URLs.",
        ("reason",),
        lambda c: _by_name(c.refused, REFUSALS),
    ),
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
        "Queued URLs that were put aside unfetched, by reason: robots.txt or a pattern forbids them, their corner was "
        "closed as a trap, they are other forms of known ones, or the disk ran full.",
        ("reason",),
        lambda c: _by_name(c.skipped, SKIPS),
    ),
    Total(
        "skitter_traps_total",
        "Traps found: shapes of URLs, folders or whole hosts that were closed, since their pages led on without end. "
        "Each counts once, however many URLs are skipped for it.",
        ("of",),
        lambda c: _by_name(c.traps, ("shape", "folder", "host")),
    ),
    Total(
        "skitter_leases_total",
        "Leases by what they were for, those that were given back unused included.",
        ("errand",),
        lambda c: _by_name(c.leases, Errand),
    ),
    Total("skitter_leases_expired_total", "Leases that outlived their end.", (), lambda c: _one(c.expired)),
    Total(
        "skitter_robots_lookups_total",
        "Looks at the rules for a URL whose turn has come, by where they were: memory or store, or nowhere or too old, "
        "so that a request is needed.",
        ("source",),
        lambda c: _by_name(c.robots_lookups, ("memory", "store", "request")),
    ),
    Total(
        "skitter_robots_read_total",
        "robots.txt asked for, its redirects counted with it, by what it came to; failed: nobody could say what is "
        "allowed.",
        ("result",),
        lambda c: _by_name(c.robots_read, ("rules", "allow_all", "failed")),
    ),
    Total(
        "skitter_crawl_delay_applied_total",
        "Requests after which the host's own Crawl-delay was waited out, because it is longer than ours and than any "
        "back-off.",
        (),
        lambda c: _one(c.crawl_delays),
    ),
    Total(
        "skitter_page_leases_total",
        "Leases by purpose: discovery (pages never fetched, and lists that lead to them), refresh (pages seen before).",
        ("purpose",),
        lambda c: _only(c.purposes, PURPOSES),
    ),
    Total(
        "skitter_page_gain_total",
        "What they have brought: the importance of pages that were new, or said something new.",
        ("purpose",),
        lambda c: {(name,): c.gained.get(name, 0.0) for name in PURPOSES},
    ),
    Total(
        "skitter_captures_total",
        "Fetches in the archive; revisit: the body was known, or the server says that it is unchanged, and it is not "
        "stored again; failure: there was no answer.",
        ("kind",),
        lambda c: _only(c.captures, ("response", "revisit", "failure")),
    ),
    Total("skitter_warc_bytes_total", "Bytes of WARC written, compressed.", (), lambda c: _one(c.written)),
    Total(
        "skitter_bucket_sent_bytes_total",
        "Bytes of WARC files that are safe in the bucket, and gone from here.",
        (),
        lambda c: _one(c.sent),
    ),
    Total(
        "skitter_page_content_types_total",
        "Pages that came with a 2xx, by content type.",
        ("type",),
        lambda c: _by_name(c.content_types, ("text/html", "other", "none")),
    ),
    Total(
        "skitter_pages_malformed_total",
        "HTML pages that came with a 2xx, by what was noticed to be wrong with them: undecodable (bytes that mean "
        "nothing in their encoding), cut (the answer broke off), too_long (only the beginning is read).",
        ("fault",),
        lambda c: _by_name(c.malformed, ("undecodable", "cut", "too_long")),
    ),
    Total(
        "skitter_plugin_calls_total",
        "Calls of plug-ins by how they ended: ok, or error (it raised), rubbish (it returned what it may not), hung "
        "(it was ended), died (its process did), off (it was not asked, after too many of these).",
        ("plugin", "result"),
        lambda c: {_name_and_end(name): count for name, count in c.plugin_calls.items()},
    ),
    Total(
        "skitter_plugin_seconds_total",
        "Seconds that plug-ins took, waiting for their turn not counted.",
        ("plugin",),
        lambda c: {(name,): seconds for name, seconds in c.plugin_seconds.items()},
    ),
    Total(
        "skitter_dns_answers_total",
        "Names looked up, by who answered; joined: with a question that was already under way; shared: another node of "
        "the machine, or an earlier run.",
        ("source",),
        lambda c: _only(c.dns, ("cache", "server", "joined", "shared")),
    ),
    Total(
        "skitter_dns_failures_total",
        "Names that servers were asked about in vain; unknown: there is no such name; stale: of those that failed, "
        "where an answer was used that had ended; unanswered: questions to a server that said nothing.",
        ("kind",),
        lambda c: _only(c.dns, ("unknown", "failed", "stale", "unanswered")),
    ),
)

SPREADS = (
    Spread(
        "skitter_fetch_seconds",
        "How long requests took that went out, from then to the last byte; dialling comes before.",
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
        "skitter_host_requests_per_second",
        "Requests a second that went out to the busiest hosts, over the last 30 to 60 seconds.",
        ("host",),
        _busiest(lambda line: line.rate),
    ),
    Now(
        "skitter_host_quota_used",
        "Requests today to the hosts that are busiest of late.",
        ("host",),
        _busiest(lambda line: line.quota_used),
    ),
    Now(
        "skitter_host_quota_allowed",
        "Requests a day that the hosts which are busiest of late may have.",
        ("host",),
        _busiest(lambda line: line.quota_allowed),
    ),
    Now(
        "skitter_host_delay_seconds",
        "The delay in force at the hosts that are busiest of late.",
        ("host",),
        _busiest(lambda line: line.delay),
    ),
    Now(
        "skitter_render_queue",
        "Pages that are empty without a browser, and wait for one.",
        (),
        lambda reports: _one(sum(report.frontier.to_render for report in reports)),
    ),
    Now(
        "skitter_render_queue_age_seconds",
        "For how long the page that is next to be rendered has waited.",
        (),
        lambda reports: _one(max((report.frontier.render_age for report in reports), default=0.0)),
    ),
    Now(
        "skitter_recrawl_lag_seconds",
        "For how long the re-crawl that has waited longest for its visit has been due; retries are not counted.",
        (),
        lambda reports: _one(max((report.frontier.recrawl_lag for report in reports), default=0.0)),
    ),
    Now(
        "skitter_refresh_share_ratio",
        "Of the requests of a node to pages, the share that goes to pages seen before while both kinds have work.",
        ("node",),
        _each(lambda report: report.frontier.shared.share),
    ),
    Now(
        "skitter_freshness_ratio",
        "The share of copies that are what their pages show, as expected by what is known of these, by class of host.",
        ("class",),
        lambda reports: _ratios(_fresh(reports)),
    ),
    Now(
        "skitter_freshness_error",
        "How far from the share of all classes the truth may be, to either side, in 95 of 100 cases: wide as long as "
        "few pages were seen again.",
        (),
        lambda reports: _one(found.error) if (found := _fresh(reports)).classes else {},
    ),
    Now(
        "skitter_freshness_measured_ratio",
        "The share of pages visited by lot whose copies were fresh; none before the first of these visits.",
        (),
        lambda reports: _one(found[0]) if (found := told(_fresh(reports).measured)) else {},
    ),
    Now(
        "skitter_freshness_measured_error",
        "How far from that the truth may be, to either side, in 95 of 100 cases.",
        (),
        lambda reports: _one(found[1]) if (found := told(_fresh(reports).measured)) else {},
    ),
    Now(
        "skitter_freshness_budget_left_ratio",
        "What is left of the copies that may lack a change for longer than their class allows (5 %): 1 if there are "
        "none, below 0 if there are too many.",
        ("class",),
        lambda reports: {(name,): found.budget_left for name, found in _fresh(reports).classes.items()},
    ),
    Now(
        "skitter_copy_age_seconds",
        "The time since pages were last seen: that of half of them, of 90 % and of 97.5 %, at the most.",
        ("quantile",),
        lambda reports: {(str(q),): quantile(ages, q) for q in AGES if (ages := _fresh(reports).ages)},
    ),
    Now(
        "skitter_bucket_waiting_bytes",
        "Bytes of WARC files that are not in the bucket yet, of those that go to one.",
        ("node",),
        _each(lambda report: report.unsent),
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
