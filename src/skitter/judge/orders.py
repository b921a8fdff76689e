"""Whether a path is put together from the pieces of others, or has those of another one in another order. Pure.

Filters can be chosen together and in any order, and each choice is a URL: `/red`, `/xl`, `/red/xl` and `/xl/red`, or
`/red-xl`, or `?with=red,xl`. A page that has a place of its own has one URL, and few of its pieces are one by
themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from xxhash import xxh32_digest, xxh32_intdigest

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

MOST = 32
"""Paths of a corner that are remembered, the last ones."""
BITS = 512
CHOICES = BITS // 4
"""Choices that are told apart: of a folder with more of them nothing is known to be put together."""
_HALF, _SIZE = 4, 8
_PARTS = re.compile(r"[-,.;+|~_]|%20|%2C|%3B|%7C", re.IGNORECASE)
"""What stands between choices that are written into one value, or one piece of a path."""


def turned(href: str, seen: bytes) -> tuple[bool, bytes]:
    """Returns whether a path was `seen` with its pieces in another order; and what was seen then."""
    order = order_of(href)
    if not order:
        return False, seen
    mark = order[:_HALF]
    at = seen.find(mark)
    while at >= 0 and at % _SIZE:
        at = seen.find(mark, at + 1)
    if at >= 0:
        return seen[at + _HALF : at + _SIZE] != order[_HALF:], seen
    return False, (seen + order)[-MOST * _SIZE :]


def order_of_by_python(href: str) -> bytes:
    """Returns what stands for the pieces of a path in any order, and for the path itself; nothing: no order tells."""
    pieces = href.split("/", 3)[3].partition("?")[0].strip("/").split("/")
    if len(pieces) < 3 or len(set(pieces)) != len(pieces) or pieces[-1].isdigit():
        return b""
    return xxh32_digest("/".join(sorted(pieces)).encode()) + xxh32_digest("/".join(pieces).encode())


# Each corner of a page asks for it.
order_of = lru_cache(4)(_native.order_of if IS_NATIVE else order_of_by_python)


def joined(href: str, folders: int, seen: bytes) -> tuple[bool | None, bytes]:
    """Returns whether all choices that a URL makes below so many folders were `seen` alone; and what was seen then.

    None: nothing can be said, for it chooses nothing that could be told from others.
    """
    choices, alone = choices_in(href, folders)
    if not choices:
        return None, seen
    if not seen and not alone:
        return False, seen  # as nearly all paths are
    known = int.from_bytes(seen, "big")
    is_joined = len(choices) > 1 and known.bit_count() <= CHOICES and all(known & _bit(one) for one in choices)
    if is_joined or not alone or known & _bit(alone):
        return is_joined, seen
    return False, (known | _bit(alone)).to_bytes(BITS // 8, "big")


def choices_in(href: str, folders: int) -> tuple[Sequence[str], str]:
    """Returns what is chosen by a URL: each value of its parameters, or else each piece of its path, or part of it.

    And the choice that it consists of, if it is one alone: `dark-blue` may be one, too. Numbers in a path are no
    choices: they come again wherever there are numbers.
    """
    path, asked, query = href.split("/", 3)[3].partition("?")
    if asked:
        pairs = (part.partition("=") for part in query.split("&"))
        values = [f"{name}={one}" for name, _, value in pairs for one in _PARTS.split(value) if one]
        return values, values[0] if len(values) == 1 else ""
    pieces = _pieces(path, folders)
    if inner := [part for piece in pieces for part in piece.split(";")[1:] if "=" in part]:
        return inner, inner[0] if len(inner) == 1 else ""  # parameters, only that they are in the path
    if len(pieces) != 1:
        return (() if any(map(str.isdigit, pieces)) else pieces), ""
    parts = _PARTS.split(pieces[0])
    if not any(map(str.isdigit, parts)):
        choices = [part for part in parts if part]
        return choices, choices[0] if len(choices) == 1 else pieces[0]
    return ((), "") if pieces[0].isdigit() else (pieces, pieces[0])


def _pieces(path: str, folders: int) -> Sequence[str]:
    return list(filter(None, path.strip("/").split("/")[folders:]))


def _bit(choice: str) -> int:
    return 1 << xxh32_intdigest(choice.encode()) % BITS
