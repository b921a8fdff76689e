"""A domain whose hosts are dealt out to parts, in the store that has all of them. Pure. See docs/decisions/0028.

Entries that are kept by the name of the domain get those of its parts; all others stay as they are, and belong to a
part by their host. What was learnt of pages that are alike is learnt anew: it says of no host whose it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skitter.schedule.budget import DomainRecord, dealt_out
from skitter.schedule.priority import FRONT
from skitter.schedule.shares import Purpose
from skitter.shard import keys
from skitter.shard.moving.bundles import Changes, Entries
from skitter.shard.records import DOMAINS
from skitter.url.spread import part_of, parts_of

AT_A_TIME = 20_000
"""Entries that are renamed by one record."""
TURNS = len(FRONT) * len(Purpose)


def renamed(store: Entries, domain: str, parts: int) -> Iterator[Changes]:
    """Yields the changes that take hosts which wait, and bands, from a domain; done in part, it goes on with the rest.

    Nobody may work on the store before the last of all, that of `parted`.
    """
    changes: Changes = {}
    for key, value in store.iterate(keys.hosts_prefix(domain)):
        rank, host = keys.rank_and_host(key)
        changes |= {key: None, keys.host_waiting_key(part_of(domain, host, parts), rank, host): value}
        if len(changes) > AT_A_TIME:
            yield changes
            changes = {}
    for key, _ in store.iterate(keys.band_prefix(domain)):
        changes[key] = None
        if len(changes) > AT_A_TIME:
            yield changes
            changes = {}
    yield changes


def parted(store: Entries, domain: str, parts: int) -> Changes:
    """Returns the changes that make its parts of a domain: their turns, and what each may have of its budget."""
    names = parts_of(domain, parts)
    changes: Changes = {}
    for turn in _turns(store, domain):
        changes[keys.waiting_key(turn, domain)] = None
        changes |= {keys.waiting_key(turn, name): b"" for name in names}
    raw = store.get(keys.domain_key(domain))
    if raw is not None:
        changes[keys.domain_key(domain)] = None
        changes |= _records(DOMAINS.decode(raw), names)
    return changes


def _turns(store: Entries, domain: str) -> list[int]:
    return [turn for turn in range(TURNS) if store.get(keys.waiting_key(turn, domain)) is not None]


def _records(record: DomainRecord, names: Sequence[str]) -> Changes:
    return {keys.domain_key(one.domain): DOMAINS.encode(one) for one in dealt_out(record, names)}
