"""The simulated web as it is: sites, pages, their troubles, what each robots.txt says. Frozen: the truth is in it.

A page is found by the dedup key of a URL without its scheme, so that links in any dress lead to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf

from msgspec import Struct

from skitter.messages import Failure, Kind, Url
from skitter.url.canon import Canon

ROBOTS_PATH = "/robots.txt"
MAX_HOPS = 5
"""Redirects that are followed to a robots.txt."""

_canon = Canon()


class Trouble(Struct, frozen=True):
    """An answer that is none: a status that says so, or a failure on the way."""

    status: int = 0
    kind: Kind | None = None
    retry_after: int | None = None
    takes: float = 0.2


class Robots(Struct, frozen=True):
    """What is at a robots.txt, from a time on."""

    since: float = 0.0
    forbids: tuple[str, ...] = ()  # paths that start so
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    max_age: int | None = None
    location: str | None = None  # it is elsewhere
    trouble: Trouble | None = None

    def is_missing(self) -> bool:
        """Whether the site says that there is none, which allows everything."""
        return self.trouble is not None and 400 <= self.trouble.status < 500 and self.trouble.status != 429

    def is_readable(self) -> bool:
        """Whether it says what is allowed."""
        return (self.trouble is None or self.is_missing()) and self.location is None

    def allows(self, path: str) -> bool:
        """Whether a path may be fetched, going by this answer alone."""
        return self.is_missing() or (self.is_readable() and not path.startswith(self.forbids))

    def text(self) -> bytes:
        """Returns the file."""
        lines = ["User-agent: skitter", "Allow: /", *(f"Disallow: {path}" for path in self.forbids)]
        lines += [f"Crawl-delay: {self.crawl_delay}"] if self.crawl_delay is not None else []
        lines += ["", "User-agent: *", "Disallow: /", "", *(f"Sitemap: {url}" for url in self.sitemaps)]
        return "\n".join(lines).encode()


UNREADABLE = Robots(trouble=Trouble(503))


class Page(Struct, frozen=True):
    """What is at one path."""

    links: tuple[str, ...] = ()
    location: str | None = None  # it redirects there; empty: it does not say where
    troubles: tuple[Trouble, ...] = ()  # what the first requests meet, one each
    always: Trouble | None = None  # what all others do
    listing: str = ""  # urlset or sitemapindex, if it is a sitemap
    nofollow: bool = False
    wants_slash: bool = False  # without a slash at its end it redirects to itself with one
    text: str = ""  # pages with the same text and links are copies
    takes: float = 0.1
    script: str = ""  # it is empty without this one, which fetches what it says: see sim.browser
    raw: str = ""  # it is no page but this: a script, or what a script fetches

    def shown(self) -> str:
        """Returns what a script puts where the document has room for it."""
        return self.text + "".join(f' <a href="{url}">on</a>' for url in self.links)

    def body(self) -> bytes:
        """Returns what it says."""
        if self.raw:
            return self.raw.encode()
        if self.script:
            return (
                f"<html><head><title>app</title>{'<meta name=robots content=nofollow>' * self.nofollow}</head><body>"
                f'<div id=root></div><script src="{self.script}"></script></body></html>'
            ).encode()
        if self.listing:
            entry = "url" if self.listing == "urlset" else "sitemap"
            listed = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in self.links)
            return f"<{self.listing}>{listed}</{self.listing}>".encode()
        meta = "<meta name=robots content=nofollow>" if self.nofollow else ""
        anchors = "".join(f'<a href="{url}">on</a>' for url in self.links)
        return f"<html><head><title>{self.text}</title>{meta}</head><body>{self.text} {anchors}</body></html>".encode()


class Site(Struct, frozen=True):
    """A host: a name, maybe with a port. It answers to http and https, with and without `www.`, all the same."""

    authority: str
    address: str
    robots: Sequence[Robots] = (Robots(),)  # in the order of time
    outages: Sequence[tuple[float, float, Kind]] = ()  # from, until, what connecting then ends with
    dial: float = 0.05

    @property
    def name(self) -> str:
        """The name to be resolved."""
        return self.authority.partition(":")[0]

    def robots_at(self, now: float) -> Robots:
        """Returns its robots.txt as it is at a time."""
        return next(robots for robots in reversed(self.robots) if robots.since <= now)

    def outage_at(self, now: float) -> Kind | None:
        """Returns what connecting ends with at a time, None if it is up."""
        return next((kind for since, until, kind in self.outages if since <= now < until), None)


class Located(Struct, frozen=True):
    """What a URL leads to."""

    url: Url
    site: Site | None  # None: nothing answers there
    page: Page | None  # None: there is no such page
    path: str


class World(Struct, frozen=True, dict=True):
    """All of the web, the names that don't resolve, and where a crawl of it begins."""

    sites: Mapping[str, Site]  # by authority
    pages: Mapping[str, Page]  # by dedup key without its scheme
    seeds: tuple[str, ...] = ()
    dns: Mapping[str, Failure] = {}  # what is wrong with a name
    dns_until: float = 0.0  # when the names that fail (not those that are unknown) are found again
    renders: bool = False  # nothing is in the way of what pages in browsers ask for

    @cached_property
    def _places(self) -> dict[str, Located]:
        return {}

    @cached_property
    def _led(self) -> dict[tuple[str, str], Located | None]:
        return {}

    def lead(self, link: str, base: str) -> Located | None:
        """Returns what a link on the page at `base` leads to; None if it is no link."""
        key = (link, base if "://" not in link else "")
        if key not in self._led:
            url = _canon(link, base or None)
            self._led[key] = self.place(url.href) if isinstance(url, Url) else None
        return self._led[key]

    def place(self, href: str) -> Located:
        """Returns what a canonical URL leads to."""
        found = self._places.get(href)
        if found is None:
            url = _canon.of_parsed(href)
            assert isinstance(url, Url), f"{href}: {url}"
            rest = url.href.partition("://")[2]
            page = self.pages.get(url.key.partition("://")[2])
            found = self._places[href] = Located(url, self.sites.get(url.host), page, rest[rest.index("/") :])
        return found

    def goes_round(self, place: Located) -> bool:
        """Whether the redirects from a place never end."""
        passed: set[str] = set()
        while place.page is not None and place.page.location:
            if place.url.key in passed:
                return True
            passed.add(place.url.key)
            to = self.lead(place.page.location, place.url.href)
            assert to is not None, place.page.location
            place = to
        return False

    def robots_of(self, site: Site, now: float) -> Robots:
        """Returns what asking for a site's robots.txt comes to at a time, redirects followed."""
        asked: list[str] = []
        while True:
            if site.outage_at(now) is not None or self.dns_at(site.name, now) is not None:
                return UNREADABLE
            robots = site.robots_at(now)
            if robots.location is None:
                return robots
            elsewhere = self.place(robots.location)
            if robots.location in asked or len(asked) >= MAX_HOPS or elsewhere.site is None:
                return UNREADABLE
            asked.append(robots.location)
            site = elsewhere.site

    def dns_at(self, name: str, now: float) -> Failure | None:
        """Returns why a name does not resolve at a time, None if it does."""
        wrong = self.dns.get(name.removeprefix("www."))
        return wrong if wrong is None or wrong.kind is Kind.DNS_UNKNOWN or now < self.dns_until else None

    def moments(self) -> list[float]:
        """Returns a time within each stretch in which nothing about any robots.txt changes."""
        times = {0.0, self.dns_until}
        for site in self.sites.values():
            times.update(robots.since for robots in site.robots)
            times.update(edge for since, until, _ in site.outages for edge in (since, until) if edge < inf)
        return [(before + after) / 2 for before, after in pairwise([*sorted(times), max(times) + 2])]
