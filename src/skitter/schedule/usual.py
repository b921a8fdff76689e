"""What rates are usual on a host and in the whole crawl, from what is believed of their pages. Pure.

Each page that was seen again has one vote: its belief. It takes its old vote back when it gives a new one, so that a
page that is visited often has no more of a say. A new page of a host is believed to be like the others there; on a host
of which little is known, like the pages of the crawl. If all pages are alike, that is learnt too, and a single change
of one of them moves its rate hardly at all.
"""

from __future__ import annotations

from operator import add, sub

from msgspec import Struct

from skitter.schedule.belief import STEPS, Weights, unpacked

ALL_ALIKE = 2.0
"""Votes for every rate of the ladder together that a crawl begins with."""
OF_THE_CRAWL = 3.0
"""Votes that the crawl has among those of a host."""

NOBODY = (0.0,) * STEPS
_EVEN = (ALL_ALIKE / STEPS,) * STEPS


class Votes(Struct, frozen=True, gc=False, array_like=True):
    """The votes of the pages of a host, or of a crawl, for each rate of the ladder."""

    pages: int = 0
    rates: tuple[float, ...] = NOBODY


def voted(votes: Votes, before: bytes, after: bytes) -> Votes:
    """Returns the votes with that of one page changed; `before` is empty if it had none, `after` if it left."""
    rates = votes.rates
    if before:
        rates = tuple(map(sub, rates, unpacked(before)))
    if after:
        rates = tuple(map(add, rates, unpacked(after)))
    return Votes(votes.pages + bool(after) - bool(before), rates)


def usual_rates(host: Votes, crawl: Votes) -> Weights:
    """Returns what to believe of a page of the host of which nothing is known."""
    share = OF_THE_CRAWL / (crawl.pages + ALL_ALIKE)
    total = host.pages + OF_THE_CRAWL
    # Rounding may leave a rate that nobody votes for any more a hair below nothing.
    return [
        max(0.0, own + share * (all_ + even)) / total
        for own, all_, even in zip(host.rates, crawl.rates, _EVEN, strict=True)
    ]
