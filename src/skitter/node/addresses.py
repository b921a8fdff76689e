"""The limit that hosts on one address share: a token bucket for each address in use."""

from __future__ import annotations

from skitter.clock import Clock
from skitter.politeness.bucket import Bucket, full, take

BURST = 1.0
MOST = 100_000
"""Addresses remembered; one that was not used for so long has a full bucket again anyway."""


class AddressLimit:
    """Requests to one address, over all its hosts, at most `rate` a second."""

    def __init__(self, rate: float, clock: Clock) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}  # in the order of use

    def change(self, rate: float) -> None:
        """Goes on with another rate."""
        self._rate = rate

    def take(self, address: str) -> float:
        """Returns 0 if a request may go to `address` now, and counts it; else how long to wait."""
        now = self._clock()
        bucket = self._buckets.pop(address, None) or full(now, BURST)
        self._buckets[address], wait = take(bucket, now, self._rate, BURST)
        if len(self._buckets) > MOST:
            del self._buckets[next(iter(self._buckets))]
        return wait
