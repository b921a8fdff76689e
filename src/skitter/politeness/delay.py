"""How long a host rests between two requests.

    delay = max(default, Crawl-delay, back-off)

The first two are the base: what the host may expect of us on a good day. An operator who agreed on another delay with
the host writes it down, and it takes the place of both. Back-off is on top of either: a host that says "too many"
has the last word, whatever was agreed.

A `Pace` is all that must be remembered, as plain numbers, so that a restart changes nothing.
"""

from __future__ import annotations

import math

from msgspec import Struct

from skitter.settings import PolitenessSettings

GOOD_IN_A_ROW = 10
"""Good answers before the back-off is halved: ten of them undo one bad one, so we creep back and never leap."""

LEAST_DOUBLED = 1.0
"""What is doubled where the delay is less: no doubling gets away from zero."""


class Pace(Struct, frozen=True, gc=False):
    """How far a host is slowed down (0: not at all), and the good answers in a row since the last step."""

    backoff: float = 0.0
    good: int = 0


def base_delay(
    settings: PolitenessSettings,
    *,
    max_crawl_delay: float,
    crawl_delay: float | None = None,
    agreed: float | None = None,
) -> float:
    """Returns the delay of a host that is not slowed down."""
    if agreed is not None:
        return agreed
    if crawl_delay is None:
        return settings.delay
    # In this order a Crawl-delay that is no number becomes the longest one: in doubt, slower.
    return max(settings.delay, min(max_crawl_delay, crawl_delay))


def delay_of(pace: Pace, base: float) -> float:
    """Returns the seconds between two requests."""
    return max(base, pace.backoff)


def slowed(pace: Pace, base: float, max_delay: float) -> Pace:
    """Returns the pace after an answer that asks us to slow down: the delay doubles, up to `max_delay`."""
    doubled = 2 * max(delay_of(pace, base), LEAST_DOUBLED)
    return Pace(backoff=min(max_delay, doubled))


def answered_well(pace: Pace, base: float) -> Pace:
    """Returns the pace after a good answer: enough of them in a row halve the back-off, until the base is reached."""
    if not pace.backoff:
        return pace
    if pace.good + 1 < GOOD_IN_A_ROW:
        return Pace(pace.backoff, pace.good + 1)
    halved = pace.backoff / 2
    # Below these there is nothing left to undo; halving would go on for ever where the base is 0.
    return Pace(halved) if halved > base and halved >= LEAST_DOUBLED else Pace()


def answered_badly(pace: Pace) -> Pace:
    """Returns the pace after a failure that does not slow the host down: the row of good answers is broken."""
    return Pace(pace.backoff)


def next_visit(last_request_at: float, delay: float, asleep_until: float = 0.0) -> float:
    """Returns the time from which the host may be visited: rested one full delay, and awake.

    After a start, the time of the start stands for the last request: it may have gone out a moment before the crash.
    """
    rested = last_request_at + delay
    while rested - last_request_at < delay:  # rounded down: a hair early is too early
        rested = math.nextafter(rested, math.inf)
    return max(rested, asleep_until)
