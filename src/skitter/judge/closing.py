"""When a corner has had enough of our requests, and how that is told. Pure. Each way to close it is a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from skitter.judge.answers import PATIENCE
from skitter.judge.corner import HOST, SHAPE
from skitter.judge.counting import NEW, STALE, WEAK, Corner, Visit, is_dated
from skitter.judge.evidence import FAR_AHEAD, MILD, asks_for_numbers, evidence_in, has_date, is_growing, year_of

LED = 30
"""Pages that led on, one after the other, after which a corner is sounded though its pages say something new."""
UNSOUNDED, GUILTY, BARREN = 2, 3, 4
"""A stale corner is closed after so many times the limit: if nothing tells whether it ends; if it answered as an honest
site does, but its URLs speak against it; and whatever it answered, if there is no page in it, only redirects."""
ALONE, DOORS = 4 * LED, 0.1
"""A corner with few ways in for its pages is closed if its URLs speak against it, and so many pages in a row led on and
nowhere else, though it has answered as an honest site does: it may know the names that it made up itself."""
TURNED = 8
"""Pages of a corner whose paths are others in another order, after which it is closed: one page has one path."""
GROWN = 2 * LED
"""Pages of a corner that each led to several new ones, from which on it grows faster than anybody could fetch it."""


class Case(NamedTuple):
    """A corner that is looked at, with the page that was fetched last."""

    corner: Corner
    visit: Visit

    @property
    def limit(self) -> int:
        """The stale pages that we put up with."""
        return self.visit.limit * PATIENCE[self.corner.size]

    @property
    def evidence(self) -> list[str]:
        """What its URLs have. Not asked for every page: it takes as long to find as all the rest."""
        found = evidence_in(self.visit.href, year_of(self.visit.now))
        # Of a million numbers some look like dates: where most URLs have none, that is no date either.
        return found if is_dated(self.corner) else [one for one in found if one != FAR_AHEAD]


def spent_why(corner: Corner, visit: Visit) -> str | None:
    """Returns why nothing more of a corner is to be fetched; None: that can't be said."""
    least = min(visit.limit, LED)
    if corner.led < least > corner.weak and corner.dull < least > corner.grown and corner.alone < least:
        return None  # as nearly all are: none of the ways is near
    case = Case(corner, visit)
    return next((told.format(corner) for is_spent, told in WAYS.items() if is_spent(case)), None)


def _is_stale(case: Case) -> bool:
    return case.corner.stale >= UNSOUNDED * case.limit and not case.corner.vouched


def _is_barren(case: Case) -> bool:
    """Redirects that only lead to more of them: no page is lost there, whatever a sounding said."""
    corner = case.corner
    return case.visit.said is None and corner.stale >= BARREN * case.limit and corner.led >= LED


def _is_deaf(case: Case) -> bool:
    """It answers for anything, and has said all that it has to say."""
    corner, is_page = case.corner, case.visit.said is not None
    said = corner.copied if is_page else corner.dull
    return said >= UNSOUNDED * case.limit and corner.is_doubtful


def _is_turned(case: Case) -> bool:
    # Twice as many as lead to a sounding, so that its answer is there; again twice if that was an honest one.
    corner = case.corner
    return corner.turned >= TURNED and corner.led >= (4 if corner.vouched else 2) * LED


def _is_escaped(case: Case) -> bool:
    return case.corner.size < HOST and case.corner.led >= LED and is_growing(case.visit.href)


def _is_joined(case: Case) -> bool:
    corner = case.corner
    return corner.size < HOST and corner.grown >= GROWN and 2 * corner.joined >= corner.tried > 0


def _is_flat(case: Case) -> bool:
    """It grows faster than what it says, and what is asked of it makes no difference."""
    corner = case.corner
    is_deaf = corner.size < HOST and corner.is_doubtful and corner.ignored >= 2
    return is_deaf and corner.grown >= GROWN and corner.usual <= NEW


def _is_circling(case: Case) -> bool:
    """It grows by pages of one form that say nothing: lists of an honest site say nothing, but lead to another form."""
    corner = case.corner
    if corner.grown < UNSOUNDED * case.limit or 2 * corner.circling < case.limit or corner.usual > WEAK:
        return False
    if corner.size != SHAPE:  # of several forms, which lead to one another: all of them must say nothing
        return corner.size < HOST and corner.circling >= UNSOUNDED * case.limit and corner.usual <= STALE
    return corner.circling >= case.limit or bool(case.evidence)


def _is_paired(case: Case) -> bool:
    """Two numbers that can be chosen, and pages that say nothing: it has an end, but nobody wants to see it."""
    corner, enough = case.corner, UNSOUNDED * case.limit
    is_dull = corner.size == SHAPE and min(corner.stale, corner.circling) >= enough and corner.usual <= STALE
    return is_dull and asks_for_numbers(case.visit.href) and not has_date(case.visit.href)


def _is_open(case: Case) -> bool:
    corner = case.corner
    return corner.size < HOST and corner.grown >= GROWN and corner.echoed > 0 and corner.is_doubtful


def _is_weak(case: Case) -> bool:
    corner = case.corner
    if corner.weak < max(GUILTY * case.limit, corner.pages // 4):
        return False
    # Where a sounding was answered as an honest site does, pages must have led on all the time beside.
    return (corner.led >= 2 * LED or not corner.vouched) and bool(case.evidence)


def _is_alone(case: Case) -> bool:
    corner = case.corner
    if corner.size == HOST or not corner.alone or corner.alone % ALONE or corner.doors > DOORS * corner.pages:
        return False
    return not MILD.issuperset(case.evidence)


WAYS: dict[Callable[[Case], bool], str] = {
    _is_stale: "{0.weak} of its {0.pages} pages said next to nothing new and led on to more of them",
    _is_barren: "{0.stale} of its {0.pages} URLs redirect to more of them",
    _is_deaf: "{0.dull} of its {0.pages} pages said nothing new, and it answers for URLs that no page had named",
    _is_turned: "{0.turned} of its {0.pages} pages have the path of another one in another order",
    _is_escaped: "{0.led} pages led on to URLs that were escaped once more",
    _is_joined: "{0.joined} of {0.tried} URLs that its pages led to are choices of others put together",
    _is_flat: "{0.pages} pages led to {0.found} more of them, and it does not mind what is asked",
    _is_circling: "{0.pages} pages led to {0.found} more of their form, and said what others said",
    _is_paired: "{0.stale} of its {0.pages} pages, of two numbers each, said nothing new and led on to more of them",
    _is_open: "{0.pages} pages led to {0.found} more of them, and so did one that no page had named",
    _is_weak: "{0.weak} of its {0.pages} pages said next to nothing new and led on to more of them",
    _is_alone: "the last {0.alone} of its {0.pages} pages led on to more of them, and nowhere else",
}
"""Why a corner is closed without a sounding, or against its answer, and how that is told."""
