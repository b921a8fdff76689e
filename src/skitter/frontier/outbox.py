"""Links for the shards of other nodes: written with the settlement of their page, kept until they are acknowledged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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


class Outbox:
    """The outboxes of all shards of a node."""

    def __init__(self, shards: Mapping[int, Shard], count: int) -> None:
        self._shards = shards
        self._count = count

    def post(self, sender: Shard, links: Iterable[Discovered]) -> None:
        """Puts links in, along with the sender's settlements."""
        by_shard: dict[int, list[Discovered]] = {}
        for link in links:
            by_shard.setdefault(shard_of(link.host, self._count), []).append(link)
        for number, batch in by_shard.items():
            sender.put(keys.outbox_key(number, sender.next_serial()), msgspec.msgpack.encode(batch))

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
