"""When a page that was fetched is seen again, and what its visit has told of it. Pure: records in, records out.

The policy decides on pages, by what they say (`schedule.policy`). What leads to new pages is read again for the links
that it brings (`schedule.bringing`): feeds and sitemaps for nothing else, any other page if that is sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from zlib import crc32

from msgspec import structs

from skitter.judge.places import is_root
from skitter.messages import Errand, Outcome, Reason
from skitter.politeness.http_date import seconds_of
from skitter.schedule.bringing import Brought, brought_by, interval_of, is_list
from skitter.schedule.change import MATTERS, Change, Visit, change_of
from skitter.schedule.policy import Market, Place, Policy, Step, Watch
from skitter.schedule.price import left
from skitter.schedule.recrawl import Bounds, HostClass
from skitter.schedule.usual import ballot, voted
from skitter.settings import DAY, HOUR
from skitter.shard.records import UrlRecord

MONTH = 30 * DAY
"""When a page that only says that there is none is seen again: one may be there by then."""
FIRST_READ_AGAIN = {Errand.FEED: HOUR, Errand.SITEMAP: DAY}
"""When lists are first read again. Nobody knows yet what they bring; a feed is meant to be read often."""
FRONT_PAGE_AGAIN = DAY
"""The same for the home page of a host, which most often leads to what is new."""
LEAST_WEIGHT = 0.01
"""A page that is worth nothing to us is worth a look all the same, when there are visits to spare."""


class Terms(NamedTuple):
    """What the next visit to a page depends on beside the page and its host."""

    policy: Policy
    host_class: HostClass
    lists: Bounds  # of what leads to new pages
    market: Market


class Again(NamedTuple):
    """What a visit leaves."""

    due: float | None
    facts: Mapping[str, Any]  # of the URL's record
    place: Place | None
    market: Market | None


ONCE = Again(None, {}, None, None)
"""Of a page that is not to be seen again."""


def seen(outcome: Outcome, url: UrlRecord, place: Place | None, terms: Terms, new: int) -> Again:
    """Returns what follows from a page that was fetched, or was found to be as before. `new` links came of it."""
    assert outcome.began is not None
    at, place = outcome.began, place or Place()
    facts = looked_at(outcome, url)
    if outcome.listed or url.errand in FIRST_READ_AGAIN:
        return _list(outcome, url, facts, place, terms, new)
    reasons = outcome.verdict.reasons if outcome.status != 304 else url.reasons
    if Reason.SOFT_404 in reasons:
        after = dropped(url, place, terms.market)
        return Again(at + MONTH, facts | {"watch": None}, after.place, after.market)
    step = _step(url, at, MATTERS[facts["change"] or Change.NONE], place, terms)
    due, brought = step.watch.due, _brought(url, at, new)
    if brought is not None and (is_list(brought) or not brought.visits):
        due = min(due, at + interval_of(brought, terms.lists, FRONT_PAGE_AGAIN))
    return Again(due, facts | {"watch": step.watch, "brought": brought}, step.place, step.market)


def dropped(url: UrlRecord, place: Place, market: Market) -> Step:
    """Returns what is left when a page is no longer to be seen again: it takes its vote back, and asks for nothing."""
    watch = url.watch
    if watch is None:
        return Step(Watch(0.0, 0.0, 0.0), place, market)
    vote = ballot(watch.belief, b"")
    price, votes = left(market.price, watch.demand), voted(market.votes, vote)
    return Step(watch, Place(voted(place.votes, vote), place.trust), Market(price, votes, market.trust, market.lead))


def _step(url: UrlRecord, at: float, changed: bool, place: Place, terms: Terms) -> Step:
    weight = max(LEAST_WEIGHT, url.priority)
    if (watch := url.watch) is None:
        return terms.policy.fetched(at, weight, place, terms.market, lot=crc32(url.href.encode()) / 2**32)
    last, due = min(watch.last, at), watch.due  # the clock may have been set back
    if at < due and not terms.policy.is_patient:
        due = at  # it was visited for its links, or by lot: that tells nothing of how late visits are
    before = Watch(last, due, watch.demand, watch.belief, watch.least, watch.signals, watch.evidence)
    return terms.policy.visited(before, at, changed, weight, place, terms.market)


def _list(outcome: Outcome, url: UrlRecord, facts: dict[str, Any], place: Place, terms: Terms, new: int) -> Again:
    """Returns what follows from a list. It is no page of ours to be fresh: it asks for nothing in the market."""
    assert outcome.began is not None
    errand = Errand.FEED if outcome.listed == "feed" else url.errand
    brought = brought_by(url.brought or Brought(), outcome.began - (url.last_fetched or outcome.began), new)
    first = FIRST_READ_AGAIN.get(errand, FIRST_READ_AGAIN[Errand.SITEMAP])
    after = dropped(url, place, terms.market)
    due = outcome.began + interval_of(brought, terms.lists, first)
    return Again(due, facts | {"watch": None, "brought": brought, "errand": errand}, after.place, after.market)


def _brought(url: UrlRecord, at: float, new: int) -> Brought | None:
    """Returns what the visits to a page have brought; None of one that never led anywhere, nor is likely to."""
    if url.last_fetched is None:
        return Brought() if is_root(url.href) else None
    if url.brought is None and not new:
        return None
    return brought_by(url.brought or Brought(), at - url.last_fetched, new)


def looked_at(outcome: Outcome, url: UrlRecord) -> dict[str, Any]:
    """Returns what the capture says, and how that differs from the one before."""
    assert outcome.began is not None
    simhash = outcome.said.simhash if outcome.said is not None else 0
    digest = outcome.stored.digest if outcome.stored is not None and outcome.status != 304 else None
    modified = _seconds(outcome.last_modified, outcome.began)
    after = Visit(outcome.began, digest, outcome.etag, modified, outcome.sketch or b"", simhash)
    change = None
    if url.last_fetched is not None:
        known = _seconds(url.last_modified, outcome.began)
        before = Visit(url.last_fetched, url.digest, url.etag, known, url.sketch, url.simhash)
        change = _change(before, after, outcome, url)
    if digest is None or _is_unshown(outcome, url):
        return {"change": change, "is_check": False}
    return {"change": change, "is_check": False, "sketch": after.sketch, "simhash": simhash}


def _change(before: Visit, after: Visit, outcome: Outcome, url: UrlRecord) -> Change:
    """Returns what has changed. A page of browsers is what it says there: what is sent may be the same for ever."""
    is_same = after.digest is None or after.digest == before.digest
    is_shown = outcome.rendering is not None and outcome.rendering.failure is None
    if is_shown and _was_shown(url):
        return Change.NONE if is_same and before.sketch == after.sketch else change_of(_unsent(before), after)
    if is_shown or _is_unshown(outcome, url):  # one text is of the browser, the other is not
        return Change.NONE if is_same else Change.BYTES
    return change_of(before, after)


def _unsent(visit: Visit) -> Visit:
    return structs.replace(visit, digest=None)


def _was_shown(url: UrlRecord) -> bool:
    return url.render is not None and url.render.at is not None


def _is_unshown(outcome: Outcome, url: UrlRecord) -> bool:
    """Whether a page that says what it says in a browser was read without one this time, and was empty."""
    return outcome.is_empty and _was_shown(url)


def _seconds(date: str | None, now: float) -> float | None:
    return None if date is None else seconds_of(date, now)
