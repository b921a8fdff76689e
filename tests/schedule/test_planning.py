"""What a budget gives, against what is known of pages that all change alike, and of pages that do not."""

from __future__ import annotations

import math
import random

import pytest

from skitter.schedule.belief import LADDER, certain
from skitter.schedule.planning import PlannedPage, fresh_share, plan
from skitter.schedule.recrawl import BOUNDS, HostClass
from skitter.schedule.rehearsal import Course, Rehearsal, Subject
from skitter.schedule.replayed import fresh_time
from skitter.schedule.rules import POLICIES
from skitter.settings import DAY
from skitter.sim.run.months import poisson


def pages_at(*rates: float, host_class: HostClass = HostClass.GENERIC) -> list[PlannedPage]:
    return [PlannedPage(certain(rate), 1.0, host_class) for rate in rates]


def test_pages_that_are_all_alike_are_seen_equally_often() -> None:
    rate = LADDER[6]
    made = plan(pages_at(*[rate] * 50), [50 / 7])[0]
    x = rate * 7 * DAY
    assert made.fresh == pytest.approx((1 - math.exp(-x)) / x, abs=0.01)
    assert made.fresh == pytest.approx(made.uniform, abs=0.005)
    assert made.used == pytest.approx(made.budget, rel=0.02)
    assert made.every == pytest.approx(7 * DAY)


def test_more_visits_give_more_and_never_less_than_equal_ones() -> None:
    dice = random.Random(1)
    pages = pages_at(*(LADDER[dice.randrange(2, 12)] for _ in range(200)))
    made = plan(pages, [200 / days for days in (25, 14, 7, 3)])
    assert [one.fresh for one in made] == sorted(one.fresh for one in made)
    assert all(one.fresh >= one.uniform - 0.005 for one in made)
    assert made[1].fresh > made[1].uniform + 0.01
    assert all(one.used <= one.budget * 1.01 for one in made)


def test_what_no_class_allows_is_not_used() -> None:
    made = plan(pages_at(*[LADDER[12]] * 10), [10 * 24])[0]
    assert made.used == pytest.approx(10 * DAY / BOUNDS[HostClass.GENERIC].floor)


def test_importance_and_classes_are_told_apart() -> None:
    rate = LADDER[9]
    pages = [PlannedPage(certain(rate), weight, HostClass.GENERIC) for weight in (1.0, 0.05) for _ in range(20)]
    pages += pages_at(*[LADDER[3]] * 20, host_class=HostClass.DORMANT)
    made = plan(pages, [6.0])[0]
    assert made.important > made.fresh * 0.9
    assert set(made.classes) == {"generic", "dormant"}
    assert made.classes["dormant"] > made.classes["generic"]


def test_the_plan_is_what_the_scheduler_comes_to() -> None:
    """Rates that are known from the start to the plan, and learnt by the scheduler, over three years."""
    dice, begin, days = random.Random(5), 1.75e9, 1100
    rates = [LADDER[dice.randrange(4, 11)] for _ in range(60)]
    course = Course(60 / 7, begin, begin + days * DAY)
    subjects = [Subject(f"h{n % 6}", begin, poisson(dice, rate, begin, course.ends)) for n, rate in enumerate(rates)]
    visits = Rehearsal(course, subjects, POLICIES["optimal"]()).run()
    times = [fresh_time(course, page, own) for page, own in zip(subjects, visits, strict=True)]
    reached = sum(time for time, _ in times) / sum(whole for _, whole in times)
    assert plan(pages_at(*rates), [course.budget])[0].fresh == pytest.approx(reached, abs=0.04)


def test_a_copy_is_fresh_until_the_next_change() -> None:
    course = Course(1.0, 0.0, 100.0)
    page = Subject("a", 10.0, [5.0, 20.0, 70.0])
    assert fresh_time(course, page, [40.0]) == (10.0 + 30.0, 90.0)
    assert fresh_time(course, page, []) == (10.0, 90.0)
    assert fresh_share(certain(LADDER[0]), 0.0) == 1.0
