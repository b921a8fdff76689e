"""Obtaining what a lease is for: name to addresses, past the guard and the limit of the address, then one request.

A robots.txt may take several: its redirects are followed here, one delay apart, as RFC 9309 wants it. So may a page:
a probe is asked for after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from msgspec import structs

from skitter.dns.allowed import allowed_addresses
from skitter.frontier.decide import NOTHING, Asked
from skitter.messages import Failure, Fetched, Kind, Lease, Url
from skitter.node.parts import Parts
from skitter.politeness.load import outlasts_a_restart, rested_at
from skitter.ports import Capture
from skitter.reading.meaning import Rules
from skitter.reading.read import failure_of, robots_redirect
from skitter.url.keys import name_of

PATIENCE = 10.0
"""Seconds that a probe waits for its address; then it is not made."""


async def may_ask(lease: Lease, parts: Parts) -> Sequence[str] | Failure | None:
    """Returns the addresses to ask, or why there are none; None: it is too soon for them, and the lease goes back."""
    addresses = await _addresses(lease, parts)
    if not isinstance(addresses, Failure) and (wait := parts.limit.take(addresses[0])) > 0:
        parts.frontier.give_back(lease, parts.clock() + wait)
        return None
    return addresses


async def obtain(lease: Lease, addresses: Sequence[str] | Failure, parts: Parts) -> Fetched:
    """Returns what one request brought. That nobody could be asked is an answer too."""
    if isinstance(addresses, Failure):
        now = parts.clock()
        fetched = Fetched(lease, now, now, failure=addresses, asked=False)
    else:
        fetched = await parts.fetcher.fetch(lease, addresses)
    parts.counters.fetched(fetched)
    return fetched


async def obtain_probe(probe: Lease, rested: float, parts: Parts) -> Fetched | None:
    """Returns what a probe brought, once the host is `rested`; None: its address is too busy."""
    # The host stays ours while we wait, so that nobody asks it anything in between.
    await asyncio.sleep(max(0.0, rested - parts.clock()))
    addresses, until = await _addresses(probe, parts), parts.clock() + PATIENCE
    while not isinstance(addresses, Failure) and (wait := parts.limit.take(addresses[0])) > 0:
        if parts.clock() + wait > until:
            return None
        await asyncio.sleep(wait)
    return await obtain(probe, addresses, parts)


async def obtain_robots(lease: Lease, parts: Parts) -> Fetched:
    """Returns the last answer of a robots.txt and its redirects, not yet stored: all before it are, one delay apart."""
    fetched = await _ask_one(lease, lease, parts)
    while (asked := _next_asked(fetched, lease, parts.rules)) is not None:
        if fetched.lease.host == lease.host:
            await slow_ahead(lease, fetched, None, parts)
        await parts.archive.append(Capture(fetched))
        parts.counters.asked_robots()
        # The host stays ours while we wait, so that nobody asks it anything in between.
        await asyncio.sleep(max(0.0, rested_after(fetched, lease, parts) - parts.clock()))
        fetched = await _ask_one(asked, lease, parts)
    return fetched


def _next_asked(fetched: Fetched, lease: Lease, rules: Rules) -> Lease | None:
    """Returns what is to be asked after one answer on the way to a robots.txt; None if it was the last."""
    asked = fetched.lease
    if fetched.failure is not None and fetched.failure.kind is Kind.STALE:
        return asked
    url = robots_redirect(fetched, rules)
    if not isinstance(url, Url):
        return None
    agreed = lease.agreed if url.host == lease.host else None
    # What we have is what the origin itself answered: elsewhere there is nothing to compare it with.
    here = structs.replace(lease, etag=None, last_modified=None)
    return structs.replace(here, href=url.href, host=url.host, chain=(*asked.chain, asked.href), agreed=agreed)


async def _ask_one(asked: Lease, lease: Lease, parts: Parts) -> Fetched:
    """Returns the answer of one hop. Another host than the one we hold is held for as long as it is asked."""
    addresses = await _addresses(asked, parts)
    while not isinstance(addresses, Failure) and (wait := parts.limit.take(addresses[0])) > 0:
        await asyncio.sleep(wait)
    if asked.host == lease.host:
        return await obtain(asked, addresses, parts)
    async with parts.reservations.visiting(asked.host) as visit:
        busy = Failure(Kind.ROBOTS_UNREADABLE, f"{asked.host} was not to be had")
        fetched = await obtain(asked, addresses if visit.is_granted else busy, parts)
        visit.failure = failure_of(fetched, parts.rules.settings) if fetched.asked else None
        visit.took = fetched.took
        return fetched


def is_loaded(fetched: Fetched, parts: Parts) -> bool:
    """Whether an answer took so long that its host must be known to be loaded before the answer is stored."""
    return outlasts_a_restart(fetched.took, fetched.lease.delay, parts.rules.settings.politeness)


def rested_after(fetched: Fetched, held: Lease, parts: Parts) -> float:
    """Returns when the host that is `held` may be asked for something else after this answer."""
    return rested_at(fetched.began, fetched.took, held.delay, parts.rules.settings.politeness)


async def slow_ahead(
    held: Lease, fetched: Fetched, failure: Failure | None, parts: Parts, asked: Asked = NOTHING
) -> None:
    """Returns when it is durable that an answer slows its host, if it does: only then may the answer be stored."""
    if parts.frontier.slow_ahead(held, fetched.began, failure, asked, fetched.took):
        await parts.frontier.committer.wait_durable()


def _addresses(lease: Lease, parts: Parts) -> Coroutine[Any, Any, Sequence[str] | Failure]:
    return allowed_addresses(name_of(lease.href), parts.resolver, parts.guard)
