"""A web ten times the size: the nightly look takes no more than twelve times the CPU time, but for what memory costs.

A small web lies in the processor's cache and a large one does not: even work that is linear for sure (each name looked
up once, by Arrow) takes fifteen to thirty times as long on it. By as much as that is dearer than ten times, and by half
at the most, so may the look be.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from skitter.rank.ratings import Ratings
from skitter.rank.survey.marks import CaptureMark, LinkMark
from skitter.rank.survey.plain import Surveyed
from skitter.rank.survey.quick import new_survey
from tests.rank.webs import DOMAINS, ROUTES, capture_batch, link_batch

SMALL, LARGE, DEARER = 4_000, 40_000, 12
TIMES = LARGE / SMALL
TRIES = 12
MOST_BY_MEMORY = 1.5
LINKS_A_HOST, PAGES_A_HOST = 30, 3


def web(hosts: int) -> tuple[Callable[[], Surveyed], Callable[[], object]]:
    """Returns the work of one look at a web of so many hosts: a power law, and every tenth a mirror of another.

    And work on the same tables that is linear for sure.
    """
    dice = random.Random(1)

    def popular() -> str:
        return f"http://h{int(hosts ** dice.random()) - 1}.com/"

    links = link_batch(
        [
            (
                f"http://h{host}.com/p",
                popular() if way % 3 else f"http://h{dice.randrange(hosts)}.com/",
                LinkMark.VOUCHES,
            )
            for host in range(hosts)
            for way in range(LINKS_A_HOST)
        ]
    )
    captures = capture_batch(
        [
            (
                f"h{host}.com",
                f"http://h{host}.com/{page}",
                "",
                hash((host - (host % 10 == 9), page)) % 2**63,
                1,
                CaptureMark.PAGE,
            )
            for host in range(hosts)
            for page in range(PAGES_A_HOST)
        ]
    )

    def work() -> Surveyed:
        survey = new_survey(DOMAINS)
        survey.links(links)
        survey.captures(captures)
        found = survey.settle(["h0.com"])
        for _ in Ratings(found, ROUTES, ["h0.com"], {}).by_shard():
            pass
        return found

    def look_up() -> object:
        return [links[name].dictionary_encode() for name in ("source", "target")]

    return work, look_up


def spent(work: Callable[[], object]) -> float:
    """Returns the CPU seconds of all threads: the kernel has its own."""
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.slow
def test_ten_times_the_web_takes_twelve_times_the_time_at_the_most() -> None:
    (small, small_control), (large, large_control) = web(SMALL), web(LARGE)
    found = small()
    assert found.hosts.num_rows - found.hosts["mirror_of"].null_count > 0.8 * SMALL / 10
    ratios: list[float] = []
    while not ratios or (ratios[-1] > DEARER and len(ratios) < TRIES):
        by_memory = spent(large_control) / min(spent(small_control) for _ in range(3)) / TIMES
        ratios.append(spent(large) / min(spent(small) for _ in range(3)) / min(max(1.0, by_memory), MOST_BY_MEMORY))
    assert min(ratios) <= DEARER, f"times the CPU time for ten times the web, in {TRIES} tries: {ratios}"
