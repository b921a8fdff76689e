"""The policy that gets the most freshness out of the visits that there are. Pure.

A page is due when it is worth the price (`worth_a_visit`). Signals change that in two ways. Changes that would be
signalled need no visit on suspicion, so only the others count for the wait. And a signal makes the copy less
likely to be fresh: the page is due as soon as that is less than what it comes to in the long run, net of what its
visits cost (`least`). Whether to wait for signals or to ignore them is decided by which comes to more.
"""

from __future__ import annotations

import math

from skitter.schedule.belief import LADDER, TINY, Weights, after_gap, after_wait, normal, packed, still_fresh, unpacked
from skitter.schedule.policy import FREE, LONGEST, Market, Place, Step, Watch
from skitter.schedule.price import Price, asked, joined, moved, round_time
from skitter.schedule.recrawl import Bounds
from skitter.schedule.trust import Heed, believe, heed, looked_into, spoken
from skitter.schedule.usual import ballot, usual_rates, voted
from skitter.schedule.worth_a_visit import until_fresh, wait

LEAST_HIDDEN = 0.01
"""Nobody signals every change."""
DOUBTFUL = 0.98
"""Signals that are so likely all false move nothing, and cost no thought."""


class Optimal:
    """The policy "optimal". `bounds` are those of the host's class, or none."""

    is_patient = False

    def __init__(self, bounds: Bounds = FREE) -> None:
        self._bounds = bounds

    def fetched(self, at: float, weight: float, place: Place, market: Market) -> Step:
        """Returns what a page's first fetch leaves: it is taken for one as is usual on its host."""
        usual = usual_rates(place.votes, market.votes)
        watch = self._planned(at, usual, weight, heed(place.trust, market.trust), market.price)
        return Step(watch, place, Market(joined(market.price, watch.demand), market.votes, market.trust))

    def visited(self, watch: Watch, at: float, changed: bool, weight: float, place: Place, market: Market) -> Step:
        """Returns what a visit leaves."""
        usual = usual_rates(place.votes, market.votes)
        heeded = heed(place.trust, market.trust)
        gap = at - watch.last
        before = after_wait(unpacked(watch.belief), usual, gap) if watch.belief else usual
        after = learnt(before, gap, changed, heeded, watch.signals)
        belief = packed(after)
        own, all_ = place.trust, market.trust
        if own.has_spoken:
            believed = believe(own, all_)
            hidden, alone = 1.0 - still_fresh(before, believed.hidden * gap), 1.0 - still_fresh(before, gap)
            own = looked_into(own, believed, watch.signals, hidden=hidden, alone=alone, changed=changed)
            # A visit counts once in the crawl's record, or those who cry all day would speak for all.
            all_ = looked_into(all_, believed, min(watch.signals, 1), hidden=hidden, alone=alone, changed=changed)
        vote = ballot(watch.belief, belief)
        price = moved(market.price, at - watch.due)
        planned = self._planned(at, after, weight, heeded, price, belief)
        price = asked(price, watch.demand, planned.demand)
        return Step(planned, Place(voted(place.votes, vote), own), Market(price, voted(market.votes, vote), all_))

    def signalled(self, watch: Watch, at: float, place: Place, market: Market) -> Step:
        """Returns what a signal leaves: the page may be due sooner."""
        place = Place(place.votes, spoken(place.trust))
        heeded = heed(place.trust, market.trust)
        signals, due, least = watch.signals + 1, watch.due, watch.least
        if at < due and heeded.doubt(signals) < DOUBTFUL:
            weights = unpacked(watch.belief) if watch.belief else usual_rates(place.votes, market.votes)
            least = least or still_fresh(weights, due - watch.last)
            hidden = max(heeded.hidden, LEAST_HIDDEN)
            sooner = watch.last + until_fresh(weights, least / max(heeded.doubt(signals), 1e-12)) / hidden
            due = max(at, min(due, sooner))
        return Step(Watch(watch.last, due, watch.demand, watch.belief, least, signals), place, market)

    def _planned(
        self, at: float, weights: Weights, weight: float, heeded: Heed, price: Price, belief: bytes = b""
    ) -> Watch:
        cost = price.value / weight if weight > 0 else math.inf
        longest = min(LONGEST * round_time(price), self._bounds.ceiling)
        alone = max(self._bounds.floor, min(longest, wait(weights, cost)))
        if heeded.precision <= 0:
            return Watch(at, at + alone, 1 / alone, belief)
        hidden = max(heeded.hidden, LEAST_HIDDEN)
        longer = max(self._bounds.floor, min(longest, wait(weights, cost * hidden) / hidden))
        gap, fresh = _cycle(weights, heeded, longer)
        net, least = (fresh - cost) / gap, still_fresh(weights, alone)
        if net <= least:
            return Watch(at, at + alone, 1 / alone, belief, least)
        return Watch(at, at + longer, 1 / gap, belief, net)


def learnt(weights: Weights, gap: float, changed: bool, heeded: Heed, signals: int) -> list[float]:
    """Returns the belief after a gap with some signals in it.

    A true signal is a change that was counted, not only noticed: it speaks for the rate itself.
    """
    if not changed or heeded.recall <= 0 or not gap > 0:
        return after_gap(weights, gap, changed)
    mean = sum([weight * rate for weight, rate in zip(weights, LADDER, strict=True)])
    doubt = heeded.doubt(signals)
    return normal(
        [
            weight
            * math.exp(-heeded.recall * rate * gap)
            * ((1.0 - doubt) * rate / mean - doubt * math.expm1(-heeded.hidden * rate * gap))
            + TINY
            for weight, rate in zip(weights, LADDER, strict=True)
        ]
    )


def _cycle(weights: Weights, heeded: Heed, longest: float) -> tuple[float, float]:
    """Returns the mean time to the next visit if each signal leads to one, and for how long of it the copy is fresh."""
    gap = fresh = 0.0
    for weight, rate in zip(weights, LADDER, strict=True):
        signals = rate * heeded.recall / heeded.precision
        ends = signals + rate * heeded.hidden
        gap += weight * -math.expm1(-signals * longest) / signals
        fresh += weight * -math.expm1(-ends * longest) / ends
    return gap, fresh
