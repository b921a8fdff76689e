"""How lively a host is, and how seldom and how often its pages are seen again at the most. Pure.

The class of a host bounds whatever a policy wants. It is learnt from what is believed of the host's pages, by the rate
that is typical of them: a few lively pages make no news site, and do not have all others visited by the hour.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from enum import StrEnum
from operator import mul
from typing import NamedTuple

from skitter.schedule.belief import LADDER
from skitter.schedule.usual import Votes
from skitter.settings import DAY, HOUR, MINUTE

ON_CHANGE = 0.5
ON_NO_CHANGE = 1.5

SETTLES_AT = -math.log1p(-math.log(ON_NO_CHANGE) / math.log(ON_NO_CHANGE / ON_CHANGE))
"""Changes per interval where the rule's steps down and up cancel out: 0.46."""

ENOUGH_PAGES = 5.0
"""With fewer that were seen again, a host stays in the class it was given."""

_LOGARITHMS = tuple(map(math.log, LADDER))


class HostClass(StrEnum):
    """How lively a host is."""

    NEWS = "news"
    GENERIC = "generic"
    DORMANT = "dormant"


class Bounds(NamedTuple):
    """The shortest and the longest interval, and the wish from which on a host belongs to this class."""

    floor: float
    ceiling: float
    above: float


BOUNDS: dict[HostClass, Bounds] = {
    HostClass.NEWS: Bounds(10 * MINUTE, 6 * HOUR, above=0.0),
    # Midway (as a ratio) between the news ceiling and this floor: what lies between has the nearer one.
    HostClass.GENERIC: Bounds(1 * DAY, 30 * DAY, above=12 * HOUR),
    HostClass.DORMANT: Bounds(30 * DAY, 90 * DAY, above=30 * DAY),
}


_ABOVE = sorted(BOUNDS, key=lambda name: BOUNDS[name].above)
_WISHES = [BOUNDS[name].above for name in _ABOVE]


def class_of(votes: Votes, otherwise: HostClass) -> HostClass:
    """Returns the class that the pages of a host speak for, or the other one until there are enough of them."""
    if votes.pages < ENOUGH_PAGES:
        return otherwise
    return _ABOVE[bisect_right(_WISHES, SETTLES_AT / typical_rate(votes)) - 1]


def typical_rate(votes: Votes) -> float:
    """Returns the changes a second that are typical of pages which have voted: the mean of their logarithms."""
    return math.exp(sum(map(mul, votes.rates, _LOGARITHMS)) / votes.pages)


def within(interval: float, bounds: Bounds) -> float:
    """Returns the interval, at least the floor and at most the ceiling."""
    return min(bounds.ceiling, max(bounds.floor, interval))
