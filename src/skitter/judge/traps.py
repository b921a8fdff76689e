"""Whether a corner of a host is a trap. Pure: what is remembered comes in, and goes out changed.

A maze can't be told by its URLs: an honest archive has a million of one shape too. Its pages lead on to URLs of the
same corner that nobody has seen, one after the other, and lead nowhere else. So do those of an honest archive, until
it ends. There are two things that only a trap does:

- its pages say what was said before, and still lead on: that much is *stale*, or *weak* if there is a little news;
- it answers also for a URL that no page ever named (see `judge.sounding`), and that page leads on like the others.

So a corner whose pages have led on for long is sounded, and closed if both of two soundings are answered like any page
of it. One that says nothing new at all is closed also without, after twice as many pages; far later if it has answered
a sounding as an honest site does. Evidence in the writing of its URLs halves our patience, and decides nothing.
"""

from __future__ import annotations

from struct import unpack

from msgspec import Struct, structs

from skitter.judge.corner import DEEP, HOST, NOWHERE, WIDE, Corners, corners_of, is_within, size_within
from skitter.judge.counting import NEW, WEAK, Corner, Visit, after_visit, news_in
from skitter.judge.evidence import MILD, evidence_in, has_date, is_growing
from skitter.judge.frame import without
from skitter.settings import DAY

LED = 30
"""Pages that led on, one after the other, after which a corner is sounded though its pages say something new."""
PATIENCE = (1, 1, 1, 3)
"""How many times more patient we are with corners of each size."""
UNSOUNDED, GUILTY, BARREN = 2, 3, 4
"""A stale corner is closed after so many times the limit: if nothing tells whether it ends; if it answered as an honest
site does, but its URLs speak against it; and whatever it answered, if there is no page in it, only redirects."""
ECHOES = 2
EXCUSE = 0.05
"""How much more two soundings may have in common than other pages of the corner: a page for what is not there has a
text of its own, whatever else it says."""
COMMON = 3
"""Shingles that two soundings must have in common at least before that tells anything."""
LIKE = 0.7
"""A page is like those of its corner if it has that part of the news that they have."""
ALONE, DOORS = 4 * LED, 0.1
"""A corner with few ways in for its pages is closed if its URLs speak against it, and so many pages in a row led on and
nowhere else, though it has answered as an honest site does: it may know the names that it made up itself."""
TURNED = 8
"""Pages of a corner whose paths are others in another order, after which it is closed: one page has one path."""
JOINED = 2 * LED
"""The same for pages whose paths are put together from the pieces of others, if they are half of the corner."""
CALM = 4
"""A corner that answered honestly is sounded again when it has so many times more pages."""
SOUNDINGS, SOUNDED_SHARE = 8, 0.005
"""Soundings of a host: at the most so many, and beyond that so large a part of its pages."""
LOST = 50
"""Pages after which a sounding is not waited for any more: robots.txt forbids it, or nobody answers."""
CORNERS = (4, 2, 3, 1)
"""Corners of each size that are remembered: those that look worst, then the last visited."""
CLOSED = 8
"""Closed corners that are remembered, the last ones."""
REVIEW = 7 * DAY
INSIST = 40
"""What pages outside lead to is spared, until it has shown so often that it is no better."""
INSISTED = {(True, True): 1, (True, False): -5, (False, True): 5, (False, False): 0}
"""What a page counts for that is spared, by whether it says something new and whether it leads on; where a corner was
shown to have no end, one that says nothing new counts in any case."""
MUCH = 20
"""Words of a page that may be news where a corner was closed: a date of its own is none."""
YEAR = 365.2425 * DAY


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


class Sounding(Struct, frozen=True, array_like=True):
    """A URL that no page named, and the corner that it is to tell about."""

    fingerprint: bytes
    corner: str
    href: str  # that of the page it was made from
    after: int = 0  # so many pages of the host


class Traps(Struct, frozen=True, array_like=True):
    """What is remembered of the corners of a host."""

    corners: tuple[Corner, ...] = ()  # the last ones visited last
    closed: tuple[Closed, ...] = ()
    sounding: Sounding | None = None
    sounded: int = 0
    pages: int = 0
    heard: bytes = b""  # what the first of two soundings said


NO_TRAPS = Traps()


