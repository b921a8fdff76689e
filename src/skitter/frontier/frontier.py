"""The frontier of a node: all its shards, and the three verbs that the path of a page is made of.

    discover   offer URLs to their shards
    lease      take the right to fetch one, of the host that has been ready longest
    settle     say what came of it

All three are plain calls that decide and note down; `commit` makes what was noted durable, for all who wait at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from msgspec import structs

from skitter.clock import Clock
from skitter.frontier.decide import (
    NOTHING,
    Asked,
    after_request,
    after_robots,
    crashed,
    settled,
    slowed_ahead,
    with_crawl_delay,
)
from skitter.frontier.host import RESERVABLE, Event, Host, Taken
from skitter.frontier.operator import Operator
from skitter.frontier.policies import Policies
from skitter.frontier.statistics import FrontierStatistics, gathered
from skitter.frontier.tally import Tally
from skitter.frontier.window import Window
from skitter.judge.novelty import is_barren
from skitter.messages import Discovered, Errand, Failure, Fetched, Kind, Lease, Outcome, Reason, State
from skitter.robots.answer import Access, Policy
from skitter.schedule.priority import front_class
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.outbox import Outbox
from skitter.shard.records import HostRecord, UrlRecord
from skitter.shard.seen import Seen
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard
from skitter.url.keys import origin_of

BUSY = 0.25
"""How long to wait before a host that holds a lease is asked for again."""

SKIPS = 100
"""URLs that robots.txt forbids, or traps, which are put aside in one go; then another host has its turn."""

DUE = 500
"""Retries and re-crawls that are queued again at a time, of each shard."""


BUILT = 2000
"""URLs that are added to filters at a time, after a crash: some 2 ms of CPU time."""


class Frontier:
    """The shards of one node. One writer: no two frontiers may own the same shard."""

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        owned: Collection[int],
        clock: Clock,
        roll: Callable[[], float] = random.random,
        owner: Callable[[str], int] = lambda _: 0,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._window = Window(settings, roll)
        self._shards = Shards(directory, settings.frontier, owned, clock, self._window.note_opened)
        self._seen = Seen(settings.frontier.seen_cache)
        self.outbox = Outbox(self._shards.opened, owner, self._seen.remember)
        self.operator = Operator(self._shards, self._window, clock, self._queued)
        # No methods of our own: these are called for every link of every page.
        self.remembers = self._seen.remembers
        self.owns, self.owns_all = self._shards.owns, self._shards.is_all
        self._policies = Policies(settings)
        self._leased: dict[str, Host] = {}
        self._tally = Tally()
        # Settled but not yet durable: not leased again before, so that a crash repeats one page of a host at most.
        self._settling: list[Host] = []

    def __repr__(self) -> str:
        return f"<Frontier of {self._shards!r}, {len(self._window)} hosts in memory, {len(self._leased)} leased>"

    # Discover

    def discover(self, found: Iterable[Discovered]) -> int:
        """Queues those of `found` that were never seen before, and returns how many those are."""
        now, seen, remembers = self._clock(), self._seen, self.remembers
        asked: dict[bytes, Discovered] = {}
        for one in found:
            if not remembers(one.fingerprint) and one.fingerprint not in asked:
                asked[one.fingerprint] = one
        # The store is asked for all before any is remembered: if it fails, all are offered again, and none of them may
        # be taken for known.
        new: list[tuple[Shard, Discovered]] = []
        for one in asked.values():
            shard = self._shards.of(one.host)
            if not seen.is_stored(shard, one.fingerprint):
                new.append((shard, one))
        for shard, one in new:
            seen.add(one.fingerprint)
            self._arrive(shard, one, now)
        return len(new)

    def _arrive(self, shard: Shard, one: Discovered, now: float) -> None:
        queue = keys.queue_key(one.host, one.priority, shard.next_serial())
        record = UrlRecord(
            one.href,
            one.host,
            State.QUEUED,
            now,
            one.depth,
            one.priority,
            one.parent,
            one.errand,
            queue,
            sitemap_modified=one.last_modified,
            chain=one.chain,
        )
        shard.arrive(one.fingerprint, record)
        self._queued(shard, record, one.fingerprint, now)

    def _queued(self, shard: Shard, record: UrlRecord, fingerprint: bytes, now: float) -> None:
        host = self._window.get(record.host)
        if host is not None:
            self._window.offer(host, record.queue, fingerprint, now)
            return
        self._await_window(shard, record.host, front_class(record.priority))

    def _await_window(self, shard: Shard, host: str, front: int) -> None:
        shard.await_window(front, host)
        self._window.note_waiting(shard, front)

    # Lease

    def lease_nowait(self) -> Lease | None:
        """Returns a lease on the best URL of the host that has been ready longest, or None if no host is ready."""
        now = self._clock()
        while (host := self._window.ready.pop_ready(now)) is not None:
            host.step(Event.RIPE)
            lease = self._lease(host, now)
            if lease is not None:
                return lease
        return None

    def has_waiting(self) -> bool:
        """Whether hosts are yet to be brought in, and can be."""
        return self._window.has_room_and_waiting()

    def next_at(self) -> float | None:
        """Returns when the next host is ready, None if none is waiting."""
        return self._window.ready.next_at()

    def _lease(self, host: Host, now: float) -> Lease | None:
        """Leases a robots.txt or a page of a ready host, or lets the host rest or idle."""
        for _ in range(SKIPS):
            closed: list[float] = []
            for place, entry in enumerate(self._window.head(host)):
                url = host.shard.url(keys.entry_fingerprint(entry))
                assert url is not None
                assert url.queue.endswith(keys.entry_place(entry)), f"{url.href} is queued elsewhere"
                origin = origin_of(url.href)
                policy = self._policies.of(host.shard, origin)
                if policy is None or policy.is_due(now):
                    return self._lease_robots(host, origin, now)
                if policy.access is Access.DENY_ALL:
                    closed.append(policy.good_until)
                    continue
                refusal = _refusal(policy, host.record, url)
                taken = Taken(host.urls.pop(place), url)
                if refusal is None:
                    return self._lease_page(host, taken, now)
                self._skip(host, taken, refusal)
                break
            else:
                self._nothing_to_lease(host, closed)
                return None
        self._window.rest_until(host, now)
        return None

    def _nothing_to_lease(self, host: Host, closed: list[float]) -> None:
        # No page may be fetched while robots.txt can't be read: the host waits until it is asked for again.
        if closed:
            self._window.rest_until(host, min(closed), asleep=True)
        else:
            self._window.idle(host)

    def _lease_page(self, host: Host, taken: Taken, now: float) -> Lease:
        host.taken, url = taken, taken.url
        fetched_before = url.last_fetched is not None and url.digest is not None
        lease = Lease(
            url.href,
            url.host,
            url.errand,
            now + self._settings.frontier.lease_seconds,
            host.shard.number,
            keys.entry_fingerprint(taken.entry),
            host.shard.next_serial(),
            depth=url.depth,
            priority=url.priority,
            tries=url.tries,
            chain=url.chain,
            parent=url.parent,
            last_fetched=url.last_fetched if fetched_before else None,
            etag=url.etag if fetched_before else None,
            last_modified=url.last_modified if fetched_before else None,
            agreed=host.record.agreed_delay,
        )
        return self._hold(host, lease, Event.PAGE_LEASED)

    def _lease_robots(self, host: Host, origin: str, now: float) -> Lease:
        # Its redirects are asked one delay apart, and the host stays ours all the while.
        hops = (self._settings.robots.max_redirects + 1) * self.delay_of(host.record.host)
        ends = now + self._settings.frontier.lease_seconds + hops
        lease = Lease(
            f"{origin}/robots.txt",
            host.record.host,
            Errand.ROBOTS,
            ends,
            host.shard.number,
            serial=host.shard.next_serial(),
            delay=self.delay_of(host.record.host),
            agreed=host.record.agreed_delay,
        )
        return self._hold(host, lease, Event.ROBOTS_LEASED)

    def _hold(self, host: Host, lease: Lease, event: Event) -> Lease:
        host.step(event)
        host.lease = lease
        self._tally.leased(lease.errand)
        self._leased[host.record.host] = host
        return lease

    def _skip(self, host: Host, taken: Taken, reason: Reason) -> None:
        after = structs.replace(taken.url, state=State.SKIPPED, reason=reason, queue=b"")
        host.shard.change_url(keys.entry_fingerprint(taken.entry), taken.url, after)
        self._tally.skipped(reason)

    # Settle

    def settle(self, outcome: Outcome) -> None:
        """Notes what came of a lease on a page or sitemap. A lease that has ended meanwhile is passed over."""
        host = self._release(outcome.lease)
        if host is None:
            return
        assert host.taken is not None
        entry, before = host.taken
        after = settled(outcome, before, host.record, self._settings)
        host.record = after.host
        self._count(outcome, host.record)
        host.shard.change_url(keys.entry_fingerprint(entry), before, after.url)
        host.shard.put_host(after.host)
        self.outbox.post(host.shard, outcome.links)
        if after.url.state is State.QUEUED:
            host.give_back()
        host.taken = None
        self._settling.append(host)

    def _count(self, outcome: Outcome, host: HostRecord) -> None:
        if outcome.began is not None:
            self._tally.requested(host, self._settings)
        if outcome.failure is None and outcome.reason is not None:
            self._tally.skipped(outcome.reason)

    def judge_robots(self, lease: Lease, fetched: Fetched) -> Policy:
        """Returns the policy that `fetched`, the answer to a robots lease, amounts to."""
        shard = self._shards.of(lease.host)
        return self._policies.judged(shard, origin_of(lease.href), fetched, self._clock())

    def settle_robots(self, lease: Lease, policy: Policy, fetched: Fetched, links: Iterable[Discovered] = ()) -> None:
        """Notes the policy that a robots lease brought. `links` are sitemaps for shards of other nodes."""
        host = self._release(lease)
        if host is None:
            return
        origin = origin_of(lease.href)
        asked = after_robots(host.record, fetched.failure, fetched.began, self._clock(), self._settings)
        record = with_crawl_delay(asked, origin, policy.crawl_delay)
        host.record = record
        self._tally.read_robots(policy)
        self._tally.requested(record, self._settings)
        self._policies.put(host.shard, origin, policy, fetched)
        host.shard.put_host(record)
        self.outbox.post(host.shard, links)
        self._settling.append(host)

    def slow_ahead(self, lease: Lease, began: float, failure: Failure | None, asked: Asked = NOTHING) -> None:
        """Makes durable what an answer asks of us, before it is stored: what it means is settled later.

        Killed between the two, the next start is no quicker than the archive says we were told to be.
        """
        host = self._leased.get(lease.host)
        if host is None or host.lease is not lease:
            return
        record = slowed_ahead(host.record, failure, began, self._clock(), self._settings, asked)
        if record is not None:
            host.shard.put_host(record)
            self.commit()

    def slow_ahead_robots(self, lease: Lease, policy: Policy, fetched: Fetched) -> None:
        """As `warn`, for the answer to a robots lease."""
        asked = Asked(origin_of(lease.href), policy.crawl_delay)
        self.slow_ahead(lease, fetched.began, fetched.failure, asked)

    def delay_of(self, name: str) -> float:
        """Returns the delay that a host in memory is visited with."""
        host = self._window.get(name)
        assert host is not None, f"{name} is not in memory"
        return self._window.delay_of(host)

    def postpone(self, lease: Lease, until: float, began: float | None = None) -> None:
        """Gives a lease back; the host is not leased again before `until`, nor a delay after a request at `began`."""
        host = self._release(lease)
        if host is None:
            return
        host.give_back()
        if began is not None:
            # What it was slowed_ahead of is in the store; nobody is going to settle it.
            host.record = after_request(host.shard.host(lease.host) or host.record, began)
        self._window.rest_until(host, max(until, self._window.may_visit_at(host, self._window.delay_of(host))))

    def in_hand(self, lease: Lease) -> tuple[int, bytes] | None:
        """Returns the shard and the fingerprint of a URL on lease; None if it has no record, as a robots.txt."""
        host = self._leased.get(lease.host)
        if host is None or host.lease is not lease or host.taken is None:
            return None
        return host.shard.number, keys.entry_fingerprint(host.taken.entry)

    def count_crash(self, number: int, fingerprint: bytes) -> UrlRecord | None:
        """Counts that the process before us died while it read this URL, and returns what is known of it now."""
        shard = self._shards.opened.get(number)
        before = None if shard is None else shard.url(fingerprint)
        if shard is None or before is None or before.state is not State.QUEUED:
            return None
        after = crashed(before, self._clock(), self._settings)
        shard.change_url(fingerprint, before, after)
        self.commit()
        return after

    def reserve(self, name: str) -> Lease | float:
        """Takes a host out for one request that is not of its own queue: a robots.txt elsewhere that leads to it.

        Returns the lease, which `release` ends, or how long to wait before asking again.
        """
        now = self._clock()
        host = self._window.get(name) or self._window.bring_in(self._shards.of(name), name, now)
        self._window.resolved(name, now)
        if host.stage not in RESERVABLE:
            return BUSY
        at = self._window.may_visit_at(host, self._window.delay_of(host))
        if at > now:
            return at - now
        self._window.take_out(host)
        ends = now + self._settings.frontier.lease_seconds
        return self._hold(host, Lease("", name, Errand.ROBOTS, ends), Event.ROBOTS_LEASED)

    def release(self, lease: Lease, began: float) -> None:
        """Ends a reservation, during which a request went out."""
        host = self._release(lease)
        if host is None:
            return
        host.record = after_request(host.record, began)
        host.shard.put_host(host.record)
        self._settling.append(host)

    def _release(self, lease: Lease) -> Host | None:
        host = self._leased.get(lease.host)
        if host is None or host.lease is not lease:
            return None
        del self._leased[lease.host]
        host.lease = None
        return host

    # Time goes by

    def commit(self) -> None:
        """Makes everything durable that was discovered or settled so far. After a failure there is no other commit."""
        self._shards.commit()
        self.outbox.committed()
        settling, self._settling, now = self._settling, [], self._clock()
        for host in settling:
            self._window.rest(host, now)

    def take_unsynced(self) -> list[Shard]:
        """Returns the shards that were committed to since the last call, for a thread of their own to `sync` them."""
        return self._shards.take_unsynced()

    def open_ahead(self) -> bool:
        """Opens a store that nobody has needed so far; False if there is none."""
        return self._shards.open_ahead()

    def tick(self) -> list[str]:
        """Does what time asks for, and returns the names of hosts that were brought in and are to be resolved."""
        now = self._clock()
        self._reap(now)
        self.commit()
        if due := [
            shard for shard in self._shards.opened.values() if shard.next_due <= now or shard.next_waking <= now
        ]:
            self._take_due(due, now)
            self.commit()
        self._build_filters()
        self._window.fill(self._shards.opened, now)
        return self._window.take_arrived()

    def _take_due(self, due: Iterable[Shard], now: float) -> None:
        for shard in due:
            for fingerprint in shard.take_due(now, DUE):
                self._requeue(shard, fingerprint, now)
            for name in shard.take_waking(now, DUE):
                self._await_window(shard, name, 0)

    def _build_filters(self) -> None:
        left = BUILT
        for shard in self._shards.opened.values():
            left -= shard.build_filter(left) if left > 0 else 0

    def resolved(self, host: str) -> None:
        """Lets a host whose name was looked up take part, whether or not an address was found."""
        self._window.resolved(host, self._clock())

    def _requeue(self, shard: Shard, fingerprint: bytes, now: float) -> None:
        before = shard.url(fingerprint)
        assert before is not None
        queue = keys.queue_key(before.host, before.priority, shard.next_serial())
        after = structs.replace(before, state=State.QUEUED, queue=queue, due=None)
        shard.change_url(fingerprint, before, after)
        self._queued(shard, after, fingerprint, now)

    def _reap(self, now: float) -> None:
        ended = [host.lease for host in self._leased.values() if host.lease is not None and host.lease.ends <= now]
        for lease in ended:
            self._tally.expired()
            if lease.errand is Errand.ROBOTS:
                self.postpone(lease, now + self._settings.politeness.delay)
            else:
                self.settle(Outcome(lease, now, began=now, failure=Failure(Kind.LEASE_EXPIRED)))

    # Looking in

    def statistics(self) -> FrontierStatistics:
        """Returns what the frontier holds."""
        return gathered(
            self._shards.opened,
            self._window,
            self._leased.values(),
            self._seen.statistics(),
            self._tally.tallied(),
            self._clock(),
        )

    def hosts(self) -> Iterable[Host]:
        """The hosts in memory."""
        return iter(self._window)

    def close(self) -> None:
        """Gives back what is leased, commits, and closes the shards."""
        try:
            self.commit()
        finally:
            self._shards.close()


def _refusal(policy: Policy, host: HostRecord, url: UrlRecord) -> Reason | None:
    """Returns why a queued URL is put aside now that its turn has come, None if it is to be fetched."""
    if not policy.allows(url.href):
        return Reason.ROBOTS_DISALLOW
    # A seed is what the operator wants, and a page that was fetched before has shown what it is worth.
    is_spared = url.depth == 0 or url.errand is not Errand.PAGE or url.last_fetched is not None
    return Reason.TRAP if not is_spared and is_barren(host.novelty, url.href) else None
