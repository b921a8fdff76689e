"""The ready heap: hosts by the time from which they may be visited."""

from __future__ import annotations

from heapq import heappop, heappush

from skitter.frontier.host import Host


class ReadyHeap:
    """Hosts that hold no lease. A host is in it at most once: an entry counts only while its ticket is the host's."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Host]] = []
        self._ticket = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def push(self, host: Host, at: float) -> None:
        """Puts a host in, or moves it, to be ready `at`."""
        if not host.ticket:
            self._size += 1
        self._ticket += 1
        host.ticket = self._ticket
        host.at = at
        heappush(self._heap, (at, self._ticket, host))

    def remove(self, host: Host) -> None:
        """Takes a host out."""
        if host.ticket:
            host.ticket = 0
            self._size -= 1

    def pop_ready(self, now: float) -> Host | None:
        """Takes out and returns the host that has been ready longest, or None if none is."""
        self._drop_stale()
        if not self._heap or self._heap[0][0] > now:
            return None
        host = heappop(self._heap)[2]
        self.remove(host)
        return host

    def next_at(self) -> float | None:
        """Returns when the next host is ready."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else None

    def _drop_stale(self) -> None:
        while self._heap and self._heap[0][1] != self._heap[0][2].ticket:
            heappop(self._heap)
