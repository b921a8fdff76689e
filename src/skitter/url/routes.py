"""Which shard a host is in: host → domain → slot → shard.

A domain is in one of 4096 slots for ever, by its hash. Which shard a slot is in is a table, and the table is data that
the crawl keeps: whoever splits a shard moves slots, and no hash changes. All hosts of a domain are in one shard, so
that what is known of the domain has one writer.

In a fleet slots move while nodes run, and every move of a slot has the next number, its *epoch*: of all that a node
hears, in whatever order, the highest epoch is true. To have heard of an old place only is no harm: whoever gave a slot
away hands on what still comes for it (docs/decisions/0028).

An exception is a domain that outgrew its shard: its hosts are dealt out to parts, which have slots of their own
(`url.spread`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Self

import msgspec
from msgspec import Struct
from xxhash import xxh3_64_hexdigest

from skitter.url import spread
from skitter.url.domains import KNOWN_HOSTS, Domains

SLOTS = spread.SLOTS
VERSION = 2
WITHOUT_PARTS = 1
"""The version of a table without exceptions: whoever does not know of any can read it."""
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
    spread: dict[str, int] = {}  # domains in parts, and in how many
    parts: dict[int, int] = {}  # the shard of each part's slot


class Routes:
    """The table of a crawl, with its domains."""

    def __init__(self, domains: Domains, shards: int, table: Sequence[int] | None = None) -> None:
        self.domains = domains
        self.shards = shards  # that the crawl was made with
        self.table = [slot % shards for slot in range(SLOTS)] if table is None else list(table)
        self.is_fixed = True  # no slot ever moves; in a fleet they do
        self.epochs: dict[int, int] = {}  # of slots that have moved
        self.spread: dict[str, int] = {}  # domains that are in parts, and in how many
        self._parts: dict[int, int] = {}  # the shard of each part's slot
        self._count = shards
        if len(self.table) != SLOTS or not all(0 <= shard < shards for shard in self.table):
            raise ValueError(f"the table must name one of {shards} shards for each of {SLOTS} slots")
        # A cache in C and no method of our own: this is called for every new link.
        self.shard_of: Callable[[str], int] = lru_cache(maxsize=KNOWN_HOSTS)(self._shard_of)
        """Returns the shard that owns a host: the same on every machine and in every run."""
        self._known: Callable[[str], str] = lru_cache(maxsize=KNOWN_HOSTS)(self._domain_of)

    def __repr__(self) -> str:
        return f"<Routes to {self.shards} shards, {self.domains!r}>"

    @property
    def domain_of(self) -> Callable[[str], str]:
        """What returns what a host belongs to in its shard: its domain, or the part of it that the host is in."""
        return self.domains.domain_of if self.is_fixed and not self.spread else self._known

    @staticmethod
    def slot_of(domain: str) -> int:
        """Returns the slot of a domain or a part, for ever."""
        return spread.slot_of(domain)

    def slot_of_hash(self, number: int) -> int:
        """Returns the slot of a domain or a part by the hash of its name."""
        slot = spread.slot_of_hash(number, is_part=True)
        return slot if slot in self._parts else spread.slot_of_hash(number, is_part=False)

    @classmethod
    def from_json(cls, content: bytes, frozen: bytes) -> Self:
        """Returns what `to_json` was called on, with the domains that were `frozen`; ValueError if that can't be."""
        read = msgspec.json.decode(content, type=RouteTable)
        if read.version != (VERSION if read.spread else WITHOUT_PARTS):
            raise ValueError(f"version {read.version} is not known")
        if read.checksum != _checksum(read.table, read.spread, read.parts):
            raise ValueError("the table is not as it was written")
        if read.domains != xxh3_64_hexdigest(frozen):
            raise ValueError("the domains are not those that it was written with")
        routes = cls(Domains.from_frozen(frozen), read.shards, read.table)
        for domain, parts in read.spread.items():
            routes.learn_spread(domain, parts)
        routes._parts |= read.parts
        return routes

    def to_json(self, frozen: bytes) -> bytes:
        """Returns the form on disk, to stand beside the `frozen` domains."""
        table = [shard % ON_ITS_WAY for shard in self.table]
        parts = {slot: shard % ON_ITS_WAY for slot, shard in self._parts.items()}
        return msgspec.json.encode(
            RouteTable(
                version=VERSION if self.spread else WITHOUT_PARTS,
                shards=self.count(),
                domains=xxh3_64_hexdigest(frozen),
                checksum=_checksum(table, self.spread, parts),
                table=table,
                spread=self.spread,
                parts=parts,
            )
        )

    def slot_of_host(self, host: str) -> int:
        """Returns the slot that a host is in."""
        return self.slot_of(self.domain_of(host))

    def shard_in(self, slot: int) -> int:
        """Returns the shard that a slot is in, or on its way to."""
        return self.table[slot] if slot < SLOTS else self._parts.get(slot, self.table[slot % SLOTS])

    def learn_spread(self, domain: str, parts: int) -> bool:
        """Takes note that the hosts of a domain are in parts; whether that is news. They are where it was, at first."""
        if domain in self.spread:
            return False
        self.spread[domain] = parts
        home = self.table[self.slot_of(domain)]
        for name in spread.parts_of(domain, parts):
            self._parts.setdefault(self.slot_of(name), home)
        self._clear()
        return True

    def names_of(self, domain: str) -> list[str]:
        """Returns the names that a domain has in shards: its own, or those of its parts."""
        return spread.parts_of(domain, self.spread[domain]) if domain in self.spread else [domain]

    def count(self) -> int:
        """Returns how many shards there are by now, as far as is known."""
        return self._count

    def learn(self, slot: int, place: Place, *, is_there: bool) -> int | None:
        """Takes note of where a slot is; returns the shard that we thought it was in, if that is news.

        `is_there`: what is known of it has come to that shard.
        """
        if slot >= SLOTS and slot not in self._parts:
            return None  # of a domain that we have not heard to be in parts: what is for it goes to its home
        shard, before = place.shard if is_there else place.shard + ON_ITS_WAY, self.shard_in(slot)
        if place.epoch < self.epochs.get(slot, 0):
            return None
        self.epochs[slot] = place.epoch
        if shard == before:
            return None
        if slot < SLOTS:
            self.table[slot] = shard
        else:
            self._parts[slot] = shard
        self._count = max(self._count, 1 + place.shard)
        self._clear()
        return before % ON_ITS_WAY

    def place_of(self, slot: int) -> Place:
        """Returns where a slot is, as far as is known."""
        return Place(self.epochs.get(slot, 0), self.shard_in(slot) % ON_ITS_WAY)

    def destination_of(self, host: str) -> int:
        """Returns the shard that what is for a host is sent to, be the host on its way there."""
        return self.shard_of(host) % ON_ITS_WAY

    def _shard_of(self, host: str) -> int:
        return self.shard_in(self.slot_of(self.domain_of(host)))

    def _domain_of(self, host: str) -> str:
        if spread.PART in host:
            return host  # it is a part's name, which is no host's
        domain = self.domains.domain_of(host)
        parts = self.spread.get(domain)
        return domain if parts is None else spread.part_of(domain, host, parts)

    def _clear(self) -> None:
        self.shard_of.cache_clear()  # type: ignore[attr-defined]
        self._known.cache_clear()  # type: ignore[attr-defined]


def _checksum(table: Sequence[int], domains: Mapping[str, int], parts: Mapping[int, int]) -> str:
    return xxh3_64_hexdigest(msgspec.json.encode([table, domains, parts] if domains else table))
