"""What in the writing of a URL speaks for a trap. Pure. It never decides: it makes us less patient with a corner."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

MOST_PIECES = 8
MOST_NAMES = 2
MOST_REPEATS = 2
LONG = 300
YEARS_AHEAD = 2

_TOKEN = re.compile(r"[0-9a-f]{16,}|(?=[A-Za-z]*[0-9])[0-9A-Za-z]{20,}")
_YEAR = re.compile(r"(?<![0-9A-Za-z])((?:19|2[0-9])[0-9]{2})(?:[0-9]{2}){0,2}(?![0-9A-Za-z])")
_LIST = re.compile(r"=[^&]*(?:,|%2C|\+|%20|\||%7C)", re.IGNORECASE)
_GROWING = re.compile(r"%25|&amp;|amp;amp|%26amp", re.IGNORECASE)

EVIDENCE: dict[str, Callable[[str, str, int], bool]] = {
    "a date far ahead": lambda path, query, year: any(_years_after(part, year) for part in (path, query)),
    "escapes that grow": lambda path, query, year: bool(_GROWING.search(f"{path}?{query}")),
    "pieces that come again": lambda path, query, year: _repeats(path) > MOST_REPEATS,
    "a deep path": lambda path, query, year: path.count("/") >= MOST_PIECES,
    "many parameters": lambda path, query, year: query.count("&") >= MOST_NAMES,
    "parameters that are lists": lambda path, query, year: bool(_LIST.search(f"?{query}")),
    "a token": lambda path, query, year: bool(_TOKEN.search(f"{path}?{query}")),
    "great length": lambda path, query, year: len(path) + len(query) > LONG,
}


def evidence_in(href: str, year: int) -> list[str]:
    """Returns what speaks against a normalised URL in this year."""
    path, _, query = href.split("/", 3)[3].partition("?")
    return [name for name, is_there in EVIDENCE.items() if is_there(path, query, year)]


def has_date(href: str) -> bool:
    """Whether a year is written in the URL."""
    return _YEAR.search(href.split("/", 3)[3]) is not None


def _years_after(text: str, year: int) -> bool:
    return any(int(found) > year + YEARS_AHEAD for found in _YEAR.findall(text))


def _repeats(path: str) -> int:
    pieces = Counter(filter(None, path.split("/")))
    return max(pieces.values(), default=0)
