"""Settling: what came of a lease, noted for the URL and for its host. Only then may the host be leased again.

Every verb here takes the lease as a value. What was decided is decided before the lease is taken back: whatever goes
wrong in deciding, the host is not lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.decide import (
    NOTHING,
    Asked,
    after_request,
    after_robots,
    host_delay,
    host_load,
    settled,
    slowed_ahead,
    with_crawl_delay,
)
from skitter.frontier.discover import Discovery
from skitter.frontier.host import Host
from skitter.frontier.judging import Judging
from skitter.frontier.parts import Parts
from skitter.frontier.policies import RobotsOutcome
from skitter.frontier.rendering import RenderQueue
from skitter.frontier.rendernote import host_after
from skitter.frontier.signals import Signals
from skitter.messages import Discovered, Errand, Failure, Kind, Lease, Outcome, State
from skitter.settings import Settings
from skitter.shard.outbox import Outbox
from skitter.shard.records import HostRecord
from skitter.url.keys import origin_of


class Settling:
    """Takes leases back."""

    def __init__(
        self, parts: Parts, discovery: Discovery, outbox: Outbox, judging: Judging, rendering: RenderQueue
    ) -> None:
        self._rendering = rendering
        self._window, self._budgets, self._policies, self._leases, self._tally = parts[:5]
        self._settings, self._clock, self._after_commit, self._market, self._sampling = parts[5:]
        self._signals = Signals(self._market, self._sampling)
        self._discovery = discovery
        self._outbox = outbox
        self._judging = judging

    def take_settings(self, settings: Settings) -> None:
        """Goes on with other settings."""
        self._settings = settings

    def settle(self, outcome: Outcome | RobotsOutcome) -> int:
        """Notes what came of a lease, its links first; returns how many of them are new. One that has ended is none."""
        host = self._leases.host_of(outcome.lease)
        if host is None:
            return 0
        self._budgets.begin()
        new, others = self._offered(host, outcome)
        if isinstance(outcome, RobotsOutcome):
            self._settle_robots(host, outcome)
        else:
            self._settle_page(host, outcome, new)
            self._judging.settled(host, outcome, new)
        self._outbox.post(host.shard, others)
        self._after_commit(host)
        return len(new)

    def _offered(self, host: Host, outcome: Outcome | RobotsOutcome) -> tuple[list[Discovered], list[Discovered]]:
        """Queues the links of a page. Where a URL leads that we made up is only looked at: it would lead to our own."""
        if isinstance(outcome, RobotsOutcome):
            return self._discovery.discover(self._budgets.worth_asking(host, outcome.links), self._clock())
        if outcome.lease.errand is Errand.SOUNDING:
            return self._discovery.unknown(outcome.links), []
        now = self._clock()
        if outcome.vouched:
            self._budgets.vouched(host, outcome.vouched, now)
        new, others = self._discovery.discover(outcome.links, now)
        self._signals.hear(host, outcome, new, now)
        return new, others

    def _settle_page(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> None:
        assert host.taken is not None
        before = host.taken.url
        terms = self._market.terms(host.record) if outcome.lease.errand is not Errand.SOUNDING else None  # seen once
        after = settled(outcome, before, host.record, self._settings, terms, len(new))
        self._leases.take_back(outcome.lease)
        host.record = host_after(after.host, outcome)
        self._rendering.settled(outcome)
        if outcome.hub and outcome.hub != host.record.hub:
            host.record = structs.replace(host.record, hub=outcome.hub)
        if self._market.is_open:
            self._window.sharing.settle(before, after.url, outcome)
        if after.market is not None:
            self._market.moved(host.shard, after.market, outcome.at, self._window.sharing.brought)
            self._sampling.visited(host.shard, outcome.lease.fingerprint, before, after.url)
            self._sampling.note(host.shard, outcome.lease.fingerprint, after.url, after.host)
        if outcome.began is not None:
            self._tally.began(outcome.began, host.due)
            self._requested(host.record)
        if outcome.reason is not None:
            self._tally.skipped(outcome.reason)
        host.shard.change_url(outcome.lease.fingerprint, before, after.url)
        if outcome.stored is not None and not outcome.is_elsewhere:
            host.shard.note_stored(outcome.stored.file, outcome.lease.fingerprint)
        self._budgets.settled(host, outcome, new, outcome.at)
        host.shard.put_host(host.record)
        if after.url.state is State.QUEUED:
            host.give_back()
        host.taken = None

    def _settle_robots(self, host: Host, outcome: RobotsOutcome) -> None:
        policy, fetched = outcome.policy, outcome.fetched
        origin = origin_of(outcome.lease.href)
        asked = after_robots(host.record, fetched.failure, fetched.began, outcome.at, self._settings, fetched.took)
        record = with_crawl_delay(asked, origin, policy.crawl_delay)
        self._leases.take_back(outcome.lease)
        host.record = record
        self._tally.read_robots(policy)
        self._tally.began(fetched.began, host.due)
        self._requested(record)
        if self._policies.put(host.shard, origin, policy, fetched):
            host.shard.recheck_forbidden(record.host)
        host.shard.put_host(record)

    def slowed_ahead(
        self, lease: Lease, began: float, failure: Failure | None, asked: Asked = NOTHING, took: float = 0.0
    ) -> bool:
        """Notes what an answer asks of us, before it is stored; False if it asks for nothing. Commit it at once.

        Killed between the two, the next start is no quicker than the archive says we were told to be.
        """
        host = self._leases.host_of(lease)
        if host is None:
            return False
        record = slowed_ahead(host.record, failure, began, self._clock(), self._settings, asked, took)
        if record is None:
            return False
        host.shard.put_host(record)
        return True

    def give_back(self, lease: Lease, until: float, began: float | None = None) -> None:
        """Gives a lease back; the host is not leased again before `until`, nor a delay after a request at `began`."""
        host = self._leases.host_of(lease)
        if host is None:
            return
        self._leases.take_back(lease)
        self._budgets.given_back(host, lease.errand, self._clock())
        host.give_back()
        if began is not None:
            # What it was asked for meanwhile is in the store; nobody is going to settle it.
            host.record = after_request(host.shard.host(lease.host) or host.record, began)
        self._window.rest_until(host, max(until, self._window.may_visit_at(host, self._window.delay_of(host))))

    def release(
        self, lease: Lease, began: float, failure: Failure | None, heard: Asked = NOTHING, took: float = 0.0
    ) -> None:
        """Ends a reservation, during which a request went out. A host that said 429 there is slowed as anywhere."""
        host = self._leases.host_of(lease)
        if host is None:
            return
        self._leases.take_back(lease)
        asked = after_robots(host.record, failure, began, self._clock(), self._settings, took)
        asked = with_crawl_delay(asked, *heard) if heard.origin else asked
        host.record = structs.replace(asked, reserved_until=0.0)
        self._requested(host.record)
        host.shard.put_host(host.record)
        self._after_commit(host)

    def _requested(self, host: HostRecord) -> None:
        is_loaded = host.took > 0 and host_load(host, self._settings) > host_delay(host, self._settings)
        self._tally.requested(host, self._settings, is_loaded=is_loaded)

    def expire(self, lease: Lease) -> None:
        """Ends a lease that outlived its end. Nobody may be at work on it any more."""
        now = self._clock()
        host = self._leases.host_of(lease)
        if host is None:
            return
        # What an answer asked of us before we gave up is in the store, see `slowed_ahead`.
        host.record = host.shard.host(lease.host) or host.record
        self._tally.expired(lease.errand)
        if lease.errand is Errand.ROBOTS:
            self.give_back(lease, now + self._settings.politeness.delay, began=now)
        else:
            self.settle(Outcome(lease, now, began=now, failure=Failure(Kind.LEASE_EXPIRED)))
