"""All that the tables say, gathered and brought together. Pure; `quick` has the one of the kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import pyarrow as pa  # type: ignore[import-untyped]
from msgspec import Struct

from skitter.rank.survey.centrality import harmonic, pagerank
from skitter.rank.survey.content import Counts, Visit, counts_of
from skitter.rank.survey.graph import Graph, Links
from skitter.rank.survey.mirrors import MOST_OF, mirrors
from skitter.rank.survey.support import Support, support
from skitter.url.domains import Domains

_COUNT, _SHARE = pa.uint32(), pa.float64()
SIGNALS = pa.schema(
    [
        ("name", pa.large_string()),
        ("domain", _COUNT),  # by its number: the place in the other table
        ("in_degree", _COUNT),
        ("nofollow", _COUNT),
        *((name, _COUNT) for name in Support._fields),
        ("pagerank", _SHARE),
        ("trust", _SHARE),
        ("harmonic", _SHARE),
        *((name, _COUNT) for name in Counts._fields),
        ("mirror_of", _COUNT),  # by number, or null
    ]
)
"""Of hosts, and of domains: PageRank and trust are of domains only, for hosts are cheap to make."""


class Surveyed(Struct, frozen=True):
    """The signals of all hosts and of all domains, by their numbers."""

    hosts: pa.Table
    domains: pa.Table


class Survey(Protocol):
    """Takes what the tables say, in any order, and says what it comes to."""

    def links(self, batch: pa.RecordBatch) -> None:
        """Takes links: `source` (by dictionary), `target`, `mark`."""
        ...

    def captures(self, batch: pa.RecordBatch) -> None:
        """Takes captures and failures: `url`, `host`, `digest`, `simhash`, `at`, `mark`."""
        ...

    def settle(self, seeds: Sequence[str]) -> Surveyed:
        """Returns the signals, with `seeds` the hosts that the operator vouches for. Once, and last."""
        ...


class PlainSurvey:
    """The survey in Python: what the kernel is held against, and what is used where there is none."""

    def __init__(self, domains: Domains) -> None:
        self._domains = domains
        self._links = Links()
        self._visits: list[Visit] = []

    def links(self, batch: pa.RecordBatch) -> None:
        """See `Survey`."""
        source = batch["source"]
        places, targets, marks = source.indices.to_pylist(), batch["target"].to_pylist(), batch["mark"].to_pylist()
        self._links.add(source.dictionary.to_pylist(), places, targets, marks)

    def captures(self, batch: pa.RecordBatch) -> None:
        """See `Survey`."""
        columns = (batch[name].to_pylist() for name in ("host", "url", "digest", "simhash", "at", "mark"))
        for host, *visit in zip(*columns, strict=True):
            if host:
                self._visits.append(Visit(self._links.number_of(host), *visit))

    def settle(self, seeds: Sequence[str]) -> Surveyed:
        """See `Survey`."""
        chosen = [self._links.number_of(host) for host in seeds]
        graph = self._links.graph(self._domains)
        trusted = sorted({graph.domain_of[host] for host in chosen})
        counts, pages = counts_of(self._visits, len(graph.hosts))
        host_support = support(graph.host_vouchers, graph.domain_of, graph.domain_vouchers, trusted)
        copies = mirrors(pages, _standing(graph, host_support, counts, trusted))
        hosts = {
            "name": graph.hosts,
            "domain": graph.domain_of,
            "in_degree": [len(sources) for sources in graph.host_vouchers],
            "nofollow": graph.host_nofollow,
            "harmonic": harmonic(graph.host_links),
            "mirror_of": [copies.get(host) for host in range(len(graph.hosts))],
        }
        return Surveyed(_table(hosts, host_support, counts), _domains(graph, counts, copies, trusted))


def _domains(graph: Graph, counts: Sequence[Counts], copies: dict[int, int], trusted: Sequence[int]) -> pa.Table:
    many, vouchers = len(graph.domains), graph.domain_vouchers
    sums = [[0] * len(Counts._fields) for _ in range(many)]
    for domain, count in zip(graph.domain_of, counts, strict=True):
        sums[domain] = [one + other for one, other in zip(sums[domain], count, strict=True)]
    totals = [Counts(*row) for row in sums]
    start = [0.0] * many
    for domain in trusted:
        start[domain] = 1 / len(trusted)
    columns = {
        "name": graph.domains,
        "domain": range(many),
        "in_degree": [len(sources) for sources in vouchers],
        "nofollow": graph.domain_nofollow,
        "pagerank": pagerank(vouchers, [1 / max(1, many)] * many),
        "trust": pagerank(vouchers, start),
        "harmonic": harmonic(vouchers),
        "mirror_of": _domain_mirrors(graph, counts, totals, copies),
    }
    return _table(columns, support(vouchers, range(many), vouchers, trusted), totals)


def _domain_mirrors(
    graph: Graph, counts: Sequence[Counts], totals: Sequence[Counts], copies: dict[int, int]
) -> list[int | None]:
    """Returns the domains most of whose pages are on hosts that mirror another domain's, each with that one."""
    pages: Counter[tuple[int, int]] = Counter()
    for host, original in copies.items():
        one, other = graph.domain_of[host], graph.domain_of[original]
        if one != other:
            pages[one, other] += counts[host].pages
    found: list[int | None] = [None] * len(totals)
    for (one, other), many in pages.items():
        if many >= MOST_OF * totals[one].pages:
            found[one] = other
    return found


def _standing(
    graph: Graph, host_support: Sequence[Support], counts: Sequence[Counts], trusted: Sequence[int]
) -> list[int]:
    """Returns the place of each host in the order of who is the original if two say the same: the last one is."""

    def better(host: int) -> tuple[int, ...]:
        one = host_support[host]
        is_seed = graph.domain_of[host] in trusted
        return is_seed, one.vouchers, one.supporters, len(graph.host_vouchers[host]), counts[host].pages, -host

    places = [0] * len(graph.hosts)
    for place, host in enumerate(sorted(range(len(graph.hosts)), key=better)):
        places[host] = place
    return places


def _table(columns: dict[str, Any], supports: Iterable[Support], counts: Iterable[Counts]) -> pa.Table:
    told = dict(columns)
    for names, rows in ((Support._fields, list(supports)), (Counts._fields, list(counts))):
        told |= dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
    many = len(told["name"])
    return pa.table({field.name: pa.array(told.get(field.name, [None] * many), field.type) for field in SIGNALS})
