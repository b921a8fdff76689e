"""Does a page need a browser? By what was sent, and by what browsers brought for pages like it. Pure.

A page that is empty without its scripts has a script and hardly any text. What stands in `<noscript>` counts as text:
some forums keep everything there. A little text and hardly a link may be such a page or a short one: a few are tried.
What that brings is learnt by the shape of URLs, since pages of one shape are mostly made by one template.

Nearly all pages are told by what reading has found already: a main text of some length, or many links. Only of the
others are the bytes looked at (`measured`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from html import unescape
from typing import NamedTuple, TypeAlias
from zlib import crc32

from skitter.messages import Said
from skitter.url.shape import shape_of

EMPTY, SHORT = 500, 1500
"""Characters of text: up to the first a page with a script is empty, up to the second it may be."""
FEW_LINKS = 5
"""Links of a page that may be empty, at the most."""
MANY_LINKS = 30
"""With more links than this no page is empty."""
ONE_IN = 10
"""Of those that may be, so many are tried."""
ENOUGH = 3
"""Renderings after which it is known what they bring for a shape."""
NEW_WORDS, NEW_LINKS = 20, 1
"""What a rendering must add to have been worth it."""
SHAPES = 32
"""Shapes that are remembered of a host."""
LOOKED_AT = 2 * 1024**2
"""Bytes of a page that are looked at: an empty one is short, or most of it is script."""

Learnt: TypeAlias = Mapping[str, tuple[int, int]]
"""By the shape of URLs: renderings, and those that brought something."""


class Need(StrEnum):
    """Why a page is run in a browser."""

    EMPTY = "empty"  # it has a script and next to no text
    SAMPLE = "sample"  # it may be empty: one of a few that are tried
    LEARNT = "learnt"  # pages like it were
    ALWAYS = "always"  # the operator wants all of them to be


class Measured(NamedTuple):
    """What there is on a page as it was sent."""

    text: int  # characters, what is in `<noscript>` included; not told of a page without scripts
    has_script: bool


_HIDDEN = re.compile(
    rb"<!--.*?(?:-->|$)|<(script|style|template|title|svg)\b.*?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE
)
_SCRIPT = re.compile(
    rb"<script\b(?![^>]*\btype\s*=\s*[\"']?(?:application/(?:ld\+)?json|text/template))", re.IGNORECASE
)
_TAG = re.compile(r"<[^>]*>?")


def is_doubtful(said: Said, followed: int) -> bool:
    """Whether the bytes of a page are worth a look: its main text is short, and its links are few."""
    if said.words and not said.brief:
        return False
    return followed <= (MANY_LINKS if len(said.brief) <= EMPTY else FEW_LINKS)


def measured(body: bytes) -> Measured:
    """Returns what there is on a page."""
    html = body[:LOOKED_AT]
    if _SCRIPT.search(html) is None:
        return Measured(0, False)  # as little as this it takes for most
    shown = _TAG.sub(" ", _HIDDEN.sub(b" ", html).decode("utf-8", "replace"))
    return Measured(len(" ".join(unescape(shown).split())), True)


def need_of(page: Measured, followed: int, href: str, learnt: Learnt) -> Need | None:
    """Returns why a page should be run in a browser, None if it should not."""
    if not page.has_script or page.text > SHORT:
        return None
    tried, brought = learnt.get(mark_of(href), (0, 0))
    if tried >= ENOUGH and not brought and crc32(href.encode()) % (ENOUGH * ONE_IN):
        return None
    if page.text <= EMPTY:
        return Need.EMPTY
    if followed > FEW_LINKS:
        return None
    if brought * 2 > tried:
        return Need.LEARNT
    return Need.SAMPLE if crc32(href.encode()) % ONE_IN == 0 else None


def is_certain(href: str, learnt: Learnt) -> bool:
    """Whether all pages like this one needed a browser so far: then it need not be fetched without one first."""
    if not learnt:  # as it is of nearly all hosts: their URLs need no mark
        return False
    tried, brought = learnt.get(mark_of(href), (0, 0))
    return tried >= ENOUGH and brought == tried


def is_worth_it(words: int, links: int) -> bool:
    """Whether a rendering that added so much has brought something."""
    return words >= NEW_WORDS or links >= NEW_LINKS


def after_rendering(learnt: Learnt, href: str, *, was_worth_it: bool) -> dict[str, tuple[int, int]]:
    """Returns what is learnt after a rendering that did not fail; the shapes that were rendered last are kept."""
    mark = mark_of(href)
    tried, brought = learnt.get(mark, (0, 0))
    others = {name: counts for name, counts in learnt.items() if name != mark}
    while len(others) >= SHAPES:
        del others[next(iter(others))]
    return {**others, mark: (tried + 1, brought + was_worth_it)}


def mark_of(href: str) -> str:
    """Returns what stands for the shape of a URL."""
    return f"{crc32(shape_of(href).encode()):08x}"
