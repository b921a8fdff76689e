"""When a page is seen again.

The rule is simple and forgets fast: changed, half the interval; unchanged, one and a half times. It settles where a
visit finds a change about every third time. The class of the host bounds it from both sides. What was seen over
longer (`change`) never bends the rule; it picks the class, so that a host which publishes by the hour leaves the
class whose floor is a day.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from skitter.schedule.change import Gaps, change_rate, with_gap
from skitter.settings import DAY, HOUR, MINUTE

ON_CHANGE = 0.5
ON_NO_CHANGE = 1.5

SETTLES_AT = -math.log1p(-math.log(ON_NO_CHANGE) / math.log(ON_NO_CHANGE / ON_CHANGE))
"""Changes per interval where the rule's steps down and up cancel out: 0.46."""

ENOUGH_GAPS = 5
"""With fewer, a host stays in the class it was given: one lively page is no news site."""

LEAST_CHANGES = 0.5
"""Having seen no change yet speaks for fewer than one, not for none ever."""


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


class History(Struct, frozen=True, gc=False):
    """A page's interval, and the gaps between its visits so far."""

    interval: float
    gaps: Gaps = Gaps()


def first_seen(now: float, host_class: HostClass, last_modified: float | None = None) -> History:
    """Returns the history of a page after its first visit.

    If changes come at random, a page's age is the best guess of the time to its next one. Without a date, or with one
    to come, the interval is midway (as a ratio) between floor and ceiling: the fewest steps to either.
    """
    if last_modified is None or last_modified > now:
        bounds = BOUNDS[host_class]
        return History(math.sqrt(bounds.floor * bounds.ceiling))
    return History(within(now - last_modified, host_class))


def seen_again(history: History, changed: bool, gap: float, host_class: HostClass) -> History:
    """Returns the history after another visit, `gap` seconds after the last."""
    factor = ON_CHANGE if changed else ON_NO_CHANGE
    return History(within(history.interval * factor, host_class), with_gap(history.gaps, gap, changed))


def class_of(gaps: Gaps, given: HostClass) -> HostClass:
    """Returns the class that a host's gaps speak for; the one it was `given` until there are enough of them."""
    if gaps.count < ENOUGH_GAPS:
        return given
    wish = SETTLES_AT / max(change_rate(gaps), LEAST_CHANGES / gaps.span)
    return max((name for name in BOUNDS if wish >= BOUNDS[name].above), key=lambda name: BOUNDS[name].above)


def within(interval: float, host_class: HostClass) -> float:
    """Returns the interval, at least the floor and at most the ceiling of the class."""
    bounds = BOUNDS[host_class]
    return min(bounds.ceiling, max(bounds.floor, interval))


def due(last_visit: float, interval: float) -> float:
    """Returns when a page is to be seen again."""
    return last_visit + interval
