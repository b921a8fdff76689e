"""How many URLs of each host are in which state: so that one host can be told of without a look at every URL.

Changes are gathered as the URLs are, and go into the same batch: the numbers are true for every state of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skitter.messages import State
from skitter.shard import keys
from skitter.shard.records import STATES, StateCounts

REMEMBERED = 512
"""Hosts of a shard whose numbers are not read again: 200 bytes each."""

PLACE = {state: place for place, state in enumerate(State)}
QUEUED, DEAD = PLACE[State.QUEUED], PLACE[State.DEAD]


class HostCounts:
    """The counts of a shard's hosts. `stored` reads what was committed of one."""

    def __init__(self, stored: Callable[[str], StateCounts]) -> None:
        self._stored = stored
        self._known: dict[str, StateCounts] = {}
        self._arrived: dict[str, int] = {}
        self._revived: dict[str, int] = {}
        self._moved: dict[str, list[tuple[State, State]]] = {}

    def has_arrived(self, host: str) -> bool:
        """Whether a URL of the host has arrived since `take_arrived`."""
        return host in self._arrived

    def arrived(self, host: str) -> None:
        """Counts a new URL, which is queued."""
        self._arrived[host] = self._arrived.get(host, 0) + 1

    def revived(self, host: str) -> None:
        """Counts a new URL that is a dead one found again."""
        self.arrived(host)
        self._revived[host] = self._revived.get(host, 0) + 1

    def moved(self, host: str, before: State, after: State) -> None:
        """Counts a URL that changes its state."""
        self._moved.setdefault(host, []).append((before, after))

    def take_arrived(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries to write along with the URLs that have arrived."""
        arrived, self._arrived = self._arrived, {}
        revived, self._revived = self._revived, {}
        for host, number in arrived.items():
            counts = self._of(host)
            counts[QUEUED] += number
            counts[DEAD] -= revived.get(host, 0)
            yield keys.counts_key(host), STATES.encode(counts)

    def take_moved(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries to write along with the URLs that changed their states."""
        moved, self._moved = self._moved, {}
        for host, moves in moved.items():
            counts = self._of(host)
            for before, after in moves:
                counts[PLACE[before]] -= 1
                counts[PLACE[after]] += 1
            yield keys.counts_key(host), STATES.encode(counts)

    def _of(self, host: str) -> StateCounts:
        counts = self._known.get(host)
        if counts is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            counts = self._known[host] = self._stored(host)
        return counts
