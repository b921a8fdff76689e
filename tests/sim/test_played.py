"""Crawls of played webs in virtual time: the real crawler finds all of an honest site, and the same each time."""

from __future__ import annotations

import pytest

from skitter.sim.run.played import played
from skitter.simweb.judged.score import tally
from skitter.simweb.judged.webs import JudgedWeb, farm_web, trap_web
from tests.simweb.judged.test_webs import site_of


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["calendar", "wiki"])
def test_all_of_an_honest_site_is_fetched_and_told_of(kind: str) -> None:
    web = site_of(kind)
    run = played(web.play, web.seeds())
    (found,) = tally(web, [one.url for one in run.asked]).values()
    assert not run.troubles
    assert found.got == found.good
    assert len(run.told) == len(run.asked)
    assert {one.errand for one in run.asked} - {"sounding"} == {"page", "robots", "sitemap"}


@pytest.mark.slow
def test_a_crawl_is_the_same_each_time_and_ends_with_its_pages() -> None:
    def run(web: JudgedWeb) -> list[tuple[float, str]]:
        return [(one.at, one.url) for one in played(web.play, web.seeds(), max_pages=100, nodes=2).asked]

    first = run(farm_web(hosts=50, domains=5))
    assert first == run(farm_web(hosts=50, domains=5))
    assert sum(not url.endswith((".txt", ".xml")) for _, url in first) == 100


@pytest.mark.slow
def test_every_name_of_a_domain_is_found() -> None:
    web = trap_web(1, ["wildcard"])
    run = played(web.play, web.seeds(), max_pages=60)
    assert len({one.url.split("/")[2] for one in run.asked}) > 10
    assert {one.status for one in run.told if one.errand == "page"} == {200}
