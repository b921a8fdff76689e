"""How many URLs of each host are in which state: so that one host can be told of without a look at every URL.

Changes are gathered as the URLs are, and go into the same batch: the numbers are true for every state of the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from skitter.messages import State
from skitter.shard import keys
from skitter.shard.records import STATES

REMEMBERED = 512
"""Hosts of a shard whose numbers are not read again: 300 bytes each."""


class HostCounts:
    """The counts of a shard's hosts. `stored` reads what was committed of one."""

    def __init__(self, stored: Callable[[str], Counter[State]]) -> None:
        self._stored = stored
        self._known: dict[str, Counter[State]] = {}
        self._arrived: dict[str, int] = {}
        self._moved: dict[str, Counter[State]] = {}

    def has_arrived(self, host: str) -> bool:
        """Whether a URL of the host has arrived since `take_arrived`."""
        return host in self._arrived

    def arrived(self, host: str) -> None:
        """Counts a new URL, which is queued."""
        self._arrived[host] = self._arrived.get(host, 0) + 1

    def moved(self, host: str, before: State, after: State) -> None:
        """Counts a URL that changes its state."""
        changes = self._moved.setdefault(host, Counter())
        changes[before] -= 1
        changes[after] += 1

    def take_arrived(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries to write along with the URLs that have arrived."""
        arrived, self._arrived = self._arrived, {}
        for host, number in arrived.items():
            counts = self._of(host)
            counts[State.QUEUED] += number
            yield keys.counts_key(host), STATES.encode(counts)

    def take_moved(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields the entries to write along with the URLs that changed their states."""
        moved, self._moved = self._moved, {}
        for host, changes in moved.items():
            counts = self._of(host)
            for state, number in changes.items():
                counts[state] += number
            yield keys.counts_key(host), STATES.encode(counts)

    def _of(self, host: str) -> Counter[State]:
        counts = self._known.pop(host, None)
        if counts is None:
            counts = self._stored(host)
            if len(self._known) >= REMEMBERED:
                del self._known[next(iter(self._known))]
        self._known[host] = counts
        return counts
