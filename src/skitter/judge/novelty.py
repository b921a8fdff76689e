"""How much of what a page says was never said before in its corner. Pure.

What a corner has said is kept as the smallest hashes of all its shingles. Of a page only those can be compared that
are no larger than the largest one kept: below that line nothing was left out. The more a corner has said, the fewer
these are; that they are known tells as much as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack, unpack
from typing import NamedTuple

from xxhash import xxh32_digest

from skitter.kernel import IS_NATIVE
from skitter.messages import Said

if IS_NATIVE:
    from skitter import _native

KEPT = 128
"""Hashes kept of a corner: with a hundred pages that say different things, one of each can be compared."""


class Compared(NamedTuple):
    """What of a page is new."""

    new: int = 0
    compared: int = 0  # of so many hashes


def hashes_of(said: Said) -> bytes:
    """Returns what stands for a page, ascending, four bytes each; of one of a few words a hash of them, digits too."""
    return said.sample or (xxh32_digest(said.brief.encode()) if said.brief else b"")


def compare(hashes: bytes, seen: bytes) -> tuple[Compared, bytes]:
    """Returns how much of a page is new to those who have `seen` that, and what they have seen then."""
    new, compared, after = _compare(hashes, seen, KEPT)
    return Compared(new, compared), after


def compare_by_python(hashes: bytes, seen: bytes, most: int) -> tuple[int, int, bytes]:
    """Does what `compare` does, at most so many hashes being kept."""
    mine, known = unpacked(hashes), unpacked(seen)
    if len(known) == most:
        mine = tuple(number for number in mine if number <= known[-1])
    new = set(mine).difference(known)
    if not new:
        return 0, len(mine), seen
    kept = sorted([*known, *new])[:most]
    return len(new), len(mine), packed(kept)


_compare = _native.compare if IS_NATIVE else compare_by_python


def packed(hashes: Sequence[int]) -> bytes:
    """Returns hashes as they are kept, four bytes each."""
    return pack(f">{len(hashes)}I", *hashes)


def unpacked(raw: bytes) -> tuple[int, ...]:
    """Returns hashes as numbers."""
    return unpack(f">{len(raw) // 4}I", raw)
