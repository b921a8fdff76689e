"""Which shards have hosts that wait to be brought in, by turn: the class of their best URL and its purpose. Pure.

A shard is picked at random among those of a turn; picking, noting and removing take the same time however many there
are. For each the place is kept where the search for the next host goes on: hosts come in by turns.
"""

from __future__ import annotations


class WaitingShards:
    """Shards by turn."""

    def __init__(self, turns: int) -> None:
        self._order: list[list[int]] = [[] for _ in range(turns)]
        self._cursors: list[dict[int, bytes]] = [{} for _ in range(turns)]

    def __bool__(self) -> bool:
        return any(self._order)

    def turns(self) -> set[int]:
        """Returns the turns that hosts of any shard wait for."""
        return {turn for turn, shards in enumerate(self._order) if shards}

    def note(self, shard: int, turn: int) -> None:
        """Takes note that hosts wait for this turn in a shard."""
        if shard not in self._cursors[turn]:
            self._cursors[turn][shard] = b""
            self._order[turn].append(shard)

    def pick(self, turn: int, roll: float) -> tuple[int, bytes]:
        """Returns one of the shards for a turn, and the key after which to go on there."""
        shards = self._order[turn]
        shard = shards[int(roll * len(shards))]
        return shard, self._cursors[turn][shard]

    def go_on(self, shard: int, turn: int, after: bytes) -> None:
        """Goes on after this key the next time."""
        self._cursors[turn][shard] = after

    def remove(self, shard: int, turn: int) -> None:
        """Forgets a shard in which no host waits for this turn any more."""
        if self._cursors[turn].pop(shard, None) is not None:
            self._order[turn].remove(shard)

    def drop(self, shard: int) -> None:
        """Forgets a shard that is closed."""
        for turn in range(len(self._order)):
            self.remove(shard, turn)
