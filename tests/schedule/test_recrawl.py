"""How lively a host is: learnt from its pages, or set."""

from __future__ import annotations

import math
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.errors import OperatorError
from skitter.schedule.belief import LADDER, certain
from skitter.schedule.classes import given_to, parsed
from skitter.schedule.recrawl import BOUNDS, ENOUGH_PAGES, SETTLES_AT, HostClass, class_of, within
from skitter.schedule.rules import POLICIES
from skitter.schedule.usual import Votes
from skitter.settings import DAY, ScheduleSettings

NEWS, GENERIC, DORMANT = HostClass


def test_the_settings_know_every_class_and_policy() -> None:
    hints = get_type_hints(ScheduleSettings)
    assert get_args(hints["host_class"]) == tuple(HostClass)
    assert get_args(hints["policy"]) == tuple(POLICIES)
    assert set(BOUNDS) == set(HostClass)


def votes(*pages: tuple[float, int]) -> Votes:
    """Returns the votes of so many pages that change at each rate a second."""
    weighed = [(certain(rate), count) for rate, count in pages]
    rates = tuple(sum(weights[step] * count for weights, count in weighed) for step in range(len(LADDER)))
    return Votes(float(sum(count for _, count in pages)), rates)


@pytest.mark.parametrize(
    ("known", "otherwise", "expected"),
    [
        pytest.param(Votes(), NEWS, NEWS, id="nothing known"),
        pytest.param(votes((10 / DAY, 4)), GENERIC, GENERIC, id="too little known"),
        pytest.param(votes((10 / DAY, 5)), GENERIC, NEWS, id="ten times a day"),
        pytest.param(votes((10 / DAY, 5)), DORMANT, NEWS, id="the other class no longer counts"),
        pytest.param(votes((1 / (7 * DAY), 5)), NEWS, GENERIC, id="once a week"),
        pytest.param(votes((1 / (300 * DAY), 5)), GENERIC, DORMANT, id="hardly ever"),
        pytest.param(votes((140 / DAY, 5), (1 / (20 * DAY), 95)), GENERIC, GENERIC, id="a few lively pages"),
    ],
)
def test_class_of(known: Votes, otherwise: HostClass, expected: HostClass) -> None:
    assert class_of(known, otherwise) is expected


@given(st.sampled_from(LADDER), st.sampled_from(LADDER))
def test_quicker_pages_never_mean_a_quieter_class(one: float, other: float) -> None:
    order = list(HostClass)
    slow, quick = (class_of(votes((rate, int(ENOUGH_PAGES))), GENERIC) for rate in sorted((one, other)))
    assert order.index(quick) <= order.index(slow)


def test_the_rule_settles_where_its_steps_cancel_out() -> None:
    found = 1 - math.exp(-SETTLES_AT)  # the share of visits that find a change
    assert found * math.log(0.5) + (1 - found) * math.log(1.5) == pytest.approx(0)


@pytest.mark.parametrize("name", HostClass)
def test_within(name: HostClass) -> None:
    floor, ceiling, _ = BOUNDS[name]
    assert [within(wish, BOUNDS[name]) for wish in (0, math.inf, (floor + ceiling) / 2)] == [
        floor,
        ceiling,
        (floor + ceiling) / 2,
    ]


def test_classes_are_set_by_name_and_the_longest_counts() -> None:
    classes = parsed(["example.org news", ".old.example.org dormant"])
    hosts = [
        "example.org",
        "www.example.org",
        "a.old.example.org",
        "old.example.org:8080",
        "example.com",
        "xexample.org",
    ]
    assert [given_to(host, classes) for host in hosts] == [NEWS, NEWS, DORMANT, DORMANT, None, None]


@pytest.mark.parametrize("row", ["example.org", "news", "example.org daily", ""])
def test_a_row_that_means_nothing_is_refused(row: str) -> None:
    with pytest.raises(OperatorError, match=r"schedule.classes\[0\]"):
        parsed([row])
