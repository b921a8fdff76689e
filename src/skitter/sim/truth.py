"""What a crawl of a world must come to: which URLs it discovers, and in which state each may end.

The world is walked three times, with more or less hope. *At once*: only what no trouble is in the way of. *In the end*:
also what comes right if one waits. *With luck*: also what is open for a while only. A crawl discovers all of the first
however short it is, all of the second if it has time, and never anything beyond the third.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from enum import IntEnum
from math import inf

from msgspec import Struct

from skitter.messages import State
from skitter.politeness.backoff import RETRY
from skitter.reading.listing import USUAL_SITEMAP
from skitter.sim.world import UNREADABLE, Located, Page, Robots, Site, Trouble, World
from skitter.url.keys import origin_of

FINAL = frozenset({404, 410, 451})
FAILING = frozenset({State.FAILED, State.DEAD})
AT_LEISURE = 19.0
"""Seconds of a page that is answered within the shortest lease: an answer may take half as long again."""


class Hope(IntEnum):
    """How much has to go well."""

    AT_ONCE = 0
    IN_THE_END = 1
    WITH_LUCK = 2


class Reach(Struct, frozen=True):
    """How far a crawl comes, as dedup keys."""

    discovered: frozenset[str]
    settled: frozenset[str]  # those of them that do not stay queued


class Truth(Struct, frozen=True):
    """What must and what may be."""

    at_once: Reach
    in_the_end: Reach
    states: Mapping[str, frozenset[State]]  # in which each URL that can be discovered may be found in the end


def truth_of(world: World, *, guesses: bool = True) -> Truth:
    """Returns what a crawl of everything from the seeds comes to; `guesses`: of sitemaps that nobody names too."""
    at_once, in_the_end, with_luck = (_Walk(world, hope, guesses=guesses) for hope in Hope)
    return Truth(at_once.reach(), in_the_end.reach(), with_luck.states())


class _Walk:
    def __init__(self, world: World, hope: Hope, *, guesses: bool) -> None:
        self._world = world
        self._guesses = guesses
        self._hope = hope
        self._moments = world.moments()
        self._waiting = deque(place for seed in world.seeds if (place := world.lead(seed, "")) is not None)
        self._seen: dict[str, Located] = {}
        self._settled: set[str] = set()
        self._robots: dict[str, list[Robots]] = {}
        self._strained = _strained(world) if hope is Hope.AT_ONCE else frozenset()
        while self._waiting:
            self._visit(self._waiting.popleft())

    def reach(self) -> Reach:
        return Reach(frozenset(self._seen), frozenset(self._settled))

    def states(self) -> dict[str, frozenset[State]]:
        return {key: frozenset(self._states(place)) for key, place in self._seen.items()}

    def _visit(self, place: Located) -> None:
        if place.url.key in self._seen:
            return
        self._seen[place.url.key] = place
        robots = self._answers(place.site)
        if place.site is not None and place.site.authority in self._strained:
            return
        if self._holds([one.is_readable() for one in robots]):
            for one in robots:
                self._offer(place, one.sitemaps or self._guess(place, one))
            self._settled.add(place.url.key)
        if self._holds([one.allows(place.path) for one in robots]) and self._works(place):
            assert place.page is not None
            if not place.page.script or self._world.renders or self._hope is Hope.WITH_LUCK:
                self._offer(place, _links(place.page))

    def _guess(self, place: Located, robots: Robots) -> tuple[str, ...]:
        """Returns the sitemap that is asked for where a robots.txt names none."""
        if not self._guesses or not robots.is_readable() or not robots.allows(USUAL_SITEMAP):
            return ()
        return (origin_of(place.url.href) + USUAL_SITEMAP,)

    def _offer(self, place: Located, links: tuple[str, ...]) -> None:
        for link in links:
            to = self._world.lead(link, place.url.href)
            if to is not None:
                self._waiting.append(to)

    def _holds(self, moments: list[bool]) -> bool:
        """Whether something that is so at some moments can be relied on."""
        match self._hope:
            case Hope.AT_ONCE:
                return all(moments)
            case Hope.IN_THE_END:
                # What was forbidden when its turn came is put aside for good; what could not be read comes again.
                return moments[-1]
        return any(moments)

    def _works(self, place: Located) -> bool:
        page = place.page
        if page is None or page.always is not None:
            return False
        match self._hope:
            case Hope.AT_ONCE:
                return not page.troubles and page.takes < AT_LEISURE
            case Hope.IN_THE_END:
                return _outlives_its_troubles(page, place.site) and page.takes < AT_LEISURE
        return True

    def _answers(self, site: Site | None) -> list[Robots]:
        """Returns what asking for a robots.txt comes to, at each moment."""
        if site is None:
            return [UNREADABLE]
        answers = self._robots.get(site.authority)
        if answers is None:
            asked = [site, *self._led_to(site)]
            answers = [self._world.robots_of(one, moment) for one in asked for moment in self._moments]
            self._robots[site.authority] = answers = _changes(answers)
        return answers

    def _led_to(self, site: Site) -> list[Site]:
        """Returns where a robots.txt leads: it may be read there long after its own site fell silent."""
        led, waiting = list[Site](), [site] if self._hope is Hope.WITH_LUCK else []
        while waiting:
            for robots in waiting.pop().robots:
                place = None if robots.location is None else self._world.lead(robots.location, "")
                if place is not None and place.site is not None and place.site not in (site, *led):
                    led.append(place.site)
                    waiting.append(place.site)
        return led

    def _states(self, place: Located) -> Iterator[State]:
        for robots in self._answers(place.site):
            if not robots.is_readable():
                yield State.QUEUED
            elif not robots.allows(place.path):
                yield State.SKIPPED
            else:
                yield from self._outcomes(place)

    def _outcomes(self, place: Located) -> Iterator[State]:
        """Yields the states in which a URL that may be fetched can end."""
        page, site = place.page, place.site
        if page is None and place.path == USUAL_SITEMAP:
            yield State.SKIPPED
        elif page is None or (page.always is not None and page.always.status in FINAL):
            yield State.DEAD
        elif page.always is not None or page.location == "":
            yield from FAILING
        else:
            yield State.DONE
            if page.script:
                yield State.SCHEDULED  # its rendering failed, and is tried again
            if self._world.goes_round(place):
                yield from FAILING  # it depends on where one enters the circle
        if (page is not None and page.troubles) or (site is not None and site.outages):
            yield from FAILING


def _links(page: Page) -> tuple[str, ...]:
    if page.location is not None:
        return (page.location,) if page.location else ()
    return () if page.nofollow else page.links


def _outlives_its_troubles(page: Page, site: Site | None) -> bool:
    """Whether a page is not given up before it is answered: some troubles are borne a few times only."""
    tries = [RETRY[one.kind].tries for one in page.troubles if one.kind is not None]
    least = min((number for number in tries if number is not None), default=inf)
    return least == inf or (len(page.troubles) < least and site is not None and not site.outages)


def _strained(world: World) -> frozenset[str]:
    """Returns the sites of which a page may put the whole host to sleep: for how long depends on when it is met."""
    return frozenset(
        key.partition("/")[0].partition("?")[0]
        for key, page in world.pages.items()
        if any(trouble.status == 429 or trouble.status >= 500 for trouble in (*page.troubles, page.always or Trouble()))
    )


def _changes(answers: list[Robots]) -> list[Robots]:
    """Returns the answers without those that are as the one before."""
    return [one for number, one in enumerate(answers) if not number or one is not answers[number - 1]]
