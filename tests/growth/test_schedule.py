"""Ten times the pages, each visited as often: the schedule takes no more than twelve times the CPU time."""

from __future__ import annotations

import pytest

from skitter.schedule.optimal import Optimal
from skitter.schedule.rehearsal import Rehearsal
from skitter.settings import DAY
from tests.growth.clock import Work, dearer
from tests.schedule.histories import course_of, steady

SMALL, LARGE, DEARER = 300, 3000, 12


def scheduled(pages: int) -> Work:
    subjects, _ = steady("lognormal", pages, 0.25)
    course = course_of(subjects, 0.0, 0.25 * 365 * DAY, 14)
    return lambda: Rehearsal(course, subjects, Optimal()).run()


@pytest.mark.slow
def test_ten_times_the_pages_take_twelve_times_the_time_at_the_most() -> None:
    assert dearer(scheduled(SMALL), scheduled(LARGE), DEARER) <= DEARER
