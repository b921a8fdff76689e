"""A token bucket as a value: how many requests may go out now, and how long the next must wait.

It holds the limit that hosts behind one address share within a node. A bucket never over-spends: in any window of
`w` seconds at most `burst + rate × w` tokens are taken. Two things could break that, and both are met here.

- The clock goes back. `at` never does, so no second is earned twice: the bucket waits until the clock has caught up.
- Floats round. Being ready is decided by the clock, not by the count: whoever comes back after the wait that was
  asked of them may go, and a count that is then a hair under one token is kept as a debt, never forgiven.
"""

from __future__ import annotations

import math

from msgspec import Struct


class Bucket(Struct, frozen=True, gc=False):
    """So many tokens at a moment. Less than nothing is a debt."""

    tokens: float
    at: float


def full(now: float, burst: float) -> Bucket:
    """Returns a bucket from which nothing was taken yet."""
    return Bucket(_brim(burst), now)


def take(bucket: Bucket, now: float, rate: float, burst: float) -> tuple[Bucket, float]:
    """Takes one token. Returns the bucket and the wait: 0 means go, and else nothing was taken.

    `rate` is in tokens per second, `burst` is how many may be saved up (one at the least).
    """
    tokens = _dripped(bucket, now, rate, burst)
    if tokens < 1 and now < (ready := _ready(bucket, rate)):
        return bucket, span_until(ready, now)
    return Bucket(tokens - 1, max(bucket.at, now)), 0.0


def refill(bucket: Bucket, now: float, rate: float, burst: float) -> Bucket:
    """Returns the bucket as it is at `now`: what has dripped in since is counted, up to the brim."""
    return Bucket(_dripped(bucket, now, rate, burst), max(bucket.at, now))


def span_until(then: float, now: float) -> float:
    """Returns the wait from `now` until `then`, long enough that `now + wait` is not before `then` after rounding."""
    wait = then - now
    while now + wait < then:
        wait = math.nextafter(wait, math.inf)
    return wait


def _dripped(bucket: Bucket, now: float, rate: float, burst: float) -> float:
    tokens = bucket.tokens + (now - bucket.at) * rate if now > bucket.at else bucket.tokens
    return min(_brim(burst), tokens)


def _ready(bucket: Bucket, rate: float) -> float:
    if rate <= 0:
        return math.inf
    return bucket.at + (1 - bucket.tokens) / rate


def _brim(burst: float) -> float:
    # A bucket that can't hold one token would never let anything through.
    return max(1.0, burst)
