"""Whether each request was allowed by the robots.txt that was known at its time. Pure.

The answers to robots.txt are decided again, one after the other, by the same rules as in the crawl (`robots.answer`):
what they come to is not taken from the crawl's word but from the bytes in the archive.
"""

from __future__ import annotations

from msgspec import Struct

from skitter.audit.promise import Promise
from skitter.audit.report import Breach
from skitter.audit.visit import Visit
from skitter.messages import Errand, Fetched, Kind, header_values
from skitter.robots.answer import Access, Policy, decide, refused_hop
from skitter.store.warc.dates import MICRO
from skitter.url.keys import origin_of
from skitter.url.parse import parse

REDIRECTS = frozenset({301, 302, 303, 307, 308})
GRACE = 30.0
"""Seconds that a robots.txt may be past its time when the request begins.

A page is leased while robots.txt is good; looking up the name comes between that and the request.
"""


class Hop(Struct, frozen=True):
    """A redirect of a robots.txt: where it leads, and the URLs that led there."""

    target: str
    chain: tuple[str, ...]


class Robots:
    """The robots.txt of one host: of each of its origins the policy, and where a redirect leads at the moment."""

    def __init__(self) -> None:
        self._policies: dict[str, Policy] = {}
        self._hops: dict[str, Hop] = {}

    @property
    def crawl_delay(self) -> float | None:
        """What the host asks for: the longest of its origins' Crawl-delay."""
        return max((one.crawl_delay for one in self._policies.values() if one.crawl_delay is not None), default=None)

    def check(self, visit: Visit) -> tuple[Breach, str] | None:
        """Returns what `visit` broke by asking for its URL, and why."""
        if visit.errand == Errand.ROBOTS:
            return None if self._leads_to(visit) else (Breach.FALSE_ERRAND, f"said to come by way of {visit.hops}")
        policy = self._policies.get(origin_of(visit.url))
        if policy is None:
            return Breach.ROBOTS_UNKNOWN, f"{origin_of(visit.url)}/robots.txt had not been answered"
        return _refusal(policy, visit)

    def answered(self, visit: Visit, fetched: Fetched, promise: Promise) -> None:
        """Takes in the answer to a request for robots.txt, or for what one redirected to."""
        if fetched.failure is not None and fetched.failure.kind is Kind.STALE:
            return  # nothing was said: the same is asked again
        hops = visit.hops
        origin = origin_of(hops[0] if hops else visit.url)
        self._hops.pop(origin, None)
        target = _location(fetched)
        asked = (*hops, visit.url)
        if target is not None and refused_hop(target, asked, promise.robots) is None:
            self._hops[origin] = Hop(target, asked)
            return
        self._policies[origin] = decide(
            fetched,
            self._policies.get(origin),
            now=visit.ended / MICRO,
            token=promise.identity.robots_token,
            settings=promise.robots,
        )

    def _leads_to(self, visit: Visit) -> bool:
        hops = visit.hops
        if not hops:
            return visit.url == f"{origin_of(visit.url)}/robots.txt"
        return self._hops.get(origin_of(hops[0])) == Hop(visit.url, hops)


def _refusal(policy: Policy, visit: Visit) -> tuple[Breach, str] | None:
    late = visit.began / MICRO - policy.good_until
    if late > GRACE:
        return Breach.ROBOTS_STALE, f"robots.txt was to be asked for again {late:.0f} s before"
    if policy.allows(visit.url):
        return None
    if policy.access is Access.DENY_ALL:
        return Breach.ROBOTS_UNREADABLE, f"robots.txt could not be read (failures in a row: {policy.failures})"
    rule = policy.deciding(visit.url)
    return Breach.FORBIDDEN, f"line {rule.line}: Disallow: {rule.pattern}" if rule is not None else ""


def _location(fetched: Fetched) -> str | None:
    """Returns where an answer redirects to, if it does and it is somewhere that can be asked."""
    locations = header_values(fetched.headers, "location")
    if fetched.failure is not None or fetched.status not in REDIRECTS or not locations:
        return None
    # Servers send UTF-8 where the standard has only ASCII; the header was read byte by byte.
    text = locations[0].encode("latin-1", "replace").decode("utf-8", "replace")
    target = parse(text, fetched.lease.href)
    return target if target is not None and target.startswith(("http://", "https://")) else None
