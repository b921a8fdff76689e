"""The policy that gets the most freshness out of the visits that there are. Pure.

A page is due when it is worth the price (`worth_a_visit`). Signals change that in two ways. Changes that would be
signalled need no visit on suspicion, so only the others count for the wait. And a signal makes the copy less
likely to be fresh: the page is due as soon as that is less than what it comes to in the long run, net of what its visits
cost (`least`). Whether to wait for signals or to ignore them is decided by which comes to more.
"""

from __future__ import annotations

import math

from skitter.schedule.belief import LADDER, Weights, after_gap, after_wait, normal, packed, still_fresh, unpacked
from skitter.schedule.policy import FREE, LONGEST, Market, Place, Step, Watch
from skitter.schedule.price import asked, joined, moved, round_time
from skitter.schedule.recrawl import Bounds
from skitter.schedule.trust import Heed, heed, looked_into, spoken
from skitter.schedule.usual import usual_rates, voted
from skitter.schedule.worth_a_visit import wait


class Optimal:
    """The policy "optimal". `bounds` are those of the host's class, or none."""

    is_patient = False

    def __init__(self, bounds: Bounds = FREE) -> None:
        self._bounds = bounds

    def fetched(self, at: float, weight: float, place: Place, market: Market) -> Step:
        """Returns what a page's first fetch leaves: it is taken for one as is usual on its host."""
        usual = usual_rates(place.votes, market.votes)
        watch = self._planned(at, usual, weight, heed(place.trust, market.trust), market)
        return Step(watch, place, Market(joined(market.price, watch.demand), market.votes, market.trust))

    def visited(self, watch: Watch, at: float, changed: bool, weight: float, place: Place, market: Market) -> Step:
        """Returns what a visit leaves."""
        usual = usual_rates(place.votes, market.votes)
        heeded = heed(place.trust, market.trust)
        gap = at - watch.last
        before = after_wait(unpacked(watch.belief) if watch.belief else usual, usual, gap)
        after = learnt(before, gap, changed, heeded, watch.signals)
        belief = packed(after)
        place, market = (
            Place(voted(place.votes, watch.belief, belief), place.trust),
            Market(moved(market.price, at - watch.due), voted(market.votes, watch.belief, belief), market.trust),
        )
        if place.trust.has_spoken:
            chance = 1.0 - still_fresh(before, heeded.hidden * gap)
            place, market = (
                Place(place.votes, looked_into(place.trust, heeded, watch.signals, chance=chance, changed=changed)),
                Market(
                    market.price,
                    market.votes,
                    looked_into(market.trust, heeded, watch.signals, chance=chance, changed=changed),
                ),
            )
        planned = self._planned(at, after, weight, heeded, market, belief)
        price = asked(market.price, watch.demand, planned.demand)
        return Step(planned, place, Market(price, market.votes, market.trust))

    def signalled(self, watch: Watch, at: float, place: Place, market: Market) -> Step:
        """Returns what a signal leaves: the page may be due sooner."""
        place = Place(place.votes, spoken(place.trust))
        heeded = heed(place.trust, market.trust)
        signals = watch.signals + 1
        due = watch.due
        if at < due and watch.least > 0:
            weights = unpacked(watch.belief) if watch.belief else usual_rates(place.votes, market.votes)
            due = max(at, min(due, watch.last + _until(weights, heeded, signals, watch.least)))
        return Step(Watch(watch.last, due, watch.demand, watch.belief, watch.least, signals), place, market)

    def _planned(
        self, at: float, weights: Weights, weight: float, heeded: Heed, market: Market, belief: bytes = b""
    ) -> Watch:
        price = market.price.value / weight if weight > 0 else math.inf
        longest = min(LONGEST * round_time(market.price), self._bounds.ceiling)
        alone = max(self._bounds.floor, min(longest, wait(weights, price)))
        least = still_fresh(weights, alone)
        if heeded.precision <= 0:
            return Watch(at, at + alone, 1 / alone, belief, least)
        hidden = max(heeded.hidden, 0.01)
        longer = max(self._bounds.floor, min(longest, wait(weights, price * hidden) / hidden))
        gap, fresh = _cycle(weights, heeded, longer)
        net = (fresh - price) / gap
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
            + 1e-300
            for weight, rate in zip(weights, LADDER, strict=True)
        ]
    )


def _cycle(weights: Weights, heeded: Heed, longest: float) -> tuple[float, float]:
    """Returns the mean time to the next visit, and for how long of it the copy is fresh, if each signal leads to one."""
    gap = fresh = 0.0
    for weight, rate in zip(weights, LADDER, strict=True):
        signals = rate * heeded.recall / heeded.precision
        ends = signals + rate * heeded.hidden
        gap += weight * -math.expm1(-signals * longest) / signals
        fresh += weight * -math.expm1(-ends * longest) / ends
    return gap, fresh


def _until(weights: Weights, heeded: Heed, signals: int, least: float) -> float:
    """Returns the time after which a copy is fresh with the probability `least` only, with so many signals since."""
    wanted = least / max(heeded.doubt(signals), 1e-12)
    if wanted >= 1.0:
        return 0.0
    low, high = 0.0, 1.0
    while still_fresh(weights, heeded.hidden * high) > wanted:
        low, high = high, 2 * high
        if high > 1e10:
            return math.inf
    for _ in range(20):
        middle = (low + high) / 2
        if still_fresh(weights, heeded.hidden * middle) > wanted:
            low = middle
        else:
            high = middle
    return high
