"""Whether a corner of a host is a trap. Pure: what is remembered comes in, and goes out changed.

A maze can't be told by its URLs: an honest archive has a million of one shape too. Its pages lead on to URLs of the
same corner that nobody has seen, one after the other, and lead nowhere else. So do those of an honest archive, until
it ends. There are three things that only a trap does:

- its pages say what was said before, and still lead on: that much is *stale*, or *weak* if there is a little news;
- it answers also for a URL that no page ever named (see `judge.sounding`), and that page leads on like the others;
- it grows far quicker than it is fetched, by URLs that are put together from those of before (see `judge.orders`).

So a corner whose pages have led on for long is sounded, and closed if both of two soundings are answered like any page
of it. What closes it without a sounding, or against its answer, is in `judge.closing`. Evidence in the writing of its
URLs halves our patience, and decides nothing.
"""

from __future__ import annotations

from msgspec import Struct, structs

from skitter.judge.answers import PATIENCE, Answer, answer_of
from skitter.judge.closed import INSIST, REVIEW, Closed, after_look
from skitter.judge.closing import LED, spent_why
from skitter.judge.corner import DEEP, HOST, NOWHERE, WIDE, Corners, corners_of, is_within, size_within
from skitter.judge.counting import Corner, Visit, after_visit, is_dated
from skitter.judge.evidence import evidence_in, year_of
from skitter.settings import DAY

ECHOES, TRIES = 2, 2
"""Soundings that must be answered like any page before a corner is closed; others after which it is left alone."""
AROUND = LED // 6
"""Pages that led on, after which a corner is sounded that has one in it which has no end."""
CALM = 4
"""A corner that was sounded in vain is sounded again when it has so many times more pages."""
SOUNDINGS, SOUNDED_SHARE = 8, 0.005
"""Soundings of a host: at the most so many, and beyond that so large a part of its pages."""
LOST = 50
"""Pages after which a sounding is not waited for any more: robots.txt forbids it, or nobody answers."""
CORNERS = (4, 4, 3, 1)
"""Corners of each size that are remembered: those that look worst or grow most, then the last visited."""
CLOSED = 8
"""Closed corners that are remembered, the last ones."""


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
    day: int = 0
    fresh: int = 0  # URLs of the host that its pages led to on that day


NO_TRAPS = Traps()


