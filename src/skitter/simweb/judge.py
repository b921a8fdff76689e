"""What a log proves: how close requests came, how many at once, what was asked for that should not have been."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from skitter.messages import Url
from skitter.simweb.listings import SITEMAP_PATH
from skitter.simweb.log import Request
from skitter.simweb.spec import What
from skitter.simweb.truth import Truth, is_forbidden
from skitter.simweb.world import World
from skitter.url.canon import Canon
from skitter.url.keys import host_of

MACHINES = ("/robots", "/sitemap")
"""What is asked for these paths is for the crawler itself, not a page."""
MADE_UP = 10
"""Names that a crawler may make up for a host, to see what it says of what is not there."""


class Visits(Struct, frozen=True):
    """All requests to one host, or to one address."""

    starts: Sequence[float]  # in order
    most_at_once: int
    crawl_delay: float = 0.0  # what robots.txt asks for

    @property
    def shortest_gap(self) -> float:
        """The least time between the starts of two requests; infinite if there is only one."""
        return min((later - earlier for earlier, later in pairwise(self.starts)), default=float("inf"))

    def gaps_under(self, limit: float) -> int:
        """Returns how many requests came sooner than `limit` after the one before."""
        return sum(later - earlier < limit for earlier, later in pairwise(self.starts))


class Findings(Struct, frozen=True):
    """What was found in a log. Times are seconds; pages are told apart by dedup key."""

    requests: int
    hosts: Mapping[str, Visits]
    addresses: Mapping[str, Visits]
    pages: Mapping[str, int]  # how often each was asked for
    sitemaps: Mapping[str, int]
    robots: Mapping[str, int]
    forbidden: Sequence[str]  # URLs that robots.txt forbids
    before_robots: Sequence[str]  # URLs asked for before robots.txt of their origin was answered
    unknown: Sequence[str]  # URLs that no link leads to, because there is nothing
    misplaced: Sequence[str]  # URLs asked for at an address that is not their host's
    missing: frozenset[str] = frozenset()  # pages that are not there

    @property
    def most_at_once(self) -> int:
        """The most requests that any host had under way at a time."""
        return max((visits.most_at_once for visits in self.hosts.values()), default=0)

    def too_early(self, delay: float, tolerance: float = 0.0) -> dict[str, float]:
        """Returns the hosts that were visited too soon after a visit, with their shortest gap."""
        gaps = {host: (visits.shortest_gap, max(delay, visits.crawl_delay)) for host, visits in self.hosts.items()}
        return {host: gap for host, (gap, wanted) in gaps.items() if gap < wanted - tolerance}

    def missed(self, truth: Truth) -> frozenset[str]:
        """Returns the pages and sitemaps that should have been asked for and were not."""
        return (truth.pages | truth.sitemaps | truth.robots) - {*self.pages, *self.sitemaps, *self.robots}

    def uncalled(self, truth: Truth) -> frozenset[str]:
        """Returns the pages that were asked for and should not have been.

        Names that nobody linked and that are not there are asked for on purpose: a few of each host, for what it says.
        """
        wrong = frozenset(self.pages) - truth.pages
        made_up = [url for url in sorted(wrong) if url in self.missing]
        few = {url for url in made_up if sum(host_of(one) == host_of(url) for one in made_up) <= MADE_UP}
        return wrong - few


def judge(requests: Iterable[Request], world: World, canon: Canon | None = None) -> Findings:
    """Returns what the requests of a log come to in the world that was served."""
    requests = sorted(requests, key=lambda request: request.began)
    canon = canon or Canon()
    pages, robots, sitemaps = (Counter[str]() for _ in range(3))
    counters = {"/robots": robots, "/sitemap": sitemaps}
    for request in requests:
        counter = next((counters[path] for path in MACHINES if request.path.startswith(path)), pages)
        counter[_key(canon, request)] += 1
    return Findings(
        requests=len(requests),
        hosts=_by_host(requests, world),
        addresses=_by_address(requests),
        pages=pages,
        sitemaps=sitemaps,
        robots=robots,
        forbidden=[request.url for request in requests if is_forbidden(world, _name(request), request.path)],
        before_robots=_before_robots(requests),
        unknown=[request.url for request in requests if _is_unknown(world, request)],
        missing=frozenset(_key(canon, request) for request in requests if request.status == 404),
        misplaced=[request.url for request in requests if _is_misplaced(world, request)],
    )


def repeated(requests: Iterable[Request]) -> Iterator[Request]:
    """Yields the requests for pages and sitemaps that were answered well, and came again all the same."""
    by_url: dict[str, list[Request]] = defaultdict(list)
    for request in requests:
        # One lease on a robots.txt is several requests, and one robots.txt may be that of several origins.
        if not request.path.startswith("/robots"):
            by_url[request.url].append(request)
    for same in by_url.values():
        for first, _ in pairwise(same):
            if 200 <= first.status < 400:
                yield first


def _key(canon: Canon, request: Request) -> str:
    url = canon(request.url)
    return url.key if isinstance(url, Url) else request.url


def _name(request: Request) -> str:
    return request.host.partition(":")[0]


def _by_host(requests: Sequence[Request], world: World) -> dict[str, Visits]:
    groups: dict[str, list[Request]] = defaultdict(list)
    for request in requests:
        groups[host_of(request.url)].append(request)
    visits = {}
    for host, group in groups.items():
        site = world.find(host.partition(":")[0])
        delay = site.crawl_delay if site is not None and site.crawl_delay is not None else 0.0
        visits[host] = Visits([request.began for request in group], _most_at_once(group), delay)
    return visits


def _by_address(requests: Sequence[Request]) -> dict[str, Visits]:
    groups: dict[str, list[Request]] = defaultdict(list)
    for request in requests:
        groups[request.address].append(request)
    return {at: Visits([request.began for request in group], _most_at_once(group)) for at, group in groups.items()}


def _most_at_once(requests: Sequence[Request]) -> int:
    """Returns how many were under way at a time, from their begins and ends: aliases of a host count together."""
    steps = [(request.began, 1) for request in requests]
    steps += [(request.ended, -1) for request in requests if request.ended is not None]
    most = now = 0
    for _, step in sorted(steps):  # at the same instant an end comes first
        now += step
        most = max(most, now)
    return most


def _before_robots(requests: Sequence[Request]) -> list[str]:
    read: dict[str, float] = {}
    for request in requests:
        if request.path == "/robots.txt" and request.ended is not None and _is_clear(request.status):
            read.setdefault(request.host, request.ended)
    return [
        request.url
        for request in requests
        if not request.path.startswith("/robots") and request.began < read.get(request.host, float("inf"))
    ]


def _is_clear(status: int) -> bool:
    """Says whether an answer to robots.txt tells what is allowed (RFC 9309 2.3.1)."""
    return 200 <= status < 500 and status != 429


def _is_unknown(world: World, request: Request) -> bool:
    if request.path == SITEMAP_PATH:  # where most sites have one: as with robots.txt, only asking tells
        return False
    spec = world.spec(_name(request), request.path)
    return spec.what is What.ERROR and spec.status == 404 and "/missing/" not in request.path


def _is_misplaced(world: World, request: Request) -> bool:
    site = world.find(_name(request))
    return site is not None and site.address != request.address
