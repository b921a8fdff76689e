"""Purging: when the disk runs full, what matters least goes from the queues, before the node has to stop.

URLs that were never fetched are put aside as `purged`, those of the lowest priority first: by steps, each twice the one
before, a step at all shards before the next one. A priority counts as much as its host is worth. Seeds stay, and what
is in memory, and what was fetched before. Of a purged URL only the little is kept that makes it known; a shard that was
gone through is compacted, and only then does the disk have the room.
"""

from __future__ import annotations

import asyncio
import logging

from msgspec import structs

from skitter.frontier.committer import Committer
from skitter.frontier.tally import Tally
from skitter.frontier.window import Window
from skitter.messages import Errand, Reason, State
from skitter.ports import Stores
from skitter.schedule.budget import DomainRecord, worth_of_host
from skitter.schedule.shares import Purpose
from skitter.settings import FrontierSettings
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard

_log = logging.getLogger(__name__)

STEPS = [2.0**power for power in range(-12, 1)]
"""Below which priorities are purged, one after the other."""
SLICE, SLICES = 500, 100
"""Queued URLs that are looked at in one go, some 10 ms of CPU time, and slices in one round."""
LEAST_WORTH = 0.001


class Purging:
    """Keeps some room on the disk of a node."""

    def __init__(
        self,
        stores: Stores,
        shards: Shards,
        window: Window,
        committer: Committer,
        tally: Tally,
        settings: FrontierSettings,
    ) -> None:
        self._stores = stores
        self._shards = shards
        self._window = window
        self._committer = committer
        self._tally = tally
        self._below = settings.purge_below
        self._step = 0
        self._to_do: list[int] = []  # shards that are yet to be gone through in this step
        self._after = b""  # how far the first of them is
        self._purged = self._purged_there = self._said = 0
        self._notes: list[str] = []

    def take_notes(self) -> list[str]:
        """Returns what there is to say to the operator since the last call."""
        notes, self._notes = self._notes, []
        return notes

    async def make_room(self) -> None:
        """Purges some of the queue if the disk has too little room, up to a shard; call it again and again."""
        if not self._below or self._stores.room() >= self._below:
            self._step, self._to_do = 0, []
            return
        for _ in range(SLICES):
            shard = self._next_shard()
            if shard is None:
                self._say(is_all=True)
                break
            self._committer.commit()
            is_through = self._purge_some(shard)
            self._committer.commit()
            if is_through and await self._has_given_back(shard):
                break
            await asyncio.sleep(0)
        self._say()

    def _next_shard(self) -> Shard | None:
        """Returns the shard to go on with, of the next step if this one is done; None: all were, and it begins anew."""
        while self._to_do or self._step < len(STEPS):
            if not self._to_do:
                self._to_do, self._step = list(self._shards.opened), self._step + 1
            shard = self._shards.opened.get(self._to_do[0]) if self._to_do else None
            if shard is not None and not shard.is_draining:
                return shard
            self._to_do, self._after = self._to_do[1:], b""
        self._step = 0
        return None

    async def _has_given_back(self, shard: Shard) -> bool:
        """Ends with a shard; returns whether any of it was purged, and the disk has the room of that again."""
        purged, self._purged_there, self._after = self._purged_there, 0, b""
        self._to_do.remove(shard.number)
        if purged:
            await shard.compact()
        return purged > 0

    def _purge_some(self, shard: Shard) -> bool:
        """Goes on in the queues of a shard; returns whether it has come to their end."""
        left = SLICE
        while left > 0:
            found = shard.scan(b"q", after=self._after, limit=1)
            if not found:
                return True
            host = found[0][0][1:].partition(b"\0")[0].decode()
            left -= 1 + self._purge_host(shard, host, left)
        return False

    def _purge_host(self, shard: Shard, name: str, limit: int) -> int:
        """Goes on in the queue of one host; returns how many URLs of it were looked at."""
        prefix, held = keys.queue_prefix(name), self._window.get(name)
        in_memory = b"" if held is None else held.lanes[Purpose.DISCOVERY].horizon
        start = max(self._after, prefix + self._place(shard, name), prefix + in_memory)
        found = shard.scan(prefix, after=start, limit=limit)
        taken = None if held is None or held.taken is None else prefix + keys.entry_place(held.taken.entry)
        for key, mark in found:
            url = shard.url(mark)
            if url is not None and url.queue == key != taken and _is_purgeable(url):
                self._purge(shard, url, mark)
        self._after = found[-1][0] if len(found) == limit else prefix[:-1] + b"\1"
        return len(found)

    def _place(self, shard: Shard, name: str) -> bytes:
        """Returns the place in a host's queue behind which this step purges."""
        known, domain = shard.host(name), shard.domain_of(name)
        record = shard.domain(domain) or DomainRecord(domain, 0.0)
        worth = 1.0 if record.boosted else worth_of_host(None if known is None else known.worth, record)
        return keys.place_of(min(1.0, STEPS[self._step - 1] / max(LEAST_WORTH, worth)))

    def _purge(self, shard: Shard, url: UrlRecord, mark: bytes) -> None:
        after = UrlRecord(url.href, url.host, State.SKIPPED, url.first_seen, url.depth, url.priority)
        shard.change_url(mark, url, structs.replace(after, reason=Reason.PURGED))
        shard.count_purged()
        self._tally.skipped(Reason.PURGED)
        self._purged += 1
        self._purged_there += 1

    def _say(self, *, is_all: bool = False) -> None:
        """Tells the operator, and again when there are twice as many, or when the end was reached with more."""
        if self._purged < max(1, 2 * self._said) and not (is_all and self._purged > self._said):
            return
        self._said = self._purged
        room = f"The disk has {self._stores.room() / 1e6:,.0f} MB left, less than frontier.purge_below"
        then = " Nothing more is left to purge now: make room." if is_all else ""
        note = f"{room}: {self._purged:,} queued URLs of the lowest priority were purged.{then}"
        _log.warning(note)
        self._notes.append(note)


def _is_purgeable(url: UrlRecord) -> bool:
    """Whether a queued URL may go: not what the operator named, nor what leads to others, nor what was there before."""
    return url.depth > 0 and url.errand is Errand.PAGE and url.last_fetched is None
