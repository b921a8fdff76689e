"""The schedule in virtual time: what each policy makes of a budget, on drawn histories and on real ones."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

import pytest
from msgspec import structs

from skitter.schedule.freshness import Sampled, chance
from skitter.schedule.optimal import Optimal
from skitter.schedule.policy import Policy
from skitter.schedule.recrawl import HostClass
from skitter.schedule.rehearsal import Course, Rehearsal, Subject
from skitter.schedule.rules import POLICIES
from skitter.settings import DAY
from tests.schedule.histories import (
    RATES,
    REAL,
    YEAR,
    best,
    bursts,
    course_of,
    day,
    freshness,
    real_pages,
    signalled,
    steady,
    stopping,
)

COUNT, YEARS = 150, 3
OF_DRAWING = 0.003
"""How much worse a policy may seem that is not: another draw of the pages moves it by as much."""


def visits(course: Course, pages: Sequence[Subject], policy: str = "optimal") -> list[list[float]]:
    return Rehearsal(course, pages, POLICIES[policy]()).run()


def kept(course: Course, pages: Sequence[Subject], policy: str = "optimal", since: float = -math.inf) -> float:
    return freshness(course, pages, visits(course, pages, policy), since)


def drawn(name: str) -> list[Subject]:
    if name == "bursts":
        return bursts(COUNT, YEARS)
    return stopping(COUNT, YEARS) if name == "stopping" else steady(name, COUNT, YEARS)[0]


@pytest.mark.slow
@pytest.mark.parametrize("interval", [7, 30])
@pytest.mark.parametrize("name", [*RATES, "bursts", "stopping"])
def test_no_kind_of_pages_is_kept_worse_than_by_visiting_all_equally_often(name: str, interval: float) -> None:
    pages = drawn(name)
    course = course_of(pages, 0.0, YEARS * YEAR, interval)
    assert kept(course, pages) >= kept(course, pages, "uniform") - OF_DRAWING


@pytest.mark.slow
@pytest.mark.parametrize(("name", "within"), [("lognormal", 0.015), ("an hour to a year", 0.03)])
def test_in_the_long_run_it_is_nearly_the_best_possible(name: str, within: float) -> None:
    pages, rates = steady(name, 300, YEARS)
    course = course_of(pages, 0.0, YEARS * YEAR, 7)
    assert kept(course, pages, since=YEARS * YEAR / 2) >= best(rates, course.budget / DAY) - within


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason=f"the real histories are not at {REAL}")
@pytest.mark.parametrize(("interval", "share"), [(7, 0.75), (30, 0.87)])
def test_real_pages_are_kept_fresher_than_by_visiting_all_equally_often(interval: float, share: float) -> None:
    begins, ends = day("2023-07-01"), day("2026-07-01")
    pages = real_pages(begins, ends)
    course = course_of(pages, begins, ends, interval)
    plan = visits(course, pages)
    assert sum(map(len, plan)) == course.visits
    assert 1 - freshness(course, pages, plan) <= share * (1 - kept(course, pages, "uniform"))


SIGNALS = {
    "good": (lambda _: "good", 0.55),
    "random": (lambda _: "random", 1.02),
    "now": (lambda _: "now", 1.02),
    "half": (lambda host: ("good", "random", "good", "now")[host % 4], 0.75),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SIGNALS)
def test_signals_help_as_far_as_they_are_true_and_cost_nothing_if_not(kind: str) -> None:
    pages, _ = steady("lognormal", 200, 2, seed=2)
    course = course_of(pages, 0.0, 2 * YEAR, 7)
    said, share = SIGNALS[kind]
    assert 1 - kept(course, signalled(pages, course, said)) <= share * (1 - kept(course, pages))


@pytest.mark.slow
def test_pages_are_visited_differently_as_far_as_they_have_shown_to_differ() -> None:
    spread = {}
    for name in ("all equal", "lognormal"):
        pages, _ = steady(name, COUNT, 2)
        times = [len(found) for found in visits(course_of(pages, 0.0, 2 * YEAR, 30), pages)]
        spread[name] = statistics.pstdev(times) / statistics.mean(times)
    assert spread["all equal"] < 0.06
    assert spread["lognormal"] > 0.2


def test_what_weighs_more_is_visited_more_often() -> None:
    pages, _ = steady("all equal", 60, 1)
    pages = [structs.replace(page, weight=9.0 if number % 2 else 1.0) for number, page in enumerate(pages)]
    times = [len(found) for found in visits(course_of(pages, 0.0, YEAR, 14), pages)]
    assert sum(times[1::2]) > 2 * sum(times[::2])


def test_a_page_of_no_weight_or_too_quick_is_not_lost_for_ever() -> None:
    pages, _ = steady("all equal", 30, 1)
    quick = Subject("quick.example", 0.0, [hour * 3600.0 for hour in range(int(YEAR / 3600))])
    pages = [*pages, structs.replace(pages[0], weight=0.0), quick]
    course = course_of(pages, 0.0, YEAR, 7)
    plan = visits(course, pages)
    assert 0 < len(plan[-2]) < sum(map(len, plan[:-2])) / 30 / 3
    late = sum(at > YEAR / 2 for at in plan[-1])
    assert 0 < late < len(plan[-1]) - late


def test_no_visit_is_left_over_and_all_are_evenly_spread() -> None:
    pages, _ = steady("lognormal", 40, 1)
    course = Course(10.0, 0.0, YEAR)
    times = sorted(at for found in visits(course, pages) for at in found)
    assert len(times) == 3650
    assert 0 < times[0] < times[-1] < YEAR
    assert max(after - before for before, after in pairwise(times)) == pytest.approx(DAY / 10)


def test_a_page_is_visited_only_after_it_is_known_and_its_first_fetch_is_free() -> None:
    late = Subject("a.example", 5 * DAY, [])
    plan = visits(Course(1.0, 0.0, 10 * DAY), [late])
    assert plan == [[(number + 0.5) * DAY for number in range(5, 10)]]
    assert visits(Course(1.0, 0.0, 10 * DAY), [structs.replace(late, known_at=11 * DAY)]) == [[]]


@pytest.mark.parametrize("name", POLICIES)
def test_what_comes_later_can_not_be_known(name: str) -> None:
    pages, _ = steady("lognormal", 30, 1)
    pages = signalled(pages, Course(1.0, 0.0, YEAR), lambda _: "good")
    half = [
        structs.replace(
            page,
            changes=[at for at in page.changes if at < YEAR / 2],
            signals=[at for at in page.signals if at < YEAR / 2],
        )
        for page in pages
    ]
    course = Course(5.0, 0.0, YEAR)
    until = [[at for at in found if at < YEAR / 2] for found in visits(course, pages, name)]
    assert until == [[at for at in found if at < YEAR / 2] for found in visits(course, half, name)]


def test_the_rule_of_halves_waits_until_a_page_is_due() -> None:
    plan = visits(Course(10.0, 0.0, 100 * DAY), [Subject("a.example", 0.0, [])], "adaptive")
    gaps = [after - before for before, after in pairwise(plan[0])]
    assert gaps == pytest.approx([before * 1.5 for before in [math.sqrt(30) * DAY, *gaps[:-1]]], abs=0.2 * DAY)


@pytest.mark.slow
def test_what_is_expected_is_what_is() -> None:
    pages, _ = steady("lognormal", 300, 2)
    course = Course(20.0, 0.0, 2 * YEAR)
    rehearsal = Rehearsal(course, pages, Optimal())
    rehearsal.run()
    watches = [rehearsal.watch(number) for number in range(len(pages))]
    told = sum(chance(Sampled(watch.last, watch.belief, HostClass.GENERIC), course.ends) for watch in watches)
    true = sum(not any(watch.last < at for at in page.changes) for watch, page in zip(watches, pages, strict=True))
    assert told / len(pages) == pytest.approx(true / len(pages), abs=0.06)


def test_every_policy_fits_the_seam() -> None:
    policies: list[Policy] = [make() for make in POLICIES.values()]
    assert [policy.is_patient for policy in policies] == [False, True, False]
