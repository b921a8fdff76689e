"""Ten times the pages, each visited as often: the schedule takes no more than twelve times the CPU time.

By itself, and in a crawl: nothing in a frontier looks at all pages that are to be seen again.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from skitter.schedule.optimal import Optimal
from skitter.schedule.rehearsal import Rehearsal
from skitter.settings import DAY, FrontierSettings, ScheduleSettings, Settings
from skitter.sim.run.months import BEGIN, Changing, months
from tests.growth.clock import Work, dearer
from tests.schedule.histories import course_of, steady

SMALL, LARGE, DEARER = 300, 3000, 12


def scheduled(pages: int) -> Work:
    subjects, _ = steady("lognormal", pages, 0.25)
    course = course_of(subjects, 0.0, 0.25 * 365 * DAY, 14)
    return lambda: Rehearsal(course, subjects, Optimal()).run()


def crawled(pages: int) -> Work:
    """Returns the re-visits of some days to pages of which ten are on a host."""
    web = {href: Changing(href, ()) for href in (f"http://h{number // 10}.test/{number}" for number in range(pages))}
    settings = Settings(frontier=FrontierSettings(shards=4), schedule=ScheduleSettings(recrawl=True, every=2 * DAY))

    def revisited() -> None:
        with months(settings, web, lambda _href, _at: None) as crawl:
            crawl.seed(list(web))
            crawl.run(BEGIN + 4 * DAY)
            again = sum(one.is_again for one in crawl.asked)
            assert again > 0.8 * pages, "or nothing is compared"

    return revisited


def calls(work: Work) -> int:
    """Returns how many calls of functions it takes: the same on a machine that others share."""
    counted = 0

    def count(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.slow
def test_ten_times_the_pages_of_a_crawl_take_twelve_times_the_calls_at_the_most() -> None:
    assert calls(crawled(600)) <= DEARER * calls(crawled(60))


@pytest.mark.slow
def test_ten_times_the_pages_take_twelve_times_the_time_at_the_most() -> None:
    assert dearer(scheduled(SMALL), scheduled(LARGE), DEARER) <= DEARER
