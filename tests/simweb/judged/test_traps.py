"""Traps have no end, keep to their corner, and stand beside pages that do not change for them."""

from __future__ import annotations

import pytest

from skitter.simweb.judged.sheet import What
from skitter.simweb.judged.webs import ALONE, IN_SITE, KINDS, PLACES, trap_host, trap_web
from tests.simweb.judged.walker import asked, links, walk

MANY = 150


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_a_trap_never_ends_and_all_of_it_is_waste(kind: str, seed: int) -> None:
    web = trap_web(seed, [kind])
    home = f"http://{trap_host(kind, ALONE)}/"
    reached = walk(web, [home], lambda _: True, most=MANY)
    facts = [web.fact(url) for url, _ in reached.values()]
    assert len(reached) >= MANY or kind == "deeper"  # which goes on, one page at a time
    assert {fact.what for fact in facts} == {What.GOOD, What.WASTE}
    assert {fact.corner for fact in facts if fact.what is What.WASTE} == {kind}
    assert sum(fact.what is What.GOOD for fact in facts) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_trap_can_be_reached_in_every_place(kind: str) -> None:
    web = trap_web(1, [kind])
    for place in PLACES:
        home = f"http://{trap_host(kind, place)}/"
        ways = [url for url in links(web, home) if web.fact(url).what is What.WASTE]
        assert ways
        assert all(asked(web, url).status in (200, 301, 302) for url in ways)


@pytest.mark.slow
def test_a_corner_that_the_menu_leads_to_is_on_every_page_and_one_of_the_home_page_is_not() -> None:
    web = trap_web(1, ["search"])
    for place in PLACES[1:]:
        pages = [url for url, name in web.good() if name == trap_host("search", place)][1:]
        led = [any(web.fact(way).what is What.WASTE for way in links(web, url)) for url in pages]
        assert not any(led) if place == IN_SITE else all(led)


def test_deeper_goes_one_deeper_with_every_page() -> None:
    web = trap_web(1, ["deeper"])
    url = next(url for url in links(web, f"http://{trap_host('deeper', ALONE)}/") if web.fact(url).what is What.WASTE)
    for _ in range(20):
        deeper = max(links(web, url), key=len)
        assert len(deeper) > len(url)
        url = deeper
