"""What in the writing of a URL speaks for a trap. Pure. It never decides: it makes us less patient with a corner."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from skitter.settings import DAY

MOST_PIECES = 8
MOST_NAMES = 2
MOST_REPEATS = 2
LONG = 300
YEARS_AHEAD = 2
YEAR = 365.2425 * DAY

_TOKEN = re.compile(r"[0-9a-f]{16,}|(?=[A-Za-z]*[0-9])[0-9A-Za-z]{20,}")
_YEAR = re.compile(r"(?<![0-9A-Za-z])((?:19|2[0-9])[0-9]{2})(?:[0-9]{2}){0,2}(?![0-9A-Za-z])")
# A number alone is no year, however much it looks like one: there are articles from 1 to 9999.
_DATE = re.compile(
    r"(?<![0-9A-Za-z])(2[01][0-9]{2})(?:[-/_.]?(?:0[1-9]|1[0-2])(?![0-9])|[-/_.][1-9](?![0-9]))"
    r"|(?:year|date|jahr|annee|ano|anno|month|day|from|start|y)=[^&]*?(2[01][0-9]{2})(?![0-9])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"=-?[0-9]+(?:\.[0-9]+)?(?=&|$)")
_LIST = re.compile(r"=[^&]*(?:,|%2C|\+|%20|\||%7C)", re.IGNORECASE)
_GROWING = re.compile(r"%25|&amp;|amp;amp|%26amp", re.IGNORECASE)


class Written(NamedTuple):
    """A URL as it is written, and the year it is read in."""

    path: str
    query: str
    year: int


FAR_AHEAD = "a date far ahead"

EVIDENCE: dict[str, Callable[[Written], bool]] = {
    FAR_AHEAD: lambda url: any(_years_after(part, url.year) for part in (url.path, url.query)),
    "escapes that grow": lambda url: bool(_GROWING.search(f"{url.path}?{url.query}")),
    "pieces that come again": lambda url: _repeats(url.path) > MOST_REPEATS,
    "a deep path": lambda url: url.path.count("/") >= MOST_PIECES,
    "many parameters": lambda url: url.query.count("&") >= MOST_NAMES,
    "parameters that are lists": lambda url: bool(_LIST.search(f"?{url.query}")),
    "a token": lambda url: bool(_TOKEN.search(f"{url.path}?{url.query}")),
    "great length": lambda url: len(url.path) + len(url.query) > LONG,
}


MILD = frozenset({"many parameters", "parameters that are lists", "great length"})
"""What honest sites have too, though their pages have something of their own to say."""


def evidence_in(href: str, year: int) -> list[str]:
    """Returns what speaks against a normalised URL in this year."""
    path, _, query = href.split("/", 3)[3].partition("?")
    url = Written(path, query, year)
    return [name for name, is_there in EVIDENCE.items() if is_there(url)]


def year_of(now: float) -> int:
    """Returns the year of a time."""
    return int(1970 + now / YEAR)


def is_growing(href: str) -> bool:
    """Whether what is escaped in a URL was escaped three times over: no page is named so, but one that names itself."""
    return "%2525" in href


def asks_for_numbers(href: str) -> bool:
    """Whether two parameters or more are numbers: of `n` values each there are `n` times `n` URLs."""
    return len(_NUMBER.findall(href.partition("?")[2])) > 1


def has_date(href: str) -> bool:
    """Whether a year is written in the URL."""
    tail = href.split("/", 3)[3]
    return ("2" in tail or "19" in tail) and _YEAR.search(tail) is not None


def _years_after(text: str, year: int) -> bool:
    return any(int(one or other) > year + YEARS_AHEAD for one, other in _DATE.findall(text))


def _repeats(path: str) -> int:
    pieces = Counter(piece for piece in path.split("/") if piece and not piece.isdigit())  # `/book/3/3/3` is a verse
    return max(pieces.values(), default=0)
