"""The simulated web: it answers as a web does, keeps a log, and its truth is what a crawler finds."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from skitter.messages import Errand, Kind, Lease, State
from skitter.sim.clock import MachineClock
from skitter.sim.grow import OUTAGES, PAGES, ROBOTS, Shape, grow
from skitter.sim.judge import evidence, judge
from skitter.sim.life import Fate
from skitter.sim.loop import SimLoop
from skitter.sim.truth import truth_of
from skitter.sim.web import MemoryWeb, Request, WebFetcher
from skitter.sim.world import Page, Robots, Site, Trouble, World
from tests.sim.toy import SETTINGS, Toy

ADDRESS = "45.33.0.1"


def a_world(*, robots: Robots | None = None, **pages: Page) -> World:
    site = Site("a.test", ADDRESS, (robots or Robots(),))
    keys = {f"a.test/{name}" if name != "home" else "a.test": page for name, page in pages.items()}
    return World({"a.test": site}, keys, ("http://a.test/",))


def crawled(world: World, seed: int = 0) -> Toy:
    with contextlib.closing(SimLoop(seed)) as loop:
        life = loop.begin("toy")
        toy = Toy(world, loop, life)

        async def main() -> None:
            await loop.create_task(toy.run(), context=life.context)
            life.leave()

        loop.run_until_complete(main())
        assert loop.troubles == []
    return toy


# The truth


@pytest.mark.parametrize("seed", range(3))
def test_in_a_calm_world_a_crawler_finds_what_the_truth_says(seed: int) -> None:
    world = grow(seed, Shape(sites=10, pages=60, is_calm=True))
    truth, toy = truth_of(world, guesses=False), crawled(world)
    assert toy.seen == truth.at_once.discovered == truth.in_the_end.discovered == truth.states.keys()
    fetched = {request.key for request in toy.web.log if not request.origin}
    assert fetched == truth.at_once.settled
    assert set().union(*truth.states.values()) == {State.DONE}


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_in_a_troubled_world_it_finds_no_more_and_no_less_than_it_must(seed: int) -> None:
    world = grow(seed, Shape(pages=150))
    truth, toy = truth_of(world, guesses=False), crawled(world)
    assert truth.at_once.discovered <= toy.seen <= truth.states.keys()
    assert truth.at_once.discovered <= truth.in_the_end.discovered <= truth.states.keys()
    answered = {request.key for request in toy.web.log if not request.origin and request.status}
    done = {key for key, states in truth.states.items() if states & {State.DONE, State.DEAD, State.FAILED}}
    assert answered <= done
    assert judge(evidence(world, toy.web.log, toy.shelf.kept, SETTINGS)) == []


def test_worlds_hold_all_that_the_tables_name() -> None:
    """Over some seeds, there is every kind of page, robots.txt and outage."""
    worlds = [grow(seed) for seed in range(10)]
    pages = [page for world in worlds for page in world.pages.values()]
    sites = [site for world in worlds for site in world.sites.values()]
    assert all(any(test(page) for page in pages) for test in PAGE_TESTS.values())
    assert all(any(test(site.robots) for site in sites) for test in ROBOTS_TESTS.values())
    assert {kind for site in sites for *_, kind in site.outages} >= {Kind.REFUSED, Kind.CONNECT_TIMEOUT}
    assert len({site.address for site in worlds[0].sites.values()}) < len(worlds[0].sites)
    assert PAGE_TESTS.keys() == PAGES.keys() - {"private", "late", "moved away"}
    assert ROBOTS_TESTS.keys() == ROBOTS.keys()
    assert len(OUTAGES) == 5


PAGE_TESTS = {
    "plain": lambda page: bool(page.links),
    "slow": lambda page: page.takes > 1,
    "copy": lambda page: page.text == "the same again",
    "troubled": lambda page: bool(page.troubles),
    "broken": lambda page: page.always is not None,
    "moved": lambda page: page.location is not None and page.location.startswith("http"),
    "moved in a circle": lambda page: page.location == "?",
    "moved nowhere": lambda page: page.location == "",
    "slashed": lambda page: page.wants_slash,
    "nofollow": lambda page: page.nofollow,
}
ROBOTS_TESTS = {
    "allows": lambda robots: robots == (Robots(),),
    "forbids": lambda robots: len(robots) == 1 and bool(robots[0].forbids),
    "delays": lambda robots: robots[0].crawl_delay is not None,
    "missing": lambda robots: robots[0].is_missing(),
    "sitemap": lambda robots: bool(robots[0].sitemaps),
    "elsewhere": lambda robots: robots[0].location is not None,
    "loops": lambda robots: robots[0].location is not None,
    "unavailable": lambda robots: len(robots) == 1 and not robots[0].is_readable(),
    "unavailable at first": lambda robots: len(robots) == 2 and not robots[0].is_readable(),
    "unavailable later": lambda robots: len(robots) == 2 and not robots[1].is_readable(),
    "stricter later": lambda robots: len(robots) == 2 and len(robots[1].forbids) == 2,
    "too many": lambda robots: robots[0].trouble is not None and robots[0].trouble.status == 429,
    "resets": lambda robots: robots[0].trouble is not None and robots[0].trouble.kind is Kind.RESET,
}


def test_one_seed_is_one_world() -> None:
    assert grow(7) == grow(7)
    assert grow(7) != grow(8)


STATES = {
    "done": (Page(), {State.DONE}),
    "gone": (Page(always=Trouble(410)), {State.DEAD}),
    "failing": (Page(always=Trouble(500)), {State.FAILED, State.DEAD}),
    "troubled": (Page(troubles=(Trouble(503),)), {State.DONE, State.FAILED, State.DEAD}),
    "moved": (Page(location="http://a.test/"), {State.DONE}),
    "moved nowhere": (Page(location=""), {State.FAILED, State.DEAD}),
    "in a circle": (Page(location="http://a.test/x"), {State.DONE, State.FAILED, State.DEAD}),
}


@pytest.mark.parametrize("name", STATES)
def test_the_truth_knows_how_each_url_ends(name: str) -> None:
    page, wanted = STATES[name]
    truth = truth_of(a_world(home=Page(links=("/x",)), x=page))
    assert truth.states["http://a.test/x"] == wanted


def test_what_robots_forbids_is_skipped_and_what_it_hides_stays_queued() -> None:
    pages = {"home": Page(links=("/x",)), "x": Page()}
    strict = truth_of(a_world(robots=Robots(forbids=("/x",)), **pages))
    assert strict.states["http://a.test/x"] == {State.SKIPPED}
    hidden = truth_of(a_world(robots=Robots(trouble=Trouble(503)), **pages))
    assert hidden.states == {"http://a.test": {State.QUEUED}}
    assert hidden.at_once.settled == frozenset()


# Requests


def fetched(world: World, href: str, *hrefs: str, errand: Errand = Errand.PAGE) -> tuple[list[object], list[Request]]:
    """Returns what each fetch brought, and the log."""
    with contextlib.closing(SimLoop()) as loop:
        life, web = loop.begin("one"), MemoryWeb(world, loop)
        fetcher = WebFetcher(web, life, MachineClock(loop).steady())

        async def main() -> list[object]:
            leases = [Lease(href, "a.test", errand, 0.0) for href in (href, *hrefs)]
            return [await fetcher.fetch(lease, [ADDRESS]) for lease in leases]

        return loop.run_until_complete(main()), web.log


def test_a_page_is_found_in_any_dress() -> None:
    world = a_world(x=Page(text="here"))
    for href in ("http://a.test/x", "https://www.a.test/x/", "http://a.test/x;jsessionid=1", "http://a.test/x?sid=5"):
        (answer,), _ = fetched(world, href)
        assert answer.status == 200  # type: ignore[attr-defined]
        assert b"here" in answer.body  # type: ignore[attr-defined]


def test_troubles_come_first_and_one_by_one() -> None:
    page = Page(troubles=(Trouble(503, retry_after=7), Trouble(kind=Kind.READ_TIMEOUT)))
    answers, log = fetched(a_world(x=page), *["http://a.test/x"] * 3)
    assert [request.outcome() for request in log] == ["503", "read_timeout", "200"]
    assert log[0].retry_after == 7
    assert log[1].ended is not None
    assert log[1].ended - log[1].began > 5
    assert answers[1].failure.kind is Kind.READ_TIMEOUT  # type: ignore[attr-defined]


def test_a_page_that_wants_a_slash_leads_to_itself() -> None:
    world = a_world(x=Page(wants_slash=True))
    _, log = fetched(world, "http://a.test/x", "http://a.test/x/")
    assert [(request.status, request.location) for request in log] == [(301, "/x/"), (200, None)]


def test_a_site_that_is_down_is_not_reached() -> None:
    down = Site("a.test", ADDRESS, outages=((0.0, 5.0, Kind.REFUSED),))
    _, log = fetched(World({"a.test": down}, {"a.test": Page()}), *["http://a.test/"] * 200)
    assert log[0].failure is Kind.REFUSED
    assert log[-1].status == 200


def test_robots_changes_with_time() -> None:
    site = Site("a.test", ADDRESS, (Robots(trouble=Trouble(404)), Robots(since=1.0, forbids=("/x",), crawl_delay=3)))
    answers, log = fetched(World({"a.test": site}, {}), *["http://a.test/robots.txt"] * 20, errand=Errand.ROBOTS)
    assert (log[0].status, log[-1].status) == (404, 200)
    assert b"Disallow: /x\nCrawl-delay: 3" in answers[-1].body  # type: ignore[attr-defined]
    assert log[-1].origin == "http://a.test"
    assert log[-1].robots == site.robots[1]


@pytest.mark.parametrize("how", ["killed", "cancelled"])
def test_a_request_whose_asker_goes_is_at_its_end(how: str) -> None:
    world = a_world(x=Page(takes=50))
    with contextlib.closing(SimLoop()) as loop:
        life, web = loop.begin("one"), MemoryWeb(world, loop)
        fetcher = WebFetcher(web, life, MachineClock(loop).steady())

        async def main() -> None:
            lease = Lease("http://a.test/x", "a.test", Errand.PAGE, 0.0)
            asking = loop.create_task(fetcher.fetch(lease, [ADDRESS]), context=life.context)
            await asyncio.sleep(10)
            assert web.log[0].ended is None
            if how == "killed":
                life.kill()
            else:
                asking.cancel()
            await asyncio.sleep(100)

        loop.run_until_complete(main())
    assert len(web.log) == 1
    assert web.log[0].ended == 10.0
    assert web.log[0].was_cut


@pytest.mark.parametrize(("place", "asked"), [("fetch.dial", 0), ("fetch.request", 0)])
def test_a_life_may_end_before_it_asks(place: str, asked: int) -> None:
    with contextlib.closing(SimLoop()) as loop:
        life, web = loop.begin("one"), MemoryWeb(a_world(x=Page()), loop)
        fetcher = WebFetcher(web, life, MachineClock(loop).steady())
        life.meet(Fate(place, 1))

        async def main() -> None:
            loop.create_task(
                fetcher.fetch(Lease("http://a.test/x", "a.test", Errand.PAGE, 0.0), [ADDRESS]), context=life.context
            )
            assert life.death is not None
            await life.death

        loop.run_until_complete(main())
    assert len(web.log) == asked
