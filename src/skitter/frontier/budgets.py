"""What domains may have of a node, and what their pages earn them; the rules are in `schedule.budget`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product

from msgspec import structs

from skitter.frontier.domain import Domain, DomainMemory, mark_of
from skitter.frontier.host import Host
from skitter.frontier.window import Window
from skitter.messages import PAGE_ERRANDS, Discovered, Errand, Outcome, Reason
from skitter.schedule.budget import (
    SEVERAL,
    DomainFlag,
    DomainRecord,
    Name,
    PageOfDomain,
    after_page,
    after_single,
    class_of_host,
    is_proven,
    is_spread,
    looks_like_a_farm,
    name_after,
    pages_left,
    trust_of,
    with_supporter,
    with_use,
    without_use,
)
from skitter.schedule.priority import FRONT, rank_of, turn_of
from skitter.schedule.shares import Purpose
from skitter.settings import DAY
from skitter.shard import keys
from skitter.shard.writer import Shard
from skitter.url.keys import host_of
from skitter.url.spread import whole_of

FEW_WORDS = 5
"""A page that says less says nothing."""
CROWDED = 1.0
"""Seconds after which a host is looked at again whose domain has as many pages under way as it may have."""
NAMES_REMEMBERED = 256
"""Hosts of a domain that are known to be known without asking the store."""
AGAINST = frozenset({Reason.NEAR_DUPLICATE, Reason.SOFT_404, Reason.TRAP})


class Budgets:
    """The budgets of the domains of a node."""

    def __init__(self, domains: DomainMemory, window: Window) -> None:
        self._domains = domains
        self._window = window
        self._fresh = 0  # hosts that were found since a page was begun with

    # A URL arrives

    def arrived(self, shard: Shard, one: Discovered, now: float) -> Host | None:
        """Takes note of a new URL; returns its host if that is in memory, else it waits to be brought in."""
        host = self._window.get(one.host)
        domain = host.domain if host is not None else self._domains.of(shard, one.host, now)
        if host is None and one.host not in domain.names:
            self._count_host(shard, domain, one)
        if one.depth == 0 and one.errand is Errand.PAGE and not domain.record.flags & DomainFlag.SEED:
            self._change(domain, structs.replace(domain.record, flags=domain.record.flags | DomainFlag.SEED), now)
        return host

    def rank(self, shard: Shard, one: Discovered, now: float) -> int:
        """Returns where the host of a new URL, which is not in memory, stands among those of its domain."""
        domain = self._domains.of(shard, one.host, now)
        return rank_of(self.class_of(shard, one.host, one.priority, now), is_single=self._is_single(domain, one))

    def class_of(self, shard: Shard, host: str, priority: float, now: float, worth: float | None = None) -> int:
        """Returns the class of a host that is not in memory, by a URL of it and by what it or its domain is worth."""
        return class_of_host(self._domains.of(shard, host, now).record, priority, worth)

    def wanting_support(self, names: Collection[str], trust: float) -> list[str]:
        """Returns those to which it would make a difference if one more domain, trusted so far, spoke for them."""
        get = self._window.get
        return [name for name in names if (host := get(name)) is None or trust > host.domain.enough]

    def supported(self, shard: Shard, one: Discovered, now: float) -> None:
        """Takes note that a domain vouches for that of a URL."""
        host = self._window.get(one.host)
        domain = host.domain if host is not None else self._domains.of(shard, one.host, now)
        if one.supports > domain.enough:
            supporter = self._whole_of(host_of(one.parent or ""))
            if supporter != whole_of(domain.record.domain):
                self._change(domain, with_supporter(domain.record, mark_of(supporter), one.supports), now)
        if host is None and not self._is_single(domain, one):
            self._known_now(shard, domain, one.host)

    def vouched(self, by: Host, names: Sequence[str], now: float) -> None:
        """Takes note that a page of a host vouches for others, which were in memory when it was judged."""
        own = by.domain.record
        whole, trust = whole_of(own.domain), trust_of(own)
        mark = mark_of(whole)
        for name in names:
            host = self._window.get(name)
            domain = host.domain if host is not None else self._domains.known(name)
            if domain is None or domain is by.domain or trust <= domain.enough:
                continue
            if whole_of(domain.record.domain) != whole:
                self._change(domain, with_supporter(domain.record, mark, trust), now)

    def _count_host(self, shard: Shard, domain: Domain, one: Discovered) -> None:
        if len(domain.names) >= NAMES_REMEMBERED:
            domain.names.clear()
        domain.names[one.host] = host_of(one.parent) if one.parent is not None else ""
        if not shard.has_new(one.host) and shard.get(keys.counts_key(one.host)) is None:
            domain.change(structs.replace(domain.record, hosts=domain.record.hosts + 1))
            self._fresh += 1

    def _is_single(self, domain: Domain, one: Discovered) -> bool:
        """Whether the host of a URL is one that a single host of its domain leads to, as far as we remember."""
        parent = host_of(one.parent) if one.depth and one.parent is not None else ""
        if not parent or self._whole_of(parent) != whole_of(domain.record.domain):
            return False
        return domain.names.get(one.host, parent) == parent

    def _known_now(self, shard: Shard, domain: Domain, host: str) -> None:
        """Lets a host in that waited as one to which a single host led: another one does too."""
        first = domain.names.get(host)
        if first is not None and (not first or self._whole_of(first) != whole_of(domain.record.domain)):
            return  # it never waited as one
        for number, purpose in product(range(len(FRONT)), Purpose):
            rank = rank_of(number, is_single=True, purpose=purpose)
            key = keys.host_waiting_key(domain.record.domain, rank, host)
            if shard.get(key) is not None:
                shard.delete(key)
                shard.await_window(rank_of(number, is_single=False, purpose=purpose), host)
                self._window.note_waiting(shard, turn_of(number, purpose))

    # A page is leased and settled

    def begin(self) -> None:
        """Begins with the links of another page."""
        self._fresh = 0

    def may_lease(self, host: Host, now: float) -> bool:
        """Whether a page of a host may be fetched now; if not, it waits: for the domain's other hosts to be done, for
        the next day, or for what others earn.
        """
        if self._window.is_crowded(host.domain):
            self._window.rest_until(host, now + CROWDED)
            return False
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
        is_doubtful = host.record.name is not Name.KNOWN and record.springs > 1
        is_doubtful = is_doubtful or (is_spread(record) and not is_proven(record))
        return [one for one in sitemaps if one.parent is not None] if is_doubtful else sitemaps

    def leased(self, host: Host, errand: Errand, now: float) -> None:
        """Takes note of a page that is being fetched. It is durable with whatever comes of it."""
        if errand in PAGE_ERRANDS:
            host.domain.out += 1
            host.domain.record = with_use(host.domain.record, now)

    def given_back(self, host: Host, errand: Errand, now: float) -> None:
        """Takes note that no page came of a lease: nothing is said for the domain or against it."""
        if errand in PAGE_ERRANDS:
            host.domain.out -= 1
            self._change(host.domain, without_use(host.domain.record), now)

    def settled(self, host: Host, outcome: Outcome, new: Sequence[Discovered], now: float) -> None:
        """Takes note of a page that was read: what it says for its host and its domain."""
        domain = host.domain
        if outcome.failure is not None or not 200 <= outcome.status < 300:
            self.given_back(host, outcome.lease.errand, now)
            return
        if outcome.lease.errand not in PAGE_ERRANDS:
            return
        domain.out -= 1
        if outcome.is_empty:
            return  # without its scripts it says nothing, for its domain or against it
        is_poor = not AGAINST.isdisjoint(outcome.verdict.reasons)
        is_good = not is_poor and _says_something(outcome)
        page = PageOfDomain(is_good, is_poor, len(outcome.abroad), outcome.followed, self._fresh)
        record = after_page(domain.record, page)
        if is_good:
            is_seed = host.record.is_seed or outcome.lease.depth == 0
            host.record = structs.replace(host.record, good=host.record.good + 1, is_seed=is_seed)
            if host.record.name is Name.KNOWN and host.record.good == SEVERAL and not host.record.is_seed:
                record = structs.replace(record, known=record.known + 1)
        if host.record.name is not Name.KNOWN:
            record = self._named(host, record, outcome, new)
        if looks_like_a_farm(record):
            record = structs.replace(record, flags=record.flags | DomainFlag.BLOCKED | DomainFlag.IN_REVIEW)
        self._change(domain, record, now)

    def _named(self, host: Host, record: DomainRecord, outcome: Outcome, new: Sequence[Discovered]) -> DomainRecord:
        """Returns the domain after a page of a host that a single host led to: does it lead to more of them?"""
        whole, before = whole_of(record.domain), host.record.name
        names = {name for name in outcome.abroad if self._whole_of(name) == whole}
        fresh = {one.host for one in new if one.host in names}
        host.record = structs.replace(host.record, name=name_after(before, len(names), len(fresh)))
        return after_single(record, before, host.record.name)

    def _whole_of(self, host: str) -> str:
        return whole_of(self._domains.domain_of(host))

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
