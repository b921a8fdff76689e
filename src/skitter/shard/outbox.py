"""Links for shards of other nodes: written with the settlement of their page, kept until they are acknowledged.

What is committed is delivered at least once, whatever happens. So a link that was committed need not be posted again
by the next page that has it. They are kept by the shard they are for: whichever node owns that, now or in a later run,
is the one to deliver them to.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import NamedTuple

import msgspec

from skitter.messages import Discovered
from skitter.shard import keys
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard

MAX_LINKS, MAX_BYTES = 500, 8 * 1024**2
"""Links in one batch, and bytes of batches that are pending at once: a frame between nodes holds 64 MiB at most."""

IN_MEMORY = 256
"""Batches for one shard that are held in memory. What is beyond stays on disk until these are delivered."""


class Parcel(NamedTuple):
    """Links for one shard, encoded, and where they are kept."""

    sender: Shard
    key: bytes
    links: bytes


class Outbox:
    """The outboxes of all shards of a node. `on_kept` is told of each link that is safe here, and of its shard."""

    def __init__(self, shards: Shards, on_kept: Callable[[bytes, int], None] = lambda *_: None) -> None:
        self._shards = shards
        self._on_kept = on_kept
        self._posted: list[tuple[int, Parcel, list[bytes]]] = []
        self._queues: defaultdict[int, deque[Parcel]] = defaultdict(deque)
        self._on_disk: set[int] = set()  # shards for which there may be more on disk than in memory

    def post(self, sender: Shard, links: Iterable[Discovered], /) -> None:
        """Puts links for shards of other nodes in, along with the sender's settlements."""
        shard_of = self._shards.routes.shard_of
        by_shard: dict[int, list[Discovered]] = {}
        for link in links:
            by_shard.setdefault(shard_of(link.host), []).append(link)
        for number, theirs in by_shard.items():
            for start in range(0, len(theirs), MAX_LINKS):
                some = theirs[start : start + MAX_LINKS]
                parcel = Parcel(sender, keys.outbox_key(number, sender.next_serial()), msgspec.msgpack.encode(some))
                sender.put(parcel.key, parcel.links)
                self._posted.append((number, parcel, [link.fingerprint for link in some]))

    def committed(self) -> None:
        """Notes that all that was posted is on disk: from now on it may be delivered."""
        posted, self._posted = self._posted, []
        for number, parcel, fingerprints in posted:
            if number not in self._on_disk and len(self._queues[number]) < IN_MEMORY:
                self._queues[number].append(parcel)
            else:
                self._on_disk.add(number)
            for fingerprint in fingerprints:
                self._on_kept(fingerprint, number)

    def destinations(self) -> list[int]:
        """Returns the shards for which something may be pending."""
        return [*self._on_disk, *(number for number, queue in self._queues.items() if queue)]

    def pending(self, number: int, limit: int) -> list[Parcel]:
        """Returns the first committed parcels for a shard: up to `limit`, and no more than fit into a frame.

        They stay until they are `delivered`.
        """
        queue = self._queues[number]
        if not queue and number in self._on_disk:
            self._load(number, queue)
        found: list[Parcel] = []
        size = 0
        for parcel in islice(queue, limit):
            size += len(parcel.links)
            if found and size > MAX_BYTES:
                break
            found.append(parcel)
        return found

    def delivered(self, number: int, parcels: Collection[Parcel]) -> None:
        """Takes out parcels that were pending for a shard and are acknowledged, along with their senders' settlements.

        Those of a sender that was closed meanwhile are its next owner's to deliver, again.
        """
        queue = self._queues[number]
        for parcel in parcels:
            if queue and queue[0] is parcel:
                queue.popleft()
                parcel.sender.delete(parcel.key)

    def is_empty(self) -> bool:
        """Whether nothing is left to deliver."""
        return not self._posted and not any(self.pending(number, 1) for number in self.destinations())

    def note_opened(self, sender: Shard) -> None:
        """Takes note of what an earlier run left in a shard."""
        after = b""
        while first := sender.scan(keys.OUTBOX, after=after, limit=1):
            number = keys.outbox_destination(first[0][0])
            self._on_disk.add(number)
            after = keys.outbox_end(number)

    def drop(self, sender: Shard) -> None:
        """Forgets what a shard that is closed has to deliver: its next owner will."""
        for number, queue in self._queues.items():
            self._queues[number] = deque(parcel for parcel in queue if parcel.sender is not sender)

    def _load(self, number: int, queue: deque[Parcel]) -> None:
        for shard in self._shards.opened.values():
            for key, links in shard.iterate(keys.outbox_prefix(number)):
                if len(queue) == IN_MEMORY:
                    return
                queue.append(Parcel(shard, key, links))
        self._on_disk.discard(number)
