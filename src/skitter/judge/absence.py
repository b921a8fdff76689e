"""What is remembered of a host about how it says that there is nothing. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import xxhash
from msgspec import Struct, structs

from skitter.judge import places
from skitter.judge.likeness import NOTHING_SAID, Saying, is_short, mark_of
from skitter.messages import Said

WAYS = 10
"""Ways remembered of a host: so many probes it gets at the most."""
TEXTS = 3000
"""Characters remembered of what a host says there, of all ways together."""
MARKS = 32
"""Answers remembered of a host, to see which are repeated: the last short ones and redirects; and as many titles."""

_MARK, _URL = 4, 4


class Way(Struct, frozen=True, array_like=True):
    """How a host answered for a name that is not there."""

    href: str
    place: str
    status: int = 0  # 0: it did not
    target: str = ""  # of a redirect, as it is compared
    saying: Saying = NOTHING_SAID
    is_guess: bool = False  # a sitemap that nobody named, not a probe
    twin: str = ""  # the page of the host that is shown there

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
    home_title: bytes = b""  # a mark of its title


NOTHING_KNOWN = Absence()


class Answer(NamedTuple):
    """What a host said when it was asked for `href`."""

    href: str
    status: int
    target: str = ""  # of a redirect
    saying: Saying = NOTHING_SAID
    twin: str | None = None  # the page of the same domain that says the same
    has_password: bool = False  # it asks for one
    said: Said | None = None  # the same, to find its twin by


def way_of(answer: Answer, *, is_guess: bool = False) -> Way:
    """Returns how a host answered for a name that is not there."""
    place, target = places.place_of(answer.href), places.aim_of(answer.target)
    return Way(answer.href, place, answer.status, target, answer.saying, is_guess, answer.twin or "")


def with_way(absence: Absence, way: Way) -> Absence:
    """Returns what is known once a host was asked for a name that is not there."""
    others = [one for one in absence.ways if (one.place, one.is_guess) != (way.place, way.is_guess)]
    return structs.replace(absence, ways=_bounded([*others, way][-WAYS:]))


def _bounded(ways: list[Way]) -> tuple[Way, ...]:
    """Returns the ways, of which the oldest have lost what they said if all together said too much."""
    left, kept = TEXTS, list[Way]()
    for way in reversed(ways):
        left -= len(way.saying.brief) + len(way.saying.title)
        kept.append(way if left >= 0 else structs.replace(way, saying=NOTHING_SAID))
    return tuple(reversed(kept))


def with_answer(absence: Absence, answer: Answer) -> Absence:
    """Returns what is known once a page was answered."""
    marks, mark = absence.marks, _mark_of(answer)
    if mark and _place(entry := mark + _hash(answer.href), marks) < 0:
        marks = (marks + entry)[-MARKS * (_MARK + _URL) :]
    title = _mark_of_title(answer.saying.title) if answer.saying.title else b""
    titles = (absence.titles + title)[-MARKS * _MARK :]
    if places.is_root(answer.href):
        return structs.replace(absence, marks=marks, titles=titles, home=answer.saying.sketch, home_title=title)
    return structs.replace(absence, marks=marks, titles=titles)


def repeated(absence: Absence, answer: Answer) -> int:
    """Returns how many other URLs of the host were answered alike, of late."""
    mark = _mark_of(answer)
    if not mark or mark not in absence.marks:
        return 0
    own = _hash(answer.href)
    return sum(entry[:_MARK] == mark and entry[_MARK:] != own for entry in _entries(absence.marks))


def has_title(absence: Absence, title: str) -> bool:
    """Whether one of the last pages has this title."""
    return _place(_mark_of_title(title), absence.titles) >= 0


def is_homes(absence: Absence, title: str) -> bool:
    """Whether a title is that of the home page: mostly the name of the host, and any page may have it."""
    return absence.home_title == _mark_of_title(title)


def times_of(absence: Absence, title: str) -> int:
    """Returns how many of the last pages have this title."""
    return _entries(absence.titles, _MARK).count(_mark_of_title(title))


def other_titles(absence: Absence, title: str) -> list[bytes]:
    """Returns the marks of the titles of the last pages that have another than this."""
    own = _mark_of_title(title)
    return [one for one in _entries(absence.titles, _MARK) if one != own]


def _mark_of(answer: Answer) -> bytes:
    """Returns what stands for an answer that could be a repeated one: a redirect, or a short text."""
    if answer.target:
        return _hash(places.aim_of(answer.target))
    if not is_short(answer.saying) or not answer.saying.words:
        return b""
    return _mark_of_text(answer.saying.title, answer.saying.brief, answer.href)


@lru_cache(4)  # an answer is held against several things
def _mark_of_text(title: str, brief: str, href: str) -> bytes:
    return _hash(mark_of(title, brief, href))


@lru_cache(4)  # the same
def _mark_of_title(title: str) -> bytes:
    return _hash(title)


def _hash(text: str) -> bytes:
    return xxhash.xxh32_digest(text.encode("utf-8", "replace"))


def _place(entry: bytes, marks: bytes) -> int:
    """Returns where an entry is among marks of its size, below 0 if nowhere."""
    at = marks.find(entry)
    while at % len(entry) and at >= 0:
        at = marks.find(entry, at + 1)
    return at


def _entries(marks: bytes, size: int = _MARK + _URL) -> list[bytes]:
    return [marks[at : at + size] for at in range(0, len(marks), size)]
