"""Where on a page its main text is, where it surely is not, and where its links are: places in the text, told by tags.

There is no tree, see `tokens`: a region ends where as many of its tags were closed as were opened since it began, or
with the page. One that never ends does no harm: what it takes away is more than such a region ever says, see
`main_text`.
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
    b"sharing sidebar social sphinxsidebar submenu subnav tabs toolbar topnav".split()
)
"""Words in the class, id or role of an element that is likely to be beside the main text."""
HEADER = b"header"
"""The same, but in the main text it is the head of that."""

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


class _Open(NamedTuple):
    tag: bytes
    start: int
    is_sure: bool
    depth: int = 1


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
    asides, mains = list[Span](), list[Span]()
    aside: _Open | None = None
    main: _Open | None = None
    for tag, written, place in marks:
        if tag in _ENDS:
            aside = _closed(aside, tag[1:], place, asides)
            main = _closed(main, tag[1:], place, mains)
            continue
        role = _role(tag, written, is_in_main=main is not None)
        if main is None and role is _MAIN:
            main, aside = _Open(tag, place, True), _ended(aside, place, asides)
        elif main is not None and tag == main.tag:
            main = main._replace(depth=main.depth + 1)
        if aside is not None and tag == aside.tag:
            aside = aside._replace(depth=aside.depth + 1)
        elif aside is None and role in (_SURE, _HINTED):
            aside = _Open(tag, place, role is _SURE)
    _ended(aside, end, asides)
    _ended(main, end, mains)
    return asides, mains


_MAIN, _SURE, _HINTED = "main", "sure", "hinted"


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


def _closed(opened: _Open | None, tag: bytes, place: int, spans: list[Span]) -> _Open | None:
    """Returns what is open after an end tag."""
    if opened is None or opened.tag != tag:
        return opened
    return opened._replace(depth=opened.depth - 1) if opened.depth > 1 else _ended(opened, place, spans)


def _ended(opened: _Open | None, place: int, spans: list[Span]) -> None:
    if opened is not None:
        spans.append(Span(opened.start, place, opened.is_sure))
