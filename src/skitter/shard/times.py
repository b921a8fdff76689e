"""What waits for its time in a shard: entries of one kind, in the order of their times.

They change along with the settlements, and are read as of the last commit. The first time is remembered, so that a look
at a shard in which nothing is due costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from skitter.shard import keys

NEVER = float("inf")


class Timed(Protocol):
    """A shard: read as of its last commit, written along with its settlements."""

    @property
    def iterate(self) -> Callable[[bytes, bytes], Iterator[tuple[bytes, bytes]]]:
        """Yields the entries that start with a prefix and come after a key, in order."""
        ...

    def put(self, key: bytes, value: bytes) -> None:
        """Writes an entry."""
        ...

    def delete(self, key: bytes) -> None:
        """Removes an entry."""
        ...


class Entry(NamedTuple):
    """What waits: a fingerprint or a host, and what was noted beside it."""

    what: bytes
    value: bytes


class TimeList:
    """The entries of a shard under `prefix`. `first` is no later than the time of any of them."""

    def __init__(self, shard: Timed, prefix: bytes) -> None:
        self._shard = shard
        self._prefix = prefix
        self.first = self._first_after(b"")

    def put(self, at: float, what: bytes, value: bytes = b"") -> None:
        """Notes that `what` waits until `at`."""
        self._shard.put(keys.timed_key(self._prefix, at, what), value)
        self.first = min(self.first, at)

    def delete(self, at: float, what: bytes) -> None:
        """Notes that `what`, which waited until `at`, does so no longer."""
        self._shard.delete(keys.timed_key(self._prefix, at, what))

    def move(self, before: float | None, after: float | None, what: bytes) -> None:
        """Notes that `what` waits until `after` instead of `before`; None: it does not wait."""
        if before is not None:
            self.delete(before, what)
        if after is not None:
            self.put(after, what)

    def reached(self, now: float, limit: int) -> list[Entry]:
        """Returns what waited until `now` or before, at most `limit`, for the caller to move or delete each of it.

        Everything must be committed.
        """
        return [entry for _, entry in self._entries(now, limit)]

    def take(self, now: float, limit: int) -> list[Entry]:
        """Removes and returns what waited until `now` or before, at most `limit`. Everything must be committed."""
        found = self._entries(now, limit)
        for key, _ in found:
            self._shard.delete(key)
        return [entry for _, entry in found]

    def _entries(self, now: float, limit: int) -> list[tuple[bytes, Entry]]:
        found: list[tuple[bytes, Entry]] = []
        if self.first > now:
            return found
        for key, value in self._shard.iterate(self._prefix, b""):
            at, what = keys.due_of(key)
            if at > now or len(found) >= limit:
                self.first = at
                return found
            found.append((key, Entry(what, value)))
        self.first = NEVER
        return found

    def seek(self, uncommitted: Iterator[float]) -> float:
        """Returns the first time there is, given those that are yet to be committed; infinity if there is none.

        From where the last search ended: what was deleted before it would be walked over each time.
        """
        if self.first < NEVER:
            committed = self._first_after(keys.timed_key(self._prefix, self.first, b""))
            self.first = min(committed, min(uncommitted, default=NEVER))
        return self.first

    def _first_after(self, key: bytes) -> float:
        first = next(self._shard.iterate(self._prefix, key), None)
        return NEVER if first is None else keys.due_of(first[0])[0]
