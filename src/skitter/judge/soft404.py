"""How a host says that there is nothing under a name, and whether a page is said so. Pure.

A page that is not there should be answered with 404. Many hosts answer with 200 and a text, or with a redirect to
their home page. Words can't tell: a page about such errors says them too. What tells is to ask the host for a name
that can't be there (a *probe*), once for each place that pages were doubted at, and to compare what comes back.
A sitemap that nobody named (`reading.listing.is_guess`) is such a name too, mostly, and costs nothing.

    told_by       a page and the ways that are known → why it is a soft 404, if it is
    doubt_of      a page that no known way tells → whether it is worth a probe
    told_anyway   a doubted page for which no probe is to be had → told by repetition, if at all
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

import xxhash
from msgspec import Struct, structs

from skitter.judge import places
from skitter.judge.likeness import NOTHING_SAID, Saying, alike, echoes_of, is_short, mark_of
from skitter.judge.telltale import telltale_of

WAYS = 10
"""Ways remembered of a host: so many probes it gets at the most."""
HONEST = 2
"""Probes answered as they should be after which only what is repeated, and tells, is worth another."""
MARKS = 32
"""Answers remembered of a host, to see which are repeated: the last short ones and redirects."""
FEW_WORDS = 15
"""A main text so short is worth a thought whatever it says."""
SHORT = 80
"""Words. What says that there is nothing has hardly more to say."""
REPEATED = 2
"""Other URLs that were answered alike, if that is to tell without any probe."""
TITLES, DIFFERENT = 8, 0.7
"""So many pages, and such a share of them with a title that no other has, show that a host names its pages one by one.
A page with the title of what is not there is that, then, whatever else is on it."""
SUBSTANTIAL = 300
"""Words. A page that says so much is told by what it says, not by its title."""

_MARK, _URL = 4, 4
_MAP = re.compile(r"site[-_ ]?map|\bmap\b|plan du site|übersicht", re.IGNORECASE)


class Way(Struct, frozen=True, array_like=True):
    """How a host answered for a name that is not there."""

    href: str
    place: str
    status: int = 0  # 0: it did not
    target: str = ""  # of a redirect, as it is compared
    saying: Saying = NOTHING_SAID
    is_guess: bool = False  # a sitemap that nobody named, not a probe

    def is_soft(self) -> bool:
        """Whether it was with the status of a page that is there."""
        return 200 <= self.status < 400

    def is_honest(self) -> bool:
        """Whether it was with a status that says so."""
        return self.status >= 400


class Absence(Struct, frozen=True, array_like=True):
    """What is known of how a host says that there is nothing."""

    ways: tuple[Way, ...] = ()
    marks: bytes = b""  # of the last answers that could be repeated, each with one of its URL
    titles: bytes = b""  # marks of the titles of the last pages
    home: bytes = b""  # the sketch of its home page


NOTHING_KNOWN = Absence()


class Answer(NamedTuple):
    """What a host said when it was asked for `href`."""

    href: str
    status: int
    target: str = ""  # of a redirect
    saying: Saying = NOTHING_SAID
    twin: str | None = None  # the page of the same domain that says the same
    has_password: bool = False  # it asks for one


class Doubt(IntEnum):
    """How much a page is doubted."""

    NONE = 0
    WEAK = 1  # it is short, or says what another says
    SOME = 2  # and so do others beside that one
    STRONG = 3  # it does what is done when there is nothing, or says so among other things
    OPEN = 4  # it says so and nothing else


_WHERE = {Doubt.OPEN: places.Where.BESIDE, Doubt.STRONG: places.Where.BEFORE_NUMBERS}


def way_of(answer: Answer, *, is_guess: bool = False) -> Way:
    """Returns how a host answered for a name that is not there."""
    place, target = places.place_of(answer.href), places.aim_of(answer.target)
    return Way(answer.href, place, answer.status, target, answer.saying, is_guess)


def with_way(absence: Absence, way: Way) -> Absence:
    """Returns what is known once a host was asked for a name that is not there."""
    others = [one for one in absence.ways if (one.place, one.is_guess) != (way.place, way.is_guess)]
    return structs.replace(absence, ways=(*others, way)[-WAYS:])


def with_answer(absence: Absence, answer: Answer) -> Absence:
    """Returns what is known once a page was answered."""
    marks, mark = absence.marks, _mark_of(answer)
    entry = mark + _hash(answer.href)
    if mark and entry not in _entries(marks):
        marks = (marks + entry)[-MARKS * (_MARK + _URL) :]
    title = _hash(answer.saying.title) if answer.saying.title else b""
    titles = (absence.titles + title)[-MARKS * _MARK :]
    home = answer.saying.sketch if places.is_root(answer.href) else absence.home
    return structs.replace(absence, marks=marks, titles=titles, home=home)


def told_by(absence: Absence, answer: Answer) -> str:
    """Returns why a page is a soft 404 by what its host is known to say, in words; empty if it is not."""
    if places.is_root(answer.href) or not absence.ways:
        return ""
    for way in reversed(absence.ways):
        if likeness := _likeness(absence, way, answer):
            return f"{likeness}, as the host answers for {way.href}"
    return ""


def doubt_of(absence: Absence, answer: Answer) -> Doubt:
    """Returns whether a page that no known way tells is worth asking for a name that is not there."""
    doubt = Doubt.NONE if places.is_root(answer.href) else _doubt_of(absence, answer)
    probes = [way for way in absence.ways if not way.is_guess]
    place = places.place_of(probe_for(answer.href, doubt, b""))
    if doubt is Doubt.NONE or len(probes) >= WAYS or any(way.place == place for way in probes):
        return Doubt.NONE
    is_enough = _is_enough_for_honest if any(way.is_honest() for way in absence.ways) else _is_enough_for_soft
    return doubt if not absence.ways or is_enough(absence, answer, doubt) else Doubt.NONE


def _is_enough_for_honest(absence: Absence, answer: Answer, doubt: Doubt) -> bool:
    """Whether a host that says 404 elsewhere is doubted here all the same."""
    honest = sum(way.is_honest() and not way.is_guess for way in absence.ways)
    return doubt >= Doubt.STRONG and honest < HONEST and _repeated(absence, answer) > 0


def _is_enough_for_soft(absence: Absence, answer: Answer, doubt: Doubt) -> bool:
    """Whether a host that is known to say it in one way may say it here in another."""
    if doubt is Doubt.STRONG:
        return bool(answer.target) or _repeated(absence, answer) > 0
    return doubt is not Doubt.WEAK


def probe_for(href: str, doubt: Doubt, salt: bytes) -> str:
    """Returns the name to ask for: beside the page if that tells by itself, else where no page has any say."""
    return places.probe_of(href, salt, _WHERE.get(doubt, places.Where.AT_TOP))


def told_anyway(absence: Absence, answer: Answer) -> str:
    """Returns why a page for which there is no probe is a soft 404 all the same; empty if that can't be told."""
    if places.is_root(answer.href) or any(way.is_honest() for way in absence.ways):
        return ""  # a host that is honest elsewhere has the benefit of the doubt
    repeated = _repeated(absence, answer)
    if repeated >= REPEATED and (words := _telltale(answer)):
        return f"{repeated} other URLs of the host are answered alike, and it says “{words}”"
    if repeated >= REPEATED and answer.target and places.is_telling(answer.target):
        return f"{repeated} other URLs of the host lead to {answer.target} too"
    return ""


