"""Whether a query is put together from parameters that were all seen before. Pure.

Filters and orders of a list are such: each choice is linked once, and then all of them together. Pages that have
something of their own to say have a value of their own too, mostly; where they do not, what they say decides.
"""

from __future__ import annotations

from xxhash import xxh32_intdigest

BITS = 512
MOST = BITS // 4
"""Parameters with their values that are told apart: of a list with more choices, or of pages with numbers, nothing is
known to be a combination."""
FEWEST = 2


def combined(href: str, seen: bytes) -> tuple[bool, bytes]:
    """Returns whether a URL has parameters, all of which were `seen` with their values; and what was seen then."""
    query = href.partition("?")[2]
    parts = query.split("&") if query else []
    known, mine = int.from_bytes(seen, "big"), 0
    if not parts or known.bit_count() > MOST:
        return False, seen
    for part in parts:
        mine |= 1 << xxh32_intdigest(part.encode()) % BITS
    if mine & known == mine:
        return len(parts) >= FEWEST, seen
    return False, (known | mine).to_bytes(BITS // 8, "big")
