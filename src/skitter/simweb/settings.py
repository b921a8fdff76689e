"""What a simulated web is made from: the same settings make the same web, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from skitter.simweb.robots import ROBOTS, ROBOTS_SHARES, Detour
from skitter.simweb.roles import PLAIN_SHARES, SHARES, Role


class WorldSettings(Struct, frozen=True, kw_only=True):
    """The settings of a `World`. Sizes are bytes, times are seconds."""

    seed: int = 1
    hosts: int = 50
    pages_per_host: int = 20
    links_per_page: int = 10
    page_bytes: int = 4000  # a page has between half and one and a half times this
    cross_host_share: float = 0.3  # of the links that are not needed to reach every page
    dressed_share: float = 0.1  # of the links: tracking parameter, session id, www., trailing slash …

    domain: str = "sim.test"
    network: str = "127.20.0.0/16"
    hosts_per_address: int = 1
    port: int = 80

    roles: Mapping[Role, float] = MappingProxyType(SHARES)
    robots: Mapping[str, float] = MappingProxyType(ROBOTS_SHARES)
    sitemap_share: float = 0.5  # of the hosts whose robots.txt could name one

    crawl_delays: tuple[float, ...] = (0.5, 1.0, 3.0)
    slow: float = 2.0  # the longest wait for a slow page or robots.txt
    big_bytes: int = 300_000
    retry_after: int = 1
    failures: int = 1  # times that a passing trouble fails before it works
    strains_per_host: int = 3  # pages that answer 429, 5xx or not at all
    change: float = 0.0  # the shortest time after which a page changes; 0: nothing ever does
    calendar: bool = False  # an endless trap on every host
    animals: tuple[str, ...] = ()  # from the zoo, a host for each


PLAIN = WorldSettings(roles=PLAIN_SHARES, robots={"none": 1.0}, dressed_share=0.0, sitemap_share=0.0)
"""Nothing but pages and links: for speed and for counting."""

DEMO = WorldSettings(
    hosts=50,
    pages_per_host=16,
    links_per_page=8,
    crawl_delays=(0.5, 1.0),
    slow=1.0,
    big_bytes=200_000,
    strains_per_host=1,
)
"""Every kind of trouble, and over in less than a minute with a delay of 0.2 s."""

DASHBOARD = WorldSettings(
    hosts=120,
    pages_per_host=300,
    crawl_delays=(1.0, 3.0),
    slow=2.0,
    big_bytes=200_000,
    strains_per_host=8,
    calendar=True,
)
"""Something to look at for a quarter of an hour: every kind of trouble, again and again, and a trap on every host."""

FLEET = WorldSettings(
    hosts=48,
    pages_per_host=15,
    links_per_page=8,
    crawl_delays=(1.5,),
    slow=1.0,
    strains_per_host=0,
    # A robots.txt at another node's host is not followed in a fleet: there would be nothing of its site to count.
    robots={name: kind.share for name, kind in ROBOTS.items() if kind.detour is not Detour.AWAY},
)
"""For the demo of a fleet: over in about a minute with a delay of a second, by whoever loses a node in the middle."""
