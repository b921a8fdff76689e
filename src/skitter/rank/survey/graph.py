"""Who links to whom: the graph of hosts and the graph of domains. Pure.

Both are kept by target: whoever vouches for a site is asked for again and again, whom it vouches for is not. A link
within a host, or within a domain, says nothing in the graph of that kind. What a `nofollow` link leads to is known and
not vouched for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from skitter.rank.survey.marks import LinkMark
from skitter.url.domains import Domains
from skitter.url.keys import host_of

Vouchers = Sequence[Sequence[int]]
"""By number of the target, the numbers of those that vouch for it, in order."""


class Graph(Struct, frozen=True):
    """Hosts and domains by number, and who vouches for whom."""

    hosts: Sequence[str]
    domains: Sequence[str]
    domain_of: Sequence[int]  # by host
    host_links: Vouchers  # hosts that vouch for a host, its own domain's among them
    host_vouchers: Vouchers  # domains that vouch for a host, but for its own
    domain_vouchers: Vouchers
    host_nofollow: Sequence[int]  # how many other domains link to a host and none of their links vouches for it
    domain_nofollow: Sequence[int]


class Links:
    """The links of a crawl, as far as they lead from host to host."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._pairs: dict[tuple[int, int], bool] = {}  # target, source: whether any of these links vouches

    def number_of(self, host: str) -> int:
        """Returns the number of a host: they are counted as they come."""
        return self._numbers.setdefault(host, len(self._numbers))

    def add(self, sources: Sequence[str], places: Iterable[int], targets: Iterable[str], marks: Iterable[int]) -> None:
        """Takes links: the place of each one's page among `sources`, where it leads, and its `LinkMark`."""
        hosts = [host_of(source) for source in sources]
        numbers = [self.number_of(host) if host else None for host in hosts]
        for place, target, mark in zip(places, targets, marks, strict=True):
            host, source = host_of(target), numbers[place]
            if mark == LinkMark.NONE or not host or source is None or host == hosts[place]:
                continue
            pair = self.number_of(host), source
            self._pairs[pair] = self._pairs.get(pair, False) or mark == LinkMark.VOUCHES

    def graph(self, domains: Domains) -> Graph:
        """Returns what the links come to."""
        names: dict[str, int] = {}
        of = [names.setdefault(domains.domain_of(host), len(names)) for host in self._numbers]
        by_host = _foreign({}, of, range(len(of)), self._pairs)
        by_domain = _foreign({}, of, of, self._pairs)
        return Graph(
            hosts=list(self._numbers),
            domains=list(names),
            domain_of=of,
            host_links=_lists(self._pairs, len(of)),
            host_vouchers=_lists(by_host, len(of)),
            domain_vouchers=_lists(by_domain, len(names)),
            host_nofollow=_asked_not_to(by_host, len(of)),
            domain_nofollow=_asked_not_to(by_domain, len(names)),
        )


Pairs = dict[tuple[int, int], bool]


def _foreign(found: Pairs, domain_of: Sequence[int], target_of: Sequence[int], pairs: Pairs) -> Pairs:
    """Returns the pairs of a target, by `target_of` of its host, and a domain that is not its own."""
    for (target, source), vouches in pairs.items():
        if domain_of[target] != domain_of[source]:
            pair = target_of[target], domain_of[source]
            found[pair] = found.get(pair, False) or vouches
    return found


def _lists(pairs: Pairs, many: int) -> Vouchers:
    lists: list[list[int]] = [[] for _ in range(many)]
    for target, source in sorted(pair for pair, vouches in pairs.items() if vouches):
        lists[target].append(source)
    return lists


def _asked_not_to(pairs: Pairs, many: int) -> Sequence[int]:
    counts = [0] * many
    for (target, _), vouches in pairs.items():
        counts[target] += not vouches
    return counts
