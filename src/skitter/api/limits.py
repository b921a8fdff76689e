"""How often a token may ask: a bucket for each, so that nobody's script takes the API from the others."""

from __future__ import annotations

import math
import time

from msgspec import Struct

from skitter.api.problems import Problem
from skitter.api.tokens import Role, Who
from skitter.clock import Clock


class Rate(Struct, frozen=True):
    """So many requests a second, after so many at once."""

    rate: float
    burst: float


READS = Rate(400.0, 800.0)
WRITES = Rate(20.0, 200.0)


class Limits:
    """Buckets by name. There are as many as tokens: names come from their file."""

    def __init__(self, reads: Rate = READS, writes: Rate = WRITES, clock: Clock = time.monotonic) -> None:
        self._rates = {False: reads, True: writes}
        self._clock = clock
        self._left: dict[tuple[str, bool], tuple[float, float]] = {}

    def take(self, who: Who, *, is_write: bool) -> None:
        """Takes one request; Problem 429 if there were too many. Workers are bounded by the leases that they hold."""
        if who.role is Role.WORKER:
            return
        rate, now = self._rates[is_write], self._clock()
        left, at = self._left.get((who.name, is_write), (rate.burst, now))
        left = min(rate.burst, left + (now - at) * rate.rate)
        if left < 1.0:
            wait = max(1, math.ceil((1.0 - left) / rate.rate))
            right = f"{rate.rate:g} a second, {rate.burst:g} at once"
            raise Problem(429, f"{who.name} asks too often.", field="Authorization", right=right, retry_after=wait)
        self._left[who.name, is_write] = (left - 1.0, now)