def after_page(traps: Traps, visit: Visit) -> Traps:
    """Returns what is remembered after a page, and of which corners nothing more is to be fetched."""
    known = {corner.name: corner for corner in traps.corners}
    mine = [known.pop(name, Corner(name, size)) for size, name in enumerate(visit.corners) if name]
    mine = after_visit(mine, visit)
    after = Traps(_kept([*known.values()], mine), traps.closed, traps.sounding, traps.sounded, traps.pages + 1)
    spent = next((corner for corner in mine if _is_spent(corner, visit)), None)
    return after if spent is None else _close(after, spent, visit)


def wants_sounding(traps: Traps, visit: Visit) -> Corner | None:
    """Returns the smallest corner of a page that should be sounded now."""
    is_out = traps.sounding is not None and traps.pages < traps.sounding.after + LOST
    if is_out or traps.sounded >= SOUNDINGS + SOUNDED_SHARE * traps.pages:
        return None
    suspects = [one for one in traps.corners if one.name in visit.corners and _is_suspect(one, visit)]
    return min(suspects, key=lambda one: one.size, default=None)


def sounded(traps: Traps, corner: Corner, fingerprint: bytes | None, href: str) -> Traps:
    """Returns what is remembered when a URL was made up for a corner; None: there is nothing left to ask."""
    if fingerprint is None:
        return _missed(traps, corner.name, is_last=True, vouched=corner.missed > 0)
    sounding = Sounding(fingerprint, corner.name, href, traps.pages)
    return structs.replace(traps, sounding=sounding, sounded=traps.sounded + 1)


def after_sounding(traps: Traps, visit: Visit | None) -> Traps:
    """Returns what is remembered after the answer to a sounding; None: there is no such page."""
    assert traps.sounding is not None
    name, href, traps = traps.sounding.corner, traps.sounding.href, structs.replace(traps, sounding=None)
    corner = next((one for one in traps.corners if one.name == name), None)
    if corner is None:
        return traps
    visit = visit and visit._replace(href=href)  # what speaks against the made-up URL is of our own making
    if visit is None or not _is_echo(corner, visit) or (corner.echoed and _is_excuse(traps.heard, corner, visit)):
        return _missed(traps, name, is_last=corner.missed > 0)
    if corner.echoed + 1 >= ECHOES:
        return _close(traps, corner, visit, is_endless=True)
    echoed = structs.replace(corner, echoed=corner.echoed + 1)
    return structs.replace(_with(traps, echoed), heard=b"" if visit.said is None else visit.said.sample)


def corners_above(href: str, parent: str | None) -> Corners:
    """Returns the corners of the page that led to a URL, if that is of the same host."""
    is_near = parent is not None and href.split("/", 3)[2] == parent.split("/", 3)[2]
    return corners_of(parent) if is_near and parent is not None else NOWHERE


def closed_over(traps: Traps, href: str, parent: str | None) -> Closed | None:
    """Returns the closed corner that a URL is not fetched for; what others outside it led to is spared for a while."""
    if not traps.closed:
        return None
    names, above = corners_of(href), None
    for closed in traps.closed:
        if names[closed.size] != closed.name:
            continue
        if closed.insisted >= INSIST:
            return closed
        above = above or corners_above(href, parent)
        if above[closed.size] == closed.name:
            return closed
    return None


def is_suspect(traps: Traps, corners: Corners, limit: int) -> int:
    """Returns the size of the smallest corner of a page that looks like a trap by now; HOST + 1: none does."""
    sizes = (c.size for c in traps.corners if c.weak * 2 >= limit * PATIENCE[c.size] and c.name == corners[c.size])
    return min(sizes, default=HOST + 1)


def newly_closed(before: Traps, after: Traps) -> list[str]:
    """Returns what was closed since: `shape`, `folder` or `host` for each."""
    if after.closed is before.closed:
        return []
    old = {closed.name for closed in before.closed}
    kinds = {DEEP: "folder", WIDE: "folder", HOST: "host"}
    return [kinds.get(closed.size, "shape") for closed in after.closed if closed.name not in old]


