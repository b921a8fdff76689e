"""What a domain or a host is worth, from 0 to 1, by what was found of it. Pure; `docs/decisions/0019-worth.md`.

    worth = earned × quality       at least a half for what the operator vouches for

What is earned comes from those who vouch for a site, weighed by `WEIGHTS`, and shrinks if most of them are its ring.
Quality is what its pages say against it. Nothing is known of a site: it has `BASE`.
"""

from __future__ import annotations

from math import log, log10
from typing import NamedTuple

BASE = 0.2
WEIGHTS = {"vouchers": 0.3, "supporters": 0.2, "trust": 0.15, "pagerank": 0.1, "harmonic": 0.05}
"""What each can add to the base; together they make 1."""

MANY_VOUCHERS, MANY_SUPPORTERS = 16, 100
"""With so many, all is earned that they can give; the first ones give the most."""

RING, RING_SIZE = 0.75, 4
"""What is lost if all who vouch for a site are its ring, and the ring that is taken for one: two friends are none."""

FAULTS = {"duplicates": 0.4, "soft_404": 0.5, "thin": 0.1, "errors": 0.3}
"""What is lost if all pages are so."""

SURE = 10
"""Of so many pages, half of what they say is believed."""

WORST = 0.2
MIRROR = 0.5
SEED = 0.5

WELL_VOUCHED = 3
MANY = 0.3
"""A share of pages from which on a fault is named as a reason."""

REASONS = {
    "seed": "the operator named it",
    "vouched": "several independent domains link to it",
    "unknown": "no independent domain links to it",
    "nofollow": "it is linked, but only with nofollow",
    "ring": "those who link to it mostly link to each other",
    "duplicates": "many of its pages are copies of others there",
    "soft_404": "many of its pages say that there is no page",
    "thin": "many of its pages are next to empty",
    "errors": "many of its URLs can't be had",
    "mirror": "most of its pages are copies of another host's",
}


class Signals(NamedTuple):
    """What was found of a domain or a host. Shares are of its pages (errors: of its URLs), 0 if it has none."""

    in_degree: int = 0
    nofollow: int = 0
    vouchers: int = 0
    hangers_on: int = 0
    ring: int = 0
    supporters: int = 0
    pagerank: float = 0.0  # 1: as much as the mean of all domains
    trust: float = 0.0  # the same, for who starts from the seeds
    harmonic: float = 0.0
    pages: int = 0
    urls: int = 0
    duplicates: float = 0.0
    soft_404: float = 0.0
    thin: float = 0.0
    errors: float = 0.0
    is_mirror: bool = False
    is_seed: bool = False


def worth_of(signals: Signals, earned_by_domain: float | None = None) -> float:
    """Returns the worth of a domain, or of a host with what its domain has earned: half of that is the host's."""
    earned = earned_by(signals)
    if earned_by_domain is not None:
        earned = (earned + earned_by_domain) / 2
    worth = earned * quality(signals)
    return max(worth, SEED) if signals.is_seed else worth


def earned_by(signals: Signals) -> float:
    """Returns what a site has earned by those who vouch for it, from 0 to 1."""
    # Those who only repeat what others say count, but little: a thousand of them as five.
    vouchers = signals.vouchers + log(1 + signals.hangers_on, 4)
    earned = (
        BASE
        + WEIGHTS["vouchers"] * _share(vouchers, MANY_VOUCHERS)
        + WEIGHTS["supporters"] * _share(signals.supporters, MANY_SUPPORTERS)
        + WEIGHTS["trust"] * _grade(signals.trust, 0.01, 100)
        + WEIGHTS["pagerank"] * _grade(signals.pagerank, 0.1, 100)
        + WEIGHTS["harmonic"] * signals.harmonic
    )
    return earned * (1 - RING * closed(signals))


def closed(signals: Signals) -> float:
    """Returns how closed the circle is that vouches for a site: 0 if half of them are no ring of its, 1 if all are."""
    if not signals.ring:
        return 0.0
    return max(0.0, 2 * signals.ring / signals.in_degree - 1) * min(1.0, signals.ring / RING_SIZE)


def quality(signals: Signals) -> float:
    """Returns what is left of worth by what the pages say, from `WORST × MIRROR` to 1."""
    sure = signals.pages / (signals.pages + SURE)
    lost = sure * (
        FAULTS["duplicates"] * signals.duplicates
        + FAULTS["soft_404"] * signals.soft_404
        + FAULTS["thin"] * signals.thin
    )
    lost += FAULTS["errors"] * signals.errors * signals.urls / (signals.urls + SURE)
    return max(WORST, 1 - lost) * (MIRROR if signals.is_mirror else 1)


def reasons_of(signals: Signals) -> list[str]:
    """Returns why, in words that `REASONS` explains, what speaks for it first."""
    return [reason for reason, is_so in _reasons(signals) if is_so]


def _reasons(signals: Signals) -> tuple[tuple[str, bool], ...]:
    return (
        ("seed", signals.is_seed),
        ("vouched", signals.vouchers >= WELL_VOUCHED),
        ("unknown", not signals.vouchers and not signals.is_seed),
        ("nofollow", not signals.in_degree and signals.nofollow > 0),
        ("ring", bool(signals.ring) and closed(signals) > MANY),
        ("duplicates", signals.duplicates > MANY),
        ("soft_404", signals.soft_404 > MANY),
        ("thin", signals.thin > MANY),
        ("errors", signals.errors > MANY),
        ("mirror", signals.is_mirror),
    )


def _share(many: float, enough: int) -> float:
    """Returns how much of what many can give: the logarithm, so that the first ones give the most."""
    return min(1.0, log(1 + many) / log(1 + enough))


def _grade(value: float, low: float, high: float) -> float:
    """Returns where a value is between two others, in powers of ten."""
    if value <= low:
        return 0.0
    return min(1.0, log10(value / low) / log10(high / low))
