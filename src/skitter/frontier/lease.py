"""Leasing: the right to fetch the best URL of the host that has been ready longest, or its robots.txt first.

A lease needs no write: the URL stays in its queue on disk until it is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import structs

from skitter.frontier.decide import Settled, given_up
from skitter.frontier.dusting import page_without_dust
from skitter.frontier.host import RESERVABLE, Event, Host, Taken
from skitter.frontier.mirroring import Mirroring
from skitter.frontier.parts import Parts
from skitter.frontier.patterns import Patterns
from skitter.frontier.rendering import RenderQueue
from skitter.frontier.sharing import purpose_of
from skitter.frontier.trapping import put_aside_for
from skitter.messages import FOR_PAGES, Discovered, Errand, Lease, Reason, State
from skitter.robots.answer import Access, Policy
from skitter.schedule.shares import Purpose
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.records import UrlRecord
from skitter.shard.writer import Shard
from skitter.url.canon import Canon
from skitter.url.keys import origin_of

BUSY_HOST_WAIT = 0.25
"""How long to wait before a host that holds a lease is asked for again."""

SKIPS_IN_A_ROW = 100
"""URLs that robots.txt forbids, or traps, which are put aside in one go; then another host has its turn."""


_DISCOVERY, _REFRESH = Purpose.DISCOVERY, Purpose.REFRESH

Offer: TypeAlias = Callable[[Shard, Sequence[Discovered]], int]
"""Offers what a shard found to the shards that it is for, along with its settlements."""


class Leasing:
    """Gives out leases."""

    def __init__(self, parts: Parts, mirroring: Mirroring, offer: Offer, rendering: RenderQueue) -> None:
        self._rendering = rendering
        self._window, self._budgets, self._policies, self._leases, self._tally = parts[:5]
        self._settings = parts.settings
        self._after_commit = parts.after_commit
        self._market, self._sampling = parts.market, parts.sampling
        self._patterns = Patterns(parts.settings.scope)
        self._canon = Canon(parts.settings.url)
        self._mirroring = mirroring
        self._offer = offer

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        self._settings = settings
        self._patterns = Patterns(settings.scope)

    def lease_nowait(self, now: float) -> Lease | None:
        """Returns a lease on the best URL of the host that has been ready longest, or None if no host is ready."""
        while (host := self._window.ready.pop_ready(now, self._window.sharing.wished())) is not None:
            if now >= host.shard.lease_until:
                self._window.rest_until(host, now + BUSY_HOST_WAIT)
                continue
            if self._window.opens_at(host, now) > now:  # its turn came too late: it is shut by now
                self._window.rest(host, now)
                continue
            host.step(Event.RIPE)
            lease = self._lease(host, now)
            if lease is not None:
                return lease
        return None

    def reserve(
        self, shard: Shard, name: str, now: float, *, for_other: bool, seconds: float | None = None
    ) -> Lease | float:
        """Returns a lease on a host for one request that is not of its own queue, or how long to wait."""
        if now >= shard.lease_until:
            return BUSY_HOST_WAIT
        host = self._window.get(name) or self._bring_in_early(shard, name, now)
        self._window.resolved(name, now)
        if host.stage not in RESERVABLE:
            return BUSY_HOST_WAIT
        at = self._window.may_visit_at(host, self._window.delay_of(host))
        at = self._window.opens_at(host, max(now, at))
        if at > now:
            return at - now
        self._window.take_out(host)
        lease = self._robots_lease(host, "", now, 1)
        if seconds is not None:
            lease = structs.replace(lease, ends=now + seconds)
        if for_other:
            host.record = structs.replace(host.record, reserved_until=lease.ends)
            shard.put_host(host.record)
        return self._hold(host, lease, Event.ROBOTS_LEASED)

    def _bring_in_early(self, shard: Shard, name: str, now: float) -> Host:
        shard.bring_in_early(name)
        return self._window.bring_in(shard, name, now)

    def _lease(self, host: Host, now: float) -> Lease | None:
        """Leases a robots.txt or a page of a ready host, or lets the host rest or idle."""
        if not self._budgets.may_lease(host, now):
            return None
        order = self._in_order(host)
        if order is not None and host.lanes[order[0]].more:
            explored = self._explored(host, order[0], now)
            if explored is not None:
                return self._lease_page(host, explored, now)
        for _ in range(SKIPS_IN_A_ROW):
            closed: list[float] = []
            if order is None:
                self._after_commit(host)
                return None
            for lane, entry in ((host.lanes[one], entry) for one in order for entry in host.lanes[one].urls):
                mark = keys.entry_fingerprint(entry)
                url = host.shard.url(mark)
                assert url is not None
                assert url.queue.endswith(keys.entry_place(entry)), f"{url.href} is queued elsewhere"
                origin = origin_of(url.href)
                policy = self._policies.good(host.shard, origin, now)
                if policy is None or (now >= policy.ripe_at and policy.is_ripe(now, self._window.delay_of(host))):
                    return self._hold(host, self._lease_of_robots(host, origin, now), Event.ROBOTS_LEASED)
                if policy.access is Access.DENY_ALL:
                    closed.append(policy.good_until)
                    continue
                refusal = self._refusal(policy, host, url, mark)
                lane.urls.remove(entry)
                taken = Taken(entry, url)
                if refusal is None:
                    return self._lease_page(host, taken, now)
                self._skip(host, taken, refusal)
                order = self._in_order(host)
                break
            else:
                self._nothing_to_lease(host, closed, now)
                return None
        self._window.rest_until(host, now)
        return None

    def _in_order(self, host: Host) -> tuple[Purpose, Purpose] | None:
        """Returns which of the host's queues has its turn, and the other; None: something must be committed first."""
        head, (first, again) = self._window.head, host.lanes
        new = first.urls or head(host, _DISCOVERY)
        if new is None or (again.more and not again.urls and head(host, _REFRESH) is None):
            return None
        is_refresh = again.urls and (not new or self._window.sharing.of_host(host) is _REFRESH)
        return (_REFRESH, _DISCOVERY) if is_refresh else (_DISCOVERY, _REFRESH)

    def _explored(self, host: Host, purpose: Purpose, now: float) -> Taken | None:
        """Returns a URL from further down a queue of the host, if it is one's turn and nothing is against it."""
        entry = self._window.tail(host, purpose)
        url = None if entry is None else host.shard.url(keys.entry_fingerprint(entry))
        if entry is None or url is None or not url.queue.endswith(keys.entry_place(entry)):
            return None
        policy, mark = self._policies.good(host.shard, origin_of(url.href), now), keys.entry_fingerprint(entry)
        if policy is None or policy.access is Access.DENY_ALL or self._refusal(policy, host, url, mark) is not None:
            return None  # its turn will come, and then it is dealt with
        return Taken(entry, url)

    def _nothing_to_lease(self, host: Host, closed: list[float], now: float) -> None:
        # No page may be fetched while robots.txt can't be read: the host waits until it is asked for again.
        if closed:
            self._window.rest_until(host, min(closed), asleep=True)
            self._window.note_room(host.domain, now)
        else:
            self._window.idle(host, now)

    def _lease_page(self, host: Host, taken: Taken, now: float) -> Lease:
        host.taken, url = taken, taken.url
        other = host.lanes[1 - keys.queue_of(url.queue)]
        self._window.sharing.lease(host, purpose_of(url), had_both=other.may_have_any)
        mark = keys.entry_fingerprint(taken.entry)
        errand = self._rendering.errand_of(url, mark, host.record.rendered, now)
        self._budgets.leased(host, errand, now)
        is_rendering = errand is Errand.RENDER
        # Of one that is to be rendered all is needed, whether or not it has changed; and its host is asked for more.
        fetched_before = url.last_fetched is not None and url.digest is not None
        longer = self._settings.render.page_seconds if is_rendering else 0.0
        lease = Lease(
            url.href,
            url.host,
            errand,
            now + self._settings.frontier.lease_seconds + longer,
            host.shard.number,
            mark,
            host.shard.next_serial(),
            depth=url.depth,
            priority=url.priority,
            tries=url.tries,
            chain=url.chain,
            parent=url.parent,
            last_fetched=url.last_fetched if fetched_before else None,
            etag=url.etag if fetched_before and not is_rendering else None,
            last_modified=url.last_modified if fetched_before and not is_rendering else None,
            delay=self._window.delay_of(host) if is_rendering else 0.0,
            agreed=host.record.agreed_delay,
        )
        self._tally.spaced(host.record.last_request, self._window.delay_of(host), now)
        return self._hold(host, lease, Event.PAGE_LEASED)

    def _lease_of_robots(self, host: Host, origin: str, now: float) -> Lease:
        # It and its redirects are requests that may take as long as a page's, and the host stays ours.
        lease = self._robots_lease(host, f"{origin}/robots.txt", now, self._settings.robots.max_redirects + 1)
        etag, last_modified = self._policies.conditions(host.shard, origin)
        return structs.replace(lease, etag=etag, last_modified=last_modified)

    def _robots_lease(self, host: Host, href: str, now: float, requests: int) -> Lease:
        """Returns a lease for so many requests, one delay apart."""
        delay = self._window.delay_of(host)
        ends = now + requests * (self._settings.frontier.lease_seconds + delay)
        return Lease(
            href,
            host.record.host,
            Errand.ROBOTS,
            ends,
            host.shard.number,
            serial=host.shard.next_serial(),
            delay=delay,
            agreed=host.record.agreed_delay,
        )

    def _hold(self, host: Host, lease: Lease, event: Event) -> Lease:
        self._tally.leased(lease.errand)
        return self._leases.hold(host, lease, event)

    def _refusal(self, policy: Policy, host: Host, url: UrlRecord, mark: bytes) -> Reason | None:
        """Returns why a queued URL is put aside now that its turn has come, None if it is to be fetched."""
        if not policy.allows(url.href):
            return Reason.ROBOTS_DISALLOW
        if self._patterns.are_there and (denied := self._patterns.refusal(url)) is not None:
            return denied
        # A seed is what the operator wants, and a page that was fetched before has shown what it is worth.
        if url.depth == 0 or url.errand not in FOR_PAGES or url.last_fetched is not None:
            return None
        traps = host.judged.traps
        if traps.closed and put_aside_for(traps, url.href, url.parent, mark) is not None:
            return Reason.TRAP
        if host.shard.mirrors and self._mirroring.moved_from_queue(host.shard, url, mark) is not None:
            return Reason.DUST
        has_rules = bool(host.shard.dust) and page_without_dust(self._canon, host.shard, url, mark) is not None
        return Reason.DUST if has_rules else None

    def _skip(self, host: Host, taken: Taken, reason: Reason) -> None:
        mark = keys.entry_fingerprint(taken.entry)
        after = structs.replace(taken.url, state=State.SKIPPED, reason=reason, queue=b"", late=None)
        is_moved = reason is Reason.DUST and bool(host.shard.mirrors)
        if is_moved and (moved := self._mirroring.moved_from_queue(host.shard, taken.url, mark)) is not None:
            self._offer(host.shard, [moved])  # its original may not know it yet
            after = structs.replace(after, evidence={Reason.DUST: moved.href})
        if (terms := self._market.terms(host.record)) is not None and taken.url.watch is not None:
            after, host.record, market = given_up(Settled(after, host.record), taken.url, terms.market)
            assert market is not None
            self._market.moved(host.shard, market)
            host.shard.put_host(host.record)
            self._sampling.note(host.shard, mark, after, host.record)
        host.shard.change_url(mark, taken.url, after)
        self._tally.skipped(reason)