def after_closed(traps: Traps, closed: Closed, visit: Visit, *, is_review: bool) -> Traps:
    """Returns what is remembered after a page of a closed corner: one that was spared, or the look once a week.

    If that look finds news where there was none, or no way on where there always was one, the corner is opened again.
    """
    share = news_in(visit.said, closed.seen)[0].share
    says_much = visit.said is not None and visit.said.words >= MUCH
    is_new, leads = share is not None and share > WEAK and says_much, visit.ways[closed.size] > 0
    if is_review and is_new and not (leads and closed.is_endless):
        return structs.replace(traps, closed=tuple(one for one in traps.closed if one.name != closed.name))
    insisted = max(0, closed.insisted + (INSISTED[is_new, leads] or closed.is_endless))
    return _with_closed(traps, structs.replace(closed, insisted=insisted))


def reviewed(traps: Traps, closed: Closed, fingerprint: bytes, now: float) -> Traps:
    """Returns what is remembered when a URL of a closed corner was chosen for the look once a week."""
    return _with_closed(traps, structs.replace(closed, sample=fingerprint, review_at=now + REVIEW))


def _kept(others: list[Corner], mine: list[Corner]) -> tuple[Corner, ...]:
    """Returns the corners to remember: of each size those that look worst, of those alike the last visited."""
    for corner in mine:
        rivals = [other for other in others if other.size == corner.size]
        if len(rivals) >= CORNERS[corner.size]:
            others.remove(min(rivals, key=lambda one: (one.weak, one.led, one.pages)))
    return (*others, *mine)


def _is_suspect(corner: Corner, visit: Visit) -> bool:
    if corner.pages < corner.calm:
        return False
    # A calendar is sounded sooner: each of its months has a page for each of its events.
    led = LED // 2 if has_date(visit.href) else LED
    return corner.led >= led * PATIENCE[corner.size] or max(corner.weak, corner.dull) >= _limit(corner, visit)