def after_page(traps: Traps, visit: Visit) -> Traps:
    """Returns what is remembered after a page, and of which corners nothing more is to be fetched."""
    known = {corner.name: corner for corner in traps.corners}
    mine = [known.pop(name) if name in known else Corner(name, size) for size, name in enumerate(visit.corners) if name]
    found = mine[-1].found
    mine = after_visit(mine, visit)
    day, fresh = int(visit.now // DAY), mine[-1].found - found
    after = Traps(
        _kept([*known.values()], mine),
        traps.closed,
        traps.sounding,
        traps.sounded,
        traps.pages + 1,
        traps.heard,
        day,
        traps.fresh + fresh if day == traps.day else fresh,
    )
    for corner in mine:
        if (why := spent_why(corner, visit)) is not None:
            return _close(after, corner, visit, why)
    return after


def wants_sounding(traps: Traps, visit: Visit) -> Corner | None:
    """Returns the smallest corner of a page that should be sounded now."""
    is_out = traps.sounding is not None and traps.pages < traps.sounding.after + LOST
    if is_out or traps.sounded >= SOUNDINGS + SOUNDED_SHARE * traps.pages:
        return None
    names, found = visit.corners, None
    for one in traps.corners:
        if one.name not in names or one.pages < one.calm or (found is not None and found.size <= one.size):
            continue
        if _is_suspect(one, visit) or (traps.closed and _is_around(one, traps)):
            found = one
    return found


def sounded(traps: Traps, corner: Corner, fingerprint: bytes | None, href: str) -> Traps:
    """Returns what is remembered when a URL was made up for a corner; None: there is nothing left to ask."""
    if fingerprint is None:
        return _left_alone(traps, corner, vouched=corner.missed > 0 and not corner.shrugged)
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
    answer = answer_of(corner, traps.heard, visit)
    if answer is Answer.ECHO and visit is not None and corner.echoed + 1 >= ECHOES:
        why = f"{corner.pages} pages led on to more of them, and so did {ECHOES} that no page had named"
        return _close(traps, corner, visit, why, is_endless=True)
    # What a page says that others link to is no excuse.
    is_own = visit is not None and visit.said is not None and not visit.is_twin
    traps = structs.replace(traps, heard=visit.said.sample if is_own and visit and visit.said else b"")
    after = _answered(corner, answer, is_twin=visit is not None and visit.is_twin)
    traps = _with(traps, after)
    # An error is said by the server itself, and once is enough; an excuse with status 200 may be a page of a trap.
    is_told = asked(after) >= TRIES or (visit is None and not after.shrugged)
    return _left_alone(traps, after, vouched=not after.shrugged) if is_told else traps


def _answered(corner: Corner, answer: Answer, *, is_twin: bool) -> Corner:
    """Returns a corner after one more sounding of it; `is_twin`: the page is known under another URL."""
    if answer is Answer.ECHO:
        return structs.replace(corner, echoed=corner.echoed + 1)
    # The first one tells most: a value that is minded is enough, whatever is said to one that is not.
    if answer is Answer.NONE or (answer is Answer.SHRUG and corner.missed):
        return structs.replace(corner, missed=corner.missed + 1, shrugged=0, echoed=0, ignored=0)
    echoed = max(1, corner.echoed) if answer is Answer.HALF else corner.echoed
    return structs.replace(corner, echoed=echoed, shrugged=corner.shrugged + 1, ignored=corner.ignored + is_twin)


def asked(corner: Corner) -> int:
    """Returns how many soundings of a corner told that it may have an end."""
    return corner.missed + corner.shrugged


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


def newly_closed(before: Traps, after: Traps) -> list[str]:
    """Returns what was closed since: `shape`, `folder` or `host` for each."""
    if after.closed is before.closed:
        return []
    old = {closed.name for closed in before.closed}
    kinds = {DEEP: "folder", WIDE: "folder", HOST: "host"}
    return [kinds.get(closed.size, "shape") for closed in after.closed if closed.name not in old]


def after_closed(traps: Traps, closed: Closed, visit: Visit, *, is_review: bool) -> Traps:
    """Returns what is remembered after a page of a closed corner: one that was spared, or the look once a week."""
    after = after_look(closed, visit, is_review=is_review)
    if after is not None:
        return _with_closed(traps, after)
    return structs.replace(traps, closed=tuple(one for one in traps.closed if one.name != closed.name))


def reviewed(traps: Traps, closed: Closed, fingerprint: bytes, now: float) -> Traps:
    """Returns what is remembered when a URL of a closed corner was chosen for the look once a week."""
    return _with_closed(traps, structs.replace(closed, sample=fingerprint, review_at=now + REVIEW))


def _kept(others: list[Corner], mine: list[Corner]) -> tuple[Corner, ...]:
    """Returns the corners to remember: of each size those that look worst or grow most, then the last visited."""
    sizes = [other.size for other in others]
    for corner in mine:
        if sizes.count(corner.size) >= CORNERS[corner.size]:
            rivals = (other for other in others if other.size == corner.size)
            others.remove(min(rivals, key=lambda one: (max(one.weak, one.grown), one.led, one.pages)))
    return (*others, *mine)


def _is_suspect(corner: Corner, visit: Visit) -> bool:
    least, limit = LED // 2 // visit.haste, visit.limit // 2  # with the least patience that we ever have
    if corner.led < least and corner.weak < limit > corner.dull and corner.found < corner.pages + least:
        return False  # as nearly all are
    # A calendar is sounded sooner: each of its months has a page for each of its events.
    led = (LED // 2 if is_dated(corner) else LED) // visit.haste
    if corner.led >= led * PATIENCE[corner.size] or max(corner.weak, corner.dull) >= _limit(corner, visit):
        return True
    # Most of its pages may lead nowhere: if there are more and more of them to come, it is asked whether they end.
    return corner.size < HOST and corner.pages >= 2 * led and corner.found >= corner.pages + led


def _is_around(corner: Corner, traps: Traps) -> bool:
    """Whether a corner that leads on has one in it that was shown to have no end: then it is looked at sooner."""
    ends = (closed for closed in traps.closed if closed.is_endless and closed.size < corner.size < HOST)
    return corner.led >= AROUND and any(is_within(closed.name, corner.name) for closed in ends)


def _limit(corner: Corner, visit: Visit) -> int:
    limit = visit.limit * PATIENCE[corner.size]
    if corner.weak * 2 < limit:
        return limit
    return limit // 2 if evidence_in(visit.href, year_of(visit.now)) else limit


def _left_alone(traps: Traps, corner: Corner, *, vouched: bool) -> Traps:
    """Returns what is remembered after the last sounding for now: if it was honest, so are the larger corners."""
    after = []
    for one in traps.corners:
        if one.name == corner.name or (vouched and _holds(one, corner)):
            calm = max(one.calm, CALM * one.pages)
            vouch = one.vouched or vouched
            after.append(
                structs.replace(
                    one,
                    missed=0,
                    shrugged=0,
                    echoed=0 if vouch else one.echoed,
                    led=0,
                    calm=calm,
                    vouched=vouch,
                    is_doubtful=not vouch and (one.is_doubtful or one.shrugged >= TRIES),
                )
            )
        else:
            after.append(one)
    return structs.replace(traps, corners=tuple(after))


def _holds(larger: Corner, corner: Corner) -> bool:
    return larger.size > corner.size and is_within(corner.name, larger.name)


def _is_first(traps: Traps, corner: Corner, larger: Corner) -> bool:
    """Whether a corner is the first one that is closed in a larger one."""
    if not _holds(larger, corner):
        return False
    return not any(closed.size < larger.size and is_within(closed.name, larger.name) for closed in traps.closed)


def _with_closed(traps: Traps, closed: Closed) -> Traps:
    return structs.replace(traps, closed=tuple(closed if one.name == closed.name else one for one in traps.closed))


def _with(traps: Traps, corner: Corner) -> Traps:
    return structs.replace(traps, corners=tuple(corner if one.name == corner.name else one for one in traps.corners))


def _close(traps: Traps, corner: Corner, visit: Visit, why: str, *, is_endless: bool = False) -> Traps:
    """Returns what is remembered when a corner is closed.

    What spoke against it spoke against the larger ones too, and does no more: unless it is not the first one in them.
    """
    others = tuple(
        structs.replace(one, stale=0, weak=0, led=0, dull=0, grown=0) if _is_first(traps, corner, one) else one
        for one in traps.corners
        if one.name != corner.name
    )
    evidence = evidence_in(visit.href, year_of(visit.now))
    told = f"{why}; its URLs have {', '.join(evidence)}" if evidence else why
    closed = Closed(corner.name, corner.size, visit.now, told, visit.now + REVIEW, corner.seen, is_endless)
    return structs.replace(traps, corners=others, closed=(*traps.closed, closed)[-CLOSED:])


def corners_within(corners: Corners, href: str, size: int) -> bool:
    """Whether another URL of the host is in the corner of that size too."""
    return size_within(corners, corners_of(href)) <= size
