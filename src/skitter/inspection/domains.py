"""The domains of a crawl: what is thought of them, and which of them wait for somebody to look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from skitter.inspection.folder import Folder
from skitter.schedule.budget import DomainFlag, DomainRecord, against, is_blocked, is_proven, pages_left, worth_of
from skitter.settings import DAY
from skitter.shard.records import DOMAINS


class DomainLook(Struct, frozen=True):
    """What is known of one domain."""

    domain: str
    known_as: str  # operator, proven, unknown, in review or blocked
    worth: float
    hosts: int
    pages: int
    good: int
    supporters: int
    pages_left: float | None  # today; None: as many as politeness allows
    against: Sequence[str] = ()


def domains(folder: Folder, now: float) -> Iterator[DomainLook]:
    """Yields every domain that the crawl knows."""
    for shard in folder.shards():
        for _, raw in shard.iterate(b"b"):
            yield domain_look(DOMAINS.decode(raw), now)


def in_review(folder: Folder, now: float) -> list[DomainLook]:
    """Returns the domains that were blocked until somebody has looked at them."""
    return [one for one in domains(folder, now) if one.known_as == "in review"]


def domain_named(folder: Folder, domain: str, now: float) -> DomainLook | None:
    """Returns one domain, or None if the crawl does not know it."""
    shard = folder.shard(folder.shard_of(domain))
    record = None if shard is None else shard.domain(domain)
    return None if record is None else domain_look(record, now)


def domain_look(record: DomainRecord, now: float) -> DomainLook:
    """Returns what a domain's record comes to."""
    left = pages_left(record, int(now // DAY))
    return DomainLook(
        record.domain,
        _known_as(record),
        worth_of(record),
        record.hosts,
        record.pages,
        record.good,
        sum(one.trust > 0 for one in record.supporters),
        None if left == float("inf") else left,
        against(record) if record.flags & DomainFlag.IN_REVIEW else (),
    )


def _known_as(record: DomainRecord) -> str:
    if record.flags & DomainFlag.IN_REVIEW:
        return "in review"
    if is_blocked(record):
        return "blocked"
    if record.flags & (DomainFlag.SEED | DomainFlag.ALLOWED):
        return "operator"
    return "proven" if is_proven(record) else "unknown"
