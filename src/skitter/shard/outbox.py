"""Links for the shards of other nodes: written with the settlement of their page, kept until they are acknowledged.

What is committed is delivered at least once, whatever happens. So a link that was committed need not be posted again
by the next page that has it. A later run may have another number of nodes: then batches on disk are split anew.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from skitter.messages import Discovered
from skitter.shard import keys
from skitter.shard.writer import Shard

LINKS, BYTES = 500, 8 * 1024**2
"""Links in one batch, and bytes of batches that are pending at once: a frame between nodes holds 64 MiB at most."""

IN_MEMORY = 10_000
"""Batches for one node that are held in memory. What is beyond stays on disk until these are delivered."""


class Batch(NamedTuple):
    """Links for one node, encoded, and where they are kept."""

    sender: Shard
    key: bytes
    links: bytes


class Outbox:
    """The outboxes of all shards of a node.

    `owner` says which node a host belongs to. `on_kept` is told the fingerprint of each link that is safe here.
    """

    def __init__(
        self,
        shards: Mapping[int, Shard],
        owner: Callable[[str], int],
        on_kept: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self._shards = shards
        self._owner = owner
        self._on_kept = on_kept
        self._posted: list[tuple[int, Batch, Sequence[bytes]]] = []
        self._queues: defaultdict[int, deque[Batch]] = defaultdict(deque)
        self._whole: set[int] = set()  # nodes for which all that is on disk is in memory too

    def post(self, sender: Shard, links: Iterable[Discovered]) -> None:
        """Puts links for other nodes in, along with the sender's settlements."""
        for node, batch, some in self._put(sender, links):
            self._posted.append((node, batch, [link.fingerprint for link in some]))

    def _put(self, sender: Shard, links: Iterable[Discovered]) -> Iterator[tuple[int, Batch, Sequence[Discovered]]]:
        by_node: dict[int, list[Discovered]] = {}
        for link in links:
            by_node.setdefault(self._owner(link.host), []).append(link)
        for node, theirs in by_node.items():
            for start in range(0, len(theirs), LINKS):
                some = theirs[start : start + LINKS]
                batch = Batch(sender, keys.outbox_key(node, sender.next_serial()), msgspec.msgpack.encode(some))
                sender.put(batch.key, batch.links)
                yield node, batch, some

    def committed(self) -> None:
        """Notes that all that was posted is on disk: from now on it may be delivered."""
        posted, self._posted = self._posted, []
        for node, batch, fingerprints in posted:
            if node in self._whole and len(self._queues[node]) < IN_MEMORY:
                self._queues[node].append(batch)
            else:
                self._whole.discard(node)
            for fingerprint in fingerprints:
                self._on_kept(fingerprint)

    def pending(self, node: int, limit: int) -> list[Batch]:
        """Returns the first committed batches for a node: up to `limit`, and no more than fit into a frame.

        They stay until they are `delivered`.
        """
        if not self._queues[node] and node not in self._whole:
            self._queues[node].extend(islice(self._on_disk(node), IN_MEMORY))
            if len(self._queues[node]) < IN_MEMORY:
                self._whole.add(node)
        found: list[Batch] = []
        size = 0
        for batch in islice(self._queues[node], limit):
            size += len(batch.links)
            if found and size > BYTES:
                break
            found.append(batch)
        return found

    def delivered(self, node: int, batches: Collection[Batch]) -> None:
        """Takes out batches that were pending for a node and are acknowledged."""
        queue = self._queues[node]
        for batch in batches:
            first = queue.popleft()
            assert first is batch, "what comes first is delivered first"
            batch.sender.delete(batch.key)

    def is_empty(self, nodes: int) -> bool:
        """Whether nothing is left to deliver to any of so many nodes."""
        has_pending = any(self.pending(node, 1) for node in range(nodes))
        return not has_pending and not self._posted  # in this order: a look at the disk may post anew

    def _on_disk(self, node: int) -> Iterator[Batch]:
        """Yields the committed batches for a node. One that is for several now is posted anew, by the first of them."""
        for shard in self._shards.values():
            for key, links in shard.iterate(b"o"):
                found = msgspec.msgpack.decode(links, type=list[Discovered])
                owners = {self._owner(link.host) for link in found}
                if owners == {node}:
                    yield Batch(shard, key, links)
                elif min(owners, default=node) == node:
                    shard.delete(key)
                    # Nobody is told of these: some may be ours, and what we have heard of we would not discover.
                    self._posted += [(other, batch, ()) for other, batch, _ in self._put(shard, found)]
