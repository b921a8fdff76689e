"""When what leads to new pages is read again: feeds, sitemaps, front pages. Pure.

They change with every page that appears, too often for their copies to stay fresh; what they are worth is the links.
So they have an interval of their own: the time in which they bring about two new ones (`AIM`). Fewer a visit would be
visits in vain, more would be pages that are found late. Whoever brings nothing is asked ever more seldom.
"""

from __future__ import annotations

import math

from msgspec import Struct

from skitter.schedule.recrawl import Bounds, within
from skitter.settings import DAY, MINUTE

AIM = 2.0
"""New links that a visit is to bring."""
UNSEEN = 0.5
"""Having brought none yet speaks for fewer than one, not for none ever."""
REMEMBERED = 7 * DAY
"""How long what was brought counts. Nights and week-ends are part of it: a site that sleeps has not stopped."""
LIST = Bounds(10 * MINUTE, 30 * DAY, above=0.0)
"""The bounds of lists on hosts whose class nobody has set: what they bring tells more than the class that is learnt."""


class Brought(Struct, frozen=True, gc=False, array_like=True):
    """What visits after the first have brought, and in how much time; older ones count less."""

    links: float = 0.0
    time: float = 0.0
    visits: int = 0


def brought_by(before: Brought, gap: float, links: int) -> Brought:
    """Returns what was brought after another visit. A gap of no length (the clock went back) says nothing."""
    if not gap > 0:
        return before
    stays = math.exp(-gap / REMEMBERED)
    # A gap much longer than our memory counts for no more than that: the links in it were not all of late.
    counts = REMEMBERED * -math.expm1(-gap / REMEMBERED) / gap
    return Brought(before.links * stays + links * counts, before.time * stays + gap * counts, before.visits + 1)


def is_list(brought: Brought) -> bool:
    """Whether a page has brought new links of late, so that it is worth a visit for them."""
    return brought.links > UNSEEN


def interval_of(brought: Brought, bounds: Bounds, first: float) -> float:
    """Returns the time to the next visit; `first` until there was a second one."""
    if not brought.visits:
        return within(first, bounds)
    # Between two visits no more can be known than that so many came: half a one more or less.
    return within(AIM * brought.time / (brought.links + UNSEEN), bounds)
