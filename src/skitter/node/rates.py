"""How many requests a second each host has had of late.

Counted in two spans, the one that runs and the one before it, so that nothing is kept of each request. A rate is taken
over both: from SPAN to twice as long.
"""

from __future__ import annotations

import heapq

SPAN = 30.0
MOST = 10_000
"""Hosts counted in a span. Whoever comes later in it is not among the busiest: those come every second or so."""


class HostRates:
    """The requests of late, by host."""

    def __init__(self) -> None:
        self._began = 0.0
        self._running: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<HostRates of {len(self._running | self._before)} hosts>"

    def count(self, host: str, at: float) -> None:
        """Counts a request that went out."""
        self._go_on(at)
        if host in self._running or len(self._running) < MOST:
            self._running[host] = self._running.get(host, 0) + 1

    def of(self, host: str, now: float) -> float:
        """Returns the requests a second to a host."""
        self._go_on(now)
        requests = self._before.get(host, 0) + self._running.get(host, 0)
        return requests / (SPAN + max(0.0, now - self._began))

    def busiest(self, limit: int, now: float) -> list[str]:
        """Returns the hosts with the most requests, the busiest first."""
        self._go_on(now)
        running, before = self._running, self._before
        return heapq.nlargest(limit, running | before, lambda host: running.get(host, 0) + before.get(host, 0))

    def most(self, limit: int, now: float) -> dict[str, float]:
        """Returns the requests a second to those hosts."""
        return {host: self.of(host, now) for host in self.busiest(limit, now)}

    def _go_on(self, now: float) -> None:
        spans = (now - self._began) // SPAN
        if spans >= 1:
            self._before = self._running if spans == 1 else {}
            self._running = {}
            self._began += spans * SPAN
