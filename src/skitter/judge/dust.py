"""DUST: different URLs, same text. Which pieces of its URLs a host does not mind. Pure.

A piece is a parameter of the query, the last piece of a path (`/print`), a parameter in it (`;s=1`) or its first folder
(`/m/`). When a page says the same as another one whose URL is its own without one piece, that speaks for a rule: the
piece makes no difference. So it does if both have the piece, with values that look like marks of a visitor, and are the
same without. When the page without it says something else, there is no such rule, and never again will be. A rule holds
after ten pages, five if the values look like marks, of three at least that differ in more than that.

A rule is part of the dedup key of its host: a URL is seen if it is known without the pieces that make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct, structs
from xxhash import xxh32_digest

ENOUGH, ENOUGH_MARKS = 10, 5
"""Pages that must agree before a rule holds."""
SAMPLES, SAMPLED = 50, 8
"""Until so many pages have agreed, one in so many is fetched although a rule holds: it may be the first to break it."""
FIRM_MARKS = 12
RULES = 16
"""Rules and candidates of a host."""
DIFFERENT = 3
"""Pages without the piece that a rule was seen on: those of one page may all be alike whatever they are given."""
LIKE = 0.9
"""Pages that have less in common break a rule."""
_MARK = re.compile(r"(?=[^&/;]*[0-9])(?=[^&/;]*[A-Za-z])[0-9A-Za-z_.-]{12,}")
_SIZE = 4


class Piece(StrEnum):
    """What of a URL a rule is about."""

    NAME = "parameter"
    END = "suffix"
    INNER = "path parameter"
    FOLDER = "folder"


FORMS = frozenset({"print", "printer", "printable", "amp", "m", "mobile", "lite", "text", "textonly", "plain"})
"""How other forms of a page are called. Such a form is the page without what stands around it, and so may have less."""
FORMED = frozenset({Piece.END, Piece.FOLDER})


class Rule(Struct, frozen=True, array_like=True):
    """A piece that may make no difference, and what speaks for it."""

    piece: Piece
    name: str
    agreed: int = 0
    marks: int = 0  # of them had a value that looks like the mark of a visitor
    rests: bytes = b""  # hashes of the first few URLs without it
    is_broken: bool = False  # a page without it said something else
    is_refused: bool = False  # the operator does not want it


def holds(rule: Rule) -> bool:
    """Whether a rule is to be used."""
    if rule.is_broken or rule.is_refused or len(rule.rests) < DIFFERENT * _SIZE:
        return False
    return rule.agreed >= (ENOUGH_MARKS if rule.marks * 2 > rule.agreed else ENOUGH)


def is_firm(rule: Rule) -> bool:
    """Whether a rule was seen often enough to drop links for it: sooner for marks of visitors, which have no end."""
    return rule.agreed >= (FIRM_MARKS if rule.marks * 2 > rule.agreed else SAMPLES)


def without(rule: Rule, href: str) -> str | None:
    """Returns a normalised URL without the piece that a rule is about; None: it does not have it."""
    return next((rest for piece, name, _, rest in pieces_of(href) if (piece, name) == (rule.piece, rule.name)), None)


def reduced(rules: tuple[Rule, ...], href: str) -> str:
    """Returns a URL without all that makes no difference."""
    for rule in rules:
        if holds(rule):
            href = without(rule, href) or href
    return href


def is_sample(rules: tuple[Rule, ...], fingerprint: bytes) -> bool:
    """Whether a URL is fetched to see whether the rules still hold."""
    return fingerprint[0] % SAMPLED == 0 and any(rule.agreed < SAMPLES for rule in rules)


def pieces_of(href: str) -> Iterator[tuple[Piece, str, str, str]]:
    """Yields each piece that a rule could be about: its kind, name and value, and the URL without it."""
    head, _, tail = href.partition("://")
    host, _, rest = tail.partition("/")
    path, asked, query = rest.partition("?")
    start, end = f"{head}://{host}/", f"?{query}" if asked else ""
    parts = query.split("&") if asked else []
    for place, part in enumerate(parts):
        name, _, value = part.partition("=")
        others = "&".join(parts[:place] + parts[place + 1 :])
        yield Piece.NAME, name, value, start + path + (f"?{others}" if others else "")
    plain, inner, value = path.rpartition(";")
    if inner:
        yield Piece.INNER, value.partition("=")[0], value.partition("=")[2], start + plain + end
    folder, _, below = path.partition("/")
    if below:
        yield Piece.FOLDER, folder, "", start + below + end
    above, _, last = path.rstrip("/").rpartition("/")
    if above:
        yield Piece.END, last, "", start + above + end


def after_twin(rules: tuple[Rule, ...], href: str, twin: str) -> tuple[Rule, ...]:
    """Returns the rules after a page said the same as the one at `twin`: they may differ in one piece of either."""
    for one, other in ((href, twin), (twin, href)):
        for piece, name, value, rest in pieces_of(one):
            is_mark = bool(_MARK.fullmatch(value))
            if _same(rest, other) or (is_mark and _same(rest, without(Rule(piece, name), other) or "")):
                return _counted(rules, piece, name, rest, is_mark)
    return rules


def other_forms(href: str) -> list[str]:
    """Returns the URLs without a piece that is a usual name for another form of a page: for print, for telephones."""
    if FORMS.isdisjoint(href.lower().replace("?", "/?").split("/")):  # as of nearly all, and a pattern takes longer
        return []
    return [rest for piece, name, _, rest in pieces_of(href) if piece in FORMED and name.lower() in FORMS]


def tested_by(rules: tuple[Rule, ...], href: str) -> list[tuple[Rule, str]]:
    """Returns the rules that a page can break, each with the URL of the page that it must be compared with."""
    found = ((rule, without(rule, href)) for rule in rules if not rule.is_broken)
    return [(rule, rest) for rule, rest in found if rest is not None]


def broken(rules: tuple[Rule, ...], rule: Rule) -> tuple[Rule, ...]:
    """Returns the rules after a page said something else than the one without the piece."""
    return tuple(structs.replace(one, is_broken=True) if one is rule else one for one in rules)


def refused(rules: tuple[Rule, ...], name: str, *, is_refused: bool) -> tuple[Rule, ...]:
    """Returns the rules after the operator refused those of this name, or allowed them again."""
    return tuple(structs.replace(one, is_refused=is_refused) if one.name == name else one for one in rules)


def _counted(rules: tuple[Rule, ...], piece: Piece, name: str, rest: str, is_mark: bool) -> tuple[Rule, ...]:
    mine = next((one for one in rules if (one.piece, one.name) == (piece, name)), Rule(piece, name))
    others = [one for one in rules if (one.piece, one.name) != (piece, name)]
    if len(others) >= RULES:  # candidates go before rules, and those that are broken stay: they must not come back
        weakest = min(others, key=lambda one: (one.is_broken or one.is_refused, one.agreed))
        others.remove(weakest)
    mark = xxh32_digest(rest.rstrip("/").encode())
    is_known = mark in (mine.rests[at : at + _SIZE] for at in range(0, len(mine.rests), _SIZE))
    rests = mine.rests if is_known or len(mine.rests) >= DIFFERENT * _SIZE else mine.rests + mark
    return (*others, structs.replace(mine, agreed=mine.agreed + 1, marks=mine.marks + is_mark, rests=rests))


def _same(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")
