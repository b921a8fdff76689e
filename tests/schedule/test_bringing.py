"""Lists are read again after the time in which they bring about two new links."""

from __future__ import annotations

import random

import pytest

from skitter.schedule.bringing import AIM, LIST, Brought, brought_by, interval_of, is_list
from skitter.schedule.recrawl import BOUNDS, HostClass
from skitter.settings import DAY, HOUR


def read_for(days: float, a_day: float, *, first: float = DAY, seed: int = 1) -> tuple[list[float], list[int]]:
    """Returns the gaps between visits to a list on which so many pages a day appear, and what each brought."""
    dice, now, brought = random.Random(seed), 0.0, Brought()
    gaps, found = list[float](), list[int]()
    while now < days * DAY:
        gap = interval_of(brought, LIST, first)
        links = _poisson(dice, a_day * gap / DAY)
        brought, now = brought_by(brought, gap, links), now + gap
        gaps.append(gap)
        found.append(links)
    return gaps, found


def _poisson(dice: random.Random, mean: float) -> int:
    count, time = 0, dice.expovariate(1.0)
    while time < mean:
        count, time = count + 1, time + dice.expovariate(1.0)
    return count


@pytest.mark.parametrize("a_day", [1, 10, 100])
def test_about_two_links_a_visit(a_day: float) -> None:
    gaps, found = read_for(60, a_day)
    settled = found[len(found) // 4 :]
    assert sum(settled) / len(settled) == pytest.approx(AIM, rel=0.3)
    assert gaps[-1] == pytest.approx(AIM * DAY / a_day, rel=0.5)


def test_who_brings_nothing_is_asked_ever_more_seldom() -> None:
    gaps, _ = read_for(200, 0.0, first=HOUR)
    assert gaps[0] == HOUR
    assert gaps == sorted(gaps)
    assert gaps[-1] == pytest.approx(LIST.ceiling, rel=0.1)
    assert len(gaps) < 20


def test_who_begins_to_bring_is_found_out() -> None:
    quiet = brought_by(brought_by(Brought(), DAY, 0), 20 * DAY, 0)
    assert not is_list(quiet)
    woken = brought_by(quiet, 20 * DAY, 40)
    assert is_list(woken)
    assert interval_of(woken, LIST, DAY) < 2 * DAY


def test_no_more_often_than_the_class_allows_and_a_clock_set_back_says_nothing() -> None:
    busy = brought_by(Brought(), HOUR, 10_000)
    assert interval_of(busy, LIST, DAY) == LIST.floor
    assert interval_of(busy, BOUNDS[HostClass.DORMANT], DAY) == BOUNDS[HostClass.DORMANT].floor
    assert brought_by(busy, -5.0, 3) == busy
