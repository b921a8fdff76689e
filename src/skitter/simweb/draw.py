"""Numbers that depend on a key and on nothing else: the dice of a world that can be repeated exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from hashlib import shake_128
from itertools import accumulate
from struct import unpack
from typing import Generic, TypeVar

T = TypeVar("T")
SPAN = 2**32


def draws(count: int, *key: object) -> tuple[int, ...]:
    """Returns `count` numbers below 2^32, the same for the same key on every machine and in every run."""
    # One call for all of a page's numbers: a generator of Python's would cost more to seed than to use.
    return unpack(f"<{count}I", shake_128("/".join(map(str, key)).encode()).digest(4 * count))


class Shares(Generic[T]):
    """Picks values in proportion to their shares."""

    def __init__(self, shares: Mapping[T, float]) -> None:
        kept = {value: share for value, share in shares.items() if share > 0}
        total = sum(kept.values())
        self._values = list(kept)
        self._ends = [end * SPAN / total for end in accumulate(kept.values())]

    def pick(self, number: int) -> T:
        """Returns the value that `number`, one of `draws`, falls on."""
        return self._values[min(bisect_right(self._ends, number), len(self._values) - 1)]

    def deal(self, turn: int, number: int) -> T:
        """Returns each value once in the first turns, so that few draws show all there is; then picks."""
        return self._values[turn] if turn < len(self._values) else self.pick(number)
