"""The seen check: an exact memory of recent URLs before the store's own filter and the store.

Most links of a page were seen before, and a hit in the store is the dear case. So the last few hundred thousand
fingerprints stay in memory, in two generations: when the young one is full, the old one is forgotten.
"""

from __future__ import annotations

from msgspec import Struct

from skitter.frontier.shard import Shard


class SeenStatistics(Struct, frozen=True):
    """How often which layer answered."""

    in_memory: int
    in_store: int
    new: int
    false_positives: int = 0  # of the new ones: the filter did not rule them out, and the store was read in vain


class Seen:
    """Tells new URLs from known ones, for all shards of a node."""

    def __init__(self, size: int) -> None:
        self._half = max(1, size // 2)
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()
        self._in_memory = self._in_store = self._new = self._false_positives = 0

    def check_and_add(self, shard: Shard, fingerprint: bytes) -> bool:
        """Returns whether the URL is new to its shard. From now on it is not: one call decides and remembers."""
        if fingerprint in self._young or fingerprint in self._old:
            self._in_memory += 1
            return False
        self._young.add(fingerprint)
        if len(self._young) >= self._half:
            self._old, self._young = self._young, set()
        if shard.may_have_url(fingerprint):
            if shard.has_url(fingerprint):
                self._in_store += 1
                return False
            self._false_positives += 1
        self._new += 1
        return True

    def statistics(self) -> SeenStatistics:
        """Returns how often which layer answered."""
        return SeenStatistics(self._in_memory, self._in_store, self._new, self._false_positives)
