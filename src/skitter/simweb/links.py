"""Which links the pages of the simulated web have, and in which of the many ways each is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from skitter.simweb.draw import SPAN, draws
from skitter.simweb.roles import Role
from skitter.simweb.settings import WorldSettings
from skitter.simweb.site import Site, origin
from skitter.simweb.spec import Anchor

HOSTS_PER_LIST = 200
FIRST_MONTH = "/calendar/2026-01"


class Sites(Protocol):
    """Where the other hosts are found."""

    settings: WorldSettings

    def site(self, index: int) -> Site:
        """Returns the host of that number."""
        ...


class NamedPage(NamedTuple):
    """A page, and the name under which its host was asked: `www.` or not."""

    site: Site
    name: str
    number: int


class Dress(NamedTuple):
    """A way to write the address of a page that leads to the same page, and has the same dedup key."""

    page: str = "{path}"
    home: str = "/"
    www: bool = False


DRESSES = (
    Dress(page="{path}?utm_source=s{n}", home="/?utm_source=s{n}"),
    Dress(page="{path}?sid=0123abc{n}", home="/?sid=0123abc{n}"),
    Dress(page="{path};jsessionid=0123ABC{n}", home="/index.html"),
    Dress(page="{path}#part-{n}", home="/#part-{n}"),
    Dress(page="{path}/"),
    Dress(www=True),
)
VARIANTS = 4
DRESSED_ROLES = frozenset({Role.HOME, Role.PAGE})


def undressed(target: str) -> str:
    """Returns the bare form of a request target that a link of `DRESSES` may have led to."""
    if "?" in target:
        path, _, query = target.partition("?")
        kept = [part for part in query.split("&") if not part.startswith(("utm_source=", "sid="))]
        target = f"{path}?{'&'.join(kept)}" if kept else path
    if ";jsessionid=" in target:
        target = target.partition(";jsessionid=")[0]
    return "/" if target == "/index.html" else target


def links_of(sites: Sites, place: NamedPage) -> tuple[Anchor, ...]:
    """Returns the links of a page: those that make every page reachable, then as many others as are wanted."""
    settings, (site, _, number) = sites.settings, place
    children = site.children(number)
    spare = max(0, settings.links_per_page - len(children))
    dice = draws(len(children) + 3 * spare, settings.seed, "links", site.index, number)
    goals = [(site, child) for child in children]
    cross, hosts = settings.cross_host_share * SPAN, settings.hosts
    for at in range(len(children), len(dice) - 2 * spare):
        which, page = dice[at + spare], dice[at + 2 * spare]
        other = sites.site(page % hosts) if which < cross else site
        goals.append((other, other.order[which % len(other.order)]))
    found = [_anchor(settings, place, goal, die) for goal, die in zip(goals, dice, strict=False)]
    if number == 0:
        found.extend(_first_links(settings, place))
    return tuple(found)


def hosts_listed(sites: Sites, place: NamedPage) -> tuple[Anchor, ...]:
    """Returns the links of one page of the list of hosts."""
    begin = place.number * HOSTS_PER_LIST
    indices = range(begin, min(begin + HOSTS_PER_LIST, sites.settings.hosts))
    urls = (origin(sites.settings, sites.site(index).name) + "/" for index in indices)
    return tuple(Anchor(url, url) for url in urls)


def list_pages(settings: WorldSettings) -> int:
    """Returns how many pages the list of hosts has."""
    return -(-settings.hosts // HOSTS_PER_LIST)


def calendar(settings: WorldSettings, name: str, month: int) -> tuple[Anchor, ...]:
    """Returns the links of a month (counted from the year 0): to the one before and the one after it, for ever."""
    paths = (f"/calendar/{number // 12:04d}-{number % 12 + 1:02d}" for number in (month - 1, month + 1) if number > 0)
    return tuple(Anchor(path, origin(settings, name) + path) for path in paths)


def _first_links(settings: WorldSettings, place: NamedPage) -> Iterator[Anchor]:
    home = origin(settings, place.name)
    if place.site.index == 0:
        yield from (Anchor(f"/hosts/{n}", f"{home}/hosts/{n}") for n in range(list_pages(settings)))
        urls = [f"{origin(settings, animal_name(settings, animal))}/" for animal in settings.animals]
        yield from (Anchor(url, url) for url in urls)
    if settings.calendar:
        yield Anchor(FIRST_MONTH, home + FIRST_MONTH)


def animal_name(settings: WorldSettings, animal: str) -> str:
    """Returns the name of the host on which an animal of the zoo lives."""
    return f"{animal}.zoo.{settings.domain}"


def _anchor(settings: WorldSettings, at: NamedPage, goal: tuple[Site, int], die: int) -> Anchor:
    """Returns the link from `at` to a page, written in the way that `die` falls."""
    site, number = goal
    path, role = site.paths[number], site.roles[number]
    # A host that was asked as `www.` goes on to call itself that.
    away = site is not at.site
    home = site.origin if away or at.name == site.name else site.www_origin
    if die < settings.dressed_share * SPAN and role in DRESSED_ROLES:
        dress = DRESSES[die % len(DRESSES)]
        path = (dress.page if number else dress.home).format(path=path, n=(die >> 8) % VARIANTS)
        if dress.www and home != site.www_origin:
            home, away = site.www_origin, True
    href = path if not away and die % 7 else home + path if die % 5 else (home + path)[5:]
    return Anchor(href, (home + path).partition("#")[0], role is Role.SHUNNED)
