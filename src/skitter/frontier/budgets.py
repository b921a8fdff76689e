"""What domains may have of a node, and what their pages earn them; the rules are in `schedule.budget`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.domain import Domain, DomainMemory, mark_of
from skitter.frontier.host import Host
from skitter.frontier.window import Window
from skitter.messages import Discovered, Errand, Outcome, Reason
from skitter.schedule.budget import (
    FAR,
    SUBSTANTIAL,
    DomainFlag,
    DomainRecord,
    PageOfDomain,
    after_page,
    is_proven,
    is_spread,
    looks_like_a_farm,
    pages_left,
    steps_to,
    with_supporter,
    with_use,
    without_use,
    worth_of,
)
from skitter.schedule.priority import front_class, rank_of
from skitter.settings import DAY
from skitter.shard import keys
from skitter.shard.writer import Shard
from skitter.url.keys import host_of

FEW_WORDS = 5
"""A page that says less says nothing."""
NAMES_REMEMBERED = 64
"""Hosts of a domain that are known to be known without asking the store."""
AGAINST = frozenset({Reason.NEAR_DUPLICATE, Reason.SOFT_404, Reason.TRAP})


class Budgets:
    """The budgets of the domains of a node."""

    def __init__(self, domains: DomainMemory, window: Window) -> None:
        self._domains = domains
        self._window = window

    # A URL arrives

    def arrived(self, shard: Shard, one: Discovered, now: float) -> Host | None:
        """Takes note of a new URL; returns its host if that is in memory, else it waits to be brought in."""
        host = self._window.get(one.host)
        domain = host.domain if host is not None else self._domains.of(shard, one.host, now)
        if host is None and one.host not in domain.names:
            self._count_host(shard, domain, one.host)
        if one.depth == 0 and one.errand is Errand.PAGE and not domain.record.flags & DomainFlag.SEED:
            self._change(domain, structs.replace(domain.record, flags=domain.record.flags | DomainFlag.SEED), now)
        return host

    def rank(self, shard: Shard, one: Discovered, now: float) -> int:
        """Returns where the host of a new URL, which is not in memory, stands among those of its domain."""
        return rank_of(self.class_of(shard, one.host, one.priority, now), self._steps(one))

    def class_of(self, shard: Shard, host: str, priority: float, now: float) -> int:
        """Returns the class of a host that is not in memory, by a URL of it and by what its domain is worth."""
        record = self._domains.of(shard, host, now).record
        return 0 if record.boosted else front_class(priority * worth_of(record))

    def supported(self, shard: Shard, one: Discovered, now: float) -> None:
        """Takes note that a domain vouches for that of a URL."""
        supporter, domain = self._domains.domain_of(host_of(one.parent or "")), self._domains.of(shard, one.host, now)
        if supporter != domain.record.domain:
            self._change(domain, with_supporter(domain.record, mark_of(supporter), one.supports), now)

    def _count_host(self, shard: Shard, domain: Domain, host: str) -> None:
        if len(domain.names) >= NAMES_REMEMBERED:
            domain.names.clear()
        domain.names.add(host)
        if not shard.has_new(host) and shard.get(keys.counts_key(host)) is None:
            domain.change(structs.replace(domain.record, hosts=domain.record.hosts + 1))

    def _steps(self, one: Discovered) -> int:
        if one.depth == 0 or one.parent is None:
            return 0
        parent = self._window.get(host_of(one.parent))
        if parent is None or parent.domain.record.domain != self._domains.domain_of(one.host):
            return 1
        return steps_to(parent.record.steps, parent.record.good)

    # A page is leased and settled

    def may_lease(self, host: Host, now: float) -> bool:
        """Whether a page of a host may be fetched now; if not, it waits for the next day, or for what others earn."""
        if pages_left(host.domain.record, int(now // DAY)) >= 1:
            if host.domain.has_more:
                self._window.note_room(host.domain, now)
            return True
        host.domain.at_rest.append(host)
        self._window.rest_until(host, (now // DAY + 1) * DAY, asleep=True)
        return False

    def worth_asking(self, host: Host, sitemaps: Sequence[Discovered]) -> Sequence[Discovered]:
        """Returns the sitemaps of a robots.txt; not our guess, if the names of the domain have no end as it seems."""
        record = host.domain.record
        is_doubtful = host.record.steps >= FAR or (is_spread(record) and not is_proven(record))
        return [one for one in sitemaps if one.parent is not None] if is_doubtful else sitemaps

    def leased(self, host: Host, errand: Errand, now: float) -> None:
        """Takes note of a page that is being fetched. It is durable with whatever comes of it."""
        if errand is Errand.PAGE:
            host.domain.record = with_use(host.domain.record, now)

    def given_back(self, host: Host, errand: Errand, now: float) -> None:
        """Takes note that no page came of a lease: nothing is said for the domain or against it."""
        if errand is Errand.PAGE:
            self._change(host.domain, without_use(host.domain.record), now)

    def settled(self, host: Host, outcome: Outcome, now: float) -> None:
        """Takes note of a page that was read: what it says for its host and its domain."""
        domain = host.domain
        if outcome.failure is not None or not 200 <= outcome.status < 300:
            self.given_back(host, outcome.lease.errand, now)
            return
        if outcome.lease.errand is not Errand.PAGE:
            return
        is_poor = not AGAINST.isdisjoint(outcome.verdict.reasons)
        is_good = not is_poor and _says_something(outcome)
        page = PageOfDomain(is_good, is_poor, len(outcome.abroad), outcome.followed)
        record = after_page(domain.record, page)
        if is_good:
            host.record = structs.replace(host.record, good=host.record.good + 1)
            if host.record.good == SUBSTANTIAL:
                record = structs.replace(record, substantial=record.substantial + 1)
        if looks_like_a_farm(record):
            record = structs.replace(record, flags=record.flags | DomainFlag.BLOCKED | DomainFlag.IN_REVIEW)
        self._change(domain, record, now)

    def _change(self, domain: Domain, record: DomainRecord, now: float) -> None:
        """Changes what is known of a domain; if it may have more by that, its hosts are told."""
        before = domain.record
        domain.change(record)
        day = int(now // DAY)
        has_room = domain.has_more or domain.at_rest
        if has_room and (pages_left(record, day) >= 1 or is_proven(record) != is_proven(before)):
            self._window.note_room(domain, now)


def _says_something(outcome: Outcome) -> bool:
    """Whether a page says something: by its text, or if it is no page, whether its bytes are new."""
    if outcome.said is None:
        return outcome.stored is not None and not outcome.stored.revisit
    return outcome.said.words >= FEW_WORDS
