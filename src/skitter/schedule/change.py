"""Whether a page has changed, and how often it does.

We see only whether a page changed between two visits, not how often, and we come at uneven times. If changes come
at random at a rate λ, a gap of length t shows one with probability 1 − e^(−λt). Cho and Garcia-Molina ("Estimating
frequency of change", 2003) give for n even gaps of length t, X of them with a change,

    λ = −ln((n − X + ½) / (n + ½)) / t

where the halves keep it finite when every visit found a change. Our gaps are uneven, and their length depends on
what was found before, so we keep the time in gaps with a change (C) apart from the time in quiet ones (Q):

    λ = ln(1 + C / (Q + ½ c)) / c        where c = C/X

It is the same when the gaps are even, and the likeliest rate (but for the half) when only those with a change are.
Over many visits by our own rule it comes out right, where the first form with the mean gap stays 5 to 10 % low.
"""

from __future__ import annotations

import math

from msgspec import Struct

CLOCK_ERROR = 60.0
"""How far a server's clock may be off before Last-Modified misleads us: RFC 9110 section 8.8.2.2 takes a minute."""


class Visit(Struct, frozen=True):
    """What a visit saw of a page that tells one version from another."""

    at: float
    digest: str | None = None  # None: not sent, because nothing had changed (304)
    etag: str | None = None
    last_modified: float | None = None


class Gaps(Struct, frozen=True, gc=False):
    """The times between visits to a page, or to all pages of a host: those with a change, and the quiet ones."""

    changed: int = 0
    changed_span: float = 0.0
    quiet: int = 0
    quiet_span: float = 0.0

    @property
    def count(self) -> int:
        """How many there are."""
        return self.changed + self.quiet

    @property
    def span(self) -> float:
        """The time that they cover together."""
        return self.changed_span + self.quiet_span


def has_changed(before: Visit, after: Visit) -> bool:
    """Says whether a page is another than at the visit before.

    The server's word that it is not comes before the bytes: they differ for a clock or a token on an unchanged page.
    Its word that it is does not: a page may be saved again as it was.
    """
    if after.digest is None or after.digest == before.digest:
        return False
    if before.etag is not None and after.etag is not None:
        return opaque(before.etag) != opaque(after.etag)
    return not _is_older(before, after)


def with_gap(gaps: Gaps, span: float, changed: bool) -> Gaps:
    """Returns the gaps and one more. A gap of no length (the clock went back) says nothing and is left out."""
    if not span > 0:
        return gaps
    if changed:
        return Gaps(gaps.changed + 1, gaps.changed_span + span, gaps.quiet, gaps.quiet_span)
    return Gaps(gaps.changed, gaps.changed_span, gaps.quiet + 1, gaps.quiet_span + span)


def change_rate(gaps: Gaps) -> float:
    """Returns the changes per second that the gaps speak for; 0 if there was none."""
    if not gaps.changed:
        return 0.0
    mean = gaps.changed_span / gaps.changed
    return math.log1p(gaps.changed_span / (gaps.quiet_span + mean / 2)) / mean


def opaque(etag: str) -> str:
    """Returns an entity tag without its mark of weakness: RFC 9110 8.8.3.2, the comparison that caches use."""
    return etag.strip().removeprefix("W/")


def _is_older(before: Visit, after: Visit) -> bool:
    if after.last_modified is None:
        return False
    if before.last_modified is not None:  # two dates of one clock, so no error to allow for
        return after.last_modified <= before.last_modified
    return after.last_modified < before.at - CLOCK_ERROR
