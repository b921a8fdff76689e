"""The frontier of a node: all its shards, and the three verbs that the path of a page is made of.

    discover   offer URLs to their shards
    lease      take the right to fetch one, of the host that has been ready longest
    settle     say what came of it, its links first

All three are plain calls that decide and note down; the committer makes what was noted durable, for all at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from skitter.clock import Clock
from skitter.frontier.absences import Absences
from skitter.frontier.budgets import Budgets
from skitter.frontier.checking import Checking
from skitter.frontier.committer import Committer
from skitter.frontier.decide import NOTHING, Asked, crashed
from skitter.frontier.discover import Discovery
from skitter.frontier.domain import DomainMemory
from skitter.frontier.elsewhere import Elsewhere
from skitter.frontier.host import Host
from skitter.frontier.judging import Judging
from skitter.frontier.lease import BUSY_HOST_WAIT, Leasing
from skitter.frontier.leases import Leases
from skitter.frontier.market import NodeMarket
from skitter.frontier.operator import Operator
from skitter.frontier.parts import Parts
from skitter.frontier.policies import Policies, RobotsOutcome
from skitter.frontier.purging import Purging
from skitter.frontier.rendering import RenderQueue
from skitter.frontier.requeue import Requeue
from skitter.frontier.sampling import Sampling
from skitter.frontier.settle import Settling
from skitter.frontier.statistics import FrontierStatistics, gathered
from skitter.frontier.tally import Tally
from skitter.frontier.window import Window
from skitter.messages import Discovered, Failure, Fetched, Lease, Outcome, State
from skitter.ports import Stores
from skitter.robots.answer import Policy
from skitter.schedule.share import last_brought
from skitter.settings import Settings
from skitter.shard.log.journal import Journal
from skitter.shard.log.posting import Posting
from skitter.shard.outbox import Outbox
from skitter.shard.records import UrlRecord
from skitter.shard.seen import Seen
from skitter.shard.shards import Shards
from skitter.shard.unsafe import Unsafe
from skitter.shard.writer import Shard
from skitter.url.keys import origin_of
from skitter.url.routes import Routes

FILTER_SLICE = 2000
"""URLs that are added to filters at a time, after a crash: some 2 ms of CPU time."""


class Frontier:
    """The shards of one node. One writer: no two frontiers may own the same shard."""

    def __init__(
        self,
        stores: Stores,
        routes: Routes,
        settings: Settings,
        owned: Collection[int],
        clock: Clock,
        roll: Callable[[], float] = random.random,
        journal: Journal | None = None,
        unsafe: Unsafe | None = None,
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._unsafe = unsafe
        self._domains = DomainMemory(routes.domain_of)
        self._window = Window(settings, roll, self._domains)
        self._budgets = Budgets(self._domains, self._window)
        self._seen = Seen(settings.frontier.seen_cache)
        self._leases = Leases()
        self._tally = Tally()
        self._policies = Policies(settings)
        # Settled but not yet durable: not leased again before, so that a crash repeats one page of a host at most.
        self._after_commit: list[Host] = []
        self._shards = Shards(stores, routes, clock, self._note_opened)
        self._market = NodeMarket(settings, self._shards.part)
        self._sampling = Sampling(self._market)
        kept = self._seen.remember
        self.outbox = Outbox(self._shards, kept) if journal is None else Posting(self._shards, kept, journal)
        for number in sorted(owned):
            self._shards.add(number)
        self.committer = Committer(self._shards, self._committing, journal)
        self.on_committed: Callable[[], None] = lambda: None  # hosts may be ready now that were not before
        self._discovery = Discovery(self._shards, self._window, self._seen, self._budgets, settings)
        parts = Parts(
            self._window,
            self._budgets,
            self._policies,
            self._leases,
            self._tally,
            settings,
            clock,
            self._after_commit.append,
            self._market,
            self._sampling,
        )
        self.rendering = RenderQueue(parts, self._discovery)
        self._leasing = Leasing(parts, self._discovery.mirroring, self._offer_for, self.rendering)
        self.absences = Absences(parts, self._shards)
        self._judging = Judging(parts, self._discovery)
        self.elsewhere = Elsewhere()
        self._settling = Settling(parts, self._discovery, self.outbox, self._judging, self.rendering)
        self._checking = Checking(parts, self._discovery, roll)
        self._requeue = Requeue(self._discovery, self._policies, self._window, settings)
        self.operator = Operator(self._shards, self._window, self.committer, clock, self._discovery)
        self.purging = Purging(stores, self._shards, self._window, self.committer, self._tally, settings.frontier)
        # No methods of our own: these are called for every link of every page.
        self.judge = self._judging.judge
        self.remembers = self._seen.remembers
        self.owns = self._shards.owns
        self.is_owned = self._shards.is_owned
        self.forget_seen = self._seen.forget

    def __repr__(self) -> str:
        return f"<Frontier of {self._shards!r}, {len(self._window)} hosts in memory, {len(self._leases)} leased>"

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings, of those that can change at run time."""
        self._settings = settings
        self._window.take_settings(settings, self._clock())
        self._market.take_settings(settings)
        self._market.shards_changed(self._shards.opened.values())
        self._requeue.take_settings(settings, self._shards.opened.values())
        for part in (self._leasing, self.absences, self._settling, self._checking, self.rendering):
            part.take_settings(settings)

    # Discover, lease, settle

    def discover(self, found: Iterable[Discovered]) -> int:
        """Queues those of `found` that were never seen before, and returns how many those are. All must be ours.

        What a mirror of ours stands for may be another node's: that goes there through the outbox.
        """
        given = list(found)
        return self._offer_for(self._shards.of(given[0].host), given) if given else 0

    def discover_ours(self, number: int, found: Iterable[Discovered]) -> None:
        """Queues what is for our shards of what came for one of them; the rest is handed on to where it is by now."""
        ours: list[Discovered] = []
        others: list[Discovered] = []
        for one in found:
            (ours if self.owns(one.host) else others).append(one)
        self.discover(ours)
        self.outbox.post(self._shards.opened[number], others)

    def keep(self, number: int, key: bytes, value: bytes) -> None:
        """Has an entry written to a shard with the next commit."""
        self._shards.opened[number].put(key, value)

    def _offer_for(self, shard: Shard, found: Iterable[Discovered]) -> int:
        new, others = self._discovery.discover(found, self._clock())
        assert all(one.was_moved for one in others), f"{others[0].host} is not ours"
        self.outbox.post(shard, others)
        return len(new)

    def offer_elsewhere(self, found: Sequence[Discovered]) -> bool:
        """Sends URLs on to the nodes whose they are, by way of one of our shards; False if we have none."""
        shard = next(iter(self._shards.opened.values()), None)
        if shard is not None:
            self.outbox.post(shard, found)
        return shard is not None

    def lease_nowait(self) -> Lease | None:
        """Returns a lease on the best URL of the host that has been ready longest, or None if no host is ready."""
        return self._leasing.lease_nowait(self._clock())

    def settle(self, outcome: Outcome | RobotsOutcome) -> int:
        """Notes what came of a lease, its links first, and returns how many of them are new.

        A lease that has ended counts for nothing, and neither do its links: its URL is leased again.
        """
        return self._settling.settle(outcome)

    def give_back(self, lease: Lease, until: float, began: float | None = None) -> None:
        """Gives a lease back; the host is not leased again before `until`, nor a delay after a request at `began`."""
        self._settling.give_back(lease, until, began)

    def expire(self, lease: Lease) -> None:
        """Ends a lease that outlived its end. Nobody may be at work on it any more."""
        self._settling.expire(lease)

    def ended(self) -> list[Lease]:
        """Returns the leases that outlived their end. Whoever works on one is to be stopped; then it may `expire`."""
        return self._leases.ended(self._clock())

    def judge_robots(self, lease: Lease, fetched: Fetched) -> Policy:
        """Returns the policy that `fetched`, the answer to a robots lease, amounts to."""
        return self._policies.judged(self._shards.of(lease.host), origin_of(lease.href), fetched, self._clock())

    def slow_ahead(self, lease: Lease, began: float, failure: Failure | None, asked: Asked = NOTHING) -> bool:
        """Makes durable what an answer asks of us, before it is stored: what it means is settled later.

        Returns whether that has to be waited for.
        """
        return self._settling.slowed_ahead(lease, began, failure, asked) and self.committer.commit_ahead()

    def is_tried_again(self, lease: Lease) -> bool:
        """Whether the URL of a lease that was settled is going to be asked for again because it failed."""
        shard = self._shards.opened.get(lease.shard)
        record = None if shard is None else shard.url(lease.fingerprint)
        return record is not None and record.state in (State.FAILED, State.QUEUED)

    def has_waiting(self) -> bool:
        """Whether hosts are yet to be brought in, and can be; or pages wait for a browser, and may have it."""
        return self._window.has_room_and_waiting() or self.rendering.has_work(self._shards.opened.values())

    def policy(self, origin: str, host: str) -> Policy | None:
        """Returns the policy of an origin of one of our hosts if it still holds, None if it has to be asked for."""
        return self._policies.good(self._shards.of(host), origin, self._clock())

    def next_at(self) -> float | None:
        """Returns when the next host is ready, None if none is waiting."""
        return self._window.ready.next_at()

    def resolved(self, host: str) -> None:
        """Lets a host whose name was looked up take part, whether or not an address was found."""
        self._window.resolved(host, self._clock())

    # Requests that are not of the host's own queue, and a page that killed us

    def reserve(self, name: str, *, for_other: bool = False, seconds: float | None = None) -> Lease | float:
        """Takes a host out for one request that is not of its own queue: a robots.txt elsewhere that leads to it.

        Returns the lease, which `release` ends, or how long to wait before asking again. `for_other`: the request is
        another node's, and may outlive us. That it is under way must be durable before that node is told. It takes
        so many `seconds`, or as long as any request.
        """
        shard = self._shards.of(name)
        if shard.is_draining:
            return BUSY_HOST_WAIT
        return self._leasing.reserve(shard, name, self._clock(), for_other=for_other, seconds=seconds)

    def release(self, lease: Lease, began: float, failure: Failure | None = None, asked: Asked = NOTHING) -> None:
        """Ends a reservation, during which a request went out."""
        self._settling.release(lease, began, failure, asked)

    def count_crash(self, number: int, fingerprint: bytes) -> UrlRecord | None:
        """Counts that the process before us died while it read this URL, and returns what is known of it now."""
        shard = self._shards.opened.get(number)
        before = None if shard is None else shard.url(fingerprint)
        if shard is None or before is None or before.state is not State.QUEUED:
            return None
        after = crashed(before, self._clock(), self._settings)
        shard.change_url(fingerprint, before, after)
        self._tally.crashed()
        self.committer.commit()
        return after

    # Time goes by

    def tick(self) -> list[str]:
        """Does what time asks for, and returns the names of hosts that were brought in and are to be resolved."""
        now = self._clock()
        if not self.committer.is_time(now):
            return self._window.take_arrived()
        self.committer.commit()
        if self._requeue.tick(self._shards.opened.values(), now):
            self.committer.commit()
        if self._checking.tick(self._shards.opened.values(), now):
            self.committer.commit()
        if self.rendering.tick(self._shards.opened.values(), now):
            self.committer.commit()
        left = FILTER_SLICE
        for shard in self._shards.opened.values():
            left -= shard.build_filter(left) if left > 0 else 0
        self._window.fill(self._shards.opened, now)
        return self._window.take_arrived()

    def _committing(self) -> Callable[[], None]:
        waiting = self._after_commit[:]
        self._after_commit.clear()
        return partial(self._committed, waiting)

    def _committed(self, waiting: Sequence[Host]) -> None:
        self.outbox.committed()
        now = self._clock()
        for host in waiting:
            if self._window.get(host.record.host) is host:
                self._window.rest(host, now)
        self.on_committed()

    # Shards come and go

    def open_ahead(self) -> bool:
        """Opens a store that nobody has needed so far; False if there is none."""
        return self._shards.open_ahead()

    def add_shard(self, number: int) -> None:
        """Makes a shard ours from now on. Its hosts rest one delay first, as after any start."""
        self.committer.commit()
        # What was remembered of it was safe in our outbox, for another to take: now we are to take it, as new.
        self._seen.forget(number)
        self._shards.add(number)

    def drain_shard(self, number: int) -> list[Lease]:
        """Leases nothing more of a shard; returns the leases of it that are still out."""
        shard = self._shards.opened.get(number)
        if shard is None:
            return []
        shard.is_draining = True
        self._window.drain(shard)
        return self._leases.of(shard)

    def lease_until(self, number: int, until: float) -> None:
        """Says how long hosts of a shard may be leased, as far as is known now."""
        shard = self._shards.opened.get(number)
        if shard is not None:
            shard.lease_until = until

    def close_shard(self, number: int) -> None:
        """Hands a shard over: when it returns, all of it is durable and another may open it."""
        self.committer.commit()
        assert not self.drain_shard(number), f"shard {number} has leases out"
        self._forget(number)
        self._shards.remove(number)
        self._market.shards_changed(self._shards.opened.values())
        self._seen.forget(number)

    def drop_shard(self, number: int) -> None:
        """Forgets a shard that was lost: what of it is not durable never will be. Nobody may be at work on it.

        What pages of other shards had for it is committed first: it goes to whoever owns it now.
        """
        self.committer.commit()
        for lease in self.drain_shard(number):
            self.give_back(lease, self._clock())  # a host that was reserved
        self._forget(number)
        self._shards.drop(number)
        self._seen.forget(number)

    def _forget(self, number: int) -> None:
        shard = self._shards.opened.get(number)
        if shard is not None:
            self.outbox.drop(shard)
            self._policies.drop(shard)
            self._domains.drop(shard)

    def _note_opened(self, shard: Shard) -> None:
        shard.unsafe = self._unsafe
        self._window.note_opened(shard)
        self.outbox.note_opened(shard)
        self._market.shards_changed(self._shards.opened.values())
        self._window.sharing.recall(last_brought(one.share for one in self._shards.opened.values()))

    # Looking in

    def statistics(self) -> FrontierStatistics:
        """Returns what the frontier holds."""
        return gathered(
            self._shards.opened,
            self._window,
            list(self._leases),
            self._seen.statistics(),
            self._tally.tallied(self._policies.lookups),
            self._clock(),
            self._sampling.freshness(self._shards.opened.values(), self._clock()),
            self._window.sharing.statistics(),
            self.rendering.statistics(list(self._shards.opened.values()), self._clock()),
            self._tally.margin,
        )

    def host(self, name: str) -> Host | None:
        """Returns the host if it is in memory."""
        return self._window.get(name)

    def delay_of(self, host: Host) -> float:
        """Returns the delay that a host in memory is visited with."""
        return self._window.delay_of(host)

    def quota_of(self, host: Host) -> int:
        """Returns the requests that a host in memory may have in a day."""
        return self._window.quota_of(host)

    def close(self) -> None:
        """Commits what is noted, and closes the shards whatever happens."""
        try:
            self.committer.commit()
        finally:
            self._shards.close(is_committed=not self.committer.is_broken)
