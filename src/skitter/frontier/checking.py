"""Visits by lot: a few of all requests go to pages drawn at random, to measure how many copies are fresh.

A page is drawn by a random fingerprint: the first one after it that is to be seen again. Every page has the same
chance, and none is looked for. A fixed set of pages would not do: visited so often, they would be fresher than others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import structs

from skitter.frontier.discover import Discovery
from skitter.frontier.parts import Parts
from skitter.frontier.sharing import purpose_of
from skitter.messages import State
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import URLS, UrlRecord
from skitter.shard.writer import Shard

LOOKED_AT = 32
"""URLs after the random one among which a page is looked for: others were never fetched, or are given up."""
AT_A_TIME = 20
"""Draws in a row: what is owed after a long stop is made up for slowly."""


class Checking:
    """Draws pages and queues them. Everything must be committed when it does."""

    def __init__(self, parts: Parts, discovery: Discovery, roll: Callable[[], float]) -> None:
        self._market = parts.market
        self._discovery = discovery
        self._tally = parts.tally
        self._share = parts.settings.schedule.check_share
        self._roll = roll
        self._drawn = -roll()  # or lives of few requests would end before the first draw, each of them

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        self._drawn -= self._tally.requests * self._share
        self._share = settings.schedule.check_share
        self._drawn += self._tally.requests * self._share

    def tick(self, shards: Iterable[Shard], now: float) -> bool:
        """Queues the pages that are owed; returns whether there was any."""
        owed = int(self._tally.requests * self._share - self._drawn)
        if owed <= 0 or not self._market.is_open:
            return False
        open_ = [shard for shard in shards if not shard.is_draining and shard.share.pages]
        self._drawn += min(owed, AT_A_TIME)
        return bool(open_) and sum(self._draw(open_, now) for _ in range(min(owed, AT_A_TIME))) > 0

    def _draw(self, shards: list[Shard], now: float) -> bool:
        shard = self._any(shards)
        start = int(self._roll() * 2**56).to_bytes(7, "big")
        after = shard.scan(b"u", after=keys.url_key(start), limit=LOOKED_AT) or shard.scan(b"u", limit=LOOKED_AT)
        for key, raw in after:
            before = URLS.decode(raw)
            fingerprint = key[1:]
            if before.watch is not None and shard.url(fingerprint) == before:
                return self._queue(shard, fingerprint, before, now)
        return False

    def _queue(self, shard: Shard, fingerprint: bytes, before: UrlRecord, now: float) -> bool:
        if before.state is State.SCHEDULED:
            queue = keys.queue_key(before.host, 1.0, shard.next_serial(), purpose_of(before))
            after = structs.replace(before, state=State.QUEUED, queue=queue, due=None, is_check=True)
            shard.change_url(fingerprint, before, after)
            self._discovery.queued(shard, after, fingerprint, now)
            return True
        if before.late is None:
            return False
        # Its visit is due anyway. Were it left out, only copies that are likely to be fresh would be looked at.
        shard.change_url(fingerprint, before, structs.replace(before, is_check=True))
        return True

    def _any(self, shards: list[Shard]) -> Shard:
        """Returns a shard, the likelier the more pages it has."""
        left = self._roll() * sum(shard.share.pages for shard in shards)
        for shard in shards:
            left -= shard.share.pages
            if left < 0:
                return shard
        return shards[-1]
