"""What a page says itself: its visible text without what is around it, line by line.

A line falls if it is in an aside, outside of the main element if there is one, or if it is nothing much but links;
navigation made of tables and lists, as old pages have it, falls by that. A few words between two such lines (the name
of the page that one is on, say) fall with them. Sizes are bytes that are no space, as written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from skitter.parse.regions import Regions, Span
from skitter.parse.tokens import BREAK

MOST_ASIDE = 1500
"""A region that only looks like an aside is none if it has more than this beside links: a class such as `has-sidebar`
may be that of the whole page."""
LEAST = 20
"""With less than this, it is no text: more is taken, links first, at last all that is visible. It is no more than that,
for a page of one line in the frame of its site must not be taken for the frame."""
SEPARATOR = 6
"""Beside each link of a line of links there is no more than this on average, if they are not half of it anyway."""
HEADLINE = 30
"""A link of this much is no navigation but the name of what it leads to, which is what a list of articles says."""
LISTING = 5
"""A page that has so many times its main text in links is a list of them."""
SHORT = 30
"""A line of less than this falls with its neighbours."""

_SPACE = b"\t\n\v\f\r "


class Line(NamedTuple):
    """A line with something in it: where it is, how much of it there is, and how much of that is links."""

    start: int
    end: int
    size: int
    linked: int
    links: int

    @property
    def is_dense(self) -> bool:
        """Whether it is nothing much but links."""
        rest = self.size - self.linked
        is_short = self.linked < HEADLINE * self.links
        return is_short and (rest <= self.linked or rest <= SEPARATOR * self.links)


class Main(NamedTuple):
    """The main text of a page, as written; and what tells it from others of its kind: of a list, its links too."""

    text: bytes
    telling: bytes


def main_text(text: bytes, regions: Regions) -> Main:
    """Returns the lines of a text that are its main text."""
    lines = list(_lines(text, regions.links))
    inside = _in_main(_outside(lines, regions.asides), regions.mains)
    told = _without_links(inside)
    if _size_of(inside) < LEAST:
        return Main(text, text)
    every = _joined(text, inside)
    main = _joined(text, told) if _size_of(told) >= LEAST else every
    return Main(main, every if _size_of(told) * LISTING < _size_of(inside) else main)


def _joined(text: bytes, lines: Iterable[Line]) -> bytes:
    return BREAK.join([text[line.start : line.end] for line in lines])


def _size_of(lines: Iterable[Line]) -> int:
    return sum(line.size for line in lines)


def _lines(text: bytes, links: Sequence[Span]) -> Iterator[Line]:
    start = first = 0
    for written in text.split(BREAK):
        end = start + len(written)
        while first < len(links) and links[first].end <= start:
            first += 1
        size = _size(written)
        if size:
            linked = list(_linked(text, links, first, start, end))
            yield Line(start, end, size, sum(linked), len(linked))
        start = end + 1


def _linked(text: bytes, links: Sequence[Span], number: int, start: int, end: int) -> Iterator[int]:
    """Yields how much of each link is in a line, from the link of this number on."""
    while number < len(links) and links[number].start < end:
        size = _size(text[max(start, links[number].start) : min(end, links[number].end)])
        if size:
            yield size
        number += 1


def _size(written: bytes) -> int:
    return len(written.translate(None, _SPACE))


def _outside(lines: Sequence[Line], asides: Sequence[Span]) -> list[Line]:
    """Returns the lines that are in no aside."""
    kept = list[Line]()
    for aside, together in _parted(lines, asides):
        is_page = aside is None or not (aside.is_sure or _beside_links(together) <= MOST_ASIDE)
        kept += together if is_page else ()
    return kept


def _in_main(lines: list[Line], mains: Sequence[Span]) -> list[Line]:
    inside = [line for main, together in _parted(lines, mains) if main is not None for line in together]
    return inside if _size_of(inside) >= LEAST else lines


def _parted(lines: Sequence[Line], spans: Sequence[Span]) -> Iterator[tuple[Span | None, Sequence[Line]]]:
    """Yields all lines in their order: those in each span, and those before it."""
    at = 0
    for span in spans:
        for owner, end in ((None, span.start), (span, span.end)):
            first = at
            while at < len(lines) and lines[at].start < end:
                at += 1
            yield owner, lines[first:at]
    yield None, lines[at:]


def _beside_links(lines: Iterable[Line]) -> int:
    return sum(line.size - line.linked for line in lines)


def _without_links(lines: Sequence[Line]) -> list[Line]:
    dense = [True, *(line.is_dense for line in lines), True]
    return [
        line
        for number, line in enumerate(lines)
        if not dense[number + 1] and not (line.size < SHORT and dense[number] and dense[number + 2])
    ]
