"""Since when nobody has written to the logs of shards, as far as we have seen: who is silent for a lease holds nothing.

Whoever takes a shard would wait for a lease from its `take` on, by which the last owner has stopped. Most often that
one was dead for seconds before the group noticed. If the `take` stands at the very place at which we saw the log end
some time ago, then all before it was written by then, and the lease counts from when we saw it (`shard.log.ownership`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping

from skitter.clock import Clock
from skitter.ports import LOG, Broker

EVERY = 1.0
"""Seconds between two looks."""
MOST = 200
"""Shards that are looked at in a second, at the most: in a large fleet it is looked less often."""


class Silences:
    """Looks at the ends of logs. `ours` are the shards that we hold, which need no look; `count` says of how many."""

    def __init__(self, broker: Broker, clock: Clock, ours: Collection[int], count: Callable[[], int]) -> None:
        self._broker = broker
        self._clock = clock
        self._ours = ours
        self._count = count
        self._seen: dict[int, list[tuple[int, float]]] = {}  # the last ends of each log, and when we first saw it there

    def __repr__(self) -> str:
        return f"<Silences: {len(self._seen)} logs seen>"

    async def keep_looking(self) -> None:
        """Looks for as long as the node lives."""
        while True:
            others = [shard for shard in range(self._count()) if shard not in self._ours]
            if others:
                self.note(await self._broker.ends(LOG, others), self._clock())
            await asyncio.sleep(max(EVERY, len(others) / MOST))

    def note(self, ends: Mapping[int, int], now: float) -> None:
        """Takes note of where logs end: all before that was written by now. A log that seems shorter tells nothing."""
        for shard, end in ends.items():
            known = self._seen.setdefault(shard, [])
            if not known or end > known[-1][0]:
                self._seen[shard] = [*known[-1:], (end, now)]  # the newest may be after a `take` of ours, just written

    def since(self, shard: int, end: int) -> float | None:
        """Returns when we first saw the log of a shard end there; None if we never did."""
        return next((at for known, at in self._seen.get(shard, ()) if known == end), None)
