"""The webs that are judged, each from a seed: honest sites, traps, soft 404s, farms, copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice

from skitter.simweb.draw import draws
from skitter.simweb.judged.dust import dust_sites, mirror_sites
from skitter.simweb.judged.honest.about import odd
from skitter.simweb.judged.honest.rows import Numbered
from skitter.simweb.judged.honest.table import HONEST, SMALL
from skitter.simweb.judged.part import Part
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import away
from skitter.simweb.judged.site import Missing, Site, honest_404, honest_410
from skitter.simweb.judged.soft404 import STYLES
from skitter.simweb.judged.traps.table import TRAPS, WILDCARD, corner
from skitter.simweb.judged.web import JudgedWeb
from skitter.simweb.judged.wild import Farm, Wild, farm_host

PLACES = ALONE, IN_SITE, EVERYWHERE = ("alone", "corner", "every page")
LARGE = ("docs", "wiki", "blog", "forum", "shop", "reference", "tables", "short", "calendar")
"""Honest kinds with some hundred pages each, so that a probe of a host weighs little."""
KINDS = (*TRAPS, WILDCARD)


def honest_web(seed: int = 1, articles: int = 3000, variants: int = 1) -> JudgedWeb:
    """Returns a site of each honest kind, and one of numbered articles."""
    sites = []
    for variant in range(variants):
        for kind in HONEST:
            name = f"{kind}{variant}.test"
            prose = Prose(seed, name)
            part = Numbered(prose, count=articles) if kind == "numbered" else HONEST[kind](name, prose)
            sites.append(Site(name, [part], seed))
    return JudgedWeb(sites)


def numbered_web(seed: int = 1, articles: int = 3000) -> JudgedWeb:
    """Returns one site of numbered articles, up to a million: nothing is kept of them."""
    name = "numbered.test"
    return JudgedWeb([Site(name, [Numbered(Prose(seed, name), count=articles)], seed)])


def trap_web(seed: int = 1, kinds: Sequence[str] = KINDS) -> JudgedWeb:
    """Returns each trap alone, as a corner that a home page leads to, and as one that every page leads to."""
    sites, wild = [], []
    for number, kind in enumerate(kinds):
        small = islice(cycle(SMALL), (seed + number) % len(SMALL), None)
        for place in PLACES:
            good = [] if place == ALONE else [_small(next(small), trap_host(kind, place), seed)]
            if kind != WILDCARD:
                sites.append(_with_corner(seed, kind, good, place))
                continue
            wild.append(Wild(trap_host(kind, place), seed))
            sites.append(_with_names(seed, wild[-1], good, place))
    return JudgedWeb(sites, wild)


def trap_host(kind: str, place: str) -> str:
    """Returns the name of the host that has a trap."""
    return f"{kind.replace('_', '-')}-{place.partition(' ')[0]}.test"


def _with_corner(seed: int, kind: str, good: Sequence[Part], place: str) -> Site:
    name = trap_host(kind, place)
    trap = corner(kind, Prose(seed, name), seed, name)
    if place == IN_SITE:
        return Site(name, [*good, _Hidden(trap)], seed, friends=trap.entrances)
    return Site(name, [*good, trap], seed)


def _with_names(seed: int, trap: Wild, good: Sequence[Part], place: str) -> Site:
    friends = trap.links(trap.domain, "/")[:3]
    everywhere = friends if place == EVERYWHERE else ()
    return Site(trap.domain, good, seed, friends=friends, everywhere=everywhere)


class _Hidden:
    """A part to which no menu leads."""

    entrances = ()

    def __init__(self, part: Part) -> None:
        self.kind, self.look, self.good = part.kind, part.look, part.good


def _small(kind: str, name: str, seed: int) -> Part:
    return SMALL[kind](name, Prose(seed, name, "good"))


def soft_web(seed: int = 1, dead: int = 40, variants: int = 3) -> JudgedWeb:
    """Returns sites of each style with dead links among their pages, and as many that say 404 or 410 as they should."""
    sites, large = [], cycle(LARGE)
    honest: dict[str, Missing] = {"honest-404": honest_404, "honest-410": honest_410}
    for style, missing in {**STYLES, **honest}.items():
        for variant in range(variants):
            name = f"{style.replace('_', '-')}{variant}.test"
            good = [HONEST[next(large)](name, Prose(seed, name, place)) for place in ("first", "second")]
            parts = [*good, odd(name, Prose(seed, name, "odd"))]
            sites.append(Site(name, parts, seed, missing=missing, dead=dead))
    return JudgedWeb(sites)


def farm_web(seed: int = 1, hosts: int = 2000, domains: int = 40, honest: int = 60, new: int = 30) -> JudgedWeb:
    """Returns honest domains that know one another, a farm that two of them lead to, and new ones with one link each.

    Without hosts there is no farm: the same web to compare with.
    """
    names = [f"site{number}.test" for number in range(honest)]
    fresh = [f"new{number}.test" for number in range(new)]
    farm = [f"offers{number}.test" for number in range(domains)]
    small = cycle(SMALL)
    sites = []
    for number, name in enumerate(names):
        dice = draws(4, seed, "friends", number)
        known = [names[die % honest] for die in dice] + [names[(number + 1) % honest]]
        known += [fresh[one] for one in range(new) if one % honest == number]
        if hosts and number in (3, 7):
            known += [farm_host(farm, die % hosts) for die in draws(10, seed, "spam", number)]
        friends = [(away(one), one) for one in dict.fromkeys(known) if one != name]
        sites.append(Site(name, [_small(next(small), name, seed)], seed, friends=friends))
    sites += [Site(name, [_small(next(small), name, seed)], seed) for name in fresh]
    wild = [Farm(domain, farm, hosts, names[:5], seed) for domain in farm] if hosts else []
    return JudgedWeb(sites, wild, seeds=names[:3])


def dust_web(seed: int = 1, size: int = 240) -> JudgedWeb:
    """Returns a site for each rule by which one page has several URLs, with its look-alikes."""
    return JudgedWeb(dust_sites(seed, size=size))


def mirror_web(seed: int = 1, size: int = 240) -> JudgedWeb:
    """Returns two hosts with the same pages, and look-alikes of the two."""
    return JudgedWeb(mirror_sites(seed, size=size))


WEBS: dict[str, Callable[[int], JudgedWeb]] = {
    "honest": honest_web,
    "traps": trap_web,
    "soft404": soft_web,
    "farm": farm_web,
    "dust": dust_web,
}
