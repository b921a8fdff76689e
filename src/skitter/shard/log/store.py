"""The store of a shard whose truth is its log: what is written is read at once, and is safe when the log has it.

It lies over a store that forgets what it has not written out when we die: everything in it can be replayed. See
`ports.ShardStore`; only what `write` promises is another's promise here, the journal's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

import msgspec
from msgspec import Struct

from skitter.ports import Batch, ShardStore, Stores
from skitter.shard import keys
from skitter.shard.log.layers import Layer, Layers, merged
from skitter.shard.log.ownership import Standing


class Position(Struct, frozen=True, array_like=True):
    """How far a store has come: the next record of its log, the next message of its links, and whose it was there."""

    next: int = 0
    links: int = 0
    owner: Standing = Standing()


_positions = msgspec.msgpack.Decoder(Position)


def position_of(store: ShardStore) -> Position:
    """Returns how far a store has come."""
    raw = store.get(keys.LOG)
    return Position() if raw is None else _positions.decode(raw)


def write_down(store: ShardStore, changes: Mapping[bytes, bytes | None], position: Position) -> None:
    """Writes what the log has, and its place, together or not at all."""
    batch = store.batch()
    put, delete = batch.put, batch.delete
    for key, value in changes.items():
        if value is None:
            delete(key)
        else:
            put(key, value)
    put(keys.LOG, msgspec.msgpack.encode(position))
    store.write(batch)


class LayerBatch:
    """Changes that are written together or not at all, see `ports.Batch`."""

    __slots__ = ("changes", "put")

    def __init__(self) -> None:
        self.changes: dict[bytes, bytes | None] = {}
        self.put: Callable[[bytes, bytes], None] = (
            self.changes.__setitem__
        )  # no method of our own: a page calls it often

    def delete(self, key: bytes) -> None:
        """Removes an entry, if it is there."""
        self.changes[key] = None

    def is_empty(self) -> bool:
        """Whether nothing was put or deleted."""
        return not self.changes


class LogStore:
    """One store, over `below`. `top` gives the layer to write to at this moment, which the journal sends."""

    def __init__(self, shard: int, below: ShardStore, top: Callable[[LogStore], Layer]) -> None:
        self.shard = shard
        self.below = below
        self.layers = Layers()
        self.position = position_of(below)
        self.links_read = self.position.links  # the next message of its links, all before it being noted
        self.links_noted = self.links_read  # the same, as of the last commit
        self._top = top
        self.read_beside = below.read_beside
        self.write_beside = below.write_beside

    def __repr__(self) -> str:
        return f"<LogStore {self.shard} at {self.position.next}, {len(self.layers.all)} layers>"

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of an entry."""
        for layer in reversed(self.layers.all):
            if key in layer:
                return layer[key]
        return self.below.get(key)

    def get_many(self, keys: list[bytes]) -> list[bytes | None]:
        """Returns the values of entries, in the order of their keys."""
        if not self.layers.all:
            return self.below.get_many(keys)
        return [self.get(key) for key in keys]

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries that start with `prefix`, in order: all, or those whose key comes after `after`."""
        below, over = self.below.iterate(prefix, after), self.layers.over(prefix, after)
        if keys.LOG.startswith(prefix):
            below = (entry for entry in below if entry[0] != keys.LOG)
        return merged(below, over) if over else below

    def batch(self) -> Batch:
        """Returns an empty batch."""
        return LayerBatch()

    def write(self, batch: Batch) -> None:
        """Puts all of `batch` into the topmost layer, where it is read."""
        self._top(self).update(cast("LayerBatch", batch).changes)

    def lower(self, layer: Layer, offset: int, owner: bytes, links: int | None) -> None:
        """Writes the lowest layer down, which the log has at `offset`."""
        assert self.layers.all[0] is layer, "what came first is safe first"
        links = self.position.links if links is None else links
        self.position = Position(offset + 1, links, Standing(owner))
        write_down(self.below, layer, self.position)
        del self.layers.all[0]

    def write_through(self, changes: Mapping[bytes, bytes | None], offset: int, owner: bytes) -> None:
        """Writes what the log has at `offset`, past the layers: nobody works on the shard, and there are none."""
        assert not self.layers.all, "what came first is safe first"
        self.position = Position(offset + 1, self.position.links, Standing(owner))
        write_down(self.below, changes, self.position)

    async def sync(self) -> None:
        """Returns at once: what the log has survives the loss of this machine."""

    async def compact(self) -> None:
        """Returns when what was deleted or replaced takes no room any more."""
        await self.below.compact()

    def close(self) -> None:
        """Nothing more is written; whoever holds the shard closes what lies below, when the log has all of it."""


class LogStores:
    """The stores of the shards that we hold, see `ports.Stores`. Whoever takes a shard hands its store in."""

    def __init__(self, below: Stores) -> None:
        self._below = below
        self.held: dict[int, LogStore] = {}
        self.room = below.room
        self.take_memory = below.take_memory
        self.give_memory_back = below.give_memory_back

    def is_made(self, shard: int) -> bool:
        """Whether the shard is held: then it is there, be it empty."""
        return shard in self.held

    def open(self, shard: int) -> LogStore:
        """Returns the store of a shard that is held."""
        return self.held[shard]
