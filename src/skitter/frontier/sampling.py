"""The sample of a shard: pages chosen by their fingerprints, from which it is told how fresh all copies are.

Those with the smallest fingerprints are in it. That is as good as a lot: every page has the same chance, whatever is
known of it, and none has to be looked for. It is small, has keys of its own and is in memory while the shard is open.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import structs

from skitter.frontier.again import Terms
from skitter.frontier.market import NodeMarket
from skitter.schedule.change import MATTERS
from skitter.schedule.freshness import (
    Freshness,
    Sampled,
    all_foretold,
    all_measured,
    chance,
    expected,
    with_check,
    with_visit,
)
from skitter.schedule.policy import Market, Place, Watch
from skitter.schedule.trust import heed
from skitter.shard.records import HostRecord, UrlRecord
from skitter.shard.writer import Shard

OF_A_SHARD = 256
"""Pages of each shard. With 64 shards their mean is off by half a hundredth."""
LOOK_EVERY = 60.0
"""Seconds for which the number is good: each page of the sample is looked at for it, and the record of its host."""


class Sampling:
    """Keeps the samples of a node's shards."""

    def __init__(self, market: NodeMarket) -> None:
        self._market = market
        self._told = Freshness()
        self._told_at = float("-inf")

    @staticmethod
    def visited(shard: Shard, fingerprint: bytes, before: UrlRecord, after: UrlRecord) -> None:
        """Takes note of whether our copy of a page was fresh: if it was drawn by lot, or is one of the sample."""
        page, at = shard.sample.get(fingerprint), after.last_fetched
        if after.change is None or at is None or not (before.is_check or page is not None):
            return
        is_fresh, share = not MATTERS[after.change], shard.share
        if before.is_check:
            share = structs.replace(share, measured=with_check(share.measured, is_fresh, at))
        elif (
            page is not None and page.belief and page.last < at
        ):  # one drawn by lot may be of any age, and says little of what is due
            share = structs.replace(share, foretold=with_visit(share.foretold, chance(page, at), is_fresh, at))
        shard.share = share

    def note(self, shard: Shard, fingerprint: bytes, url: UrlRecord, host: HostRecord) -> None:
        """Takes note of a page that was visited, signalled or given up."""
        sample = shard.sample
        if url.watch is None:
            if fingerprint in sample:
                shard.drop_sampled(fingerprint)
            return
        if len(sample) >= OF_A_SHARD and fingerprint not in sample:
            last = shard.last_sampled
            if fingerprint > last:
                return
            shard.drop_sampled(last)
        terms = self._market.terms(host)
        if terms is not None:
            shard.put_sampled(fingerprint, _sampled(url.watch, host, terms))

    def freshness(self, shards: Collection[Shard], now: float) -> Freshness:
        """Returns how fresh the copies are, as of a minute ago at the most."""
        if not self._market.is_open:
            return Freshness()
        if not 0 <= now - self._told_at < LOOK_EVERY:
            self._told, self._told_at = freshness_of(shards, self._market.market, now), now
        return self._told


def freshness_of(shards: Collection[Shard], market: Market, now: float) -> Freshness:
    """Returns how fresh the copies of some shards are."""
    measured = all_measured(shard.share.measured for shard in shards)
    foretold = all_foretold(shard.share.foretold for shard in shards)
    samples = [(float(shard.share.pages), list(shard.sample.values())) for shard in shards]
    hosts = {host: votes for shard in shards for host, votes in shard.votes_about(shard.sample.values()).items()}
    return expected(samples, measured, now, market, foretold, hosts)


def _sampled(watch: Watch, host: HostRecord, terms: Terms) -> Sampled:
    heeded = heed((host.place or Place()).trust, terms.market.trust)
    doubt = heeded.doubt(watch.signals)
    return Sampled(watch.last, watch.belief, terms.host_class, heeded.hidden, doubt, watch.evidence, host.host)
