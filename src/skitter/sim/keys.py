"""Keys in order, in blocks: one more costs the same whether there are a thousand or ten million of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

BLOCK = 1024
"""Keys of a block, at most; then it is cut in two."""


class Keys:
    """Keys, each once, in order."""

    __slots__ = ("_blocks", "_firsts")

    def __init__(self) -> None:
        self._blocks: list[list[bytes]] = [[]]
        self._firsts: list[bytes] = [b""]  # no key of a block is less than this, but for the first block

    def __len__(self) -> int:
        return sum(map(len, self._blocks))

    def copy(self) -> Keys:
        """Returns the same keys, to be changed apart."""
        other = Keys()
        other._blocks = [block.copy() for block in self._blocks]
        other._firsts = self._firsts.copy()
        return other

    def add(self, key: bytes) -> None:
        """Adds a key that is not there."""
        place = bisect_right(self._firsts, key) - 1
        block = self._blocks[place]
        insort(block, key)
        if len(block) > BLOCK:
            half = block[BLOCK // 2 :]
            del block[BLOCK // 2 :]
            self._blocks.insert(place + 1, half)
            self._firsts.insert(place + 1, half[0])

    def remove(self, key: bytes) -> None:
        """Removes a key that is there. A block that is empty is kept: it will be wanted again, or costs little."""
        block = self._blocks[bisect_right(self._firsts, key) - 1]
        del block[bisect_left(block, key)]

    def since(self, start: bytes, after: bytes = b"") -> Iterator[bytes]:
        """Yields the keys from `start` on that come after `after`, if that is given."""
        least, bisect = (after, bisect_right) if after >= start and after else (start, bisect_left)
        place = bisect_right(self._firsts, least) - 1
        block = self._blocks[place]
        yield from block[bisect(block, least) :]
        for block in self._blocks[place + 1 :]:
            yield from block
