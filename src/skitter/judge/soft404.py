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

from enum import IntEnum
from typing import NamedTuple

import xxhash
from msgspec import Struct, structs

from skitter.judge import places
from skitter.judge.likeness import NOTHING_SAID, Saying, alike, echoes_of, is_short, mark_of
from skitter.judge.telltale import telltale_of

WAYS = 8
"""Ways remembered of a host: so many probes it gets at the most."""
HONEST = 2
"""Probes answered as they should be after which only what is repeated, and tells, is worth another."""
MARKS = 32
"""Answers remembered of a host, to see which are repeated: the last short ones and redirects."""
FEW_WORDS = 15
"""A main text so short is worth a thought whatever it says."""
REPEATED = 2
"""Other URLs that were answered alike, if that is to tell without any probe."""

_MARK, _URL = 4, 4


class Way(Struct, frozen=True, array_like=True):
    """How a host answered for a name that is not there."""

    href: str
    place: str
    status: int = 0  # 0: it did not
    target: str = ""  # of a redirect, as it is compared
    saying: Saying = NOTHING_SAID
    is_guess: bool = False  # a sitemap that nobody named, not a probe

    def is_soft(self) -> bool:
        """Whether the status is not the one that says so."""
        return 200 <= self.status < 400


class Absence(Struct, frozen=True, array_like=True):
    """What is known of how a host says that there is nothing."""

    ways: tuple[Way, ...] = ()
    marks: bytes = b""  # of the last answers that could be repeated, each with one of its URL


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
    STRONG = 3  # it says or does what is said and done when there is nothing


def way_of(answer: Answer, *, is_guess: bool = False) -> Way:
    """Returns how a host answered for a name that is not there."""
    place, target = places.place_of(answer.href), places.aim_of(answer.target)
    return Way(answer.href, place, answer.status, target, answer.saying, is_guess)


def with_way(absence: Absence, way: Way) -> Absence:
    """Returns what is known once a host was asked for a name that is not there."""
    others = [one for one in absence.ways if (one.place, one.is_guess) != (way.place, way.is_guess)]
    return structs.replace(absence, ways=(*others, way)[-WAYS:])


def with_answer(absence: Absence, answer: Answer) -> Absence:
    """Returns what is known once a page was answered, if it could be a repeated one."""
    mark = _mark_of(answer)
    entry = mark + _url_mark(answer.href)
    if not mark or entry in _entries(absence.marks):
        return absence
    return structs.replace(absence, marks=(absence.marks + entry)[-MARKS * (_MARK + _URL) :])


def told_by(absence: Absence, answer: Answer) -> str:
    """Returns why a page is a soft 404 by what its host is known to say, in words; empty if it is not."""
    if places.is_root(answer.href) or not absence.ways:
        return ""
    for way in reversed(absence.ways):
        likeness = _likeness(way, answer) if way.is_soft() else ""
        if likeness and (not way.is_guess or _is_sure(answer)):
            return f"{likeness}, as the host answers for {way.href}"
    return ""


def doubt_of(absence: Absence, answer: Answer) -> Doubt:
    """Returns whether a page that no known way tells is worth asking for a name that is not there."""
    doubt = Doubt.NONE if places.is_root(answer.href) else _doubt_of(absence, answer)
    probes = [way for way in absence.ways if not way.is_guess]
    place = places.place_of(probe_for(answer.href, doubt, b""))
    if doubt is Doubt.NONE or len(probes) >= WAYS or any(way.place == place for way in probes):
        return Doubt.NONE
    if doubt is Doubt.WEAK and any(not way.is_soft() for way in absence.ways):
        return Doubt.NONE
    is_spent = sum(not way.is_soft() for way in probes) >= HONEST
    return Doubt.NONE if is_spent and not (_repeated(absence, answer) and _telltale(answer)) else doubt


def probe_for(href: str, doubt: Doubt, salt: bytes) -> str:
    """Returns the name to ask for: beside the page if that tells by itself, else where no page has any say."""
    return places.probe_of(href, salt, at_top=doubt is not Doubt.STRONG)


def told_anyway(absence: Absence, answer: Answer) -> str:
    """Returns why a page for which there is no probe is a soft 404 all the same; empty if that can't be told."""
    if places.is_root(answer.href) or any(way.status and not way.is_soft() for way in absence.ways):
        return ""  # a host that is honest elsewhere has the benefit of the doubt
    repeated = _repeated(absence, answer)
    if repeated >= REPEATED and (words := _telltale(answer)):
        return f"{repeated} other URLs of the host are answered alike, and it says “{words}”"
    if repeated >= REPEATED and answer.target and places.is_telling(answer.target):
        return f"{repeated} other URLs of the host lead to {answer.target} too"
    return ""


def _likeness(way: Way, answer: Answer) -> str:
    """Returns in which way an answer is the one that a host has for what is not there; empty if it is not."""
    if way.target or answer.target:
        is_same = way.target == places.aim_of(answer.target)
        return f"it leads to {answer.target}" if is_same and not _leads_to_itself(answer) else ""
    if way.is_guess and "sitemap" in answer.href.lower():
        return ""  # the page that lists all pages, maybe under its other name
    if places.is_login(answer.href) and not telltale_of(answer.saying.title):
        return ""  # where visitors log in is a page, though it be shown in place of others
    return alike(answer.saying, way.saying, echoes_of(way.href) | echoes_of(answer.href))


def _leads_to_itself(answer: Answer) -> bool:
    """Whether a redirect leads to the same path elsewhere: to https, or to another name of the host."""
    return answer.target.split("/", 3)[-1] == answer.href.split("/", 3)[-1]


def _is_sure(answer: Answer) -> bool:
    """Whether likeness to the answer for a sitemap that is not there is enough."""
    return bool(answer.target) or bool(_telltale(answer))


def _doubt_of(absence: Absence, answer: Answer) -> Doubt:
    if answer.target:
        is_telling = places.is_telling(answer.target) or _repeated(absence, answer) >= REPEATED
        return Doubt.STRONG if is_telling and not _leads_to_itself(answer) else Doubt.NONE
    is_like_guess = any(_likeness(way, answer) for way in absence.ways if way.is_guess and way.is_soft())
    is_home_again = answer.twin is not None and places.is_root(answer.twin)
    if is_like_guess or is_home_again or _telltale(answer) or answer.has_password:
        return Doubt.STRONG
    if _repeated(absence, answer):
        return Doubt.SOME
    return Doubt.WEAK if answer.saying.words <= FEW_WORDS or answer.twin is not None else Doubt.NONE


def _telltale(answer: Answer) -> str:
    return telltale_of(answer.saying.title) or telltale_of(answer.saying.brief)


def _repeated(absence: Absence, answer: Answer) -> int:
    """Returns how many other URLs of the host were answered alike, of late."""
    mark, own = _mark_of(answer), _url_mark(answer.href)
    if not mark:
        return 0
    return sum(entry[:_MARK] == mark and entry[_MARK:] != own for entry in _entries(absence.marks))


def _mark_of(answer: Answer) -> bytes:
    """Returns what stands for an answer that could be a repeated one: a redirect, or a short text."""
    if answer.target:
        return xxhash.xxh32_digest(places.aim_of(answer.target).encode())
    if not is_short(answer.saying) or not answer.saying.words:
        return b""
    return xxhash.xxh32_digest(mark_of(answer.saying, answer.href).encode())


def _url_mark(href: str) -> bytes:
    return xxhash.xxh32_digest(href.encode())


def _entries(marks: bytes) -> list[bytes]:
    size = _MARK + _URL
    return [marks[at : at + size] for at in range(0, len(marks), size)]
