"""Whether a path is put together from the pieces of others, or has those of another one in another order. Pure.

Filters that are written into the path can be chosen together and in any order, and each choice is a URL: `/red`, `/xl`,
`/red/xl` and `/xl/red`. A page that has a place of its own has one path.
"""

from __future__ import annotations

import re

from xxhash import xxh32_digest, xxh32_intdigest

MOST = 32
"""Paths of a corner that are remembered, the last ones."""
BITS = 512
CHOICES = BITS // 4
"""Pieces that are told apart: of a folder with more of them nothing is known to be put together."""
_HALF, _SIZE = 4, 8
_DIGIT = re.compile(r"\d")


def turned(href: str, seen: bytes) -> tuple[bool, bytes]:
    """Returns whether a path was `seen` with its pieces in another order; and what was seen then."""
    pieces = href.split("/", 3)[3].partition("?")[0].strip("/").split("/")
    if len(pieces) < 3 or len(set(pieces)) != len(pieces) or pieces[-1].isdigit():
        return False, seen
    mark = xxh32_digest("/".join(sorted(pieces)).encode())
    own = xxh32_digest("/".join(pieces).encode())
    at = seen.find(mark)
    while at >= 0 and at % _SIZE:
        at = seen.find(mark, at + 1)
    if at >= 0:
        return seen[at + _HALF : at + _SIZE] != own, seen
    return False, (seen + mark + own)[-MOST * _SIZE :]


def joined(href: str, folders: int, seen: bytes) -> tuple[bool, bytes]:
    """Returns whether all pieces of a path below so many folders were `seen` there alone; and what was seen then."""
    pieces = href.split("/", 3)[3].partition("?")[0].strip("/").split("/")[folders:]
    if any(map(_DIGIT.search, pieces)):
        return False, seen  # numbers come again wherever there are numbers
    known = int.from_bytes(seen, "big")
    if len(pieces) == 1 and pieces[0]:
        bit = 1 << xxh32_intdigest(pieces[0].encode()) % BITS
        return False, seen if known & bit else (known | bit).to_bytes(BITS // 8, "big")
    if len(pieces) < 2 or known.bit_count() > CHOICES:
        return False, seen
    return all(known >> xxh32_intdigest(piece.encode()) % BITS & 1 for piece in pieces), seen
