"""Links for the shards of other nodes: written with the settlement of their page, kept until they are acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from skitter.frontier import keys
from skitter.frontier.shard import Shard
from skitter.messages import Discovered
from skitter.url.keys import shard_of


class Batch(NamedTuple):
    """Links for one shard, encoded, and where they are kept."""

    sender: Shard
    key: bytes
    links: bytes


REMEMBERED = 10_000
"""Batches under way whose fingerprints are kept in memory. Of those beyond, nobody learns that they are known."""


class Outbox:
    """The outboxes of all shards of a node. `on_delivered` is told the fingerprint of each link that arrived."""

    def __init__(
        self, shards: Mapping[int, Shard], count: int, on_delivered: Callable[[bytes], None] = lambda _: None
    ) -> None:
        self._shards = shards
        self._count = count
        self._on_delivered = on_delivered
        self._posted: dict[tuple[int, bytes], Sequence[bytes]] = {}

    def post(self, sender: Shard, links: Iterable[Discovered]) -> None:
        """Puts links in, along with the sender's settlements."""
        by_shard: dict[int, list[Discovered]] = {}
        for link in links:
            by_shard.setdefault(shard_of(link.host, self._count), []).append(link)
        for number, batch in by_shard.items():
            key = keys.outbox_key(number, sender.next_serial())
            sender.put(key, msgspec.msgpack.encode(batch))
            if len(self._posted) < REMEMBERED:
                self._posted[sender.number, key] = [link.fingerprint for link in batch]

    def pending(self, numbers: Collection[int], limit: int) -> list[Batch]:
        """Returns up to `limit` committed batches for the shards in `numbers`."""
        found: list[Batch] = []
        for shard in self._shards.values():
            for key, links in shard.iterate(b"o"):
                if keys.outbox_shard(key) in numbers:
                    found.append(Batch(shard, key, links))
                if len(found) >= limit:
                    return found
        return found

    def delivered(self, batches: Iterable[Batch]) -> None:
        """Takes out batches that were acknowledged."""
        for batch in batches:
            batch.sender.delete(batch.key)
            for fingerprint in self._posted.pop((batch.sender.number, batch.key), ()):
                self._on_delivered(fingerprint)
