"""What a visit costs in this crawl: the price that all pages share, and how it moves. Pure.

If the price is right, pages come to be worth a visit exactly as often as visits can be made. Two things tell that it is
not: how many visits a second all pages together ask for at the price they were last told (`demand`, a sum that each
visit mends by its own page's share), and how late the page was whose turn it is. The first tells before the second
does; the second tells what the first can't, that a queue was left over. The price moves slowly: by `GAIN` per round
(as many visits as there are pages) for a demand that is e times too high. An order of magnitude more and it swings,
which is worse than a fixed price.
"""

from __future__ import annotations

import math

from msgspec import Struct

from skitter.schedule.worth_a_visit import gain

GAIN = 1.0
"""How far the logarithm of the price moves in a round for a demand that is e times what can be had."""
GAIN_LATE = 0.3
"""The same for visits that are late by the mean time between two visits to a page. From 2 on, pages that are all alike
have the price swing for ever: all ask for more at once, and for less."""
FEW = 50
"""A round is taken to have at least so many visits: a page alone says little about the price."""
CHEAPEST, DEAREST = 1e-3, 1e10
"""The price moves by factors: beyond these it says nothing more, and would take as long to come back."""


class Price(Struct, frozen=True, gc=False, array_like=True):
    """The price of a visit in seconds of freshness for a page of importance 1, and what moves it."""

    value: float
    capacity: float  # visits a second that there are for pages seen before
    demand: float = 0.0  # visits a second that all pages ask for
    pages: int = 0


def first_price(capacity: float, rate: float, pages: int) -> Price:
    """Returns the price at which so many pages that change at that rate ask for what there is."""
    return Price(gain(rate * max(1, pages) / capacity) / rate, capacity)


def round_time(price: Price) -> float:
    """Returns the mean time between two visits to a page."""
    return max(1, price.pages) / price.capacity


def joined(price: Price, demand: float) -> Price:
    """Returns the price with one more page that asks for so many visits a second."""
    return Price(price.value, price.capacity, price.demand + demand, price.pages + 1)


def left(price: Price, demand: float) -> Price:
    """Returns the price with one page less."""
    return Price(price.value, price.capacity, max(0.0, price.demand - demand), max(0, price.pages - 1))


def asked(price: Price, before: float, after: float) -> Price:
    """Returns the price when a page asks for `after` visits a second and no longer for `before`."""
    return Price(price.value, price.capacity, max(0.0, price.demand + after - before), price.pages)


def moved(price: Price, late: float) -> Price:
    """Returns the price after a visit that was late by so many seconds; early, if that is less than nothing."""
    too_many = _clipped(math.log(max(price.demand, 1e-300) / price.capacity))
    too_late = _clipped(late / round_time(price))
    step = (GAIN * too_many + GAIN_LATE * too_late) / max(FEW, price.pages)
    value = min(DEAREST, max(CHEAPEST, price.value * math.exp(step)))
    return Price(value, price.capacity, price.demand, price.pages)


def _clipped(error: float) -> float:
    return min(1.0, max(-1.0, error))
