"""Soft 404s: each style answers that all is well, dead links lead there, and good pages are none."""

from __future__ import annotations

import pytest

from skitter.simweb.judged.honest.about import odd
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import What
from skitter.simweb.judged.site import Site, honest_404, honest_410
from skitter.simweb.judged.soft404 import STYLES
from skitter.simweb.judged.web import JudgedWeb
from skitter.simweb.judged.webs import HONEST
from tests.simweb.judged.walker import asked, walk

DEAD = 25
PARTLY = ("by_ending", "by_section")
"""Styles of hosts that say it with an error elsewhere."""


def web_of(style: str) -> JudgedWeb:
    parts = [HONEST["calendar"]("a.test", Prose(1)), odd("a.test", Prose(2))]
    missing = {**STYLES, "404": honest_404, "410": honest_410}[style]
    return JudgedWeb([Site("a.test", parts, style, missing=missing, dead=DEAD)])


@pytest.mark.parametrize("style", STYLES)
def test_dead_links_are_reached_and_answered_as_if_all_was_well(style: str) -> None:
    web = web_of(style)
    reached = walk(web, web.seeds(), lambda url: web.fact(url).what is What.GOOD)
    dead = [url for url, _ in reached.values() if web.fact(url).what is What.SOFT_404]
    assert len(dead) >= (DEAD if style not in PARTLY else 1)
    assert {asked(web, url).status for url in dead} <= {200, 302}
    assert not {url for url, _ in web.good()} & set(dead)


@pytest.mark.parametrize(("style", "status"), [("404", 404), ("410", 410)])
def test_honest_hosts_say_so(style: str, status: int) -> None:
    web = web_of(style)
    assert asked(web, "http://a.test/nothing").status == status
    assert web.fact("http://a.test/nothing").what is What.MISSING


def test_suggestions_change_with_every_request() -> None:
    web = web_of("suggesting")
    assert len({asked(web, "http://a.test/nothing", asks).body for asks in range(5)}) == 5


def test_a_copy_of_the_home_page_is_one() -> None:
    web = web_of("home_copy")
    assert asked(web, "http://a.test/nothing").body == asked(web, "http://a.test/").body
    assert web.fact("http://a.test/").what is What.GOOD


def test_every_language_is_said_somewhere() -> None:
    web = web_of("localised")
    assert len({asked(web, f"http://a.test/{number}/x").body for number in range(100)}) == 10
