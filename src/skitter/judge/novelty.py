"""Whether the pages of a host still say anything new. Pure: what is remembered comes in, and goes out changed.

A maze (a calendar without end, a shop that gives every link a new session id, a site that answers all URLs alike)
can't be told by its URLs: an honest archive has a million of one shape too. It is told by its pages: they say what was
said before, and still lead on to URLs that were never seen. Pages are compared by their sketch (`parse.sketch`:
a hash of their text without digits) with the last few of the same shape, and of the whole host for mazes whose URLs
share no shape.
"""

from __future__ import annotations

import xxhash
from msgspec import Struct

from skitter.url.shape import shape_of

SKETCHES = 16
"""Different pages remembered of each shape: a calendar has twelve, one for the name of each month."""
SHAPES = 8
"""Shapes remembered of a host: the last ones visited."""
BARREN = 64
"""Shapes remembered as barren."""
WHOLE = b""
"""Stands for all pages of the host, whatever their shape."""
PATIENCE_WITH_ALL = 4
"""A host is given up as a whole after so many times the pages after which a shape is."""
WORTH = 8
"""A page that says something new makes up for so many that do not."""
LEADS = 2
"""Of those that do not, so many must have led on: pages without links are no maze, however alike they are."""

_SIZE = 4


class Shape(Struct, frozen=True, array_like=True):
    """What is remembered of the pages of one shape."""

    mark: bytes
    sketches: bytes = b""  # of four bytes each, the newest last
    stale: int = 0  # pages that said nothing new, less what the others made up for
    leads: int = 0  # those that said nothing new and led on, up to LEADS


class Novelty(Struct, frozen=True, array_like=True):
    """What is remembered of the pages of a host."""

    shapes: tuple[Shape, ...] = ()  # the last one visited last
    barren: tuple[bytes, ...] = ()  # nothing more of these is fetched


NOTHING_SEEN = Novelty()


def mark_of(href: str) -> bytes:
    """Returns eight bytes that stand for the shape of a URL."""
    return xxhash.xxh64_digest(shape_of(href).encode())


def after_page(novelty: Novelty, href: str, sketch: bytes, *, leads_on: bool, limit: int) -> Novelty:
    """Returns what is remembered after a page; `leads_on` if it had links to URLs that nobody had seen."""
    mark = mark_of(href)
    known = {shape.mark: shape for shape in novelty.shapes}
    whole = _seen(known.pop(WHOLE, Shape(WHOLE)), sketch, leads_on)
    mine = _seen(known.pop(mark, Shape(mark)), sketch, leads_on)
    shapes = (*list(known.values())[-SHAPES + 1 :], mine, whole)
    spent = [shape.mark for shape in (mine, whole) if _is_spent(shape, limit)]
    if not spent:
        return Novelty(shapes, novelty.barren)
    return Novelty(tuple(shape for shape in shapes if shape.mark not in spent), (*novelty.barren, *spent)[-BARREN:])


def newly_barren(before: Novelty, after: Novelty) -> list[str]:
    """Returns what a page has shown to be a trap: `shape` for each shape, `host` for the host as a whole."""
    if after.barren == before.barren:
        return []
    return ["host" if mark == WHOLE else "shape" for mark in set(after.barren).difference(before.barren)]


def is_barren(novelty: Novelty, href: str) -> bool:
    """Says whether a URL is one of those that bring nothing new."""
    barren = novelty.barren
    return bool(barren) and (WHOLE in barren or mark_of(href) in barren)


def _seen(shape: Shape, sketch: bytes, leads_on: bool) -> Shape:
    mark, sketches, stale, leads = shape.mark, shape.sketches, shape.stale, shape.leads
    if _has(sketches, sketch):
        return Shape(mark, sketches, stale + 1, min(LEADS, leads + leads_on))
    return Shape(mark, (sketches + sketch)[-SKETCHES * _SIZE :], max(0, stale - WORTH), leads)


def _has(sketches: bytes, sketch: bytes) -> bool:
    at = sketches.find(sketch)
    while at > 0 and at % _SIZE:  # the end of one and the beginning of the next
        at = sketches.find(sketch, at + 1)
    return at >= 0


def _is_spent(shape: Shape, limit: int) -> bool:
    return shape.leads == LEADS and shape.stale >= (limit * PATIENCE_WITH_ALL if shape.mark == WHOLE else limit)
