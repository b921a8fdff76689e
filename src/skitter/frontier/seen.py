"""The seen check: an exact memory of recent URLs before the store's own filter and the store.

Most links of a page were seen before, and a hit in the store is the dear case. So the last few hundred thousand
fingerprints stay in memory, in two generations: when the young one is full, the old one is forgotten.
"""

from __future__ import annotations

from msgspec import Struct

from skitter.frontier.shard import Shard

SAMPLE = 16
"""The store asks its filter by itself. What the filter alone would have said is asked once in so many times."""


class SeenStatistics(Struct, frozen=True):
    """How often which layer answered."""

    in_memory: int
    in_store: int
    new: int
    false_positives: int = 0  # of the new ones, by sample: the filter did not rule them out, the store was read in vain


class Seen:
    """Tells new URLs from known ones, for all shards of a node."""

    def __init__(self, size: int, sample: int = SAMPLE) -> None:
        self._sample = sample
        self._asked = 0
        self._half = max(1, size // 2)
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()
        self._in_memory = self._in_store = self._new = self._false_positives = 0

    def remembers(self, fingerprint: bytes) -> bool:
        """Whether the URL was seen of late: most links of a page were, and nothing else need be asked for them."""
        if fingerprint in self._young or fingerprint in self._old:
            self._in_memory += 1
            return True
        return False

    def is_stored(self, shard: Shard, fingerprint: bytes) -> bool:
        """Whether the store knows the URL; if so, it is remembered."""
        self._asked += 1
        is_sample = self._asked % self._sample == 0
        was_ruled_out = not is_sample or not shard.may_have_url(fingerprint)
        if shard.has_url(fingerprint):
            self._in_store += 1
            self.remember(fingerprint)
            return True
        self._false_positives += 0 if was_ruled_out else self._sample
        return False

    def add(self, fingerprint: bytes) -> None:
        """Remembers a URL that the store does not know yet."""
        self._new += 1
        self.remember(fingerprint)

    def remember(self, fingerprint: bytes) -> None:
        """Remembers a URL that is known, here or to the node whose it is."""
        self._young.add(fingerprint)
        if len(self._young) >= self._half:
            self._old, self._young = self._young, set()

    def statistics(self) -> SeenStatistics:
        """Returns how often which layer answered."""
        return SeenStatistics(self._in_memory, self._in_store, self._new, self._false_positives)
