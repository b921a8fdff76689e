"""The twin of `ports.Stores`: one life's way to the stores on a simulated disk.

What `write` returned for is on the disk; a batch that was not written dies with its life. A life can end just before
a write and just after it, so that of a commit to several stores any first part may be all that is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from skitter.errors import MachineError
from skitter.ports import Batch
from skitter.sim.disk import Change, Entries, MemoryDisk
from skitter.sim.life import Life

REMEDY = "It was made to fail; start again."


class MemoryBatch:
    """Changes that are written together or not at all, see `ports.Batch`."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        self.changes: list[Change] = []

    def put(self, key: bytes, value: bytes) -> None:
        """Adds an entry, or replaces it."""
        self.changes.append((key, value))

    def delete(self, key: bytes) -> None:
        """Removes an entry, if it is there."""
        self.changes.append((key, None))

    def is_empty(self) -> bool:
        """Whether nothing was put or deleted."""
        return not self.changes


class MemoryStore:
    """The store of one shard, open for one life, see `ports.ShardStore`."""

    def __init__(self, shard: int, disk: MemoryDisk, life: Life) -> None:
        self._shard = shard
        self._disk = disk
        self._life = life
        self._entries: Entries | None = disk.stores[shard]
        self.get = disk.stores[shard].get  # no method of our own: it is called for every link of every page

    def __repr__(self) -> str:
        return f"<MemoryStore {self._shard} of {self._life.name}>"

    def get_many(self, keys: list[bytes]) -> list[bytes | None]:
        """Returns the values of entries, in the order of their keys."""
        return [self.get(key) for key in keys]

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries of this moment that start with `prefix` and come after `after`, in order."""
        return self._opened().iterate(prefix, after)

    def batch(self) -> MemoryBatch:
        """Returns an empty batch."""
        return MemoryBatch()

    def write(self, batch: Batch) -> None:
        """Writes all of `batch`. MachineError if it is to fail; then none of it is there."""
        assert isinstance(batch, MemoryBatch)
        entries = self._opened()
        self._life.at("store.write")
        if self._disk.fails_write():
            raise self._error("can't be written")
        entries.apply(batch.changes)
        self._life.at("store.written")

    async def sync(self) -> None:
        """Returns when what was written survives a power cut too."""
        self._opened()
        self._life.check()
        fails = self._disk.fails_sync()
        await asyncio.sleep(self._disk.faults.sync_takes)
        if fails:
            raise self._error("does not reach the disk")

    async def compact(self) -> None:
        """Returns at once: nothing is kept of what was deleted."""
        self._opened()

    def read_beside(self, name: str) -> bytes | None:
        """Returns a file that lies beside the store."""
        return self._opened().files.get(name)

    def write_beside(self, name: str, content: bytes) -> bool:
        """Writes a file beside the store; whoever dies meanwhile leaves half of it."""
        files = self._opened().files
        self._life.at("file.write")
        if not self._disk.faults.keeps_files:
            return False
        files[name] = content[: len(content) // 2]
        self._life.at("file.torn")
        files[name] = content
        return True

    def close(self) -> None:
        """Lets go of the store."""
        if self._entries is not None:
            self._life.check()
            self._entries.opener = None
            self._entries = None

    def _opened(self) -> Entries:
        assert self._entries is not None, f"{self!r} is closed"
        return self._entries

    def _error(self, what: str) -> MachineError:
        return MachineError(f"the store {what}", f"shard {self._shard}", REMEDY)


class MemoryStores:
    """All stores of a crawl, for one life, see `ports.Stores`."""

    def __init__(self, disk: MemoryDisk, life: Life, memory: int = 1024**2) -> None:
        self._disk = disk
        self._life = life
        self._memory = memory

    def is_made(self, shard: int) -> bool:
        """Whether the shard's store was ever opened by anybody."""
        return shard in self._disk.stores

    def open(self, shard: int) -> MemoryStore:
        """Returns the store of a shard. MachineError if another living life, or this one, has it open."""
        self._life.at("store.open")
        entries = self._disk.stores.setdefault(shard, Entries())
        opener = entries.opener
        if opener is not None and not opener.is_dead:
            self._disk.clashes.append(f"{self._life.name} opened shard {shard} of {opener.name}")
            raise MachineError("the store is in use", f"shard {shard}", f"Stop {opener.name} first.")
        entries.opener = self._life
        return MemoryStore(shard, self._disk, self._life)

    def room(self) -> float:
        """Returns infinity: nobody can say how large this disk is."""
        return float("inf")

    def take_memory(self, size: int) -> bool:
        """Takes so many bytes for a filter; False if filters have had their part."""
        if size > self._memory:
            return False
        self._memory -= size
        return True

    def give_memory_back(self, size: int) -> None:
        """Undoes `take_memory`."""
        self._memory += size
