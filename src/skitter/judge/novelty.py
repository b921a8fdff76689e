"""How much of what a page says was never said before in its corner. Pure.

What a corner has said is kept as the smallest hashes of all its shingles. Of a page only those can be compared that
are no larger than the largest one kept: below that line nothing was left out. The more a corner has said, the fewer
these are; that they are known tells as much as before.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from typing import NamedTuple

from xxhash import xxh32_digest

from skitter.messages import Said

KEPT = 128
"""Hashes kept of a corner: with a hundred pages that say different things, one of each can be compared."""

_SWAPS = sys.byteorder == "little"


class Compared(NamedTuple):
    """What of a page is new."""

    new: int = 0
    compared: int = 0  # of so many hashes


def hashes_of(said: Said) -> array[int]:
    """Returns what stands for a page, ascending; of a page of a few words one hash of them all, digits included."""
    return _unpacked(said.sample or (xxh32_digest(said.brief.encode()) if said.brief else b""))


def compare(hashes: array[int], seen: bytes) -> tuple[Compared, bytes]:
    """Returns how much of a page is new to those who have `seen` that, and what they have seen then."""
    known = _unpacked(seen)
    if len(known) == KEPT:
        hashes = hashes[: bisect_right(hashes, known[-1])]
    new = set(hashes).difference(known)
    if not new:
        return Compared(0, len(hashes)), seen
    return Compared(len(new), len(hashes)), _packed(sorted([*known, *sorted(new)])[:KEPT])


def _unpacked(raw: bytes) -> array[int]:
    values = array("I", raw)
    if _SWAPS:
        values.byteswap()
    return values


def _packed(values: list[int]) -> bytes:
    packed = array("I", values)
    if _SWAPS:
        packed.byteswap()
    return packed.tobytes()
