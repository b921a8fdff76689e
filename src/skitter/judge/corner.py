"""The corners of a host that a URL lies in, from the smallest to the whole host. Pure.

A trap is a corner, and which one can't be known beforehand: pages of one shape (`/day/0`), all below a folder or two
(`/tag/*`), those among them that have a query (`/shop/*?`), or the host as a whole (`*`). Each is part of the next, so
that a link which stays in a small one stays in the larger ones too.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from xxhash import xxh64_hexdigest

from skitter.url.shape import shape_of

WHOLE = "*"
"""Stands for all pages of the host."""
LONGEST = 100
"""Letters of a corner's name: of longer ones the end is a hash."""

Corners = tuple[str, str, str, str]
"""The names of the corners of a URL: its shape, two folders, one folder, the host. Empty: none is of this size."""
NOWHERE: Corners = ("", "", "", "")
SHAPE, DEEP, WIDE, HOST, ELSEWHERE = range(5)
"""The sizes, and that a link leads out of all of them."""


class Ways(NamedTuple):
    """How many of the links of a page that nobody had seen stay in each of its corners; the last: all of them."""

    shape: int = 0
    deep: int = 0
    wide: int = 0
    host: int = 0
    all: int = 0


@lru_cache(4096)  # a page is asked for what its links' parents were asked for
def corners_of(href: str) -> Corners:
    """Returns the corners that a normalised URL lies in."""
    shape = shape_of(href)
    path, asked, _ = shape.partition("?")
    pieces = path.split("/", 3)
    wide = f"/{pieces[1]}/*{asked}" if len(pieces) > 2 else f"/*{asked}"
    deep = f"/{pieces[1]}/{pieces[2]}/*{asked}" if len(pieces) > 3 else ""
    # A shape without marks and without a query is that of one URL alone.
    return (_named(shape) if asked or "0" in path else "", _named(deep), _named(wide), WHOLE)


def size_within(corners: Corners, others: Corners) -> int:
    """Returns the size of the smallest corner of the first that has the second in it."""
    for size in (SHAPE, DEEP, WIDE):
        if corners[size] and corners[size] == others[size]:
            return size
    return HOST


def is_within(name: str, larger: str) -> bool:
    """Whether the corner called `name` is part of a larger one."""
    if larger == WHOLE:
        return True
    folder = larger.rstrip("*?")
    is_right_below = folder != "/" or name.count("/") == 1
    return name.startswith(folder) and is_right_below and ("?" in name) == ("?" in larger)


def ways_of(corners: Corners, new: list[str], elsewhere: int, closed: Set[str] = frozenset()) -> tuple[Ways, str]:
    """Returns how many of the `new` URLs, all of this host, stay in which corner; `elsewhere` are on other hosts.

    And one of those that stay in a folder, no matter which, but of none that is `closed`: it would not be fetched.
    """
    counts, inside = [0, 0, 0, 0, elsewhere], []
    for href in new:
        others = corners_of(href)
        size = size_within(corners, others)
        counts[size] += 1
        if size < HOST and (not closed or closed.isdisjoint(others)):
            inside.append(href)
    return Ways(*accumulate(counts)), inside[len(inside[0]) % len(inside)] if inside else ""


def _named(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 17]}…{xxh64_hexdigest(name.encode())}"
