"""Sounding a corner: a URL of it that no page has ever named, made up from one that was fetched. Pure.

Where a value that nobody linked is answered like any other and leads on, the values have no end, and no page of the
corner is worth more than the next one. An honest site says that there is no such page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from xxhash import xxh64_intdigest

_YEAR = re.compile(r"(?<![0-9A-Za-z])(?:19|20)[0-9]{2}(?=(?:[0-9]{2}){0,2}(?![0-9A-Za-z]))")
_NO_YEAR = re.compile("(?!)")
# A number alone is no year: there are articles from 1 to 9999.
_DATED = re.compile(
    r"(?<![0-9A-Za-z])(?:19|20)[0-9]{2}[-/_.]?W?[0-9]{1,2}(?![0-9])|(?<![0-9A-Za-z])(?:19|20)[0-9]{6}(?![0-9])"
    r"|(?:year|date|jahr|annee|ano|anno|month|day|from|start|y|d)=[^&]*?(?:19|20)[0-9]{2}(?![0-9])",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[^/?&=]+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_SUFFIX = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{1,4}$")
_PREFIX = re.compile(r"[g-zG-Z]+(?=[0-9a-fA-F]+$)")
_NUMBER = re.compile(r"[0-9]+")
FAR = 7
"""Digits that are appended to a number: honest ones do not go so far past those that pages link."""
LONG = 10
"""Signs of what is no count but a token: another of the same length is made up."""
LETTERS = "bcdfghjklmnpqrstvwxz"

Years = re.Pattern[str]
Dice = Callable[[int], int]
"""Gives a number below another one: the same ones for the same URL, whenever it is asked."""


def soundings_of(href: str, salt: int, *, whole: bool = False, dated: bool = True) -> list[str]:
    """Returns URLs that differ from a normalised one in one value each, those first that tell most.

    `whole`: not a corner but all of the host is to be sounded; `dated`: what looks like a year is one.
    """
    dice = _dice(f"{href} {salt}")
    head, _, tail = href.partition("//")[2].partition("/")
    origin = f"{href.partition('//')[0]}//{head}/"
    if whole:
        return [origin + _letters(9, dice), f"{origin}{_letters(9, dice)}/{_letters(9, dice)}"]
    path, asked, query = tail.partition("?")
    year = _YEAR if dated and _DATED.search(tail) else _NO_YEAR
    made = [f"{path}?{other}" for other in _queries(query, year, dice)] if asked else []
    suffix = f"?{query}" if asked else ""
    made += [f"{other}{suffix}" for other in _paths(path, year, dice)]
    return [origin + one for one in made]


def _dice(seed: str) -> Dice:
    rolls, start = count(), seed.encode()
    return lambda below: xxh64_intdigest(start, next(rolls)) % below


def _queries(query: str, year: Years, dice: Dice) -> list[str]:
    parts = query.split("&")
    values = [(place, *part.partition("=")) for place, part in enumerate(parts)]
    # Tokens and years tell most, then numbers, then words; of each the last ones first.
    ranked = sorted((one for one in values if one[3]), key=lambda one: (_rank(one[3], year), -one[0]))
    return [
        "&".join([*parts[:place], f"{name}={_other(value, year, dice)}", *parts[place + 1 :]])
        for place, name, _, value in ranked
    ]


def _paths(path: str, year: Years, dice: Dice) -> list[str]:
    found = list(_PIECE.finditer(path))
    dated = [piece for piece in found if year.search(piece[0])]
    marked = [piece for piece in found if not _is_word(piece[0])]
    longest = sorted(marked, key=lambda piece: len(piece[0]) < LONG)
    chosen = [*dated[:1], *longest[:1], *marked[-1:], *found[-1:]]
    unique = {piece.start(): piece for piece in chosen}
    return [path[: one.start()] + _other(one[0], year, dice) + path[one.end() :] for one in unique.values()]


def _rank(value: str, year: Years) -> int:
    if _is_word(value):
        return 2
    return 0 if year.search(value) or len(value) >= LONG else 1


def _is_word(text: str) -> bool:
    return not any(sign.isdigit() for sign in text)


def _other(value: str, year: Years, dice: Dice) -> str:
    """Returns another value of the same kind: a year far ahead, a number far beyond, a token, a word."""
    if year.search(value):
        return year.sub(lambda one: str(_far_from(int(one[0]), dice)), value, count=1)
    stem = value[: found.start()] if (found := _SUFFIX.search(value)) else value
    words = [word for word in _WORD.finditer(stem) if not _is_word(word[0])] or list(_WORD.finditer(stem))
    if not words:
        return _letters(9, dice)
    last = words[-1]
    return value[: last.start()] + _another(last[0], dice) + value[last.end() :]


def _far_from(year: int, dice: Dice) -> int:
    return far if (far := 2080 + dice(20)) != year else 2079


def _another(word: str, dice: Dice) -> str:
    if _is_word(word):
        return _letters(max(9, len(word)), dice)
    if len(word) >= LONG:
        kept = _PREFIX.match(word)
        size = kept.end() if kept else 0
        return word[:size] + "".join(_like(sign, dice) for sign in word[size:])
    last = list(_NUMBER.finditer(word))[-1]
    return word[: last.end()] + "".join(str(dice(10)) for _ in range(FAR)) + word[last.end() :]


def _like(sign: str, dice: Dice) -> str:
    if sign.isdigit():
        return str(dice(10))
    return "abcdef"[dice(6)] if sign in "abcdef" else LETTERS[dice(len(LETTERS))]


def _letters(size: int, dice: Dice) -> str:
    return "".join(LETTERS[dice(len(LETTERS))] for _ in range(size))
