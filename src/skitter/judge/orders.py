"""Whether a path is put together from the pieces of others, or has those of another one in another order. Pure.

Filters can be chosen together and in any order, and each choice is a URL: `/red`, `/xl`, `/red/xl` and `/xl/red`, or
`/red-xl`, or `?with=red,xl`. A page that has a place of its own has one URL, and few of its pieces are one by
themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xxhash import xxh32_digest, xxh32_intdigest

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


def joined(href: str, folders: int, seen: bytes) -> tuple[bool | None, bytes]:
    """Returns whether all choices that a URL makes below so many folders were `seen` alone; and what was seen then.

    None: nothing can be said, for it chooses nothing that could be told from others.
    """
    choices, known = choices_in(href, folders), int.from_bytes(seen, "big")
    if not choices:
        return None, seen
    is_joined = len(choices) > 1 and known.bit_count() <= CHOICES and all(known & _bit(one) for one in choices)
    alone = _alone_in(href, folders, choices)
    if is_joined or not alone or known & _bit(alone):
        return is_joined, seen
    return False, (known | _bit(alone)).to_bytes(BITS // 8, "big")


def choices_in(href: str, folders: int) -> Sequence[str]:
    """Returns what is chosen by a URL: each value of its parameters, or else each piece of its path, or part of it.

    Numbers in a path are no choices: they come again wherever there are numbers.
    """
    path, asked, query = href.split("/", 3)[3].partition("?")
    if asked:
        pairs = (part.partition("=") for part in query.split("&"))
        return [f"{name}={one}" for name, _, value in pairs for one in _PARTS.split(value) if one]
    pieces = _pieces(path, folders)
    if inner := [part for piece in pieces for part in piece.split(";")[1:] if "=" in part]:
        return inner  # parameters, only that they are in the path
    if len(pieces) == 1 and not any(part.isdigit() for part in _PARTS.split(pieces[0])):
        return [part for part in _PARTS.split(pieces[0]) if part]
    return () if any(piece.isdigit() for piece in pieces) else pieces


def _alone_in(href: str, folders: int, choices: Sequence[str]) -> str:
    """Returns the choice that a URL consists of: `dark-blue` may be one, too."""
    if len(choices) == 1:
        return choices[0]
    path, asked, _ = href.split("/", 3)[3].partition("?")
    pieces = () if asked else _pieces(path, folders)
    return pieces[0] if len(pieces) == 1 else ""


def _pieces(path: str, folders: int) -> Sequence[str]:
    return [piece for piece in path.strip("/").split("/")[folders:] if piece]


def _bit(choice: str) -> int:
    return 1 << xxh32_intdigest(choice.encode()) % BITS
