"""A domain while any of its hosts is in memory, and for a while after: what it may have, and when it has its turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from xxhash import xxh3_64_intdigest

from skitter.schedule.budget import DomainRecord, trust_that_adds_nothing, without_use

if TYPE_CHECKING:
    from skitter.frontier.host import Host
    from skitter.shard.writer import Shard

REMEMBERED = 4096
"""Domains without a host in memory that are not read again: some 600 bytes each."""


class Stand:
    """Where a domain stands in a line. `turn` is its place among the others there: the smallest comes first."""

    __slots__ = ("is_queued", "ready", "turn")

    def __init__(self) -> None:
        self.turn = 0.0
        self.is_queued = False  # it has a place among them
        self.ready: deque[tuple[int, Host]] = deque()


class Domain:
    """One domain. It stands in two lines: with hosts that have something to discover, and with those that do not."""

    __slots__ = ("at_rest", "enough", "has_more", "held", "inside", "names", "out", "record", "shard", "stands")

    def __init__(self, shard: Shard, record: DomainRecord) -> None:
        self.shard = shard
        self.record = record
        self.enough = trust_that_adds_nothing(record)
        self.stands = (Stand(), Stand())  # by purpose
        self.inside = 0  # hosts in memory that have something to do and do not sleep
        self.held = 0  # hosts in memory
        self.out = 0  # pages of it that are leased
        self.has_more = False  # hosts wait on disk for which there was no room
        self.at_rest: list[Host] = []  # hosts that wait because the domain has had what it may have
        self.names: dict[str, str] = {}  # hosts that were found of late, with the host that led to each first

    def __repr__(self) -> str:
        hosts = f"{self.inside} of {self.held} hosts in memory have work"
        return f"<Domain {self.record.domain}: {hosts}, turns {[round(one.turn, 2) for one in self.stands]}>"

    def change(self, record: DomainRecord) -> None:
        """Replaces the record, here and in the shard.

        There without the pages that are leased: whoever kills us has them leased again, and they count once.
        """
        if record != self.record:
            if record.supporters is not self.record.supporters:
                self.enough = trust_that_adds_nothing(record)
            self.record = record
            self.shard.put_domain(without_use(record, self.out) if self.out else record)


class DomainMemory:
    """The domains of a node. What is not in memory is read from its shard."""

    def __init__(self, domain_of: Callable[[str], str]) -> None:
        self.domain_of = domain_of
        self._domains: dict[str, Domain] = {}
        self._idle = 0

    def __len__(self) -> int:
        return len(self._domains)

    def of(self, shard: Shard, host: str, now: float) -> Domain:
        """Returns the domain of a host."""
        return self.named(shard, self.domain_of(host), now)

    def known(self, host: str) -> Domain | None:
        """Returns the domain of a host if it is in memory."""
        return self._domains.get(self.domain_of(host))

    def named(self, shard: Shard, name: str, now: float) -> Domain:
        """Returns the domain of that name."""
        domain = self._domains.get(name)
        if domain is None:
            domain = self._domains[name] = Domain(shard, shard.domain(name) or DomainRecord(name, now))
            self._forget_some()
        return domain

    def drop(self, shard: Shard) -> None:
        """Forgets the domains of a shard that is closed."""
        self._domains = {name: one for name, one in self._domains.items() if one.shard is not shard}

    def _forget_some(self) -> None:
        """Forgets domains of which no host is in memory, if there are many. All of them is on disk, or will be."""
        self._idle += 1
        if self._idle > REMEMBERED:
            self._idle = 0
            self._domains = {name: one for name, one in self._domains.items() if one.held}


def mark_of(domain: str) -> int:
    """Returns a number that stands for a domain's name."""
    return xxh3_64_intdigest(domain.encode()) >> 32
