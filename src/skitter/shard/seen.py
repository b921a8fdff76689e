"""The seen check: a memory of URLs seen of late, then the filter of the shard, then its store.

Most links of a page were seen of late; most others are new, which the filter tells. What is left is known from long
ago, and to look that up in the store is the dear case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from skitter.shard.recent import recent

if TYPE_CHECKING:  # whoever only reads the statistics must not wait for the store
    from skitter.shard.writer import Shard


class SeenStatistics(Struct, frozen=True):
    """How often which layer answered."""

    in_memory: int
    in_store: int
    new: int
    false_positives: int = 0  # of the new ones: no filter ruled them out, the store was asked in vain


class Seen:
    """Tells new URLs from known ones, for all shards of a node.

    `remembers` tells whether a URL was seen of late: for most links of a page nothing else need be asked. `remember`
    is for a URL that is known, here or to the node whose it is, and takes the number of its shard. `forget` is for a
    shard that leaves the node: what was not committed by then is new to whoever has it next, and to us if it returns.
    """

    def __init__(self, size: int) -> None:
        self._recent = recent(size)
        self.remembers: Callable[[bytes], bool] = self._recent
        self.remember, self.forget = self._recent.remember, self._recent.forget
        self._in_store = self._new = self._false_positives = 0

    def is_stored(self, shard: Shard, fingerprint: bytes) -> bool:
        """Whether the shard knows the URL; if so, it is remembered."""
        if shard.filter.rules_out(fingerprint):
            return False
        if shard.has_url(fingerprint):
            self._in_store += 1
            self.remember(fingerprint, shard.number)
            return True
        self._false_positives += 1
        return False

    def add(self, fingerprint: bytes, shard: int) -> None:
        """Remembers a URL that the store of its shard, the one of that number, does not know yet."""
        self._new += 1
        self.remember(fingerprint, shard)

    def statistics(self) -> SeenStatistics:
        """Returns how often which layer answered."""
        return SeenStatistics(self._recent.hits, self._in_store, self._new, self._false_positives)
