"""What a site claims of how often a page changes, where its next visit is decided. Pure: records in, records out.

The claim counts as votes of more pages of the host, for this page alone: they are taken out again of what it leaves.
"""

from __future__ import annotations

from msgspec import structs

from skitter.frontier.again import Again, Terms, seen
from skitter.messages import Outcome
from skitter.schedule.change import MATTERS
from skitter.schedule.claims import By, Claim, claimed_votes, looked_into, without_votes
from skitter.schedule.policy import Place
from skitter.schedule.usual import Votes, voted
from skitter.shard.records import HostRecord, UrlRecord


def seen_as_claimed(outcome: Outcome, url: UrlRecord, host: HostRecord, terms: Terms, new: int) -> Again:
    """Returns what follows from a page that was fetched, as `again.seen`, with what its site claims of it."""
    if (claim := claim_after(outcome, url)) is None:
        return seen(outcome, url, host.place, terms, new)
    place = host.place or Place()
    claimed = claimed_votes(host.claims, claim, place.votes)
    with_it = structs.replace(place, votes=voted(place.votes, claimed))
    again = seen(outcome, url, with_it, terms, new)
    if again.place is with_it:
        return again._replace(place=host.place)
    left = again.place
    return (
        again if left is None else again._replace(place=structs.replace(left, votes=without_votes(left.votes, claimed)))
    )


def after_visit(host: HostRecord, url: UrlRecord, again: Again, at: float, crawl: Votes) -> HostRecord:
    """Returns the host after a visit: what its pages say, and how far its claims have come true."""
    change, place = again.facts.get("change"), host.place
    if again.place is not place and again.place is not None:
        host = structs.replace(host, place=again.place)
    if url.claim is None or change is None or url.last_fetched is None or url.watch is None:
        return host
    votes, gap = (place or Place()).votes, at - url.last_fetched
    scores = looked_into(host.claims, url.claim, votes, crawl, gap, changed=MATTERS[change])
    return structs.replace(host, claims=scores)


def claim_after(outcome: Outcome, url: UrlRecord) -> Claim | None:
    """Returns what is claimed of a page: a sitemap speaks of what it says, a header of what may be kept."""
    if outcome.fresh_for is None or (url.claim is not None and url.claim.by is By.SITEMAP):
        return url.claim
    return Claim(outcome.fresh_for, By.HEADER)