def _is_spent(corner: Corner, visit: Visit) -> bool:
    limit = visit.limit * PATIENCE[corner.size]
    # Redirects that only lead to more of them: no page is lost there, whatever a sounding said.
    is_barren = visit.said is None and corner.stale >= BARREN * limit and corner.led >= LED
    if corner.stale >= UNSOUNDED * limit and (is_barren or not corner.vouched):
        return True
    is_joined = corner.turned >= TURNED or corner.joined >= max(JOINED, corner.pages // 2)
    # Twice as many as lead to a sounding, so that its answer is there; again twice if that was an honest one.
    has_led = corner.led >= (4 if corner.vouched else 2) * LED
    if (is_joined and has_led) or (corner.size < HOST and corner.led >= LED and is_growing(visit.href)):
        return True
    # Not for every page: what speaks against a URL takes as long to find as all the rest.
    is_weak = corner.weak >= max(GUILTY * limit, corner.pages // 4)
    is_alone = corner.size < HOST and corner.alone > 0 and corner.alone % ALONE == 0
    is_alone = is_alone and corner.doors <= DOORS * corner.pages
    if not is_weak and not is_alone:
        return False
    if is_weak and corner.joined * 4 >= corner.pages:
        return True
    evidence = evidence_in(visit.href, _year(visit.now))
    # Where a sounding was answered as an honest site does, pages must have led on all the time beside.
    is_weak = is_weak and (corner.led >= 2 * LED or not corner.vouched)
    return bool(evidence) if is_weak else is_alone and not MILD.issuperset(evidence)


def _limit(corner: Corner, visit: Visit) -> int:
    limit = visit.limit * PATIENCE[corner.size]
    if corner.weak * 2 < limit:
        return limit
    return limit // 2 if evidence_in(visit.href, _year(visit.now)) else limit


def _is_echo(corner: Corner, visit: Visit) -> bool:
    """Whether the answer to a sounding leads on, and is like the corner's other pages: as new, or as stale."""
    if not visit.ways[corner.size]:
        return False
    news = news_in(visit.said, corner.seen)[0]
    share = 0.0 if visit.is_twin else news.share
    # One shingle more or less is luck, where few of them are compared.
    luck = 1 / news.compared if share and news.compared else 0.0
    if share is None or share + luck >= LIKE * corner.usual or _is_dull(corner, visit):
        return True
    # Where pages are put together from what others say, one that finds nothing says less than is usual.
    return corner.usual < NEW and not has_date(visit.href) and bool(evidence_in(visit.href, _year(visit.now)))


def _is_dull(corner: Corner, visit: Visit) -> bool:
    """Whether the pages of a corner are much alike in any case."""
    return 2 * max(corner.weak, corner.dull) >= visit.limit * PATIENCE[corner.size]


def _is_excuse(heard: bytes, corner: Corner, visit: Visit) -> bool:
    """Whether two soundings have more in common than pages of the corner: both say that there is no such page."""
    if visit.said is None or not visit.said.sample or not heard or _is_dull(corner, visit):
        return False
    own = set(without(unpack(f">{len(visit.said.sample) // 4}I", visit.said.sample), visit.common))
    others = set(without(unpack(f">{len(heard) // 4}I", heard), visit.common))
    # What all pages of the host say tells nothing of these two.
    again = len(own & others)
    return again >= COMMON and again / min(len(own), len(others)) > 1 - corner.usual + EXCUSE


def _missed(traps: Traps, name: str, *, is_last: bool, vouched: bool = True) -> Traps:
    """Returns what is remembered after an honest answer: the last one speaks for the larger corners too."""
    after = []
    for corner in traps.corners:
        if corner.name == name and not is_last:
            after.append(structs.replace(corner, missed=corner.missed + 1, echoed=0))
        elif corner.name == name or (is_last and _holds(corner, name, traps)):
            calm = max(corner.calm, CALM * corner.pages)
            vouch = corner.vouched or vouched
            after.append(structs.replace(corner, missed=0, echoed=0, led=0, calm=calm, vouched=vouch))
        else:
            after.append(corner)
    return structs.replace(traps, corners=tuple(after))


def _holds(corner: Corner, name: str, traps: Traps) -> bool:
    size = next((one.size for one in traps.corners if one.name == name), HOST)
    return corner.size > size and is_within(name, corner.name)


def _is_first(traps: Traps, corner: Corner, larger: Corner) -> bool:
    """Whether a corner is the first one that is closed in a larger one."""
    if larger.size <= corner.size or not is_within(corner.name, larger.name):
        return False
    return not any(closed.size < larger.size and is_within(closed.name, larger.name) for closed in traps.closed)


def _with_closed(traps: Traps, closed: Closed) -> Traps:
    return structs.replace(traps, closed=tuple(closed if one.name == closed.name else one for one in traps.closed))


def _with(traps: Traps, corner: Corner) -> Traps:
    return structs.replace(traps, corners=tuple(corner if one.name == corner.name else one for one in traps.corners))


def _close(traps: Traps, corner: Corner, visit: Visit, *, is_endless: bool = False) -> Traps:
    """Returns what is remembered when a corner is closed.

    What spoke against it spoke against the larger ones too, and does no more: unless it is not the first one in them.
    """
    others = tuple(
        structs.replace(one, stale=0, weak=0, led=0, dull=0) if _is_first(traps, corner, one) else one
        for one in traps.corners
        if one.name != corner.name
    )
    why, evidence = _in_words(corner, is_endless), evidence_in(visit.href, _year(visit.now))
    told = f"{why}; its URLs have {', '.join(evidence)}" if evidence else why
    closed = Closed(corner.name, corner.size, visit.now, told, visit.now + REVIEW, corner.seen, is_endless)
    return structs.replace(traps, corners=others, closed=(*traps.closed, closed)[-CLOSED:])


def _in_words(corner: Corner, is_endless: bool) -> str:
    if is_endless:
        return f"{corner.pages} pages led on to more of them, and so did {ECHOES} that no page had named"
    if corner.turned >= TURNED and corner.led >= 2 * LED:
        return f"{corner.turned} of its {corner.pages} pages have the path of another one in another order"
    if corner.joined * 4 >= corner.pages:
        return f"{corner.weak} of its {corner.pages} pages said little new, and {corner.joined} are choices of others"
    if corner.alone >= ALONE > corner.weak:
        return f"the last {corner.alone} of its {corner.pages} pages led on to more of them, and nowhere else"
    return f"{corner.weak} of its {corner.pages} pages said next to nothing new and led on to more of them"


def _year(now: float) -> int:
    return int(1970 + now / YEAR)


def corners_within(corners: Corners, href: str, size: int) -> bool:
    """Whether another URL of the host is in the corner of that size too."""
    return size_within(corners, corners_of(href)) <= size
