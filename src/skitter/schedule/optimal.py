"""The policy that gets the most freshness out of the visits that there are. Pure.

A page is due when it is worth the price (`worth_a_visit`). Signals change that in two ways. Changes that would be
signalled need no visit on suspicion, so only the others count for the wait. And a signal makes the copy less
likely to be fresh: the page is due as soon as that is less than what it comes to in the long run, net of what its
visits cost (`least`). Whether to wait for signals or to ignore them is decided by which comes to more.

Pages are believed to differ as far as they have shown to: each visit tells whether the page's own belief foretold it
better than what is usual, and the sum of that over all visits (`Market.lead`) is what the one counts for against the
other. Where all pages are alike, all are visited alike.
"""

from __future__ import annotations

import math

from skitter.schedule.belief import still_fresh, unpacked
from skitter.schedule.policy import FREE, LONGEST, Market, Place, Step, Watch
from skitter.schedule.price import Price, asked, joined, moved, round_time
from skitter.schedule.recrawl import Bounds
from skitter.schedule.trust import Heed, believe, heed, looked_into, spoken
from skitter.schedule.turn import LEAST_HIDDEN, Found, Stakes, first_plan, turn
from skitter.schedule.usual import Votes, usual_rates, voted
from skitter.schedule.worth_a_visit import until_fresh

DOUBTFUL = 0.98
"""Signals that are so likely all false move nothing, and cost no thought."""
FOR_NOTHING = 1e-6
"""The least that a visit costs, however much a page weighs."""
SURE = 20.0
"""Beyond this lead there is no doubt; the limit is there for the day on which pages begin to be otherwise."""


class Optimal:
    """The policy "optimal". `bounds` are those of the host's class, or none."""

    is_patient = False

    def __init__(self, bounds: Bounds = FREE) -> None:
        self._bounds = bounds

    def fetched(self, at: float, weight: float, place: Place, market: Market, lot: float = 1.0) -> Step:
        """Returns what a page's first fetch leaves: it is taken for one as is usual on its host."""
        stakes = self._stakes(weight, heed(place.trust, market.trust), market.price)
        plan = first_plan(place.votes, market.votes, stakes)
        watch = Watch(at, at + lot * plan.wait, plan.demand, b"", plan.least)
        return Step(watch, place, Market(joined(market.price, plan.demand), market.votes, market.trust, market.lead))

    def visited(self, watch: Watch, at: float, changed: bool, weight: float, place: Place, market: Market) -> Step:
        """Returns what a visit leaves."""
        heeded, believed = heed(place.trust, market.trust), believe(place.trust, market.trust)
        price = moved(market.price, at - watch.due)
        found = Found(at - watch.last, changed, watch.signals)
        stakes = self._stakes(weight, heeded, price)
        before = (watch.evidence, watch.belief)
        after = turn(before, place.votes, market.votes, found, stakes, believed.hidden, trusted(market.lead))
        own, all_ = place.trust, market.trust
        if own.has_spoken:
            own = looked_into(own, believed, watch.signals, hidden=after.hidden, alone=after.alone, changed=changed)
            # A visit counts once in the crawl's record, or those who cry all day would speak for all.
            once = min(watch.signals, 1)
            all_ = looked_into(all_, believed, once, hidden=after.hidden, alone=after.alone, changed=changed)
        vote = Votes(0.0 if watch.belief else 1.0, after.vote)
        wait, demand, least = after.plan
        price = asked(price, watch.demand, demand)
        lead = min(SURE, max(-SURE, market.lead + after.lead))
        return Step(
            Watch(at, at + wait, demand, after.belief, least, 0, after.evidence),
            Place(voted(place.votes, vote), own),
            Market(price, voted(market.votes, vote), all_, lead),
        )

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
        return Step(Watch(watch.last, due, watch.demand, watch.belief, least, signals, watch.evidence), place, market)

    def _stakes(self, weight: float, heeded: Heed, price: Price) -> Stakes:
        cost = max(price.value / weight, FOR_NOTHING) if weight > 0 else math.inf
        longest = min(LONGEST * round_time(price), self._bounds.ceiling)
        return Stakes(cost, self._bounds.floor, longest, heeded.precision, heeded.recall)


def trusted(lead: float) -> float:
    """Returns how far a page's own belief counts against what is usual, if it has foretold visits that much better."""
    return 1.0 / (1.0 + math.exp(-lead))
