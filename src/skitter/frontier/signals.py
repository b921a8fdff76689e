"""Signals: what a sitemap or feed says of pages that are known, if that is new.

Only lists have dates, and only an entry whose date is later than the last reading of its list can be news: the others
cost nothing. A host speaks for its own pages alone, since how far it can be trusted is learnt from these.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from skitter.frontier.host import Host
from skitter.frontier.market import NodeMarket
from skitter.frontier.sampling import Sampling
from skitter.messages import Discovered, Outcome, State
from skitter.schedule.policy import Place
from skitter.settings import DAY
from skitter.shard.records import UrlRecord

MARGIN = 2 * DAY
"""How much earlier than the last reading a date may be and be news: many tell the day alone, in some time zone."""
MOST = 2000
"""Entries of a list that are looked up at a time, the latest first: some 10 ms."""


class Signals:
    """Hears what lists say of pages that were fetched before."""

    def __init__(self, market: NodeMarket, sampling: Sampling) -> None:
        self._market = market
        self._sampling = sampling

    def hear(self, host: Host, outcome: Outcome, new: Iterable[Discovered], now: float) -> None:
        """Takes note of the dates in a list. Its host holds a lease, so that no page of it is under way."""
        if not outcome.listed or not self._market.is_open:
            return
        since = (outcome.lease.last_fetched or 0.0) - MARGIN
        skipped = {one.fingerprint for one in new} | {outcome.lease.fingerprint}
        dated = [
            (one.last_modified, one.fingerprint)
            for one in outcome.links
            if one.last_modified is not None and since < one.last_modified <= now + DAY and one.host == host.record.host
        ]
        for date, fingerprint in sorted(dated, reverse=True)[:MOST]:
            url = None if fingerprint in skipped else host.shard.url(fingerprint)
            if url is not None and is_news(url, date):
                self._signalled(host, fingerprint, url, date, now)

    def _signalled(self, host: Host, fingerprint: bytes, before: UrlRecord, date: float, now: float) -> None:
        after, terms = structs.replace(before, sitemap_modified=date), self._market.terms(host.record)
        assert terms is not None
        if before.watch is not None:
            step = terms.policy.signalled(before.watch, now, host.record.place or Place(), terms.market)
            host.record = structs.replace(host.record, place=step.place)
            self._market.moved(host.shard, step.market, now)
            after = structs.replace(after, watch=step.watch, due=_sooner(before, step.watch.due))
            self._sampling.note(host.shard, fingerprint, after, host.record)
        elif before.brought is not None:
            after = structs.replace(after, due=_sooner(before, now))
        host.shard.change_url(fingerprint, before, after)


def is_news(url: UrlRecord, date: float) -> bool:
    """Whether a date tells of a change that we do not know of: later than the date before, or than our visit."""
    if url.last_fetched is None:
        return False
    return date > (url.last_fetched if url.sitemap_modified is None else url.sitemap_modified)


def _sooner(url: UrlRecord, due: float) -> float | None:
    return min(url.due, due) if url.state is State.SCHEDULED and url.due is not None else url.due
