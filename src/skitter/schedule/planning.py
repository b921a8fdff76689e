"""What a number of visits a day would give: how fresh copies are in the long run, by what is believed of pages. Pure.

The same model that the visits of a crawl are planned with (`worth_a_visit`): at every price pages ask for some visits,
and at the price at which they ask for what there is, each has its interval. A copy that is seen every I is fresh a
share (1 − e^(−λI))/(λI) of the time, in the mean over what is believed of λ. Signals are left out: they make it better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from skitter.schedule.belief import LADDER, Weights
from skitter.schedule.policy import LONGEST
from skitter.schedule.recrawl import BOUNDS, HostClass, within
from skitter.schedule.worth_a_visit import wait
from skitter.settings import DAY

PRICES = tuple(1e-2 * 1.25**step for step in range(125))
"""Prices that are tried, in seconds of freshness; between two of them what they give is interpolated."""


class PlannedPage(Struct, frozen=True):
    """A page as it is believed to be."""

    weights: Weights
    importance: float
    host_class: HostClass
    count: float = 1.0  # pages that it stands for


class Plan(Struct, frozen=True):
    """What a budget gives."""

    budget: float  # visits a day
    used: float  # of these: pages are seen no more often than their classes allow
    every: float  # seconds between two visits to a page, in the mean
    fresh: float  # the share of copies
    important: float  # the same, each page counted by its importance
    uniform: float  # the share of copies if all pages were seen equally often
    classes: dict[str, float] = {}  # the share by class of host


def plan(pages: Sequence[PlannedPage], budgets: Sequence[float]) -> list[Plan]:
    """Returns what each budget gives. There must be pages."""
    waits = [[wait(page.weights, price / page.importance) for price in PRICES] for page in pages]
    return [_planned(pages, waits, budget) for budget in budgets]


def fresh_share(weights: Weights, interval: float) -> float:
    """Returns the share of time in which a copy is fresh that is made every so often."""
    if interval <= 0:
        return 1.0
    products = [rate * interval for rate in LADDER]
    return math.fsum(
        weight * (-math.expm1(-x) / x if x > 1e-9 else 1.0) for weight, x in zip(weights, products, strict=True)
    )


def _planned(pages: Sequence[PlannedPage], waits: Sequence[Sequence[float]], budget: float) -> Plan:
    number = sum(page.count for page in pages)
    every = number * DAY / budget
    low, high = 0, len(PRICES) - 1
    while high - low > 1:  # dearer: fewer visits
        middle = (low + high) // 2
        if _asked(pages, _intervals(pages, waits, middle, every)) > budget:
            low = middle
        else:
            high = middle
    cheap, dear = (_intervals(pages, waits, step, every) for step in (low, high))
    more, less = _asked(pages, cheap), _asked(pages, dear)
    part = min(1.0, max(0.0, (more - budget) / (more - less))) if more > less else 0.0
    intervals = [one * math.pow(other / one, part) for one, other in zip(cheap, dear, strict=True)]
    shares = [fresh_share(page.weights, interval) for page, interval in zip(pages, intervals, strict=True)]
    even = [within(every, BOUNDS[page.host_class]._replace(ceiling=math.inf)) for page in pages]
    return Plan(
        budget,
        min(budget, _asked(pages, intervals)),
        every,
        _mean(pages, shares),
        _mean([_weighed(page) for page in pages], shares),
        _mean(pages, [fresh_share(page.weights, one) for page, one in zip(pages, even, strict=True)]),
        {name.value: _of_class(pages, shares, name) for name in HostClass if any(p.host_class is name for p in pages)},
    )


def _intervals(pages: Sequence[PlannedPage], waits: Sequence[Sequence[float]], step: int, every: float) -> list[float]:
    """Returns how often each page is seen at a price, within what its class and its crawl allow."""
    longest = LONGEST * every
    bounds = {name: BOUNDS[name]._replace(ceiling=max(BOUNDS[name].ceiling, every)) for name in HostClass}
    return [
        within(min(times[step], longest), bounds[page.host_class]) for page, times in zip(pages, waits, strict=True)
    ]


def _asked(pages: Sequence[PlannedPage], intervals: Sequence[float]) -> float:
    return sum(page.count * DAY / interval for page, interval in zip(pages, intervals, strict=True))


def _mean(pages: Sequence[PlannedPage], shares: Sequence[float]) -> float:
    total = sum(page.count for page in pages)
    return sum(page.count * share for page, share in zip(pages, shares, strict=True)) / total


def _weighed(page: PlannedPage) -> PlannedPage:
    return PlannedPage(page.weights, page.importance, page.host_class, page.count * page.importance)


def _of_class(pages: Sequence[PlannedPage], shares: Sequence[float], name: HostClass) -> float:
    chosen = [(page, share) for page, share in zip(pages, shares, strict=True) if page.host_class is name]
    return _mean([page for page, _ in chosen], [share for _, share in chosen])
