"""Whose a shard is: by the order of the records in its log, and by nothing else. Pure.

The rule: an owner writes `take` with a random id, and each of its records carries that id. A record counts if its id
is that of the last `take` before it, and no `release` of that came between. So whoever lost a shard can't write to it
any more, without knowing it.

A lease keeps two owners from fetching at once. Whoever sends a record and hears that it has the offset after the last
one it knows of was the owner when it was written: the record is *proven*. An owner starts requests only until `LEASE`
after it **sent** its last proven record. The next owner begins `LEASE` after it **heard** that its `take` is written:

    sent(last proven record) ≤ written(it) < written(take) ≤ heard(take)

so the first stops before the second begins, whatever the network does, as long as clocks run equally fast.

Where the second knows when the first was dead for certain, it counts from then: a process that holds the lock of a
folder knows that of whoever held it before. What that one had sent was sent by then, and so was what others had proven
before it took the shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, structs

from skitter.shard.log.codec import LogRecord, Release, Take

LEASE = 5.0
"""Seconds from a proven record's sending in which its writer may start requests."""


NONE: Mapping[bytes, float] = MappingProxyType({})


class Standing(Struct, frozen=True, array_like=True):
    """Whose a shard is at a place in its log: the id of the tenure; nothing while it is nobody's."""

    owner: bytes = b""


def after(standing: Standing, record: LogRecord) -> tuple[Standing, bool]:
    """Returns whose the shard is after a record, and whether the record counts."""
    if isinstance(record, Take):
        return Standing(record.id), True
    if record.id != standing.owner:
        return standing, False
    return (Standing() if isinstance(record, Release) else standing), True


class Tenure(Struct, frozen=True):
    """Our ownership of one shard, as far as we can prove it."""

    id: bytes
    next: int  # the offset of our next record, if nobody else writes meanwhile
    proven: float  # when the last proven record was sent
    begins: float  # when requests may start

    def until(self) -> float:
        """Returns when the last request may start."""
        return self.proven + LEASE

    def may_fetch(self, now: float) -> bool:
        """Whether a request may start, and be under way."""
        return self.begins <= now < self.until()


class Gap(NamedTuple):
    """Records between our last one and this that others wrote: they must be read. `start` to before `end`."""

    start: int
    end: int


class Backwards(NamedTuple):
    """An offset that was there before: the log is not the one that we know."""

    offset: int
    known: int


def taken(
    take: Take, offset: int, *, sent: float, heard: float, before: Standing, ours: Mapping[bytes, float] = NONE
) -> Tenure:
    """Returns the tenure that a `take` at `offset` begins.

    `before` says whose the shard was until then: if nobody's, nobody has to be waited for. If it was one of `ours`,
    which are known to have ended, the next may begin at the time that is given there.
    """
    begins = heard + LEASE
    if not before.owner:
        begins = heard
    elif before.owner in ours:
        begins = min(begins, max(heard, ours[before.owner]))
    return Tenure(take.id, offset + 1, sent, begins)


def written(tenure: Tenure, offset: int, sent: float) -> Tenure | Gap | Backwards:
    """Returns the tenure after a record of ours, sent at `sent`, was written at `offset`; or what is to be read."""
    if offset < tenure.next:
        return Backwards(offset, tenure.next)
    if offset > tenure.next:
        return Gap(tenure.next, offset)
    return structs.replace(tenure, next=offset + 1, proven=max(tenure.proven, sent))


def with_gap(tenure: Tenure, between: Iterable[LogRecord], offset: int, sent: float) -> Tenure | None:
    """Returns the tenure after a record at `offset` with others `between` it and our last; None if one of them took it.

    A record of somebody who lost the shard before us is void, and changes nothing.
    """
    if any(isinstance(record, Take) for record in between):
        return None
    return structs.replace(tenure, next=offset + 1, proven=max(tenure.proven, sent))
