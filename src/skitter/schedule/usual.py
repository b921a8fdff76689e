"""What rates are usual on a host and in the whole crawl, from what is believed of their pages. Pure.

Each page that was seen again has one vote: its belief. It takes its old vote back when it gives a new one, so that a
page that is visited often has no more of a say. What is usual for a page is what the others of its host speak for, and
on a host of which little is known, the pages of the crawl; its own vote is left out, or what its visits have told would
count twice. If all pages are alike, that is learnt too, and a single change of one moves its rate hardly at all.
"""

from __future__ import annotations

import math
from operator import add, sub

from msgspec import Struct

from skitter.schedule.belief import LADDER, STEPS, TINY, normal, unpacked

GUESSED = 3.0
"""Votes that a crawl begins with, until its pages have theirs."""
SLOWER, QUICKER = 2.5, 1.5
"""How far from the guess rates may be: the deviation of their logarithms, to either side. Pages that hardly ever change
are common everywhere; and if every quick rate were as likely as any other, each page that changed at its first visit
would be taken for one far too quick."""
OF_THE_CRAWL = 1.5
"""Votes that the crawl has among those of a host."""

LEAST = 1e-12
"""So usual is every rate."""

NOBODY = (0.0,) * STEPS


class Votes(Struct, frozen=True, gc=False, array_like=True):
    """The votes of the pages of a host, or of a crawl, for each rate of the ladder."""

    pages: float = 0.0
    rates: tuple[float, ...] = NOBODY


def guess(rate: float) -> Votes:
    """Returns the votes of a crawl that begins, if its pages are guessed to change at about that rate."""
    apart = [math.log(step / rate) / (SLOWER if step < rate else QUICKER) for step in LADDER]
    bell = [math.exp(-(deviations**2) / 2) + TINY for deviations in apart]
    return Votes(GUESSED, tuple(GUESSED * weight for weight in normal(bell)))


def ballot(before: bytes, after: bytes) -> Votes:
    """Returns what changes if a page votes `after` and no longer `before`; the one is empty if it is new, or leaves."""
    old = unpacked(before) if before else NOBODY
    new = unpacked(after) if after else NOBODY
    return Votes(float(bool(after)) - bool(before), tuple(map(sub, new, old)))


def voted(votes: Votes, change: Votes) -> Votes:
    """Returns the votes after one page has voted."""
    return Votes(votes.pages + change.pages, tuple(map(add, votes.rates, change.rates)))


def usual_rates(host: Votes, crawl: Votes, own: bytes = b"") -> list[float]:
    """Returns what to believe of a page of the host but for its visits; `own` is its vote, if it has one."""
    mine, is_one = (unpacked(own), 1.0) if own else (NOBODY, 0.0)
    share = OF_THE_CRAWL / max(crawl.pages - is_one, TINY)
    return normal(
        [
            max(there - vote, 0.0) + share * max(all_ - vote, 0.0) + LEAST
            for there, all_, vote in zip(host.rates, crawl.rates, mine, strict=True)
        ]
    )
