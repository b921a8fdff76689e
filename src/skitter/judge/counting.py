"""What a page tells about the corners that it lies in: how much it says that is new there, and where it leads. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from skitter.judge.corner import DEEP, HOST, SHAPE, WIDE, Corners, Ways, corners_of
from skitter.judge.evidence import has_date
from skitter.judge.frame import without
from skitter.judge.novelty import Compared, compare, hashes_of, packed, unpacked
from skitter.judge.orders import joined, turned
from skitter.judge.parameters import combined
from skitter.messages import Said

STALE, WEAK, NEW = 0.1, 0.6, 0.8
"""Shares of news up to which a page says nothing new, or little; and beyond which all of it is."""
CREDIT = 8
"""A page that says something new makes up for so many that do not."""
USUAL = 0.1
"""How much a page changes what is usual in its corner."""
COPIED = 0.25
"""The share of news up to which a page says what others said: a number of its own is no news."""
MUCH = 8
"""Shingles of a page that are not of its host's frame, from which on it has something to say."""
MANY = 3
"""New URLs of a corner that a page of it leads to, from which on there are more to come than were fetched."""


class Corner(Struct, frozen=True, array_like=True):
    """What is remembered of the pages of one corner."""

    name: str
    size: int
    seen: bytes = b""  # what they said
    pages: int = 0
    stale: int = 0  # pages that said nothing new and led on, less what others made up for
    weak: int = 0  # those that said little new, these included
    led: int = 0  # pages that led on, less what others made up for
    calm: int = 0  # not sounded before it has so many pages
    echoed: int = 0  # soundings that were answered like any page
    missed: int = 0  # soundings that were answered honestly, in a row
    vouched: bool = False  # it was: it has an end
    usual: float = 1.0  # how much of its pages is new, by and large
    doors: int = 0  # pages that others outside had led to
    alone: int = 0  # pages in a row that led on, and nowhere else
    parameters: bytes = b""  # those of its pages, see judge.parameters
    dull: int = 0  # pages that said nothing new, wherever they led, less what others made up for
    orders: bytes = b""  # of the pieces of its paths, see judge.orders
    turned: int = 0  # pages whose paths are others in another order
    choices: bytes = b""  # what its URLs choose alone, see judge.orders
    joined: int = 0  # pages that led to a URL which is put together from those
    shrugged: int = 0  # soundings of late that were answered, neither like a page of it nor honestly
    found: int = 0  # URLs of it that its pages led to
    most: int = 0  # of these, by one page
    grown: int = 0  # pages that led to many of them, less those that did not
    tried: int = 0  # pages that led to a URL of which it was asked whether it is put together
    copied: int = 0  # stale pages that said much, all of it known, less the others
    dated: int = 0  # pages with a year in their URLs
    circling: int = 0  # copies that led to more of the same form, less pages that were none
    is_doubtful: bool = False  # so all of them were
    ignored: int = 0  # of these, answered with a page that is known: the value made no difference


def is_dated(corner: Corner) -> bool:
    """Whether the numbers in the URLs of a corner are years: of articles from 1 to 9999 few look like some."""
    return 2 * corner.dated >= corner.pages


class Visit(NamedTuple):
    """A page that was fetched, as far as it tells about its corners."""

    corners: Corners
    href: str
    above: Corners  # those of the page that led to it
    said: Said | None  # None: it is no page, but leads elsewhere
    ways: Ways
    now: float
    limit: int  # `scope.max_stale`
    is_twin: bool = False  # another page says the same
    common: Sequence[int] = ()  # the frame of its host, see judge.frame
    links: int = 0  # new ones in all; `ways` may be of the first ones only
    ahead: str = ""  # one of those that stay in its folder
    haste: int = 1  # so many times less patient we are with its host


class News(NamedTuple):
    """How much a page says that is new: the share, and how much speaks for it."""

    share: float | None = None
    compared: int = 0
    is_copied: bool = False  # it says much, beside what all pages of its host say, and nothing of that is new


class About(NamedTuple):
    """What is to be said of a page beside where it leads."""

    news: News
    is_combined: bool  # its parameters were all seen before
    is_fresh: bool  # its host still says something new
    is_dated: bool  # a year is written in its URL


NO_NEWS = News()


def after_visit(mine: list[Corner], visit: Visit) -> list[Corner]:
    """Returns the corners of a page, the smallest first, as they are after it."""
    mine, news = _compared(mine, visit)
    is_combined, mine[-2] = _combined(mine[-2], visit.href)
    about = About(news, is_combined, mine[-1].weak < visit.limit, has_date(visit.href))
    return [_counted(_chosen(one, visit) if one.size in (DEEP, WIDE) else one, visit, about) for one in mine]


