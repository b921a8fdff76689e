"""What a site claims of how often its pages change: `changefreq` in a sitemap, Cache-Control and Expires in an answer.

A claim is a guess about a page of which nothing else is known yet, so it is mixed into what is usual on the host, as
far as the host's claims have come true: each visit tells whether the claim foretold it better than what is usual there,
and the sum of that over visits, kept for each host and kind of claim, is what claims are believed by. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct

from skitter.schedule.belief import LADDER, TINY, Weights, normal, still_fresh
from skitter.schedule.usual import OF_THE_CRAWL, Votes, usual_rates, voted
from skitter.settings import DAY, HOUR, MINUTE


class By(IntEnum):
    """Who claims."""

    SITEMAP = 0
    HEADER = 1


class Claim(Struct, frozen=True, gc=False, array_like=True):
    """How often a page is said to change."""

    every: float  # seconds
    by: By = By.SITEMAP


CHANGE_FREQUENCIES = {
    "always": HOUR,
    "hourly": HOUR,
    "daily": DAY,
    "weekly": 7 * DAY,
    "monthly": 30 * DAY,
    "yearly": 365 * DAY,
    "never": 5 * 365 * DAY,
}
SHORTEST, LONGEST = 10 * MINUTE, 5 * 365 * DAY
"""Headers that say less are set for other reasons, and so are those that say "for ever"."""
DOUBTED = 1.0
"""Log-odds against claims of a host that nobody has looked into: most are made up."""
FADES = 0.98
"""What the evidence of before counts for after each visit: sites change their software."""
MOST = 6.0
SPREAD = 1.0
"""How far from its claim a page may be: the deviation of the logarithm of its rate."""

_MAX_AGE = re.compile(r"(?:^|[,\s])(?:s-maxage|max-age)\s*=\s*\"?(\d{1,10})", re.IGNORECASE)
_NOT_KEPT = re.compile(r"(?:^|[,\s])(?:no-store|no-cache|private)(?:$|[,\s=])", re.IGNORECASE)


def by_sitemap(frequency: str) -> float | None:
    """Returns the seconds that a `changefreq` means; None if it is none."""
    return CHANGE_FREQUENCIES.get(frequency.strip().lower())


def by_headers(cache_control: Sequence[str], fresh_until: float | None, now: float) -> float | None:
    """Returns the seconds that headers claim; a Cache-Control counts before Expires, which says `fresh_until`."""
    said = ", ".join(cache_control)
    if _NOT_KEPT.search(said):
        return None
    found = _MAX_AGE.search(said)
    every = float(found[1]) if found is not None else None if fresh_until is None else fresh_until - now
    return every if every is not None and SHORTEST <= every <= LONGEST else None


def rates_of(claim: Claim) -> Weights:
    """Returns what a claim says of the rate, if it is believed."""
    apart = [math.log(rate * claim.every) / SPREAD for rate in LADDER]
    return normal([math.exp(-(deviations**2) / 2) + TINY for deviations in apart])


def trust(scores: Sequence[float], claim: Claim) -> float:
    """Returns how far the claims of a host are believed, 0 to 1."""
    return 1.0 / (1.0 + math.exp(DOUBTED - _score(scores, claim)))


def claimed_votes(scores: Sequence[float], claim: Claim, host: Votes) -> Votes:
    """Returns the votes that a claim counts for beside those of its host: the more of them, the more it is believed."""
    believed = trust(scores, claim)
    votes = believed / (1.0 - believed) * (host.pages + OF_THE_CRAWL)
    return Votes(votes, tuple(votes * weight for weight in rates_of(claim)))


def without_votes(host: Votes, claimed: Votes) -> Votes:
    """Returns the votes of a host without those of a claim, which were counted among them."""
    return voted(host, Votes(-claimed.pages, tuple(-votes for votes in claimed.rates)))


def looked_into(
    scores: Sequence[float], claim: Claim, host: Votes, crawl: Votes, gap: float, *, changed: bool
) -> tuple[float, ...]:
    """Returns the evidence for the claims of a host after a visit, a gap after the one before."""
    if not gap > 0:
        return tuple(scores)
    told = [still_fresh(rates_of(claim), gap), still_fresh(usual_rates(host, crawl), gap)]
    likely = [max(1e-6, 1.0 - fresh if changed else fresh) for fresh in told]
    score = FADES * _score(scores, claim) + math.log(likely[0] / likely[1])
    after = [*scores, *[0.0] * (len(By) - len(scores))]
    after[claim.by] = min(MOST, max(-MOST, score))
    return tuple(after)


def _score(scores: Sequence[float], claim: Claim) -> float:
    return scores[claim.by] if claim.by < len(scores) else 0.0
