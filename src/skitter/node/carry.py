"""One page's way, from lease to settle. This is the whole of it.

    obtain → read → (browser) → judge → store → settle

Plug-ins are asked where they are in use: those that read documents after `read`, the others after `judge`. A PDF that
none of them reads is read for its links.

Store, then links, then settle: a crash at any point means that the page is fetched again, never lost. A robots.txt goes
the same way, with an outcome of its own; reading it tells what its host may be asked for, and how often.
"""

from __future__ import annotations

import contextlib
from collections.abc import Coroutine
from typing import Any

from msgspec import structs

from skitter.frontier.decide import Asked
from skitter.frontier.policies import RobotsOutcome
from skitter.messages import Errand, Failure, Fetched, Lease, Outcome, Probed, Stored, header_values
from skitter.node.obtain import is_loaded, may_ask, obtain, obtain_robots, slow_ahead
from skitter.node.parts import Parts
from skitter.node.probe import doubted
from skitter.node.rendering.rendered import seen
from skitter.politeness.load import rested_at
from skitter.ports import Capture, Earlier, Snapshot
from skitter.reading.claimed import fresh_for
from skitter.reading.keeping import kept
from skitter.reading.listing import sitemaps_of
from skitter.reading.meaning import Reading, with_marks
from skitter.reading.read import read, robots_failure_of
from skitter.url.keys import origin_of
from skitter.work.desk import Done
from skitter.work.meaning import carried
from skitter.work.messages import Accepted, Result


def carry(lease: Lease, parts: Parts) -> Coroutine[Any, Any, bool]:
    """Brings one lease from fetch to settle. What is settled is durable with the committer's next commit.

    Returns whether a page or sitemap was answered, be it with an error.
    """
    return _carry_robots(lease, parts) if lease.errand is Errand.ROBOTS else _carry_page(lease, parts)


async def _carry_page(lease: Lease, parts: Parts) -> bool:
    addresses = await may_ask(lease, parts)
    if addresses is None:
        return False  # too soon for its address: it was given back
    if parts.desk is not None and not isinstance(addresses, Failure):
        done = await parts.desk.done(lease, addresses[0])
        if done is not None:
            return await _carry_back(lease, done, parts)
    fetched = await obtain(lease, addresses, parts)
    reading, cost = _read(fetched, parts)
    text = None
    if (plugins := parts.plugins) is not None:
        parsing = plugins.parsing(fetched, reading, parts.rules, parts.frontier.remembers)
        reading, text, _ = await plugins.wait(parsing)
    if parts.papers is not None:
        reading = await parts.papers.linked(fetched, reading, parts.rules, parts.frontier.remembers)
    shown = await seen(fetched, reading, parts)
    reading, probed = await doubted(fetched, parts.frontier.judge(lease, shown.reading), parts, shown.rested)
    reading = parts.frontier.elsewhere.judged(lease, reading)
    if plugins is not None:
        reading = await plugins.wait(plugins.judging(shown.page or fetched, reading, parts.rules, text))
    if fetched.asked and (reading.failure is not None or is_loaded(fetched, parts)):
        await slow_ahead(lease, fetched, reading.failure, parts)
    types = parts.rules.settings.content.types
    stored = await parts.archive.append(_capture(fetched, reading, types, shown.snapshot)) if fetched.asked else None
    outcome = _outcome(fetched, reading, stored, cost, parts, probed)
    if shown.need or shown.rendering is not None:
        is_empty = bool(shown.reading.need)
        outcome = structs.replace(
            outcome, need=shown.need, is_empty=is_empty, rendering=shown.rendering, parts=shown.parts
        )
    parts.frontier.settle(outcome)
    parts.counters.carried(fetched, reading)
    return bool(fetched.status)


async def _carry_robots(lease: Lease, parts: Parts) -> bool:
    answer = await obtain_robots(lease, parts)
    fetched = structs.replace(answer, failure=robots_failure_of(answer, parts.rules))
    policy = parts.frontier.judge_robots(lease, fetched)
    sitemaps = sitemaps_of(policy, lease, parts.rules)
    asked = Asked(origin_of(lease.href), policy.crawl_delay)
    await slow_ahead(lease, fetched, fetched.failure, parts, asked)
    # Also if nobody was reached: that no answer came decides what may be fetched, and `audit` must see it.
    await parts.archive.append(Capture(answer))
    parts.frontier.settle(RobotsOutcome(lease, parts.clock(), fetched, policy, sitemaps))
    parts.counters.asked_robots()
    return False