def _compared(mine: list[Corner], visit: Visit) -> tuple[list[Corner], News]:
    """Returns the corners with what the page said, and what of it is new: to the one that knows least of it."""
    if visit.said is None:
        return mine, News(0.0, CREDIT)
    hashes = hashes_of(visit.said)
    if not hashes:
        return mine, NO_NEWS
    found, after = NO_NEWS, []
    for corner in mine:
        if corner.size in (DEEP, HOST):
            after.append(corner)
            continue
        compared, seen = compare(hashes, corner.seen)
        after.append(corner if seen is corner.seen else structs.replace(corner, seen=seen))
        found = _least(found, compared, len(hashes) // 4)
        if compared.compared > 0 and compared.new <= COPIED * compared.compared and not found.is_copied:
            found = found._replace(is_copied=_is_copied(hashes, visit, corner.seen))
    return after, found


def news_in(said: Said | None, seen: bytes) -> tuple[News, bytes]:
    if said is None:
        return News(0.0, CREDIT), seen
    hashes = hashes_of(said)
    compared, after = compare(hashes, seen)
    return _least(NO_NEWS, compared, len(hashes) // 4), after


def _least(found: News, compared: Compared, size: int) -> News:
    if compared.compared < min(2, size):
        return found
    share = compared.new / compared.compared if compared.compared else None
    if share is None or (found.share is not None and found.share <= share):
        return found
    return News(share, compared.compared, found.is_copied)


def _is_copied(hashes: bytes, visit: Visit, seen: bytes) -> bool:
    """Whether a page says what others said. Of few words of its own none may be new: those of a glossary all are."""
    own = without(unpacked(hashes), visit.common)
    compared = compare(packed(own), seen)[0]
    return compared.compared > 0 and compared.new <= (COPIED * compared.compared if len(own) >= MUCH else 0)


def _combined(corner: Corner, href: str) -> tuple[bool, Corner]:
    if "?" not in href:
        return False, corner
    is_combined, parameters = combined(href, corner.parameters)
    same = parameters is corner.parameters
    return is_combined, corner if same else structs.replace(corner, parameters=parameters)


def _chosen(corner: Corner, visit: Visit) -> Corner:
    """Returns the corner after another look at what is chosen by its URLs: by this one, and by one that it leads to."""
    is_turned, orders = turned(visit.href, corner.orders)
    folders, ahead = 2 if corner.size == DEEP else 1, visit.ahead
    _, choices = joined(visit.href, folders, corner.choices)
    is_ahead = bool(ahead) and corners_of(ahead)[corner.size] == corner.name
    is_joined, choices = joined(ahead, folders, choices) if is_ahead else (None, choices)
    if not is_turned and is_joined is None and orders is corner.orders and choices is corner.choices:
        return corner
    return structs.replace(
        corner,
        orders=orders,
        turned=corner.turned + is_turned,
        choices=choices,
        joined=corner.joined + (is_joined is True),
        tried=corner.tried + (is_joined is not None),
    )


def _leads_to_its_like(visit: Visit) -> bool:
    """Whether a page leads to one of its own form: that of a list is a piece longer, or another one."""
    is_level = visit.ahead.count("/") == visit.href.count("/")
    return is_level and corners_of(visit.ahead)[SHAPE] == visit.corners[SHAPE]


def _counted(corner: Corner, visit: Visit, about: About) -> Corner:
    # Nearly all counts are 0, and stay so: what is written as `count and …` takes no call then.
    inside, news = visit.ways[corner.size], about.news
    is_list = about.is_combined and corner.size < HOST
    is_stale = news.share is not None and news.share <= STALE
    led = corner.led + 1 if inside else corner.led and max(0, corner.led - (1 if is_stale else 3))
    alone = corner.alone + 1 if inside and visit.ways.all == inside else 0
    stale, weak, dull = corner.stale, corner.weak, corner.dull + (is_stale or (news.share is None and visit.is_twin))
    copied = corner.copied + 1 if news.is_copied else corner.copied and corner.copied - 1
    if news.share is not None and news.share > (NEW if is_list else WEAK):
        credit = min(CREDIT, 2 * news.compared) if news.share > NEW and not is_list else 1
        stale, weak = stale and max(0, stale - credit), weak and max(0, weak - credit)
        dull = dull and max(0, dull - credit)
    elif not inside and not is_list:  # what says nothing new and leads nowhere tells nothing
        stale, weak = stale and stale - (not is_stale), weak and weak - (not is_stale)
    elif news.share is not None and not (about.is_fresh and visit.ways.all > inside):
        stale, weak = stale + is_stale, weak + 1
    new = inside * visit.links // visit.ways.all if inside else 0
    return Corner(
        corner.name,
        corner.size,
        corner.seen,
        corner.pages + 1,
        stale,
        weak,
        led,
        corner.calm,
        corner.echoed,
        corner.missed,
        corner.vouched,
        corner.usual if news.share is None else corner.usual + USUAL * (news.share - corner.usual),
        corner.doors + (visit.above[corner.size] != corner.name),
        alone,
        corner.parameters,
        dull,
        corner.orders,
        corner.turned,
        corner.choices,
        corner.joined,
        corner.shrugged,
        corner.found + new,
        max(corner.most, new),
        corner.grown + 1 if inside >= MANY else corner.grown and corner.grown - 1,
        corner.tried,
        copied,
        corner.dated + about.is_dated,
        corner.circling + _leads_to_its_like(visit) if news.is_copied else corner.circling and corner.circling - 1,
        corner.is_doubtful,
        corner.ignored,
    )
