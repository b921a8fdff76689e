"""What of the market is a shard's. Pure.

A node has one market for all of its shards (`policy.Market`). Each shard keeps its own share of it: the pages it has,
what they ask for and how they voted. Added up, the shares are the market again; so a shard can be closed, moved and
opened elsewhere, and no page is counted twice or forgotten.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from operator import add, sub

from msgspec import Struct, structs

from skitter.schedule.freshness import Foretold, Measured, all_foretold, all_measured
from skitter.schedule.optimal import SURE
from skitter.schedule.policy import Market, first_market
from skitter.schedule.price import CHEAPEST, DEAREST, Price
from skitter.schedule.shares import NOTHING, Both
from skitter.schedule.trust import SURE as TRUST_SURE
from skitter.schedule.trust import Trust
from skitter.schedule.usual import Votes, voted
from skitter.settings import MINUTE

LATELY = 10 * MINUTE
"""Shards that have looked at their markets within this time of one another know the prices of today: those of several
nodes, if shards have moved."""


class Share(Struct, frozen=True, gc=False, array_like=True):
    """What the pages of a shard come to."""

    pages: int = 0
    demand: float = 0.0
    price: float = 0.0  # of the market, when it was last looked at; 0: never
    votes: Votes = Votes()
    trust: Trust = Trust()
    measured: Measured = Measured()
    foretold: Foretold = Foretold()
    lead: float = 0.0  # of pages' own beliefs (`policy.Market`)
    at: float = 0.0  # when the market was last looked at; 0: never, or before that was kept
    brought: Both = (NOTHING, NOTHING)  # by the requests of the node, by then


def with_step(share: Share, before: Market, after: Market, at: float = 0.0, brought: Both | None = None) -> Share:
    """Returns a shard's share after one of its pages has changed the market, at a time by which that was brought."""
    return Share(
        share.pages + after.price.pages - before.price.pages,
        max(0.0, share.demand + after.price.demand - before.price.demand),
        after.price.value,
        share.votes if before.votes is after.votes else _plus(share.votes, after.votes, before.votes),
        share.trust if before.trust is after.trust else _trust(share.trust, after.trust, before.trust),
        share.measured,
        share.foretold,
        share.lead + after.lead - before.lead,
        max(share.at, at),
        brought or share.brought,
    )


def joined(one: Share, other: Share) -> Share:
    """Returns what the pages of two shards come to that become one."""
    return Share(
        one.pages + other.pages,
        one.demand + other.demand,
        _mean_price((one, other)),
        voted(one.votes, other.votes),
        _all((one, other)),
        structs.replace(all_measured((one.measured, other.measured)), at=max(one.measured.at, other.measured.at)),
        structs.replace(all_foretold((one.foretold, other.foretold)), at=max(one.foretold.at, other.foretold.at)),
        one.lead + other.lead,
        max(one.at, other.at),
        last_brought((one, other)),
    )


def shared_out(share: Share, part: float) -> tuple[Share, Share]:
    """Returns what a shard keeps, and what goes with the part of its pages that leaves: together what it had.

    Which page has brought what is not known any more: each counts for as much as any other.
    """
    pages = round(part * share.pages)
    return _part(share, 1.0 - part, share.pages - pages), _part(share, part, pages)


def _part(share: Share, part: float, pages: int) -> Share:
    trust, measured, foretold = share.trust, share.measured, share.foretold
    return Share(
        pages,
        part * share.demand,
        share.price,
        Votes(part * share.votes.pages, tuple(part * rate for rate in share.votes.rates)),
        Trust(part * trust.signals, part * trust.true, part * trust.missed, trust.has_spoken, part * trust.lead),
        Measured(part * measured.visits, part * measured.fresh, measured.at),
        Foretold(part * foretold.visits, part * foretold.expected, part * foretold.fresh, foretold.at),
        part * share.lead,
        share.at,
        share.brought,
    )


def opened(shares: Collection[Share], every: float, most: float) -> Market:
    """Returns the market of a node that has these shards: a visit of each page within `every`, `most` a second."""
    pages = sum(share.pages for share in shares)
    capacity = capacity_for(pages, every, most)
    first = first_market(capacity, pages)
    value = _mean_price(shares) or first.price.value
    votes = first.votes
    for share in shares:
        votes = voted(votes, share.votes)
    lead = min(SURE, max(-SURE, sum(share.lead for share in shares)))
    return Market(Price(value, capacity, sum(share.demand for share in shares), pages), votes, _all(shares), lead)


def repriced(market: Market, every: float, most: float) -> Market:
    """Returns the market with the capacity for as many pages as there are by now, at a price that makes sense."""
    price = market.price
    value = min(DEAREST, max(CHEAPEST, price.value))
    capacity = capacity_for(price.pages, every, most)
    return Market(Price(value, capacity, price.demand, price.pages), market.votes, market.trust, market.lead)


def capacity_for(pages: int, every: float, most: float) -> float:
    """Returns the visits a second that there are for so many pages."""
    return min(max(1, pages) / every, most)


def last_brought(shares: Iterable[Share]) -> Both:
    """Returns what requests had brought when the market was last looked at."""
    return max(shares, key=lambda share: share.at, default=Share()).brought


def _mean_price(shares: Collection[Share]) -> float:
    """Returns the price that most pages were told of late; 0 if nobody was told any.

    A shard knows the price as of the last visit to one of its pages. Were older ones to count, each start would set the
    price back: a small crawl that is killed daily came to its price half as fast.
    """
    last = max((share.at for share in shares), default=0.0)
    known = [(max(1, share.pages), share.price) for share in shares if share.price > 0 and share.at >= last - LATELY]
    total = sum(pages for pages, _ in known)
    return math.exp(sum(pages * math.log(price) for pages, price in known) / total) if total else 0.0


def _plus(own: Votes, after: Votes, before: Votes) -> Votes:
    rates = tuple(map(add, own.rates, map(sub, after.rates, before.rates)))
    return Votes(own.pages + after.pages - before.pages, rates)


def _trust(own: Trust, after: Trust, before: Trust) -> Trust:
    # What all have learnt fades at once, and may be more than this shard had a part in.
    return Trust(
        max(0.0, own.signals + after.signals - before.signals),
        max(0.0, own.true + after.true - before.true),
        max(0.0, own.missed + after.missed - before.missed),
        own.has_spoken or after.has_spoken,
        own.lead + after.lead - before.lead,
    )


def _all(shares: Iterable[Share]) -> Trust:
    trusts = [share.trust for share in shares]
    return Trust(
        sum(trust.signals for trust in trusts),
        sum(trust.true for trust in trusts),
        sum(trust.missed for trust in trusts),
        any(trust.has_spoken for trust in trusts),
        min(TRUST_SURE, max(-TRUST_SURE, sum(trust.lead for trust in trusts))),
    )
