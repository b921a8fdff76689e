"""The shape of a URL: what stays when numbers and marks are taken out of it, and whether its path goes in circles.

Pages made by one template have one shape, whatever their number: `/calendar/2026/11` and `/calendar/9999/1` are both
`/calendar/0`. A shape says nothing against a URL; it only tells which pages are to be compared with one another.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

# Session ids and hashes, then numbers. Eight letters from a to f are no word, or a rare one. The length of a word is
# asked first: almost all are too short.
_MARK = re.compile(r"[0-9A-Fa-f]{8,}|(?=[0-9A-Za-z]{16})(?=[A-Za-z]*[0-9])[0-9A-Za-z]+|[0-9]+")


def shape_of_by_python(href: str) -> str:
    """Returns the shape of a normalised URL: of its path and of the names in its query, without its host."""
    path, _, query = _tail(href).partition("?")
    pieces = filter(None, _MARK.sub("0", path).split("/"))
    shape = "/".join([piece for piece, _ in groupby(pieces)])  # `/1/2/3` is as deep as the maze, not another one
    if not query:
        return f"/{shape}"
    names = sorted({part.partition("=")[0] for part in query.split("&")} - {""})
    return f"/{shape}?{'&'.join(names)}" if names else f"/{shape}"


shape_of = _native.shape_of if IS_NATIVE else shape_of_by_python


def goes_round_by_python(href: str, most: int) -> bool:
    """Says whether a piece of the path of a normalised URL comes more than `most` times, as in `/a/b/a/b/a/b/a`."""
    if href.count("/") < most + 3:  # two before the host, one before each piece: almost all URLs end here
        return False
    pieces = [piece for piece in _tail(href).partition("?")[0].split("/") if piece]
    if len(pieces) - len(set(pieces)) < most:
        return False
    return max(Counter(pieces).values()) > most


goes_round = _native.goes_round if IS_NATIVE else goes_round_by_python


def _tail(href: str) -> str:
    return href.split("/", 3)[3]
