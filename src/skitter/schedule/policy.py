"""The policies by which pages are seen again, behind one seam. Pure: time comes in, the next visit goes out.

    optimal     the most freshness for the visits that there are (`worth_a_visit`, docs/decisions/0023)
    adaptive    half the interval after a change, one and a half times without one (`recrawl`)
    uniform     every page as often as any other

What is known is in three small values: of a page (`Watch`, in its record), of its host (`Place`, in the host's record)
and of the crawl (`Market`, one for each node). Nothing here looks at more than one page. Whoever serves pages takes the
one whose `due` comes first; if there are visits to spare, also before that.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from msgspec import Struct

from skitter.schedule.price import Price, first_price
from skitter.schedule.recrawl import Bounds
from skitter.schedule.trust import Trust
from skitter.schedule.usual import Votes, guess

LONGEST = 4.0
"""Rounds after which a page is seen again that is not worth it: it may have become another one."""
GUESS = 0.3
"""Changes of a page between two visits, until it is known better."""
FREE = Bounds(1.0, math.inf, above=0.0)
"""No bounds, where a budget says all."""


class Watch(Struct, frozen=True, gc=False, array_like=True):
    """What is kept of a page between two visits."""

    last: float
    due: float
    demand: float  # visits a second that it was counted with
    belief: bytes = b""  # how often it changes; empty until it was seen again
    least: float = 0.0  # how likely it must be fresh not to be due; 0 as long as no signal asked for it
    signals: int = 0  # since the last visit
    evidence: bytes = b""  # what its visits have told, against what is usual; empty in records of before it was kept


class Place(Struct, frozen=True, gc=False, array_like=True):
    """What is kept of a host."""

    votes: Votes = Votes()
    trust: Trust = Trust()


class Market(Struct, frozen=True, gc=False, array_like=True):
    """What is kept of the crawl."""

    price: Price
    votes: Votes
    trust: Trust = Trust()
    lead: float = 0.0  # by how much pages' own beliefs have foretold visits better than what is usual (logarithm)


def first_market(capacity: float, pages: int) -> Market:
    """Returns what is known of a crawl that begins: so many visits a second for so many pages.

    Whoever set that up had an idea of how often they change, or so we guess until we have seen it.
    """
    rate = GUESS * capacity / max(1, pages)
    return Market(first_price(capacity, rate, pages), guess(rate))


class Step(NamedTuple):
    """All that a visit or a signal leaves."""

    watch: Watch
    place: Place
    market: Market


class Policy(Protocol):
    """When pages are seen again."""

    @property
    def is_patient(self) -> bool:
        """Whether a page is never visited before it is due, though there are visits to spare."""

    def fetched(self, at: float, weight: float, place: Place, market: Market, lot: float = 1.0) -> Step:
        """Returns what a page's first fetch leaves. Its next visit comes after that part of the usual wait.

        Who fetches many pages at once draws a `lot` from 0 to 1 for each: else all of them are due at once, and nothing
        is learnt until then.
        """

    def visited(self, watch: Watch, at: float, changed: bool, weight: float, place: Place, market: Market) -> Step:
        """Returns what a visit leaves that found the page changed since the last one, or not."""

    def signalled(self, watch: Watch, at: float, place: Place, market: Market) -> Step:
        """Returns what it leaves that somebody says the page has changed."""
