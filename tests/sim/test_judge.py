"""The judge: what happened well is passed, and each promise that a doctored log breaks is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skitter.messages import Errand, Kind
from skitter.settings import DAY, Settings
from skitter.sim.judge import Evidence, judge
from skitter.sim.life import Life
from skitter.sim.web import Request
from skitter.sim.world import Page, Robots, Site, Trouble, World
from skitter.url.canon import Canon

RULES = Robots(forbids=("/private/",), crawl_delay=3.0)
WORLD = World({"a.test": Site("a.test", "1")}, {"a.test/x": Page()})
LIFE = Life("one")
LIFE.ended_well = True


def asked(href: str, began: float, **more: object) -> Request:
    url = Canon()(href)
    facts = {"life": LIFE, "ended": began + 0.5, "status": 200, "errand": Errand.PAGE, **more}
    return Request(url.href, url.key, url.host, "1", began=began, said=began, **facts)  # type: ignore[union-attr, arg-type]


def robots(began: float, says: Robots, origin: str = "http://a.test", **more: object) -> Request:
    status = says.trouble.status if says.trouble is not None else 200
    facts = {"errand": Errand.ROBOTS, "origin": origin, "robots": says, "status": status, **more}
    return asked(f"{origin}/robots.txt", began, **facts)


def breaches(*log: Request, lost: tuple[int, ...] = (), clock_was_set: bool = False) -> list[str]:
    """Returns what the judge says of a log, all of which but `lost` is in the archive."""
    stored = frozenset(place for place, one in enumerate(log) if place not in lost and not one.was_cut)
    return judge(Evidence(WORLD, log, stored, Settings(), clock_was_set))


OPEN = robots(0, Robots())


def page(at: float, **more: object) -> Request:
    return asked(f"http://a.test/p{at:.0f}", at, **more)


DEAD, STILL = Life("dead"), Life("still")
STILL.stops = [(3.0, 8.0)]
GOOD: dict[str, Callable[[], list[str]]] = {
    "one after the other": lambda: breaches(OPEN, page(1), page(2), page(3.5)),
    "one that stood still and could not let go": lambda: breaches(OPEN, page(1, life=STILL, ended=8.1), page(7)),
    "hosts side by side": lambda: breaches(OPEN, robots(0.1, Robots(), "http://b.test"), page(1)),
    "a Crawl-delay that is kept": lambda: breaches(robots(0, RULES), page(3), page(6)),
    "a Crawl-delay that a death made us forget": lambda: breaches(robots(0, RULES), page(1), page(2), lost=(0,)),
    "a back-off that is kept": lambda: breaches(OPEN, page(1, failure=Kind.RESET), page(3), page(5)),
    "a Retry-After that is kept": lambda: breaches(OPEN, page(1, status=429, retry_after=7), page(8.5)),
    "a Retry-After that nobody knows of": lambda: breaches(
        OPEN, page(1, status=429, retry_after=7), page(2), lost=(1,)
    ),
    "after a clock was set": lambda: breaches(OPEN, page(1, status=429, retry_after=7), page(3), clock_was_set=True),
    "what is allowed": lambda: breaches(robots(0, RULES), asked("http://a.test/x", 3)),
    "no robots.txt": lambda: breaches(robots(0, Robots(trouble=Trouble(404))), page(1)),
    "old rules for a day": lambda: breaches(robots(0, RULES), robots(3, Robots(trouble=Trouble(500))), page(10)),
    "asked again after a failure": lambda: breaches(OPEN, page(1, status=500), asked("http://a.test/p1", 400)),
    "asked again after a death": lambda: breaches(OPEN, page(1, life=DEAD), asked("http://a.test/p1", 4)),
    "asked again after a death with a probe": lambda: breaches(
        OPEN,
        page(1, life=DEAD),
        asked("http://a.test/qxv", 2, life=DEAD, errand=Errand.PROBE, status=404),
        asked("http://a.test/p1", 4),
    ),
    "asked again after it was cut": lambda: breaches(
        OPEN, page(1, was_cut=True, status=0), asked("http://a.test/p1", 4)
    ),
    "asked again though not in the archive": lambda: breaches(OPEN, page(1), asked("http://a.test/p1", 4), lost=(1,)),
    "the better form of a URL": lambda: breaches(
        OPEN, asked("http://a.test/x", 1, status=301, location="/x/"), asked("http://a.test/x/", 2)
    ),
    "on behalf of another host": lambda: breaches(
        OPEN, page(1), robots(2, RULES, "http://b.test"), asked("http://a.test/robots.txt", 3, origin="http://b.test")
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_is_well_is_passed(name: str) -> None:
    assert GOOD[name]() == []


BAD: dict[str, tuple[Callable[[], list[str]], str]] = {
    "two at once": (lambda: breaches(OPEN, page(1, ended=4.0), page(3)), "two requests at once"),
    "one that went on and did not let go": (
        lambda: breaches(OPEN, page(1, life=STILL, ended=9.5), page(9)),
        "two requests at once",
    ),
    "one that had not stood still yet": (
        lambda: breaches(OPEN, page(1, life=STILL, ended=4.0), page(2.5)),
        "two requests at once",
    ),
    "one that asked as it went on": (
        lambda: breaches(OPEN, page(4, life=STILL, ended=9.0), page(7)),
        "two requests at once",
    ),
    "one beside itself": (
        lambda: breaches(OPEN, page(1, life=STILL, ended=9.0), page(7, life=STILL)),
        "two requests at once",
    ),
    "one that never ended": (lambda: breaches(OPEN, page(1, ended=None), page(3)), "two requests at once"),
    "two lives at once": (lambda: breaches(OPEN, page(1, ended=9.0), page(5, life=DEAD)), "two requests at once"),
    "too early": (lambda: breaches(OPEN, page(1), page(1.9)), "0.900 s after the last time, and its delay is 1.000"),
    "too early for its Crawl-delay": (lambda: breaches(robots(0, RULES), page(3), page(5)), "its delay is 3.000"),
    "too early for robots.txt itself": (
        lambda: breaches(robots(0, RULES), page(3), robots(5, RULES)),
        "2.000 s after the last time, and its delay is 3.000",
    ),
    "too early after a failure": (
        lambda: breaches(OPEN, page(1, failure=Kind.READ_TIMEOUT, status=0), page(2.5)),
        "its delay is 2.000",
    ),
    "slowed down twice": (
        lambda: breaches(OPEN, page(1, failure=Kind.RESET), page(3, failure=Kind.RESET), page(6)),
        "its delay is 4.000",
    ),
    "before the host wants us": (
        lambda: breaches(OPEN, page(1, status=503, retry_after=30), page(20)),
        "11.500 s too soon",
    ),
    "too early, across a death": (lambda: breaches(OPEN, page(1, life=DEAD, was_cut=True), page(1.7)), "0.700 s after"),
    "without robots.txt": (lambda: breaches(page(1)), "before its robots.txt was read"),
    "another origin's robots.txt": (lambda: breaches(OPEN, asked("https://a.test/x", 1)), "before its robots.txt"),
    "forbidden": (lambda: breaches(robots(0, RULES), asked("http://a.test/private/1", 3)), "had forbidden it at 0.500"),
    "forbidden meanwhile": (
        lambda: breaches(OPEN, robots(1, RULES), asked("http://a.test/private/1", 4)),
        "had forbidden it at 1.500",
    ),
    "unreadable": (lambda: breaches(robots(0, Robots(trouble=Trouble(503))), page(20)), "could not be read"),
    "unreadable after there was none": (
        lambda: breaches(robots(0, Robots(trouble=Trouble(404))), robots(1, Robots(trouble=Trouble(500))), page(2)),
        "could not be read",
    ),
    "unreadable for more than a day": (
        lambda: breaches(robots(0, RULES), robots(DAY, Robots(trouble=Trouble(500))), page(DAY + 9)),
        "could not be read",
    ),
    "forbidden by old rules": (
        lambda: breaches(
            robots(0, RULES), robots(3, Robots(trouble=Trouble(500))), asked("http://a.test/private/1", 9)
        ),
        "had forbidden it at 0.500",
    ),
    "redirected nowhere": (lambda: breaches(robots(0, Robots(location="http://b.test/")), page(1)), "not be read"),
    "robots.txt was cut": (lambda: breaches(robots(0, Robots(), was_cut=True), page(1)), "before its robots.txt"),
    "too old": (lambda: breaches(robots(0, Robots(max_age=60)), page(62)), "was too old"),
    "a probe too early": (lambda: breaches(OPEN, page(1), page(1.7, errand=Errand.PROBE)), "its delay is 1.000"),
    "a probe that is forbidden": (
        lambda: breaches(robots(0, RULES), asked("http://a.test/private/qxv", 3, errand=Errand.PROBE)),
        "robots.txt had forbidden it",
    ),
    "fetched again": (lambda: breaches(OPEN, page(1), asked("http://a.test/p1", 4)), "fetched again"),
    "fetched again in another dress": (
        lambda: breaches(OPEN, page(1), asked("http://a.test/p1?sid=7", 4)),
        "fetched again",
    ),
    "gone, and fetched again": (
        lambda: breaches(OPEN, page(1, status=404), asked("http://a.test/p1", 4)),
        "fetched again",
    ),
    "redirected, and fetched again": (
        lambda: breaches(OPEN, page(1, status=302, location="/y"), asked("http://a.test/p1", 4)),
        "fetched again",
    ),
    "more than one page of a host after a death": (
        lambda: breaches(OPEN, page(1, life=DEAD), page(2, life=DEAD), asked("http://a.test/p1", 4)),
        "http://a.test/p1 was settled and is fetched again",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_is_named(name: str) -> None:
    tell, word = BAD[name]
    found = tell()
    assert len(found) == 1, found
    assert word in found[0]
