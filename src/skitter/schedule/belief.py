"""How often a page changes, as far as its visits tell. Pure.

A visit says only whether a page changed since the last one. A single number for its rate would forget how sure we are
of it, and real pages are not steady: they change in bursts, stop, and start again. So a page has a *belief*: how likely
each of sixteen rates is, from six an hour to one in four years. A visit after a gap t turns it by the rule of Bayes:
a quiet gap is e^(−λt) likely at the rate λ, one with a change 1 − e^(−λt). Between two visits a page may also have
become another one, seldom (`LASTS`): then its rate is drawn anew from what is usual on its host (`usual`). So a page
that stopped is found out by its silence, and one that woke up by its change, and no window has to fit both.

For a rate that stands still it comes to the estimate of Cho and Garcia-Molina ("Estimating frequency of change", 2003),
whose half a change is here what is usual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import TypeAlias

from skitter.settings import DAY

Weights: TypeAlias = Sequence[float]
"""How likely each rate of the ladder is; they add up to 1."""

STEPS = 16
SLOWEST = 1 / (1500 * DAY)
QUICKEST = 144 / DAY
RATIO = math.pow(QUICKEST / SLOWEST, 1 / (STEPS - 1))
LADDER = tuple(SLOWEST * math.pow(RATIO, step) for step in range(STEPS))
"""The rates, in changes a second. Closer steps made no difference: what is uncertain is far wider than a step."""
LASTS = 600 * DAY
"""How long a page stays what it is, in the mean. From 200 to 1,500 days real histories come out alike."""

TINY = 1e-300
"""So likely is every rate, whatever was seen."""
FINE = 16
"""A weight is kept as a byte: its logarithm in sixteenths. The least is e^-16, from which a rate can return."""
_WEIGHT = tuple(math.exp(-step / FINE) for step in range(256))


def packed(weights: Weights) -> bytes:
    """Returns the weights in a byte each, as they are kept in a page's record."""
    most = max(weights)
    least = most * _WEIGHT[-1]
    return bytes([round(-FINE * math.log(weight / most)) if weight > least else 255 for weight in weights])


def unpacked(belief: bytes) -> list[float]:
    """Returns the weights that were packed, but for the rounding."""
    return normal(list(map(_WEIGHT.__getitem__, belief)))


def normal(weights: Weights) -> list[float]:
    """Returns the weights, so that they add up to 1."""
    total = sum(weights)
    return [weight / total for weight in weights]


def certain(rate: float) -> list[float]:
    """Returns the belief that a page has the step of the ladder that is nearest to a rate."""
    step = min(STEPS - 1, max(0, round(math.log(rate / SLOWEST) / math.log(RATIO))))
    return [float(at == step) for at in range(STEPS)]


def mean_rate(weights: Weights) -> float:
    """Returns the expected changes a second."""
    return math.fsum(map(mul, weights, LADDER))


def still_fresh(weights: Weights, time: float) -> float:
    """Returns how likely a copy of that age is what the page shows, if nothing else is known."""
    return sum([weight * math.exp(-rate * time) for weight, rate in zip(weights, LADDER, strict=True)])


def after_wait(weights: Weights, usual: Weights, time: float) -> list[float]:
    """Returns the belief about a page that was left alone for a time: it may have become another one."""
    stays = math.exp(-time / LASTS)
    return [stays * weight + (1 - stays) * other for weight, other in zip(weights, usual, strict=True)]


def after_gap(weights: Weights, gap: float, changed: bool) -> list[float]:
    """Returns the belief after a gap with a change or without. One of no length (the clock went back) says nothing."""
    if not gap > 0:
        return list(weights)
    if changed:
        return normal([weight * -math.expm1(-rate * gap) + TINY for weight, rate in zip(weights, LADDER, strict=True)])
    return normal([weight * math.exp(-rate * gap) + TINY for weight, rate in zip(weights, LADDER, strict=True)])
