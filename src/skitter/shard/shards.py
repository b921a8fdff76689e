"""The shards of a node: each opened when it is first needed, all committed together."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from skitter.clock import Clock
from skitter.errors import MachineError
from skitter.settings import FrontierSettings
from skitter.shard.rocks import StoreMemory, shard_path
from skitter.shard.writer import Shard
from skitter.url.keys import shard_of


class Shards:
    """The stores that a node owns. One writer: no two nodes may own the same shard."""

    def __init__(
        self,
        directory: Path,
        settings: FrontierSettings,
        owned: Collection[int],
        clock: Clock,
        on_open: Callable[[Shard], None],
    ) -> None:
        self._directory = directory
        self._count = settings.shards
        self._owned = frozenset(owned)
        self._clock = clock
        self._on_open = on_open
        self._memory = StoreMemory(settings.store_memory)
        self._unsynced: set[Shard] = set()
        self._broken: MachineError | None = None
        self.opened: dict[int, Shard] = {}
        self.is_all = len(self._owned) == settings.shards
        for number in sorted(self._owned):
            if shard_path(directory, number).exists():
                self._open(number)

    def __repr__(self) -> str:
        return f"<Shards: {len(self.opened)} of {len(self._owned)} opened>"

    def owns(self, host: str) -> bool:
        """Whether the host is in one of them."""
        return self.is_all or shard_of(host, self._count) in self._owned

    def of(self, host: str) -> Shard:
        """Returns the shard of a host."""
        number = shard_of(host, self._count)
        shard = self.opened.get(number)
        return shard if shard is not None else self._open(number)

    def open_ahead(self) -> bool:
        """Opens one that nobody has needed so far; False if there is none."""
        number = next((number for number in self._owned if number not in self.opened), None)
        if number is not None:
            self._open(number)
        return number is not None

    def commit(self) -> None:
        """Makes everything durable that was discovered or settled so far: first all links, then all settlements.

        After a failure there is no other: what could not be written is gone, and what follows from it must not be kept.
        """
        if self._broken is not None:
            raise self._broken
        dirty = [shard for shard in self.opened.values() if shard.is_dirty()]
        self._unsynced.update(dirty)
        try:
            for shard in dirty:
                shard.commit_arrivals()
            for shard in dirty:
                shard.commit_settlements()
        except MachineError as error:
            self._broken = error
            raise

    def take_unsynced(self) -> list[Shard]:
        """Returns the shards that were committed to since the last call, for a thread of their own to `sync` them."""
        unsynced, self._unsynced = self._unsynced, set()
        return list(unsynced)

    def close(self) -> None:
        """Commits, and closes whatever happens."""
        try:
            self.commit()
            for shard in self.opened.values():
                shard.keep_filter()
        finally:
            for shard in self.opened.values():
                shard.abandon()
            self.opened.clear()

    def _open(self, number: int) -> Shard:
        assert number in self._owned, f"shard {number} is not ours"
        shard = Shard(self._directory, number, self._count, self._memory, self._clock())
        self.opened[number] = shard
        self._on_open(shard)
        return shard
