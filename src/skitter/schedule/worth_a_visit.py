"""When a page is worth a visit, at the price that a visit has in this crawl. Pure.

We want the most of Σ importance × P(our copy is what the site shows) for a number of visits. For a page of importance μ
that changes at the rate λ and was seen a time t ago, a visit brings (μ/λ)(1 − (1 + λt)e^(−λt)) more than it would if it
were made at once again (Cho and Garcia-Molina 2003 in another form). In the best plan that is the same for all pages
when their turn comes: the price Λ. A page whose μ/λ is less is never worth it: our copy would be stale again too soon.

We know λ only as a belief, so we take the mean over it. That alone would give up on pages too easily: one that was
changed at each of a few visits may change every hour or every week, and whoever never looks again never learns which.
Finding that a page is slower than feared pays at each later visit, so quick rates count for less (`DOUBTED`); and a
page that would be left alone for long though it may well be slow is looked at twice in a row (`LONG`): a short gap
tells.

The sum is read off a table: the rates are steps of a ladder, so with times that are fractions of the same steps, all
products of a rate and a time are entries of one row.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from operator import mul, truediv

from skitter.schedule.belief import LADDER, RATIO, Weights, mean_rate

TOO_QUICK = 0.5
"""From this many changes per price on, a page is nearly or wholly not worth a visit."""
DOUBTED = 0.6
"""What the belief that a page is so quick counts for, against 1. At 1 pages are given up that only look so; at less
than this too many are not that are."""
LONG, SOON = 20.0, 2.0
"""Prices after which a page is given up for now, and after which it is looked at instead if there is doubt."""
MAY_BE_SLOW = (0.05, 0.9)
"""How likely a page is not too quick while there is doubt."""

NEVER = math.inf

_FINER = 8
_SHORTEST = 10.0
_TIMES = tuple(_SHORTEST * math.pow(RATIO, step / _FINER) for step in range(200))
_SPAN = _FINER * len(LADDER)
_PRODUCTS = tuple(LADDER[0] * _SHORTEST * math.pow(RATIO, step / _FINER) for step in range(len(_TIMES) + _SPAN))


def gain(x: float) -> float:
    """Returns 1 − (1 + x)e^(−x), by its series where the difference would lose its digits."""
    return x * x * (1 / 2 - x / 3 + x * x / 8) if x < 1e-3 else 1 - (1 + x) * math.exp(-x)


_STEPS = range(len(_TIMES))
_GAINS = tuple(map(gain, _PRODUCTS))
_STALE = tuple(-math.expm1(-product) for product in _PRODUCTS)


def wait(weights: Weights, price: float) -> float:
    """Returns how long to leave a page alone, if a visit costs `price` for its importance; NEVER is possible."""
    quick = bisect_left(LADDER, TOO_QUICK / price)
    time = _worth_after(weights, quick, price)
    low, high = MAY_BE_SLOW
    return SOON * price if time > LONG * price and low < sum(weights[:quick]) < high else time


def _worth_after(weights: Weights, quick: int, price: float) -> float:
    """Returns the time after which a visit is worth its price; rates from `quick` on are too quick."""
    counted = [*weights[:quick], *[DOUBTED * weight for weight in weights[quick:]]]
    price *= sum(counted)
    values = list(map(truediv, counted, LADDER))
    if sum(values) <= price:
        return NEVER

    def value(step: int) -> float:
        return float(sum(map(mul, values, _GAINS[step : step + _SPAN : _FINER])))

    # 1 − (1 + x)e^(−x) is at most x²/2, which is close to it while x is small: from there it is seldom far.
    shortest = math.sqrt(2 * price / mean_rate(counted))
    return _reached(value, price, bisect_left(_TIMES, shortest))


def until_fresh(weights: Weights, least: float) -> float:
    """Returns the age from which on a copy is less likely to be fresh than `least`; NEVER, or 20 years."""
    if least <= 0:
        return NEVER
    if least >= 1:
        return 0.0

    def value(step: int) -> float:
        return float(sum(map(mul, weights, _STALE[step : step + _SPAN : _FINER])))

    return _reached(value, 1.0 - least, 0)


def _reached(value: Callable[[int], float], wanted: float, first: int) -> float:
    """Returns the time at which a value that grows with time is as wanted. Looks from `first` on, further each time."""
    low, leap = first, 1
    while low + leap < len(_TIMES) and value(low + leap) < wanted:
        low, leap = low + leap, 2 * leap
    after = bisect_left(_STEPS, wanted, low, min(low + leap, len(_TIMES)), key=value)
    if after in (0, len(_TIMES)):
        return _TIMES[min(after, len(_TIMES) - 1)]
    before, then = value(after - 1), value(after)
    part = min(1.0, max(0.0, (wanted - before) / (then - before))) if then > before else 1.0
    return _TIMES[after - 1] * math.pow(_TIMES[after] / _TIMES[after - 1], part)
