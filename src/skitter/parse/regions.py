"""Where on a page its main text is, where it surely is not, and where its links are: places in the text, told by tags.

There is no tree, see `tokens`: a region ends where as many of its tags were closed as were opened since it began, or
with the page. One that never ends takes the rest of the page with it, unless a main element follows, or a hint alone
made it one and it says too much, see `main_text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from skitter.parse import attributes
from skitter.parse.tokens import ASIDES, HOLDERS, MAIN, Markup

HINTS = frozenset(
    b"banner bottomnav breadcrumb breadcrumbs complementary consent contentinfo cookie cookies crumbs dialog footer "
    b"masthead menu menubar nav navbar navfooter navheader navigation navlist navpath navrow pager pagination search "
    b"sharing sidebar social sphinxsidebar submenu subnav tabs titlearea toolbar topnav".split()
)
"""Words in the class, id or role of an element that is likely to be beside the main text."""
HEADER = b"header"
"""The same, but in the main text it is the head of that."""

_MAIN, _SURE, _HINTED = "main", "sure", "hinted"
_WORD = re.compile(rb"[a-z]++")
_ENDS = frozenset(b"/" + name for name in (*ASIDES, *HOLDERS, MAIN))
_ASIDES, _HOLDERS = frozenset(ASIDES), frozenset(HOLDERS)


class Span(NamedTuple):
    """From where to where; `is_sure` of an aside that its tag says to be one."""

    start: int
    end: int
    is_sure: bool = True


class Regions(NamedTuple):
    """What was found; no two spans of a kind overlap."""

    links: list[Span]  # those that lead to other pages
    asides: list[Span]
    mains: list[Span]


class _Area:
    """The spans of one kind, of which one at most is open."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.tag: bytes | None = None  # that of the open one
        self._start = self._depth = 0
        self._is_sure = True

    def open(self, tag: bytes, place: int, *, is_sure: bool = True) -> None:
        """Begins a span."""
        self.tag, self._start, self._depth, self._is_sure = tag, place, 1, is_sure

    def enter(self, tag: bytes) -> None:
        """Takes note of a start tag."""
        self._depth += tag == self.tag

    def leave(self, tag: bytes, place: int) -> None:
        """Takes note of an end tag."""
        self._depth -= tag == self.tag
        if not self._depth:
            self.end(place)

    def end(self, place: int) -> None:
        """Ends the open span, if there is one."""
        if self.tag is not None:
            self.spans.append(Span(self._start, place, self._is_sure))
            self.tag = None


def regions(markup: Markup) -> Regions:
    """Returns the regions of a document, as places in its text put together."""
    places = [0, *accumulate(map(len, markup.text))]
    end = places[-1]
    marks = [(tag, written, places[number]) for tag, written, _, number in markup.marks]
    return Regions(_links(marks, end), *_areas(marks, end))


def _links(marks: Iterable[tuple[bytes, bytes, int]], end: int) -> list[Span]:
    found, start = list[Span](), None
    for tag, written, place in marks:
        if tag in (b"a", b"/a"):
            if start is not None:
                found.append(Span(start, place))
            start = place if tag == b"a" and _leads_away(written) else None
    return found if start is None else [*found, Span(start, end)]


def _leads_away(written: bytes) -> bool:
    href = attributes.href(written)
    return href is not None and not href.startswith(b"#")


def _areas(marks: Iterable[tuple[bytes, bytes, int]], end: int) -> tuple[list[Span], list[Span]]:
    """Returns asides and mains. What begins in an aside is a part of it, but for a main, which ends it."""
    asides, mains = _Area(), _Area()
    for tag, written, place in marks:
        if tag in _ENDS:
            asides.leave(tag[1:], place)
            mains.leave(tag[1:], place)
            continue
        role = _role(tag, written, is_in_main=mains.tag is not None)
        if mains.tag is None and role is _MAIN:
            mains.open(tag, place)
            asides.end(place)
        else:
            mains.enter(tag)
        if asides.tag is None and role in (_SURE, _HINTED):
            asides.open(tag, place, is_sure=role is _SURE)
        else:
            asides.enter(tag)
    asides.end(end)
    mains.end(end)
    return asides.spans, mains.spans


def _role(tag: bytes, written: bytes, *, is_in_main: bool) -> str | None:
    if tag == MAIN or tag in _ASIDES:
        return _MAIN if tag == MAIN else _SURE
    if tag not in _HOLDERS or not written:
        return None
    found = attributes.read(written)
    if found.get(b"role", b"").lower() == MAIN:
        return _MAIN
    words = {word for name in (b"class", b"id", b"role") for word in _WORD.findall(found.get(name, b"").lower())}
    is_hinted = not words.isdisjoint(HINTS) or (HEADER in words and not is_in_main)
    return _HINTED if is_hinted else None
