"""The disk of a simulated machine: what was written to it survives every life.

One store per shard, as entries in the order of their keys. Whoever iterates sees the moment in which it began: a write
meanwhile goes to a copy, which is seldom needed and therefore cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TypeAlias

from msgspec import Struct

from skitter.sim.keys import Keys
from skitter.sim.life import Life

Change: TypeAlias = tuple[bytes, bytes | None]
"""A key and its new value, None to remove it."""


class DiskFaults(Struct):
    """What goes wrong with a disk. Writes and syncs are counted from 1, over all stores."""

    failing_writes: frozenset[int] = frozenset()
    failing_syncs: frozenset[int] = frozenset()
    sync_takes: float = 0.001
    keeps_files: bool = True  # those beside a store; else none can be written


class _Moment:
    """Entries as they are at a moment, and how many iterate over them."""

    __slots__ = ("keys", "readers", "values")

    def __init__(self, keys: Keys, values: dict[bytes, bytes]) -> None:
        self.keys = keys
        self.values = values
        self.readers = 0


class Entries:
    """The entries of one store."""

    def __init__(self) -> None:
        self._now = _Moment(Keys(), {})
        self.opener: Life | None = None
        self.files: dict[str, bytes] = {}  # beside the store

    def __len__(self) -> int:
        return len(self._now.values)

    def copy(self) -> Entries:
        """Returns the entries of this moment, without what lies beside the store."""
        copied = Entries()
        copied._now = _Moment(self._now.keys.copy(), self._now.values.copy())
        return copied

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of an entry."""
        return self._now.values.get(key)

    def iterate(self, prefix: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries of this moment that start with `prefix` and come after `after`."""
        moment = self._now
        keys = moment.keys.since(prefix, after)
        first = next(keys, None)
        if first is None or not first.startswith(prefix):
            return iter(())
        moment.readers += 1
        return _walk(moment, first, keys, prefix)

    def apply(self, changes: Sequence[Change]) -> None:
        """Writes all changes, in their order."""
        if self._now.readers:
            self._now = _Moment(self._now.keys.copy(), self._now.values.copy())
        keys, values = self._now.keys, self._now.values
        for key, value in changes:
            if value is not None:
                if key not in values:
                    keys.add(key)
                values[key] = value
            elif values.pop(key, None) is not None:
                keys.remove(key)


def _walk(moment: _Moment, key: bytes, keys: Iterator[bytes], prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    values = moment.values
    try:
        yield key, values[key]
        for key in takewhile(lambda one: one.startswith(prefix), keys):
            yield key, values[key]
    finally:
        moment.readers -= 1


class MemoryDisk:
    """The stores of one machine, and what goes wrong with them."""

    def __init__(self, faults: DiskFaults | None = None) -> None:
        self.faults = faults or DiskFaults()
        self.stores: dict[int, Entries] = {}
        self.tenures: list[bytes] = []  # of shards of a fleet that were taken from here
        self.writes = 0
        self.syncs = 0
        self.clashes: list[str] = []  # stores that a second life wanted while the first one had them

    def __repr__(self) -> str:
        return f"<MemoryDisk: {len(self.stores)} stores, {self.writes} writes>"

    def fails_write(self) -> bool:
        """Counts a write; whether it is one that fails."""
        self.writes += 1
        return self.writes in self.faults.failing_writes

    def fails_sync(self) -> bool:
        """Counts a sync; whether it is one that fails."""
        self.syncs += 1
        return self.syncs in self.faults.failing_syncs