def _read(fetched: Fetched, parts: Parts) -> tuple[Reading, float]:
    """Returns what an answer means, and the CPU seconds that it took to find out."""
    began = parts.cpu()
    with parts.marker.holding(fetched.lease.shard, fetched.lease.fingerprint):
        reading = read(fetched, parts.rules, parts.frontier.remembers)
    return reading, parts.cpu() - began


def _capture(fetched: Fetched, reading: Reading, types: tuple[str, ...], snapshot: Snapshot | None = None) -> Capture:
    cut = kept(fetched, types)
    return Capture(
        cut,
        verdict=reading.verdict,
        links=reading.links,
        refused=reading.refused if not reading.marks else with_marks(reading),
        title=reading.title,
        lang=reading.lang,
        encoding=reading.encoding,
        simhash=reading.said.simhash if reading.said is not None and reading.said.words else None,
        earlier=_earlier(fetched),
        fields=reading.fields,
        received=None if cut is fetched else len(fetched.payload),
        snapshot=snapshot,
    )


def _earlier(fetched: Fetched) -> Earlier | None:
    """Returns the capture that a 304 says is still the same."""
    before = fetched.lease.last_fetched
    return Earlier(fetched.lease.href, before) if fetched.status == 304 and before is not None else None


async def _carry_back(lease: Lease, done: Done | float, parts: Parts) -> bool:
    """Brings what a worker told of a lease to its settlement: judged and settled here, stored there."""
    if isinstance(done, float):
        parts.frontier.give_back(lease, done, began=done)  # it is gone; its request may have been sent that very moment
        return False
    with contextlib.closing(done):
        return await _settle_for(lease, done, parts)


async def _settle_for(lease: Lease, done: Done, parts: Parts) -> bool:
    told = carried(lease, done.what, done.given, done.told, parts.rules, parts.frontier.remembers)
    parts.counters.fetched(told.fetched)
    parts.counters.received += done.what.received if isinstance(done.what, Result) else 0
    # The next request may come from elsewhere, on a quicker way: what is certain is that the host was asked before it
    # had answered. The delay counts from there.
    fetched = structs.replace(told.fetched, began=told.fetched.ended)
    rested = rested_at(fetched.began, told.fetched.took, lease.delay, parts.rules.settings.politeness)
    reading, probed = await doubted(fetched, parts.frontier.judge(lease, told.reading), parts, rested)
    reading = parts.frontier.elsewhere.judged(lease, reading)
    if (plugins := parts.plugins) is not None:
        reading = await plugins.wait(plugins.weighing(reading, parts.rules))
    outcome = _outcome(fetched, reading, told.stored, 0.0, parts, probed)
    new = parts.frontier.settle(structs.replace(outcome, is_elsewhere=True, took=told.fetched.took))
    parts.counters.carried(fetched, reading)
    await parts.frontier.committer.wait_durable()
    known = max(0, len(reading.found) + reading.known - new)
    done.settle(Accepted(new, known, will_retry=parts.frontier.is_tried_again(lease)))
    return bool(fetched.status)


def _outcome(
    fetched: Fetched, reading: Reading, stored: Stored | None, cost: float, parts: Parts, probed: Probed | None
) -> Outcome:
    is_seen_again = parts.rules.settings.schedule.recrawl
    return Outcome(
        fetched.lease,
        at=parts.clock(),
        began=fetched.began if fetched.asked else None,
        status=fetched.status,
        failure=reading.failure,
        reason=reading.reason,
        better=reading.better,
        stored=stored,
        etag=_first(fetched, "etag"),
        last_modified=_first(fetched, "last-modified"),
        sketch=reading.sketch,
        said=reading.said,
        verdict=reading.verdict,
        abroad=tuple(reading.abroad),
        followed=len(reading.found) + reading.known,
        canonical=reading.canonical.href if reading.canonical is not None else None,
        cost=cost,
        links=reading.found,
        vouched=reading.vouched,
        probed=probed,
        listed=reading.listed,
        hub=reading.hub,
        fresh_for=fresh_for(fetched) if is_seen_again else None,
        took=fetched.took,
    )


def _first(fetched: Fetched, name: str) -> str | None:
    values = header_values(fetched.headers, name)
    return values[0] if values else None
