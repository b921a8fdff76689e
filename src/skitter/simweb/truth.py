"""What a perfect crawler would do in a world: which URLs it must ask for, and which it may not.

It is found by walking the descriptions, not by asking for pages: what the answers say was made from the same ones.
URLs are told apart as the crawler tells them, by dedup key: of several forms of one URL it fetches one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from skitter.config.suffixes import newest_list
from skitter.messages import LinkKind, Url
from skitter.settings import ScopeSettings
from skitter.simweb.links import undressed
from skitter.simweb.listings import ROBOTS_PATH, sitemap_url
from skitter.simweb.roles import FOLDERS, Role
from skitter.simweb.spec import ALWAYS, Anchor, Spec, What
from skitter.simweb.world import World
from skitter.url.canon import Canon
from skitter.url.domains import Domains
from skitter.url.keys import origin_of
from skitter.url.scope import Scope

FOLLOWED = frozenset(LinkKind) - {LinkKind.EMBED, LinkKind.FORM}


class Habits(Struct, frozen=True, kw_only=True):
    """What the crawler is told, as far as it changes what is fetched."""

    scope: ScopeSettings = ScopeSettings()
    kinds: frozenset[LinkKind] = FOLLOWED
    nofollow: bool = False  # follows such links all the same
    sitemaps: bool = True
    robots: bool = True
    max_redirects: int = 10
    patient: bool = True  # waits until what fails without a Retry-After works, which takes minutes


class Truth(Struct, frozen=True):
    """What must be asked for, as dedup keys; and what must not, though links lead there."""

    pages: frozenset[str]
    sitemaps: frozenset[str]
    robots: frozenset[str]  # each origin's robots.txt
    forbidden: frozenset[str]
    animals: frozenset[str] = frozenset()  # of the zoo: what they lead to is not known


class Step(NamedTuple):
    """A URL on the way, the links from a seed to it and the redirects that led to it."""

    url: Url
    depth: int
    hops: int = 0


def expected(world: World, seeds: list[str], habits: Habits | None = None, canon: Canon | None = None) -> Truth:
    """Returns what a crawler of these `habits` asks for, if it is started at `seeds` and crawls to the end."""
    return _Walk(world, seeds, habits or Habits(), canon or Canon()).run()


def is_forbidden(world: World, name: str, target: str, *, patient: bool = True) -> bool:
    """Says whether the host's robots.txt forbids `skitter` to ask for `target`, or could not be read."""
    site = world.find(name)
    if site is None or target.startswith("/robots"):
        return False
    kind = site.robots
    if not kind.readable or (kind.passing and not patient):
        return True
    return bool(kind.forbids) and _role_at(target) in kind.forbids


def _role_at(target: str) -> Role:
    """Returns the role that the folder of `target` tells. Any other folder fares as the list of hosts does."""
    path = undressed(target)
    return Role.HOME if path == "/" else FOLDERS.get(path.partition("?")[0].split("/")[1], Role.HOSTS)


def _domains(scope: ScopeSettings) -> Domains | None:
    # Only if asked for: the whole list takes a while to read.
    return Domains.from_list(newest_list(), scope.suffixes) if scope.reach == "domain" else None


class _Walk:
    def __init__(self, world: World, seeds: list[str], habits: Habits, canon: Canon) -> None:
        self._world, self._habits, self._canon = world, habits, canon
        urls = [url for url in map(canon, seeds) if isinstance(url, Url)]
        self._scope = Scope(habits.scope, urls, _domains(habits.scope))
        self._waiting = deque(Step(url, 0) for url in urls)
        self._seen: set[str] = set()
        self._origins: set[str] = set()
        self._pages: set[str] = set()
        self._sitemaps: set[str] = set()
        self._forbidden: set[str] = set()
        self._animals: set[str] = set()

    def run(self) -> Truth:
        while self._waiting:
            self._visit(self._waiting.popleft())
        return Truth(
            pages=frozenset(self._pages),
            sitemaps=frozenset(self._sitemaps),
            robots=frozenset(self._key(origin + ROBOTS_PATH) for origin in self._origins),
            forbidden=frozenset(self._forbidden),
            animals=frozenset(self._animals),
        )

    def _visit(self, step: Step) -> None:
        url, depth, _ = step
        if url.key in self._seen or self._scope.refusal(url, depth) is not None:
            return
        self._seen.add(url.key)
        name, target = _split(url.href)
        self._meet(origin_of(url.href), name)
        if self._habits.robots and is_forbidden(self._world, name, target, patient=self._habits.patient):
            self._forbidden.add(url.key)
            return
        spec = self._world.spec(name, target)
        self._pages.add(url.key)
        if spec.animal:
            self._animals.add(url.key)
        if spec.what is What.REDIRECT:
            self._redirected(step, spec)
        elif self._works(spec) and not spec.endless and (spec.follow or self._habits.nofollow):
            self._waiting.extend(Step(found, depth + 1) for found in self._links(spec.links))

    def _redirected(self, step: Step, spec: Spec) -> None:
        to = self._canon(spec.target)
        if not isinstance(to, Url):
            return
        if to.key == step.url.key:  # the same URL in a better form
            self._seen.discard(to.key)
        if step.hops < self._habits.max_redirects:
            self._waiting.appendleft(Step(to, step.depth, step.hops + 1))

    def _works(self, spec: Spec) -> bool:
        if not spec.failing:
            return True
        return spec.failures != ALWAYS and (self._habits.patient or spec.retry_after > 0)

    def _links(self, links: Iterable[Anchor]) -> Iterator[Url]:
        habits = self._habits
        for link in links:
            if link.kind in habits.kinds and (habits.nofollow or not link.nofollow):
                url = self._canon(link.url)
                if isinstance(url, Url):
                    yield url

    def _meet(self, origin: str, name: str) -> None:
        """Reads the robots.txt of an origin when its first URL is met, and the sitemap that it names."""
        if origin in self._origins or not self._habits.robots:
            return
        self._origins.add(origin)
        site = self._world.find(name)
        if site is not None and site.has_sitemap and self._habits.sitemaps:
            self._read_sitemap(sitemap_url(self._world, site))

    def _read_sitemap(self, url: str) -> None:
        if self._key(url) in self._sitemaps:
            return
        self._sitemaps.add(self._key(url))
        spec = self._world.spec(*_split(url))
        if spec.what is What.SITEMAP_INDEX:
            for link in spec.links:
                self._read_sitemap(link.url)
        else:
            self._waiting.extend(Step(found, 0) for found in self._links(spec.links))

    def _key(self, url: str) -> str:
        canonical = self._canon(url)
        assert isinstance(canonical, Url), url
        return canonical.key


def _split(href: str) -> tuple[str, str]:
    """Returns the name and the path with the query of a URL of the world."""
    authority, _, tail = href.partition("://")[2].partition("/")
    return authority.partition(":")[0], f"/{tail}"
