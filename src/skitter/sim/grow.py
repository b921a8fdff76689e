"""A web from a seed: some thirty sites with every kind of trouble, and a few hundred pages.

Tables say what there is and how often; the draw says where. Pages form a tree with links across, so that most can be
reached, whatever is in the way of some.
"""

from __future__ import annotations

from math import inf
from random import Random

from msgspec import Struct, structs

from skitter.messages import Failure, Kind
from skitter.sim.world import ROBOTS_PATH, Page, Robots, Site, Trouble, World

ROBOTS: dict[str, int] = {
    "allows": 8,
    "forbids": 5,
    "delays": 3,
    "missing": 4,
    "sitemap": 3,
    "elsewhere": 2,
    "loops": 1,
    "unavailable": 1,
    "unavailable at first": 1,
    "unavailable later": 1,
    "stricter later": 2,
    "too many": 1,
    "resets": 1,
}
"""What robots.txt files are like, and how often."""

OUTAGES: dict[str, int] = {"none": 20, "at first": 2, "in between": 3, "for ever": 1, "silent": 1}

TROUBLES: tuple[Trouble, ...] = (
    Trouble(503, retry_after=3),
    Trouble(503),
    Trouble(429, retry_after=2),
    Trouble(429),
    Trouble(500),
    Trouble(kind=Kind.RESET),
    Trouble(kind=Kind.READ_TIMEOUT),
    Trouble(kind=Kind.STALE, takes=0.01),
    Trouble(kind=Kind.BAD_RESPONSE),
)
FINAL: tuple[Trouble, ...] = (Trouble(404), Trouble(410), Trouble(404), Trouble(403), Trouble(500), Trouble(429))
PAGES: dict[str, int] = {
    "plain": 24,
    "slow": 2,
    "copy": 3,
    "troubled": 4,
    "broken": 3,
    "moved": 3,
    "moved away": 1,
    "moved in a circle": 1,
    "moved nowhere": 1,
    "slashed": 1,
    "nofollow": 1,
    "private": 3,
    "late": 1,
}
DRESSES = ("", "", "", "", "", ";jsessionid=A1B2", "?sid=77", "?utm_source=sim", "#part", "?utm_medium=x&sid=5")


PLATFORM = "platform.test"


class Shape(Struct, frozen=True):
    """How large a web is to be, and how troubled."""

    sites: int = 30
    pages: int = 300
    links: int = 4  # of a page, about
    is_calm: bool = False  # nothing goes wrong
    changes_at: float = 60.0  # when what changes changes
    leads_elsewhere: bool = True  # a robots.txt may be at another host
    is_platform: bool = False  # all sites are hosts of one domain
    shells: float = 0.0  # the share of pages that are empty without a browser


def grow(seed: int, shape: Shape | None = None) -> World:
    """Returns the web of a seed, always the same."""
    return _Growth(seed, shape or Shape()).world()


