"""Which shards have hosts that wait to be brought in, by the class of their best URL. Pure.

A shard is picked at random among those of a class; picking, noting and removing take the same time however many there
are. For each the place is kept where the search for the next host goes on: hosts come in by turns.
"""

from __future__ import annotations


class WaitingShards:
    """Shards by class."""

    def __init__(self, classes: int) -> None:
        self._order: list[list[int]] = [[] for _ in range(classes)]
        self._cursors: list[dict[int, bytes]] = [{} for _ in range(classes)]

    def __bool__(self) -> bool:
        return any(self._order)

    def classes(self) -> set[int]:
        """Returns the classes of which any shard has hosts that wait."""
        return {front_class for front_class, shards in enumerate(self._order) if shards}

    def note(self, shard: int, front_class: int) -> None:
        """Takes note that hosts of this class wait in a shard."""
        if shard not in self._cursors[front_class]:
            self._cursors[front_class][shard] = b""
            self._order[front_class].append(shard)

    def pick(self, front_class: int, roll: float) -> tuple[int, bytes]:
        """Returns one of the shards of a class, and the key after which to go on there."""
        shards = self._order[front_class]
        shard = shards[int(roll * len(shards))]
        return shard, self._cursors[front_class][shard]

    def go_on(self, shard: int, front_class: int, after: bytes) -> None:
        """Goes on after this key the next time."""
        self._cursors[front_class][shard] = after

    def remove(self, shard: int, front_class: int) -> None:
        """Forgets a shard in which no host of this class waits any more."""
        if self._cursors[front_class].pop(shard, None) is not None:
            self._order[front_class].remove(shard)

    def drop(self, shard: int) -> None:
        """Forgets a shard that is closed."""
        for front_class in range(len(self._order)):
            self.remove(shard, front_class)
