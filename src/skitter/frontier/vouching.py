"""Vouching: a link from one host to another says something for it and for its domain, once for each two of them.

Most links of a page are known, and of those nothing is offered any more; so the first link that is seen from a host
to another is offered again for what it says, be it known or not. Of a host at hand, its name is enough.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from msgspec import structs

from skitter.messages import Discovered, Lease, Url
from skitter.reading.meaning import Reading, discovered
from skitter.url.canon import Canon

PAIRS = 65_536
"""Pairs of hosts that are remembered to have been seen: some 100 bytes each. Then it begins anew."""

WantingSupport: TypeAlias = Callable[[Collection[str], float], list[str]]
"""Those of some hosts, in their order, to which a link from one whose domain is trusted so far makes a difference."""
IsAtHand: TypeAlias = Callable[[str], bool]
"""Whether a host is in memory."""


class Vouching:
    """Which hosts have vouched for which."""

    def __init__(self, canon: Canon, wanting_support: WantingSupport, is_at_hand: IsAtHand) -> None:
        self._canon = canon
        self._wanting_support = wanting_support
        self._is_at_hand = is_at_hand
        self._seen: defaultdict[str, set[str]] = defaultdict(set)
        self._pairs = 0

    def vouched(self, lease: Lease, trust: float, reading: Reading) -> Reading:
        """Returns what was read, with links that say something for hosts which this one never led to before."""
        if not trust or not reading.verdict.follow:
            return reading
        if self._pairs > PAIRS:
            self._pairs = 0
            self._seen.clear()
        seen = self._seen[lease.host]  # not the domain: two hosts of a domain that lead to a third one speak for it
        new = [host for host in reading.abroad if host not in seen]
        if not new:
            return reading
        self._pairs += len(new)
        seen.update(new)
        wanted = self._wanting_support(new, trust)
        if not wanted:
            return reading
        is_at_hand, places = self._is_at_hand, reading.abroad
        names = [host for host in wanted if is_at_hand(host) and places[host] not in reading.refused]
        if len(names) == len(wanted):
            return structs.replace(reading, vouched=names)
        links = list(self._links(lease, set(wanted).difference(names), trust, reading))
        marks = {link.fingerprint for link in links}
        found = [*(one for one in reading.found if one.fingerprint not in marks), *links]
        return structs.replace(reading, found=found, vouched=names)

    def _links(self, lease: Lease, hosts: set[str], trust: float, reading: Reading) -> Iterator[Discovered]:
        """Yields one link to each of the hosts, in the order of the page."""
        offered: dict[str, Discovered] = {}
        for one in reading.found:
            if one.host in hosts:
                offered.setdefault(one.host, one)
        for host in sorted(hosts, key=reading.abroad.__getitem__):
            place = reading.abroad[host]
            if host in offered:
                yield structs.replace(offered[host], supports=trust)
            elif place not in reading.refused:
                url = self._canon.of_parsed(reading.links[place].url)
                assert isinstance(url, Url), "a link that leads to a host"
                yield structs.replace(discovered(url, lease.depth + 1, 0.0, lease.href), supports=trust)