class _Growth:
    def __init__(self, seed: int, shape: Shape) -> None:
        self._random = Random(seed)  # noqa: S311 (repeatable on purpose)
        self._seed = seed
        self._shape = shape
        self._authorities = [self._authority(number) for number in range(shape.sites)]
        self._pages: dict[str, Page] = {}
        self._open: list[str] = []  # pages that take links

    def world(self) -> World:
        for number in range(self._shape.pages):
            self._add_page(number)
        sites = {site.authority: site for site in map(self._site, range(self._shape.sites))}
        # Of a platform's hosts each is known: of names to which a single host leads not all is asked for.
        most = self._shape.sites if self._shape.is_platform else 2
        seeds = tuple(f"http://{key}/" for key in list(self._pages)[:most])
        dns = self._dns()
        if self._shape.shells:
            self._empty_some(Random(f"shells {self._seed}"))  # noqa: S311 (repeatable on purpose)
        return World(sites, self._pages, seeds, *dns, renders=self._shape.is_calm)

    def _empty_some(self, draw: Random) -> None:
        """Has pages say what they say only in a browser: by a script of their own host or of another."""
        for key, page in list(self._pages.items()):
            odd = page.location is not None or page.always or page.listing or page.wants_slash or "?" in key
            if odd or draw.random() >= self._shape.shells:
                continue
            host = key.partition("/")[0] if draw.random() < 0.5 else draw.choice(self._authorities)
            folder = "/private" if not self._shape.is_calm and draw.random() < 0.1 else ""
            self._pages[f"{host}{folder}/app.js"] = Page(raw='fetch("?data=1")')
            self._pages[f"{key}?data=1"] = Page(raw=page.shown(), takes=page.takes)
            self._pages[key] = structs.replace(page, script=f"http://{host}{folder}/app.js", takes=0.1)

    def _pick(self, table: dict[str, int]) -> str:
        return self._random.choices(list(table), list(table.values()))[0]

    # Pages

    def _authority(self, number: int) -> str:
        if self._shape.is_platform:
            return f"h{number}.{PLATFORM}"
        match number % 10:
            case 7:
                return f"s{number - 1}.test:8080"
            case 8:
                return f"blog.s{number - 2}.test"
            case _:
                return f"s{number}.test"

    def _add_page(self, number: int) -> None:
        # The first are plain, so that there is a crawl at all; a few sites have most of the pages.
        kind = "plain" if number < 5 or self._shape.is_calm else self._pick(PAGES)
        draw = self._random.random()
        authority = self._authorities[number if number < self._shape.sites else int(draw * draw * self._shape.sites)]
        folder = {"private": "/private", "late": "/late"}.get(kind, "")
        key = authority if number < self._shape.sites and not folder else f"{authority}{folder}/p{number}"
        page = self._page(kind, number)
        self._pages[key] = page
        if kind == "moved in a circle":
            self._pages[f"{key}?round=1"] = structs.replace(page, location="?")
        for _ in range(self._random.randint(1, 3) if self._open else 0):
            self._link(self._random.choice(self._open), key)
        if page.location is None and page.always is None:
            self._open.append(key)

    def _page(self, kind: str, number: int) -> Page:
        plain = Page(text=f"page {number}")
        match kind:
            case "slow":
                return structs.replace(plain, takes=self._random.uniform(2, 25))
            case "copy":
                return structs.replace(plain, text="the same again")
            case "troubled":
                return structs.replace(plain, troubles=tuple(self._random.sample(TROUBLES, self._random.randint(1, 2))))
            case "broken":
                return structs.replace(plain, always=self._random.choice(FINAL))
            case "moved" | "moved away":
                return structs.replace(plain, location=self._somewhere())
            case "moved in a circle":
                return structs.replace(plain, location="?round=1")
            case "moved nowhere":
                return structs.replace(plain, location="")
            case "slashed":
                return structs.replace(plain, wants_slash=True)
            case "nofollow":
                return structs.replace(plain, nofollow=True)
        return plain

    def _somewhere(self) -> str:
        return f"http://{self._random.choice(list(self._pages))}"

    def _link(self, source: str, target: str) -> None:
        page = self._pages[source]
        self._pages[source] = structs.replace(page, links=(*page.links, self._dressed(target)))

    def _dressed(self, key: str) -> str:
        draw = self._random.random()
        authority, _, path = key.partition("/")
        www = "www." if draw < 0.05 and ":" not in authority else ""
        scheme = "https" if 0.05 < draw < 0.1 and ":" not in authority else "http"
        dress = self._random.choice(DRESSES) if path else ""
        return f"{scheme}://{www}{authority}/{path}{dress}"

    # Sites

    def _site(self, number: int) -> Site:
        authority = self._authorities[number]
        # A port is the same machine; and a few machines have several names.
        machine = (number - (":" in authority)) % 25
        is_calm = self._shape.is_calm or number < 2
        return Site(
            authority,
            f"45.33.{machine // 250}.{1 + machine % 250}",
            tuple(self._robots("allows" if is_calm else self._pick(ROBOTS), authority)),
            self._outages("none" if is_calm else self._pick(OUTAGES)),
            dial=self._random.choice((0.01, 0.05, 0.3)),
        )

    def _robots(self, kind: str, authority: str) -> list[Robots]:
        strict, later = Robots(forbids=("/private/",), max_age=60), self._shape.changes_at
        match kind:
            case "forbids":
                return [strict]
            case "delays":
                return [Robots(forbids=("/private/",), crawl_delay=self._random.choice((0.5, 2, 3.5)))]
            case "missing":
                return [Robots(trouble=Trouble(self._random.choice((404, 410, 403))))]
            case "sitemap":
                return [Robots(sitemaps=(self._add_sitemap(authority),))]
            case "elsewhere" if not self._shape.leads_elsewhere:
                return [strict]
            case "elsewhere":
                return [Robots(location=f"http://{self._random.choice(self._authorities)}{ROBOTS_PATH}")]
            case "loops":
                return [Robots(location=f"http://{authority}{ROBOTS_PATH}")]
            case "unavailable":
                return [Robots(trouble=Trouble(503))]
            case "unavailable at first":
                return [Robots(trouble=Trouble(500)), structs.replace(strict, since=later)]
            case "unavailable later":
                return [strict, Robots(since=later, trouble=Trouble(503, retry_after=30))]
            case "stricter later":
                stricter = Robots(since=later, forbids=("/private/", "/late/"), crawl_delay=2, max_age=60)
                return [Robots(max_age=60), stricter]
            case "too many":
                return [Robots(trouble=Trouble(429, retry_after=5)), Robots(since=later / 2)]
            case "resets":
                return [Robots(trouble=Trouble(kind=Kind.RESET)), Robots(since=later / 2, crawl_delay=1.5)]
        return [Robots()]

    def _add_sitemap(self, authority: str) -> str:
        own = [key for key in self._pages if key.partition("/")[0] == authority]
        listed = tuple(f"http://{key}" if "/" in key else f"http://{key}/" for key in own)
        self._pages[f"{authority}/sitemap.xml"] = Page(links=listed, listing="urlset")
        self._pages[f"{authority}/sitemaps.xml"] = Page(
            links=(f"http://{authority}/sitemap.xml",), listing="sitemapindex"
        )
        return f"http://{authority}/sitemaps.xml"

    def _outages(self, kind: str) -> list[tuple[float, float, Kind]]:
        how = self._random.choice((Kind.REFUSED, Kind.CONNECT_TIMEOUT, Kind.UNREACHABLE))
        since = self._random.uniform(0, self._shape.changes_at)
        match kind:
            case "at first":
                return [(0.0, since, how)]
            case "in between":
                return [(since, since + self._random.uniform(1, 30), how)]
            case "for ever":
                return [(0.0, inf, how)]
            case "silent":
                return [(since, inf, Kind.CONNECT_TIMEOUT)]
        return []

    def _dns(self) -> tuple[dict[str, Failure], float]:
        if self._shape.is_calm or self._shape.sites < 10:
            return {}, 0.0
        names = [authority for authority in self._authorities[2:] if ":" not in authority]
        unknown, failing = self._random.sample(names, 2)
        wrong = {unknown: Failure(Kind.DNS_UNKNOWN, "made so"), failing: Failure(Kind.DNS_FAILED, "made so")}
        return wrong, self._shape.changes_at / 2
