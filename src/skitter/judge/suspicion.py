"""What speaks against a corner that is open: it comes after others of its host, and is fetched all the same. Pure.

Counts alone tell no trap from an archive. They are a reason to have the rest of a host first, so that a corner of which
nobody knows its worth does not take the turns of pages that are known to have some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skitter.judge.answers import PATIENCE
from skitter.judge.corner import HOST, SHAPE, Corners
from skitter.judge.counting import Corner
from skitter.judge.traps import Traps
from skitter.settings import DAY

ENOUGH = 100
"""Pages of a host before it is asked how many of them are of one shape."""
FEW = 500
"""URLs of a corner up to which nothing is said of their number."""
FLOOD = 1_000_000
"""New URLs of a host in a day, after which none of its own links is added until the next day, or a person allows it."""

Case = tuple[Corner, int, int]
"""A corner, the pages of its host, and the stale pages that we put up with."""


def _is_most(case: Case) -> bool:
    corner, pages, _ = case
    return corner.size == SHAPE and pages >= ENOUGH and corner.pages > 0.8 * pages


AGAINST: dict[Callable[[Case], bool], str] = {
    _is_most: "over 80 % of the host's pages are of this shape",
    lambda case: case[0].size == SHAPE and case[0].found > 1000: "over 1,000 URLs of this shape were found",
    lambda case: case[0].size == SHAPE and case[0].most > FEW: "one page has over 500 links of this shape",
    lambda case: case[0].weak * 2 >= case[2] * PATIENCE[case[0].size] > 0: "many of its pages said little new",
}
"""What there may be to say against a corner."""


def against(traps: Traps, limit: int) -> Iterator[tuple[Corner, list[str]]]:
    """Yields the corners of a host against which something is to be said, with that."""
    for corner in traps.corners:
        told = [words for is_so, words in AGAINST.items() if is_so((corner, traps.pages, limit))]
        if told:
            yield corner, told


def suspect_size(traps: Traps, corners: Corners, limit: int) -> int:
    """Returns the size of the smallest corner of a page against which something is to be said; HOST + 1: of none."""
    mine = [one for one in traps.corners if one.name == corners[one.size]]
    if traps.pages < ENOUGH and not any(one.weak or one.found > FEW or one.most > FEW for one in mine):
        return HOST + 1  # as of nearly all pages
    sizes = (one.size for one in mine if any(is_so((one, traps.pages, limit)) for is_so in AGAINST))
    return min(sizes, default=HOST + 1)


def is_flooding(traps: Traps, now: float) -> bool:
    """Whether so many URLs of a host were found today that no more are added."""
    return traps.fresh >= FLOOD and traps.day == int(now // DAY)
