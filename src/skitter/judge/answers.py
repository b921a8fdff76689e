"""What the answer to a sounding tells about a corner. Pure.

An honest site says that there is no such page. A trap answers for a URL that no page ever named as for any other, and
leads on. Between the two are those that answer with less: with a page that leads on but says less than others do, or
with one that is known or leads nowhere, for they do not mind the value that was made up. That speaks neither for a
corner nor, alone, against it.
"""

from __future__ import annotations

from enum import Enum

from skitter.judge.corner import DEEP, HOST
from skitter.judge.counting import MANY, NEW, Corner, Visit, news_in
from skitter.judge.evidence import evidence_in, has_date, year_of
from skitter.judge.frame import without
from skitter.judge.novelty import compare, packed, unpacked

PATIENCE = (1, 1, 1, 3)
"""How many times more patient we are with corners of each size."""
LIKE = 0.7
"""A page is like those of its corner if it has that part of the news that they have."""
EXCUSE = 0.05
"""How much more two soundings may have in common than other pages of the corner: a page for what is not there has a
text of its own, whatever else it says."""
SAME = 0.5
COMMON = 3
"""Shingles that two soundings must have in common at least before that tells anything."""


class Answer(Enum):
    """What came of a sounding."""

    NONE = "there is no such page"
    SHRUG = "there is one, which leads nowhere"
    HALF = "there is one that leads on, but is not like others"
    ECHO = "there is one like any other, and it leads on"


def answer_of(corner: Corner, heard: bytes, visit: Visit | None) -> Answer:
    """Returns what an answer tells; `heard` is what the sounding before said that no page says, None: no such page."""
    if visit is None or ((corner.echoed or corner.shrugged) and _is_excuse(heard, corner, visit)):
        return Answer.NONE
    if visit.ways[corner.size] < _needed(corner):
        return Answer.SHRUG
    return Answer.ECHO if _is_like(corner, visit) else Answer.HALF


def _needed(corner: Corner) -> float:
    """Returns how many new URLs an answer must lead to: of a whole host, as many as its pages do, or several."""
    if corner.size != HOST:
        return 1
    return min(MANY, max(2, corner.found / max(1, corner.pages)))


def _is_like(corner: Corner, visit: Visit) -> bool:
    """Whether the answer to a sounding is like the corner's other pages: as new, or as stale."""
    news = news_in(visit.said, corner.seen)[0]
    share = 0.0 if visit.is_twin else news.share
    # One shingle more or less is luck, where few of them are compared.
    luck = 1 / news.compared if share and news.compared else 0.0
    if share is None or share + luck >= LIKE * corner.usual or is_dull(corner, visit):
        return True
    # Where pages are put together from what others say, one that finds nothing says less than is usual.
    return corner.usual < NEW and not has_date(visit.href) and bool(evidence_in(visit.href, year_of(visit.now)))


def is_dull(corner: Corner, visit: Visit) -> bool:
    """Whether the pages of a corner are much alike in any case."""
    return 2 * max(corner.weak, corner.dull) >= visit.limit * PATIENCE[corner.size]


def _is_excuse(heard: bytes, corner: Corner, visit: Visit) -> bool:
    """Whether two soundings have more in common than pages of the corner: both say that there is no such page."""
    if visit.said is None or not visit.said.sample or not heard:
        return False
    own = set(without(unpacked(visit.said.sample), visit.common))
    others = set(without(unpacked(heard), visit.common))
    # What all pages of the host say tells nothing of these two.
    again = own & others
    if len(again) < COMMON:
        return False
    share = len(again) / min(len(own), len(others))
    if not is_dull(corner, visit):
        return share > 1 - corner.usual + EXCUSE
    # Where pages are much alike in any case, what these two have in common must not be what those say.
    compared = compare(packed(sorted(again)), corner.seen)[0]
    return corner.size != DEEP and share > SAME and compared.new > compared.compared / 2
