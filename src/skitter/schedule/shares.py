"""Discovery against refresh: which part of the requests goes to pages that were seen before. Pure.

Both are after the same, Σ importance × P(our copy is what the site shows): a new page that says something adds its
importance, and so does a visit that finds another text. What a request of either kind has brought of late moves the
share that the operator wants, within bounds: neither ever starves. Where one has nothing to do, the other takes all.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct

LEAST, MOST = 0.2, 0.8
"""How far the share of refresh moves by itself. One that is wanted beyond is kept as it is wanted."""
REMEMBERED = 2000.0
"""Requests of a kind that count: what was brought before is no longer of late."""
DOUBT = 100.0
"""Requests that each kind is credited with at first, with what both bring in the mean: a few visits prove nothing."""


class Purpose(IntEnum):
    """What a request to a page is for."""

    DISCOVERY = 0  # pages never fetched, and lists, which lead to them
    REFRESH = 1  # pages that were fetched before


class Brought(Struct, frozen=True, gc=False, array_like=True):
    """What requests of a kind have brought of late."""

    requests: float = 0.0
    gained: float = 0.0  # importance


NOTHING = Brought()
Both = tuple[Brought, Brought]
"""By `Purpose`."""


def after(before: Brought, gained: float) -> Brought:
    """Returns what was brought after another request."""
    stays = 1.0 - 1.0 / REMEMBERED
    return Brought(before.requests * stays + 1.0, before.gained * stays + gained)


def share_of_refresh(brought: Sequence[Brought], wanted: float) -> float:
    """Returns the share of refresh: the one that is wanted if both bring the same, more if refresh brings more."""
    discovery, refresh = brought
    requests = discovery.requests + refresh.requests
    usual = (discovery.gained + refresh.gained) / requests if requests else 0.0
    if not usual:
        return wanted
    parts = [
        part * (one.gained + DOUBT * usual) / (one.requests + DOUBT)
        for part, one in ((1.0 - wanted, discovery), (wanted, refresh))
    ]
    return min(max(MOST, wanted), max(min(LEAST, wanted), parts[1] / sum(parts)))
