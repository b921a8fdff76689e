"""One host of the simulated web: its address, its robots.txt, and which of its pages plays which role.

Pages have numbers; 0 is the home page. Those that links lead to stand in `order`, the sturdy ones (which have links
themselves) first. The page at place p leads to places p·b+1 … p·b+b, so the sturdy ones make a tree that reaches every
page of `order` within few links, and any page's links are found without looking at the others.
"""

from __future__ import annotations

from ipaddress import IPv4Network

from skitter.simweb.draw import SPAN, Shares, draws
from skitter.simweb.robots import ROBOTS
from skitter.simweb.roles import ROLES, Role
from skitter.simweb.settings import WorldSettings

LEAST_BRANCHES = 3
OPEN_KIND = "allow-all"


class Site:
    """A host as the seed made it. Nothing in it changes."""

    def __init__(self, settings: WorldSettings, index: int, roles: Shares[Role], robots: Shares[str]) -> None:
        kind, delay, sitemap, shape, slow = draws(5, settings.seed, "site", index)
        self.index = index
        self.name = f"h{index:04d}.{settings.domain}"
        self.origin = origin(settings, self.name)
        self.www_origin = origin(settings, f"www.{self.name}")
        self.address = address_of(settings, index)
        # The first host leads to all others, so it must be open.
        self.kind = robots.deal(index - 1, kind) if index else OPEN_KIND
        self.robots = ROBOTS[self.kind]
        delays = settings.crawl_delays
        self.crawl_delay = delays[delay % len(delays)] if self.robots.delayed else None
        self.robots_wait = settings.slow * (0.5 + slow / SPAN / 2) if self.robots.slow else 0.0
        self.has_sitemap = self.robots.can_name_sitemap and sitemap < settings.sitemap_share * SPAN
        self.has_index = shape % 2 == 0
        self.roles = self._cast(settings, roles)
        self.paths = [ROLES[role].path.format(number) for number, role in enumerate(self.roles)]
        sturdy = [number for number, role in enumerate(self.roles) if ROLES[role].sturdy]
        frail = [n for n, role in enumerate(self.roles) if not ROLES[role].sturdy and role is not Role.HIDDEN]
        self.order = sturdy + frail
        self.sturdy = sturdy
        self.private = [number for number, role in enumerate(self.roles) if role is Role.PRIVATE]
        self.hidden = [number for number, role in enumerate(self.roles) if role is Role.HIDDEN]
        self._places = {number: place for place, number in enumerate(sturdy)}
        self._branches = max(LEAST_BRANCHES, -(-len(self.order) // len(sturdy)))

    def __repr__(self) -> str:
        return f"<Site {self.name} at {self.address}, robots.txt {self.kind}, {len(self.roles)} pages>"

    def children(self, number: int) -> list[int]:
        """Returns the pages that a sturdy page must link to, so that each can be reached; none for the others."""
        place = self._places.get(number)
        if place is None:
            return []
        begin = place * self._branches + 1
        return self.order[begin : begin + self._branches]

    def _cast(self, settings: WorldSettings, roles: Shares[Role]) -> list[Role]:
        cast = [Role.HOME]
        strains = 0
        for number in draws(settings.pages_per_host - 1, settings.seed, "roles", self.index):
            role = roles.pick(number)
            if ROLES[role].strains:
                strains += 1
            if (role is Role.HIDDEN and not self.has_sitemap) or (
                ROLES[role].strains and strains > settings.strains_per_host
            ):
                role = Role.PAGE
            cast.append(role)
        return cast


def origin(settings: WorldSettings, name: str) -> str:
    """Returns scheme, name and port, the port only if it must be said."""
    return f"http://{name}" if settings.port == 80 else f"http://{name}:{settings.port}"


def address_of(settings: WorldSettings, index: int) -> str:
    """Returns the address of the host of that number."""
    network = IPv4Network(settings.network)
    place = 1 + index // settings.hosts_per_address
    assert place < network.num_addresses, f"{settings.network} is too small for {settings.hosts} hosts"
    return str(network[place])
