"""One page's way, from lease to settle. This is the whole of it.

fetch, read, store, then links, then settle: a crash at any point means that the page is fetched again, never lost.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from skitter.clock import Clock
from skitter.dns.guard import Guard
from skitter.dns.resolver import Resolver
from skitter.fetch.fetcher import HttpFetcher
from skitter.frontier.frontier import Frontier
from skitter.messages import Discovered, Errand, Failure, Fetched, Kind, Lease, Outcome, Url, header_values
from skitter.node.addresses import AddressLimit
from skitter.node.counters import Counters
from skitter.node.crash_marker import CrashMarker
from skitter.node.reading import Reading, Rules, read, robots_failure_of, robots_redirect, sitemaps_of
from skitter.node.reservations import Reservations
from skitter.ports import Bus, Capture, Earlier, Resolved
from skitter.store.archive import Archive
from skitter.url.keys import name_of


class Parts(NamedTuple):
    """What carrying a page takes."""

    frontier: Frontier
    resolver: Resolver
    guard: Guard
    limit: AddressLimit
    bus: Bus
    reservations: Reservations
    fetcher: HttpFetcher
    archive: Archive
    rules: Rules
    marker: CrashMarker
    counters: Counters
    clock: Clock


async def carry(lease: Lease, parts: Parts) -> bool:
    """Brings one lease from fetch to settle. What is settled is durable with the frontier's next commit.

    Returns whether a page or sitemap was answered, be it with an error.
    """
    if lease.errand is Errand.ROBOTS:
        await _carry_robots(lease, parts)
        return False
    return await _carry_page(lease, parts)


async def _carry_page(lease: Lease, parts: Parts) -> bool:
    addresses = await _addresses(lease, parts)
    if not isinstance(addresses, Failure) and (wait := parts.limit.take(addresses[0])) > 0:
        parts.frontier.postpone(lease, parts.clock() + wait)
        return False
    fetched = await _fetch(lease, addresses, parts)
    began = time.thread_time()
    with parts.marker.holding(parts.frontier.in_hand(lease)):
        reading = read(fetched, parts.rules, parts.frontier.remembers)
    cost = time.thread_time() - began
    was_asked = not isinstance(addresses, Failure)
    if was_asked and reading.failure is not None:
        parts.frontier.slow_ahead(lease, fetched.began, reading.failure)
    stored = await parts.archive.append(_capture(fetched, reading)) if was_asked else None
    ours, others = _by_owner(reading.found, parts.frontier)
    new = parts.frontier.discover(ours)
    parts.counters.carried(fetched, reading, new)
    parts.frontier.settle(
        Outcome(
            lease,
            at=parts.clock(),
            began=fetched.began if was_asked else None,
            status=fetched.status,
            failure=reading.failure,
            better=reading.better,
            stored=stored,
            etag=_first(fetched, "etag"),
            last_modified=_first(fetched, "last-modified"),
            sketch=reading.sketch,
            leads_on=new > 0,
            cost=cost,
            links=others,
        )
    )
    return bool(fetched.status)


async def _carry_robots(lease: Lease, parts: Parts) -> None:
    answer = await _ask_robots(lease, parts)
    fetched = structs.replace(answer, failure=robots_failure_of(answer, parts.rules))
    policy = parts.frontier.judge_robots(lease, fetched)
    parts.frontier.slow_ahead_robots(lease, policy, fetched)
    await _store_robots(answer, parts)
    sitemaps = sitemaps_of(policy.rules.sitemaps, lease, parts.rules)
    ours, others = _by_owner(sitemaps, parts.frontier)
    parts.frontier.discover(ours)
    parts.frontier.settle_robots(lease, policy, fetched, others)


async def _ask_robots(lease: Lease, parts: Parts) -> Fetched:
    """Returns the last answer of a robots.txt and its redirects, not yet stored: all before it are, one delay apart."""
    fetched = await _ask_one_robots(lease, lease, parts)
    while (asked := _after_robots(fetched, lease, parts.rules)) is not None:
        await _store_robots(fetched, parts)
        # The host stays ours while we wait, so that nobody asks it anything in between.
        await asyncio.sleep(max(0.0, fetched.began + lease.delay - parts.clock()))
        fetched = await _ask_one_robots(asked, lease, parts)
    return fetched


async def _store_robots(fetched: Fetched, parts: Parts) -> None:
    # Also if nobody was reached: that no answer came decides what may be fetched, and `audit` must see it.
    await parts.archive.append(Capture(fetched))
    parts.counters.asked_robots()


def _after_robots(fetched: Fetched, lease: Lease, rules: Rules) -> Lease | None:
    """Returns what is to be asked after one answer on the way to a robots.txt; None if it was the last."""
    asked = fetched.lease
    if fetched.failure is not None and fetched.failure.kind is Kind.STALE:
        return asked
    url = robots_redirect(fetched, rules)
    if not isinstance(url, Url):
        return None
    agreed = lease.agreed if url.host == lease.host else None
    return structs.replace(lease, href=url.href, host=url.host, chain=(*asked.chain, asked.href), agreed=agreed)


async def _ask_one_robots(asked: Lease, lease: Lease, parts: Parts) -> Fetched:
    """Returns the answer of one hop. Another host than the one we hold is held for as long as it is asked."""
    addresses = await _addresses(asked, parts)
    while not isinstance(addresses, Failure) and (wait := parts.limit.take(addresses[0])) > 0:
        await asyncio.sleep(wait)
    if asked.host == lease.host:
        return await _fetch(asked, addresses, parts)
    async with parts.reservations.visiting(asked.host) as is_ours:
        busy = Failure(Kind.ROBOTS_UNREADABLE, f"{asked.host} was not to be had")
        return await _fetch(asked, addresses if is_ours else busy, parts)


async def _addresses(lease: Lease, parts: Parts) -> Sequence[str] | Failure:
    name = name_of(lease.href)
    resolved = parts.resolver.resolve_nowait(name) or await parts.resolver.resolve(name)
    if not isinstance(resolved, Resolved):
        return resolved
    allowed = [address for address in resolved.addresses if parts.guard.refusal(address) is None]
    if allowed:
        return allowed
    refused = ", ".join(f"{address} ({parts.guard.refusal(address)})" for address in resolved.addresses)
    return Failure(Kind.ADDRESS_REFUSED, refused)


async def _fetch(lease: Lease, addresses: Sequence[str] | Failure, parts: Parts) -> Fetched:
    if isinstance(addresses, Failure):
        now = parts.clock()
        return Fetched(lease, now, now, failure=addresses)
    fetched = await parts.fetcher.fetch(lease, addresses)
    parts.counters.fetched(fetched)
    return fetched


def _capture(fetched: Fetched, reading: Reading) -> Capture:
    return Capture(
        fetched,
        verdict=reading.verdict,
        links=reading.links,
        title=reading.title,
        lang=reading.lang,
        encoding=reading.encoding,
        earlier=_earlier(fetched),
    )


def _earlier(fetched: Fetched) -> Earlier | None:
    """Returns the capture that a 304 says is still the same."""
    before = fetched.lease.last_fetched
    return Earlier(fetched.lease.href, before) if fetched.status == 304 and before is not None else None


def _by_owner(found: Sequence[Discovered], frontier: Frontier) -> tuple[Sequence[Discovered], Sequence[Discovered]]:
    """Returns the links for our own shards and those for other nodes'."""
    if frontier.owns_all:
        return found, ()
    ours: list[Discovered] = []
    others: list[Discovered] = []
    for one in found:
        (ours if frontier.owns(one.host) else others).append(one)
    return ours, others


def _first(fetched: Fetched, name: str) -> str | None:
    values = header_values(fetched.headers, name)
    return values[0] if values else None