def _likeness(absence: Absence, way: Way, answer: Answer) -> str:
    """Returns in which way an answer is the one that a host has for what is not there; empty if it is not."""
    if not way.is_soft():
        return ""
    if way.target or answer.target:
        is_same = way.target == places.aim_of(answer.target)
        return f"it leads to {answer.target}" if is_same and not _leads_to_itself(answer) else ""
    if way.is_guess and (_MAP.search(answer.href) or _MAP.search(way.saying.title)):
        return ""  # the page that lists all pages, maybe under its other name
    if places.is_home(answer.href):
        return ""  # where the home page is shown in place of others, that is no other
    if places.is_login(answer.href) and not telltale_of(answer.saying.title):
        return ""  # where visitors log in is a page, though it be shown in place of others
    if answer.saying.sketch == absence.home and not answer.saying.links:
        return ""  # the frame of a program that makes all pages of the host, the home page too
    echoes = echoes_of(way.href) | echoes_of(answer.href)
    likeness = alike(answer.saying, way.saying, echoes)
    if not likeness and answer.saying.title == way.saying.title and _is_peculiar(absence, answer.saying):
        return f"it is called “{answer.saying.title}”"
    return likeness


def _is_peculiar(absence: Absence, saying: Saying) -> bool:
    """Whether a title tells: the pages of the host have each their own."""
    own = _hash(saying.title)
    others = [title for title in _entries(absence.titles, _MARK) if title != own]
    return saying.words <= SUBSTANTIAL and len(others) >= TITLES and len(set(others)) >= DIFFERENT * len(others)


def _leads_to_itself(answer: Answer) -> bool:
    """Whether a redirect leads to the same path elsewhere: to https, or to another name of the host."""
    return answer.target.split("/", 3)[-1] == answer.href.split("/", 3)[-1]


def _doubt_of(absence: Absence, answer: Answer) -> Doubt:
    if answer.target:
        is_telling = places.is_telling(answer.target) or _repeated(absence, answer) >= REPEATED
        return Doubt.STRONG if is_telling and not _leads_to_itself(answer) else Doubt.NONE
    if telltale_of(answer.saying.title) and answer.saying.words <= SHORT:
        return Doubt.OPEN
    is_home_again = answer.twin is not None and places.is_root(answer.twin)
    if is_home_again or _telltale(answer) or answer.has_password:
        return Doubt.STRONG
    if _repeated(absence, answer) >= REPEATED or _has_repeated_title(absence, answer.saying):
        return Doubt.SOME
    return Doubt.WEAK if answer.saying.words <= FEW_WORDS or answer.twin is not None else Doubt.NONE


def _has_repeated_title(absence: Absence, saying: Saying) -> bool:
    return _hash(saying.title) in _entries(absence.titles, _MARK) and _is_peculiar(absence, saying)


def _telltale(answer: Answer) -> str:
    return telltale_of(answer.saying.title) or telltale_of(answer.saying.brief)


def _repeated(absence: Absence, answer: Answer) -> int:
    """Returns how many other URLs of the host were answered alike, of late."""
    mark, own = _mark_of(answer), _hash(answer.href)
    if not mark:
        return 0
    return sum(entry[:_MARK] == mark and entry[_MARK:] != own for entry in _entries(absence.marks))


def _mark_of(answer: Answer) -> bytes:
    """Returns what stands for an answer that could be a repeated one: a redirect, or a short text."""
    if answer.target:
        return _hash(places.aim_of(answer.target))
    if not is_short(answer.saying) or not answer.saying.words:
        return b""
    return _hash(mark_of(answer.saying, answer.href))


def _hash(text: str) -> bytes:
    return xxhash.xxh32_digest(text.encode("utf-8", "replace"))


def _entries(marks: bytes, size: int = _MARK + _URL) -> list[bytes]:
    return [marks[at : at + size] for at in range(0, len(marks), size)]
