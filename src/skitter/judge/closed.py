"""A corner that was closed: whom it spares, and what opens it again. Pure."""

from __future__ import annotations

from msgspec import Struct, structs

from skitter.judge.counting import WEAK, Visit, news_in
from skitter.settings import DAY

REVIEW = 7 * DAY
INSIST = 40
"""What pages outside lead to is spared, until it has shown so often that it is no better."""
INSISTED = {(True, True): 1, (True, False): -5, (False, True): 5, (False, False): 1}
"""What a page counts for that is spared, by whether it says something new and whether it leads on."""
MUCH = 20
"""Words of a page that may be news where a corner was closed: a date of its own is none."""


class Closed(Struct, frozen=True, array_like=True):
    """A corner of which nothing more is fetched."""

    name: str
    size: int
    at: float
    why: str
    review_at: float
    seen: bytes = b""
    is_endless: bool = False  # shown by soundings: that a page says something new is then no news
    insisted: int = 0  # how often pages outside led to more of the same
    sample: bytes = b""  # the fingerprint of the URL that is looked at again this week


def after_look(closed: Closed, visit: Visit, *, is_review: bool) -> Closed | None:
    """Returns a closed corner after a page of it: one that was spared, or the look once a week; None: it is open again.

    So it is if that look finds news where there was none, or no way on where there always was one.
    """
    share = news_in(visit.said, closed.seen)[0].share
    says_much = visit.said is not None and visit.said.words >= MUCH
    is_new, leads = share is not None and share > WEAK and says_much, visit.ways[closed.size] > 0
    if is_review and is_new and not (leads and closed.is_endless):
        return None
    return structs.replace(closed, insisted=max(0, closed.insisted + INSISTED[is_new, leads]))
