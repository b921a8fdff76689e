"""How often a page changes, as far as its visits tell. Pure.

A visit says only whether a page changed since the last one. A single number for its rate would forget how sure we are
of it, and real pages are not steady: they change in bursts, stop, and start again. So a page has a *belief*: how
likely each of sixteen rates is, from six an hour to one in four years. It is made of two parts: what is *usual* on its
host and in the crawl (`usual`), and the *evidence* of its own visits, by how much each rate is likelier than was usual.
A quiet gap t is e^(−λt) likely at the rate λ, one with a change 1 − e^(−λt); the rule of Bayes does the rest. Only the
evidence is the page's own: when we learn what is usual, all that we believed of it moves along, also of its first
visits.

Between two visits a page may have become another one, seldom (`LASTS`): then its evidence counts for less. So a page
that stopped is found out by its silence, and one that woke up by its change, and no window has to fit both.

For a rate that stands still it comes to the estimate of Cho and Garcia-Molina ("Estimating frequency of change", 2003),
whose half a change is here what is usual.
"""

from __future__ import annotations

import math
import struct
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
LASTS = 1500 * DAY
"""How long a page stays what it is, in the mean. From 600 to 1,500 days real histories come out alike; the longer, the
nearer steady pages come to the best, and the later pages are found out that come and go in bursts."""

TINY = 1e-300
"""So likely is every rate, whatever was seen."""
FINE = 16
"""A weight is kept as a byte: its logarithm in sixteenths. The least is e^-16, from which a rate can return."""
FINEST = 4096
"""Evidence is kept in two bytes each: its logarithm in such parts, down to e^-16. A quiet week speaks for one change in
four years against one in two, but so softly that in sixteenths it would be rounded away, week after week."""
_WEIGHT = tuple(math.exp(-step / FINE) for step in range(256))
_LEAST = 2**16 - 1
_NUMBERS = struct.Struct(f">{STEPS}H")


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


def packed_evidence(evidence: Weights) -> bytes:
    """Returns evidence in two bytes each, as it is kept in a page's record: against that of the likeliest rate."""
    most = max(evidence)
    least = most * math.exp(-_LEAST / FINEST)
    return _NUMBERS.pack(*[round(-FINEST * math.log(each / most)) if each > least else _LEAST for each in evidence])


def unpacked_evidence(evidence: bytes) -> list[float]:
    """Returns the evidence that was packed, but for the rounding. None says as much for any rate."""
    return [math.exp(-step / FINEST) for step in _NUMBERS.unpack(evidence)] if evidence else [1.0] * STEPS


def believed(evidence: Weights, usual: Weights) -> list[float]:
    """Returns the belief about a page with that evidence."""
    return normal([each * other for each, other in zip(evidence, usual, strict=True)])


def after_wait(evidence: Weights, usual: Weights, time: float) -> list[float]:
    """Returns the evidence about a page that was left alone for a time: it may have become another one."""
    stays = math.exp(-time / LASTS)
    total = sum(map(mul, evidence, usual))
    return [stays * each / total + (1 - stays) for each in evidence]


def likelihood(gap: float, changed: bool) -> list[float]:
    """Returns how likely a gap with a change, or without one, is at each rate."""
    if changed:
        return [-math.expm1(-rate * gap) for rate in LADDER]
    return [math.exp(-rate * gap) for rate in LADDER]
