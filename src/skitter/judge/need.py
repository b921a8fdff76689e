"""Does a page need a browser? By what was sent, and by what browsers brought for pages like it. Pure.

A page that is empty without its scripts has a script and hardly any text. What stands in `<noscript>` counts as text:
some forums keep everything there. A little text may be such a page or a short one: a few are tried. What that brings is
learnt by the shape of URLs, since pages of one shape are mostly made by one template, and for the host as a whole:
there are manuals in which each page has a shape of its own.

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

NOTHING, EMPTY, SHORT = 200, 500, 1500
"""Characters of text: up to the first a page with a script is empty, up to the second if it has hardly a link, and up
to the third it may be."""
FEW_LINKS = 5
"""Links of a page that has hardly any: with more, and some text, it is likely to be a short one."""
MANY_LINKS = 30
"""With more links than this no page is empty."""
ONE_IN = 10
"""Of those that may be, so many are tried."""
ENOUGH, OFTEN = 3, 10
"""Renderings after which it is known what they bring for a shape, and for a host whatever the shape: some sites have as
many shapes as pages."""
EVERYWHERE = "*"
"""In the place of a shape: all pages of the host."""
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
    if _is_vain(href, learnt) and crc32(b"again " + href.encode()) % (ENOUGH * ONE_IN):
        return None
    has_links = followed > FEW_LINKS
    if page.text <= (NOTHING if has_links else EMPTY):
        return Need.EMPTY
    if has_links and page.text > EMPTY:
        return None
    tried, brought = learnt.get(mark_of(href)) or learnt.get(EVERYWHERE, (0, 0))
    if brought * 2 > tried:
        return Need.LEARNT
    return Need.SAMPLE if crc32(href.encode()) % ONE_IN == 0 else None


def _is_vain(href: str, learnt: Learnt) -> bool:
    """Whether renderings of pages like this one brought nothing; of few, what the host's others brought counts."""
    tried, brought = learnt.get(mark_of(href), (0, 0))
    if tried >= ENOUGH or brought:
        return not brought
    tried, brought = learnt.get(EVERYWHERE, (0, 0))
    return tried >= OFTEN and brought * OFTEN < tried


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
    others = {name: counts for name, counts in learnt.items() if name not in (mark, EVERYWHERE)}
    while len(others) >= SHAPES:
        del others[next(iter(others))]
    counted = {name: learnt.get(name, (0, 0)) for name in (EVERYWHERE, mark)}
    return others | {name: (tried + 1, brought + was_worth_it) for name, (tried, brought) in counted.items()}


def mark_of(href: str) -> str:
    """Returns what stands for the shape of a URL."""
    return f"{crc32(shape_of(href).encode()):08x}"
