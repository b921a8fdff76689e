"""Vouching: a link from one host to another says something for it and for its domain, once for each two of them.

Most links of a page are known, and of those nothing is offered any more; so the first link that is seen from a host
to another is offered again for what it says, be it known or not.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from skitter.messages import Discovered, Lease, Url
from skitter.parse.links import FOLLOWED
from skitter.reading.meaning import Reading, discovered
from skitter.url.canon import Canon

PAIRS = 65_536
"""Pairs of hosts that are remembered to have been seen: some 100 bytes each. Then it begins anew."""


class Vouching:
    """Which hosts have vouched for which."""

    def __init__(self, canon: Canon) -> None:
        self._canon = canon
        self._seen: set[tuple[str, str]] = set()

    def vouched(self, lease: Lease, trust: float, reading: Reading) -> Reading:
        """Returns what was read, with links that say something for hosts which this one never led to before."""
        own = lease.host  # not the domain: two hosts of a domain that lead to a third one say something for it
        new = [host for host in reading.abroad if (own, host) not in self._seen]
        if not new or not trust or not reading.verdict.follow:
            return reading
        if len(self._seen) > PAIRS:
            self._seen.clear()
        self._seen.update((own, host) for host in new)
        links = list(self._links(lease, set(new), trust, reading))
        marks = {link.fingerprint for link in links}
        return structs.replace(reading, found=[*(one for one in reading.found if one.fingerprint not in marks), *links])

    def _links(self, lease: Lease, hosts: set[str], trust: float, reading: Reading) -> Iterator[Discovered]:
        """Yields one link to each of the hosts."""
        for one in reading.found:
            if one.host in hosts:
                hosts.discard(one.host)
                yield structs.replace(one, supports=trust)
        for place, link in enumerate(reading.links):
            if not hosts:
                return
            if link.kind not in FOLLOWED or link.nofollow or place in reading.refused:
                continue
            url = self._canon.of_parsed(link.url)
            if isinstance(url, Url) and url.host in hosts:
                hosts.discard(url.host)
                yield structs.replace(discovered(url, lease.depth + 1, 0.0, lease.href), supports=trust)
