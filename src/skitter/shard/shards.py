"""The shards of a node: which it owns at this moment, and those of them that are open."""

from __future__ import annotations

from collections.abc import Callable

from skitter.clock import Clock
from skitter.ports import Stores
from skitter.shard.writer import Shard
from skitter.url.routes import Routes


class Shards:
    """The shards that a node owns. One writer: no two nodes may own the same shard at a time.

    Each is opened when it is first needed; those that an earlier run made are opened at once.
    """

    def __init__(self, stores: Stores, routes: Routes, clock: Clock, on_open: Callable[[Shard], None]) -> None:
        self._stores = stores
        self.routes = routes
        self._owned: set[int] = set()
        self._clock = clock
        self._on_open = on_open
        self.opened: dict[int, Shard] = {}
        self.is_all = False

    def __repr__(self) -> str:
        return f"<Shards: {len(self.opened)} of {len(self._owned)} opened>"

    def owns(self, host: str) -> bool:
        """Whether the host is in one of them."""
        return self.is_all or self.routes.shard_of(host) in self._owned

    def is_owned(self, number: int) -> bool:
        """Whether the shard is one of them."""
        return number in self._owned

    def part(self) -> float:
        """Returns the part of all shards that they are."""
        return len(self._owned) / self.routes.count()

    def of(self, host: str) -> Shard:
        """Returns the shard of a host that is ours."""
        number = self.routes.shard_of(host)
        shard = self.opened.get(number)
        return shard if shard is not None else self._open(number)

    def add(self, number: int) -> None:
        """Makes a shard ours from now on. MachineError if another still has it open."""
        self._owned.add(number)
        self.is_all = self.routes.is_fixed and len(self._owned) == self.routes.shards
        if self._stores.is_made(number):
            self._open(number)

    def remove(self, number: int) -> None:
        """Closes a shard, which is another's from now on. Everything must be committed."""
        shard = self.opened.pop(number, None)
        if shard is not None:
            shard.keep_filter()
            shard.close()
        self._owned.discard(number)
        self.is_all = False

    def drop(self, number: int) -> None:
        """Closes a shard that was lost, as it is."""
        shard = self.opened.pop(number, None)
        if shard is not None:
            shard.close()
        self._owned.discard(number)
        self.is_all = False

    def open_ahead(self) -> bool:
        """Opens one that nobody has needed so far; False if there is none."""
        number = next((number for number in self._owned if number not in self.opened), None)
        if number is not None:
            self._open(number)
        return number is not None

    def close(self, *, is_committed: bool) -> None:
        """Closes all of them, whatever happens; the filters are kept if nothing was left to commit."""
        try:
            for shard in self.opened.values() if is_committed else ():
                shard.keep_filter()
        finally:
            for shard in self.opened.values():
                shard.close()
            self.opened.clear()

    def _open(self, number: int) -> Shard:
        assert number in self._owned, f"shard {number} is not ours"
        shard = Shard(self._stores, number, self.routes.shards, self._clock(), self.routes.domain_of)
        self.opened[number] = shard
        self._on_open(shard)
        return shard
