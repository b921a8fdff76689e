from __future__ import annotations

import math
from typing import get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.schedule.change import Gaps
from skitter.schedule.recrawl import (
    BOUNDS,
    ENOUGH_GAPS,
    SETTLES_AT,
    History,
    HostClass,
    class_of,
    due,
    first_seen,
    seen_again,
    within,
)
from skitter.settings import DAY, HOUR, MINUTE, ScheduleSettings

NOW = 1.7e9
NEWS, GENERIC, DORMANT = HostClass
CLASSES = st.sampled_from(HostClass)


def test_the_table() -> None:
    assert BOUNDS == {
        NEWS: (10 * MINUTE, 6 * HOUR, 0),
        GENERIC: (DAY, 30 * DAY, 12 * HOUR),
        DORMANT: (30 * DAY, 90 * DAY, 30 * DAY),
    }


def test_the_operator_can_name_every_class() -> None:
    assert get_args(get_type_hints(ScheduleSettings)["host_class"]) == tuple(HostClass)


@pytest.mark.parametrize(
    ("host_class", "last_modified", "interval"),
    [
        pytest.param(NEWS, None, HOUR, id="news, no date: an hour"),
        pytest.param(GENERIC, None, math.sqrt(30) * DAY, id="generic, no date: five and a half days"),
        pytest.param(DORMANT, None, math.sqrt(2700) * DAY, id="dormant, no date"),
        pytest.param(GENERIC, NOW - 7 * DAY, 7 * DAY, id="a week old: a week"),
        pytest.param(GENERIC, NOW - HOUR, DAY, id="young: the floor"),
        pytest.param(GENERIC, NOW, DAY, id="made for us: the floor"),
        pytest.param(GENERIC, NOW - 5000 * DAY, 30 * DAY, id="old: the ceiling"),
        pytest.param(GENERIC, NOW + DAY, math.sqrt(30) * DAY, id="a date to come is no date"),
    ],
)
def test_first_seen(host_class: HostClass, last_modified: float | None, interval: float) -> None:
    history = first_seen(NOW, host_class, last_modified)
    assert history.interval == pytest.approx(interval)
    assert history.gaps == Gaps()


@pytest.mark.parametrize(
    ("host_class", "interval", "changed", "expected"),
    [
        pytest.param(GENERIC, 8 * DAY, True, 4 * DAY, id="changed: half"),
        pytest.param(GENERIC, 8 * DAY, False, 12 * DAY, id="unchanged: half as much again"),
        pytest.param(GENERIC, 1.5 * DAY, True, DAY, id="down to the floor"),
        pytest.param(GENERIC, 25 * DAY, False, 30 * DAY, id="up to the ceiling"),
        pytest.param(NEWS, 12 * MINUTE, True, 10 * MINUTE, id="news floor"),
        pytest.param(NEWS, 5 * HOUR, False, 6 * HOUR, id="news ceiling"),
        pytest.param(DORMANT, 40 * DAY, True, 30 * DAY, id="dormant floor"),
        pytest.param(DORMANT, 80 * DAY, False, 90 * DAY, id="dormant ceiling"),
        pytest.param(NEWS, 30 * DAY, False, 6 * HOUR, id="moved to a livelier class"),
    ],
)
def test_seen_again(host_class: HostClass, interval: float, changed: bool, expected: float) -> None:
    history = seen_again(History(interval, Gaps(3, 7, 1, 100)), changed, 300, host_class)
    assert history.interval == pytest.approx(expected)
    assert history.gaps == (Gaps(4, 307, 1, 100) if changed else Gaps(3, 7, 2, 400))


@settings(max_examples=100, deadline=None)
@given(CLASSES, st.none() | st.floats(0, 2 * NOW), st.lists(st.tuples(st.booleans(), st.floats(0, 1e8)), max_size=30))
def test_the_interval_stays_in_bounds_and_moves_the_right_way(
    host_class: HostClass, last_modified: float | None, visits: list[tuple[bool, float]]
) -> None:
    floor, ceiling, _ = BOUNDS[host_class]
    history = first_seen(NOW, host_class, last_modified)
    for changed, gap in visits:
        before, history = history, seen_again(history, changed, gap, host_class)
        assert floor <= history.interval <= ceiling
        if changed:
            assert history.interval == max(floor, before.interval / 2) <= before.interval
        else:
            assert history.interval == min(ceiling, before.interval * 1.5) >= before.interval
    assert msgspec.json.decode(msgspec.json.encode(history), type=History) == history


def even(gap: float, count: int, changes: int) -> Gaps:
    return Gaps(changes, gap * changes, count - changes, gap * (count - changes))


@pytest.mark.parametrize(
    ("gaps", "given_class", "expected"),
    [
        pytest.param(Gaps(), NEWS, NEWS, id="nothing known"),
        pytest.param(even(DAY, ENOUGH_GAPS - 1, 4), GENERIC, GENERIC, id="too little known"),
        pytest.param(even(DAY, 10, 10), GENERIC, NEWS, id="other at every daily visit"),
        pytest.param(even(DAY, 10, 10), DORMANT, NEWS, id="the class given no longer counts"),
        pytest.param(even(DAY, 10, 5), GENERIC, GENERIC, id="other at every second daily visit"),
        pytest.param(even(HOUR, 100, 30), NEWS, NEWS, id="by the hour"),
        pytest.param(even(0.001, 100, 100), NEWS, NEWS, id="a thousand times a second"),
        pytest.param(even(6 * HOUR, 100, 0), NEWS, GENERIC, id="quiet for 25 days: not long enough for dormant"),
        pytest.param(even(6 * HOUR, 5, 0), NEWS, GENERIC, id="quiet for 30 hours"),
        pytest.param(even(HOUR, 5, 0), NEWS, NEWS, id="quiet for 5 hours says nothing yet"),
        pytest.param(even(20 * DAY, 5, 0), GENERIC, DORMANT, id="quiet for 100 days"),
        pytest.param(even(30 * DAY, 10, 3), GENERIC, DORMANT, id="other every third month"),
        pytest.param(even(30 * DAY, 10, 9), DORMANT, GENERIC, id="woken"),
    ],
)
def test_class_of(gaps: Gaps, given_class: HostClass, expected: HostClass) -> None:
    assert class_of(gaps, given_class) is expected


@settings(max_examples=100, deadline=None)
@given(st.integers(ENOUGH_GAPS, 1000), st.data(), st.floats(60, 1e7))
def test_more_changes_never_mean_a_quieter_class(count: int, data: st.DataObject, gap: float) -> None:
    order = list(HostClass)
    few = data.draw(st.integers(0, count - 1))
    quiet, lively = (class_of(even(gap, count, changes), GENERIC) for changes in (few, few + 1))
    assert order.index(lively) <= order.index(quiet)


def test_the_rule_settles_where_its_steps_cancel_out() -> None:
    found = 1 - math.exp(-SETTLES_AT)  # the share of visits that find a change
    assert found * math.log(0.5) + (1 - found) * math.log(1.5) == pytest.approx(0)


@pytest.mark.parametrize("name", HostClass)
def test_within(name: HostClass) -> None:
    floor, ceiling, _ = BOUNDS[name]
    assert within(0, name) == floor
    assert within(math.inf, name) == ceiling
    assert within((floor + ceiling) / 2, name) == (floor + ceiling) / 2


def test_due() -> None:
    assert due(NOW, DAY) == NOW + DAY
