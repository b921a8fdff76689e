"""Which shard a host is in: host → domain → slot → shard.

A domain is in one of 4096 slots for ever, by its hash. Which shard a slot is in is a table, and the table is data that
the crawl keeps: whoever splits a shard moves slots, and no hash changes. All hosts of a domain are in one shard, so
that what is known of the domain has one writer.
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
        self.shards = shards
        self.table = tuple(slot % shards for slot in range(SLOTS)) if table is None else tuple(table)
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
        table = list(self.table)
        return msgspec.json.encode(
            RouteTable(
                version=VERSION,
                shards=self.shards,
                domains=xxh3_64_hexdigest(frozen),
                checksum=_checksum(table),
                table=table,
            )
        )

    def _shard_of(self, host: str) -> int:
        return self.table[self.slot_of(self.domains.domain_of(host))]


def _checksum(table: Sequence[int]) -> str:
    return xxh3_64_hexdigest(msgspec.json.encode(table))
