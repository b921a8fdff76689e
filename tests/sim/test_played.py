"""Crawls of played webs in virtual time: the real crawler finds all of an honest site, and the same each time."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from skitter.sim.run.played import played
from skitter.simweb.judged.score import tally
from skitter.simweb.judged.webs import JudgedWeb, farm_web, soft_web, trap_web
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


ALONE = """
from hashlib import sha256
from threading import Thread, active_count
from time import sleep
import sys

from skitter.sim.run.played import played
from skitter.simweb.judged.webs import JudgedWeb, farm_web, soft_web

def disturb():
    while True:
        sum(range(1000))
        sleep(0.0003)

if sys.argv[1] == "disturbed":
    sys.setswitchinterval(1e-5)
    kept = [object() for _ in range(12345)]
    Thread(target=disturb, daemon=True).start()
sites = [*soft_web(5, variants=1).sites.values(), *farm_web(hosts=0, honest=10, new=5).sites.values()]
threads = active_count()
web = JudgedWeb(sites[::2])
run = played(web.play, web.seeds(), max_pages=400, nodes=2)
assert active_count() == threads, "a thread would bring its own time"
told = [(one.url, one.reasons, one.duplicate_of) for one in run.told]
asked = [(one.at, one.url, one.errand) for one in run.asked]
print(len(asked), sha256(repr((asked, told)).encode()).hexdigest())
"""


@pytest.mark.slow
def test_a_crawl_in_virtual_time_is_the_same_whatever_else_the_machine_does() -> None:
    """Other hashes of text, other addresses in memory, a busy thread beside: the same requests at the same times."""

    def alone(how: str, seed: str) -> str:
        command = [sys.executable, "-c", ALONE, how]
        return subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout

    assert alone("quiet", "1") == alone("disturbed", "2")


@pytest.mark.slow
def test_no_good_page_is_lost_in_another_order() -> None:
    """On a site that says something else in each folder where there is nothing, which a corner may be sounded for."""
    web = JudgedWeb([soft_web(51, variants=2).sites["by-directory1.test"]])
    first = played(web.play, web.seeds(), max_pages=60)
    other = played(web.play, web.seeds(), order=1)
    assert [one.url for one in first.asked] != [one.url for one in other.asked[: len(first.asked)]]
    (found,) = tally(web, [one.url for one in other.asked]).values()
    assert (found.lost, other.troubles) == ([], [])


@pytest.mark.slow
def test_every_name_of_a_domain_is_found() -> None:
    web = trap_web(1, ["wildcard"])
    run = played(web.play, web.seeds(), max_pages=60)
    assert len({one.url.split("/")[2] for one in run.asked}) > 10
    assert {one.status for one in run.told if one.errand == "page"} == {200}
