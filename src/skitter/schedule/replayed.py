"""What a schedule was worth: how long copies were fresh, given when pages changed and when they were visited. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from skitter.schedule.rehearsal import Course, Subject


def fresh_time(course: Course, page: Subject, visits: Sequence[float]) -> tuple[float, float]:
    """Returns for how long the copy of a page was what it showed, and for how long there was one."""
    begins = max(page.known_at, course.begins)
    fresh, copies = 0.0, [begins, *visits]
    for at, until in zip(copies, [*visits, course.ends], strict=True):
        later = bisect_right(page.changes, at)
        stale = page.changes[later] if later < len(page.changes) else course.ends
        fresh += max(0.0, min(stale, until) - at)
    return fresh, max(0.0, course.ends - begins)
