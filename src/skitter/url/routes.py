"""Which shard a host is in: host → domain → slot → shard.

A domain is in one of 4096 slots for ever, by its hash. Which shard a slot is in is a table, and the table is data that
the crawl keeps: whoever splits a shard moves slots, and no hash changes. All hosts of a domain are in one shard, so
that what is known of the domain has one writer.

In a fleet slots move while nodes run, and every move of a slot has the next number, its *epoch*: of all that a node
hears, in whatever order, the highest epoch is true. To have heard of an old place only is no harm: whoever gave a slot
away hands on what still comes for it (docs/decisions/0028).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Self

import msgspec
from msgspec import Struct
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from skitter.url.domains import KNOWN_HOSTS, Domains

SLOTS = 4096
VERSION = 1
FIRST_EPOCH = 1
"""Of a slot's first move."""
ON_ITS_WAY = 1 << 16
"""Added to the number of a shard of ours that a slot goes to while what is known of the slot is not there yet."""


class Place(Struct, frozen=True, array_like=True, gc=False):
    """Where a slot is since its move with that number."""

    epoch: int
    shard: int


class RouteTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What DIR/routes.json holds."""

    version: int
    shards: int
    domains: str  # the hash of DIR/domains.txt: a table is good with these domains only
    checksum: str  # of the table: a wrong number in it would give a host two writers
    table: list[int]


class Routes:
    """The table of a crawl, with its domains."""

    def __init__(self, domains: Domains, shards: int, table: Sequence[int] | None = None) -> None:
        self.domains = domains
        self.shards = shards  # that the crawl was made with
        self.table = [slot % shards for slot in range(SLOTS)] if table is None else list(table)
        self.is_fixed = True  # no slot ever moves; in a fleet they do
        self.epochs: dict[int, int] = {}  # of slots that have moved
        self._count = shards
        if len(self.table) != SLOTS or not all(0 <= shard < shards for shard in self.table):
            raise ValueError(f"the table must name one of {shards} shards for each of {SLOTS} slots")
        # A cache in C and no method of our own: this is called for every new link.
        self.shard_of: Callable[[str], int] = lru_cache(maxsize=KNOWN_HOSTS)(self._shard_of)
        """Returns the shard that owns a host: the same on every machine and in every run."""

    def __repr__(self) -> str:
        return f"<Routes to {self.shards} shards, {self.domains!r}>"

    @staticmethod
    def slot_of(domain: str) -> int:
        """Returns the slot of a domain, for ever."""
        return xxh3_64_intdigest(domain.encode()) % SLOTS

    @classmethod
    def from_json(cls, content: bytes, frozen: bytes) -> Self:
        """Returns what `to_json` was called on, with the domains that were `frozen`; ValueError if that can't be."""
        read = msgspec.json.decode(content, type=RouteTable)
        if read.version != VERSION:
            raise ValueError(f"version {read.version} is not known")
        if read.checksum != _checksum(read.table):
            raise ValueError("the table is not as it was written")
        if read.domains != xxh3_64_hexdigest(frozen):
            raise ValueError("the domains are not those that it was written with")
        return cls(Domains.from_frozen(frozen), read.shards, read.table)

    def to_json(self, frozen: bytes) -> bytes:
        """Returns the form on disk, to stand beside the `frozen` domains."""
        table = [shard % ON_ITS_WAY for shard in self.table]
        return msgspec.json.encode(
            RouteTable(
                version=VERSION,
                shards=self.count(),
                domains=xxh3_64_hexdigest(frozen),
                checksum=_checksum(table),
                table=table,
            )
        )

    def slot_of_host(self, host: str) -> int:
        """Returns the slot that a host is in."""
        return self.slot_of(self.domains.domain_of(host))

    def count(self) -> int:
        """Returns how many shards there are by now, as far as is known."""
        return self._count

    def learn(self, slot: int, place: Place, *, is_there: bool) -> int | None:
        """Takes note of where a slot is; returns the shard that we thought it was in, if that is news.

        `is_there`: what is known of it has come to that shard.
        """
        shard, before = place.shard if is_there else place.shard + ON_ITS_WAY, self.table[slot]
        if place.epoch < self.epochs.get(slot, 0):
            return None
        self.epochs[slot] = place.epoch
        if shard == before:
            return None
        self.table[slot] = shard
        self._count = max(self._count, 1 + place.shard)
        self.shard_of.cache_clear()  # type: ignore[attr-defined]
        return before % ON_ITS_WAY

    def destination_of(self, host: str) -> int:
        """Returns the shard that what is for a host is sent to, be the host on its way there."""
        return self.shard_of(host) % ON_ITS_WAY

    def _shard_of(self, host: str) -> int:
        return self.table[self.slot_of(self.domains.domain_of(host))]


def _checksum(table: Sequence[int]) -> str:
    return xxh3_64_hexdigest(msgspec.json.encode(table))
